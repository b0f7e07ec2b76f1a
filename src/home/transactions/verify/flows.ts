/**
 * Who pays whom: what each party brings and gets, in satoshis, in tokens and in NFTs. A contract and its reserve are one
 * party; the state of a contract is told elsewhere.
 */
import { categoriesOf, sumSatoshis, sumTokens, type Output } from '../../../bch/coins.js';
import type { Places } from './places.js';
import type { SpentCoin } from './sources.js';
import type { HomeVoice } from './voice.js';

/** What a party is richer by (or poorer, below 0). */
export type Flow = {
  /** Locking bytecode (hex) of the party: of the contract, where it is one. */
  readonly lock: string;
  /** Satoshis; the fee is part of what somebody pays. */
  readonly satoshis: bigint;
  readonly tokens: readonly { readonly category: string; readonly amount: bigint }[];
  /** NFTs, in words, that it gives and gets. */
  readonly nfts: { readonly given: readonly string[]; readonly got: readonly string[] };
};

/** True for an output that carries the state of a contract that was recognised. */
export type IsState = (output: Output) => boolean;

/**
 * `an NFT (none, "07") of abab...`.
 *
 * @example
 * nftWords('ab', { capability: 'none', commitment: '07' }); // 'an NFT (none, "07") of ab'
 */
export const nftWords = (
  category: string,
  { capability, commitment }: { readonly capability: string; readonly commitment: string },
): string => `an NFT (${capability}, "${commitment}") of ${category}`;

const nftsOf = (items: readonly Output[], isState: IsState): readonly string[] =>
  items.flatMap((item) =>
    item.token?.nft === undefined || isState(item) ? [] : [nftWords(item.token.category, item.token.nft)],
  );

/** Those of `some` that are not in `others`, each as often as it is there. */
const without = (some: readonly string[], others: readonly string[]): readonly string[] => {
  const left = [...others];
  return some.filter((one) => {
    const at = left.indexOf(one);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
};

/** What tokens and NFTs are spent and lie nowhere afterwards. A contract's own state ends with it, and is none. */
export const burntOf = (
  coins: readonly Output[],
  outputs: readonly Output[],
  { isState, voice }: { readonly isState: IsState; readonly voice: Pick<HomeVoice, 'amount'> },
): readonly string[] =>
  categoriesOf(coins).flatMap((category) => {
    const lost = sumTokens(coins, category) - sumTokens(outputs, category);
    const [before, after] = [coins, outputs].map((items) =>
      nftsOf(
        items.filter(({ token }) => token?.category === category),
        isState,
      ),
    );
    const gone = without(before ?? [], after ?? []);
    const isFewer = (after ?? []).length < (before ?? []).length;
    return [
      ...(lost > 0n ? [`${voice.amount(lost, category)} are burnt`] : []),
      ...(isFewer ? gone.map((one) => `${one} is burnt`) : []),
    ];
  });

const isData = (lock: string): boolean => lock.startsWith('6a');

/** The parties of a transaction in the order in which they appear, those that pay first. */
export const flowsOf = (
  spent: readonly SpentCoin[],
  outputs: readonly Output[],
  { contractAt, isState }: Pick<Places, 'contractAt'> & { readonly isState: IsState },
): readonly Flow[] => {
  const coins: readonly Output[] = spent.flatMap(({ coin }) => (coin === null ? [] : [coin]));
  const partyOf = ({ lockingBytecode }: Output): string =>
    contractAt(lockingBytecode)?.lockingBytecode ?? lockingBytecode;
  const parties = [...new Set([...coins, ...outputs].map(partyOf))].filter((lock) => !isData(lock));
  const categories = categoriesOf([...coins, ...outputs]);
  const flows = parties.map((lock): Flow => {
    const [before, after] = [coins, outputs].map((items) => items.filter((item) => partyOf(item) === lock));
    const difference = (sum: (items: readonly Output[]) => bigint): bigint =>
      sum(after ?? []) - sum(before ?? []);
    const [had, has] = [nftsOf(before ?? [], isState), nftsOf(after ?? [], isState)];
    return {
      lock,
      nfts: { given: without(had, has), got: without(has, had) },
      satoshis: difference(sumSatoshis),
      tokens: categories.flatMap((category) => {
        const amount = difference((items) => sumTokens(items, category));
        return amount === 0n ? [] : [{ category, amount }];
      }),
    };
  });
  const isPayer = ({ satoshis, tokens, nfts }: Flow): number =>
    satoshis < 0n || tokens.some(({ amount }) => amount < 0n) || nfts.given.length > 0 ? 0 : 1;
  return flows.sort((a, b) => isPayer(a) - isPayer(b));
};

/** `pays 0.1 BCH, gets 5 GEMS`; in a transaction that moves nothing of theirs `pays and gets nothing`. */
export const flowWords = ({ satoshis, tokens, nfts }: Flow, voice: HomeVoice): string => {
  const moved = [{ category: null, amount: satoshis }, ...tokens];
  const say = (verb: string, sign: bigint, some: readonly string[]): readonly string[] => {
    const amounts = moved
      .filter(({ amount }) => amount * sign > 0n)
      .map(({ amount, category }) => voice.amount(amount * sign, category));
    const all = [...amounts, ...some];
    return all.length === 0 ? [] : [`${verb} ${all.join(' and ')}`];
  };
  const words = [...say('pays', -1n, nfts.given), ...say('gets', 1n, nfts.got)];
  return words.length === 0 ? 'pays and gets nothing' : words.join(', ');
};
