/** What becomes of each contract: its state before and after, and what it holds. */
import { sumSatoshis, sumTokens, type Output } from '../../../bch/coins.js';
import { THREAD_DUST } from '../../../bch/transaction.js';
import type { Fact } from '../../../covenant/contract-words.js';
import { readCall } from '../../../covenant/recognise.js';
import { reserveLock } from '../../../covenant/reserve.js';
import type { KnownContract } from './places.js';
import type { SpentCoin } from './sources.js';
import type { HomeVoice } from './voice.js';

/** One line of a state; null where there is none before, or after. */
export type StateRow = {
  readonly what: string;
  readonly before: string | null;
  readonly after: string | null;
};

/** What a transaction makes of one contract. */
export type ContractChange = {
  readonly contract: KnownContract;
  /** The function that is called, by the inputs as they stand; null: it is only paid. */
  readonly call: string | null;
  readonly became: 'made' | 'goes on' | 'ended' | 'paid';
  readonly terms: readonly Fact[];
  readonly rows: readonly StateRow[];
};

const isThread = ({ token }: Output): boolean => token?.nft !== undefined;

/** What a contract holds, by what its coins and those of its reserves hold. */
const holdingOf = (
  { lockingBytecode: lock, params, words }: KnownContract,
  items: readonly Output[],
  voice: HomeVoice,
): string => {
  const own = items.filter((item) => item.lockingBytecode === lock);
  const category = words.pool?.(params);
  if (category === undefined || category === null) {
    const dust = category === null ? THREAD_DUST * BigInt(own.filter(isThread).length) : 0n;
    const tokens = [
      ...new Set(own.flatMap(({ token }) => ((token?.amount ?? 0n) > 0n ? [token?.category ?? ''] : []))),
    ];
    return [
      voice.amount(sumSatoshis(own) - dust, null),
      ...tokens.map((one) => voice.amount(sumTokens(own, one), one)),
    ].join(' and ');
  }
  const locks = own.filter(isThread).map(({ token }) => reserveLock(token?.category ?? '', lock));
  const reserves = items.filter(({ lockingBytecode }) => locks.includes(lockingBytecode));
  return voice.amount(sumTokens(reserves, category), category);
};

/** The states of its NFTs, told one after the other: nearly always of one. */
const factsOf = (contract: KnownContract, items: readonly Output[], voice: HomeVoice): readonly Fact[] => {
  const { lockingBytecode: lock, params, words } = contract;
  const own = items.filter((item) => item.lockingBytecode === lock);
  if (own.length === 0) return [];
  const states = own.filter(isThread).map(({ token }) => {
    const { commitment = '', capability = '' } = token?.nft ?? {};
    const state = words.state(commitment, params, voice);
    const unread: readonly Fact[] = [
      ['Its NFT', `says "${commitment}", which is no state of a ${words.what}`],
    ];
    return [
      ...(state ?? unread),
      [
        'Carried by',
        `a ${capability === 'none' ? 'immutable' : capability} NFT of ${token?.category ?? ''}`,
      ] as const,
    ];
  });
  const told = states.flatMap((facts, index) =>
    states.length === 1 ? facts : facts.map(([label, value]): Fact => [`${label} (${index + 1})`, value]),
  );
  return [...told, ['Holds', holdingOf(contract, items, voice)]];
};

const rowsOf = (before: readonly Fact[], after: readonly Fact[]): readonly StateRow[] => {
  const [was, is] = [new Map(before), new Map(after)];
  return [...new Set([...was.keys(), ...is.keys()])].map((what) => ({
    what,
    before: was.get(what) ?? null,
    after: is.get(what) ?? null,
  }));
};

/** What a transaction makes of a contract that it spends or pays. */
export const changeOf = (
  contract: KnownContract,
  spent: readonly SpentCoin[],
  outputs: readonly Output[],
  voice: HomeVoice,
): ContractChange => {
  const { lockingBytecode: lock, params, words } = contract;
  const coins = spent.flatMap(({ coin }) => (coin === null ? [] : [coin]));
  const at = (items: readonly Output[]) => items.filter((item) => item.lockingBytecode === lock);
  const [was, is] = [at(coins), at(outputs)];
  const calling = spent.find(({ coin }) => coin?.lockingBytecode === lock);
  const isPaidOnly = was.length === 0 && !is.some(isThread);
  // Of what is only paid, nobody knows here what it held before.
  const became = isPaidOnly ? 'paid' : was.length === 0 ? 'made' : is.length === 0 ? 'ended' : 'goes on';
  return {
    contract,
    call: calling === undefined ? null : (readCall(contract, calling.unlockingBytecode)?.name ?? null),
    became,
    terms: words.terms(params, voice),
    rows: isPaidOnly ? [] : rowsOf(factsOf(contract, coins, voice), factsOf(contract, outputs, voice)),
  };
};
