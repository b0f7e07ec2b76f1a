/** What a locking bytecode is: a key's, a contract's that was recognised, the reserve of one, data, or nothing known. */
import type { Coin, Output } from '../../../bch/coins.js';
import type { ContractTerms } from '../../../bch/fields.js';
import type { Network } from '../../../bch/network.js';
import type { ContractWords } from '../../../covenant/contract-words.js';
import { recogniseInput, recogniseTerms, type Recognised } from '../../../covenant/recognise.js';
import { reserveLock } from '../../../covenant/reserve.js';
import { addressOf } from '../../../bch/address.js';
import type { SpentCoin } from './sources.js';

/** A contract that this program has words for. */
export type KnownContract = Recognised & { readonly words: ContractWords };

export type Places = {
  /** Every contract that was recognised, each once. */
  readonly contracts: readonly KnownContract[];
  /** The contract at a locking bytecode, or the one whose reserve it is. */
  readonly contractAt: (lockingBytecode: string) => KnownContract | null;
  readonly isReserve: (lockingBytecode: string) => boolean;
  /** Terms that came along and belong to nothing here. */
  readonly idleTerms: readonly ContractTerms[];
};

const isData = (lockingBytecode: string): boolean => lockingBytecode.startsWith('6a');

/** True for what needs no recognising: a key, or data. */
export const isPlain = (lockingBytecode: string, network: Network): boolean =>
  isData(lockingBytecode) || addressOf(lockingBytecode, network)?.kind === 'p2pkh';

/** The categories of threads at a contract: its NFTs, before or after. */
const threadsAt = (lock: string, coins: readonly (Coin | Output)[]): readonly string[] => [
  ...new Set(
    coins.flatMap(({ lockingBytecode, token }) =>
      lockingBytecode === lock && token?.nft !== undefined ? [token.category] : [],
    ),
  ),
];

/** Recognises what can be: by the redeem scripts of inputs, and by terms that came along, each proven by its address. */
export const findPlaces = (
  spent: readonly SpentCoin[],
  outputs: readonly Output[],
  {
    terms,
    words,
    network,
  }: {
    readonly terms: readonly ContractTerms[];
    readonly words: readonly ContractWords[];
    readonly network: Network;
  },
): Places => {
  const coins = spent.flatMap(({ coin }) => (coin === null ? [] : [coin]));
  const here = new Set([...coins, ...outputs].map(({ lockingBytecode }) => lockingBytecode));
  const found = new Map<string, KnownContract>();
  const take = (recognised: Recognised | null): boolean => {
    if (recognised === null || !here.has(recognised.lockingBytecode)) return false;
    const known = words.find(({ contract }) => contract === recognised.name);
    if (known !== undefined) found.set(recognised.lockingBytecode, { ...recognised, words: known });
    return known !== undefined;
  };
  for (const { coin, unlockingBytecode } of spent) {
    const lock = coin?.lockingBytecode ?? '';
    if (!isPlain(lock, network) && !found.has(lock)) take(recogniseInput(lock, unlockingBytecode, network));
  }
  const idleTerms = terms.filter((one) => !take(recogniseTerms(one, network)));
  const contracts = [...found.values()];
  const reserves = new Map(
    contracts.flatMap((contract) =>
      threadsAt(contract.lockingBytecode, [...coins, ...outputs]).map(
        (category) => [reserveLock(category, contract.lockingBytecode), contract] as const,
      ),
    ),
  );
  return {
    contracts,
    contractAt: (lock) => found.get(lock) ?? reserves.get(lock) ?? null,
    isReserve: (lock) => reserves.has(lock),
    idleTerms,
  };
};
