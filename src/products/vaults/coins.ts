/**
 * What a coin at a vault's address is to the vault's contract. Source: contracts/vaults/vault.cash, of each version.
 *
 * Anybody may send a coin there with any token glued to it, so every kind has an answer:
 *   free   joins a spend, whatever it carries: its satoshis and fungible tokens serve, an NFT comes back
 *   alike  has what a thread has, so it leads a spend at input 0 in place of the thread, and goes on as one
 *   stuck  can never move: the contract of the first version takes it for a thread that cannot go on
 */
import { binToHex, hexToBin } from '@bitauth/libauth';
import { sameOutpoint, type Coin, type Output } from '../../bch/coins.js';
import { THREAD_DUST } from '../../bch/transaction.js';
import { isFirstVersion } from '../../covenant/artifact.js';
import { initialState, vaultState } from './contract.js';
import type { VaultRecord } from './vault.js';

type Pinned = Pick<VaultRecord, 'artifact_fingerprint' | 'thread'>;
type CoinKind = 'free' | 'alike' | 'stuck';

/** The last count: a thread that has it has no next state. */
const LAST_COUNT = 0x7fffffff;

/** The count of a commitment: the unsigned number that its bytes are. */
const viewOf = ({ buffer, byteOffset }: Uint8Array): DataView => new DataView(buffer, byteOffset);
const countOf = (state: Uint8Array): number => viewOf(state).getUint32(1, true);

const kindOf = ({ artifact_fingerprint: pinned }: Pinned, { token }: Coin): CoinKind => {
  const { capability, commitment = '' } = token?.nft ?? {};
  const state = hexToBin(commitment);
  if (state.length !== vaultState.size) return 'free';
  const count = countOf(state);
  if (isFirstVersion('vault', pinned)) {
    return capability === 'none' || count === LAST_COUNT ? 'stuck' : 'alike';
  }
  const hasNext = state[0] === initialState.version && count < LAST_COUNT;
  return capability === 'mutable' && hasNext ? 'alike' : 'free';
};

/** True for a coin that the contract takes for a thread: the pinned one, or one like it. */
export const looksLikeThread = (vault: Pinned, coin: Coin): boolean => kindOf(vault, coin) === 'alike';

export type SortedCoins = Readonly<Record<CoinKind, readonly Coin[]>> & {
  /** The pinned thread; null when it is not among the coins. */
  readonly thread: Coin | null;
};

/** The coins of a vault by what they are to its contract. */
export const sortCoins = (vault: Pinned, coins: readonly Coin[]): SortedCoins => {
  const isPinned = (coin: Coin) => vault.thread !== null && sameOutpoint(coin, vault.thread);
  const others = (kind: CoinKind) => coins.filter((coin) => !isPinned(coin) && kindOf(vault, coin) === kind);
  return {
    thread: coins.find(isPinned) ?? null,
    free: others('free'),
    alike: others('alike'),
    stuck: others('stuck'),
  };
};

/**
 * The count one on, as the contract works it out: the top bit is the sign. Only the first version lets a count below
 * zero go on.
 */
const nextCount = (count: number): number => {
  if (count <= LAST_COUNT) return count + 1;
  const magnitude = count & LAST_COUNT;
  return magnitude <= 1 ? 1 - magnitude : (0x80000000 + (magnitude - 1)) >>> 0;
};

/**
 * A coin that leads a spend, one spend on: what it held above its dust, and any fungible tokens beside the NFT, leave
 * it for the payments and the change.
 */
export const leadOnward = ({ lockingBytecode, token }: Coin): Output => {
  const { capability = 'mutable', commitment = '' } = token?.nft ?? {};
  const state = hexToBin(commitment);
  viewOf(state).setUint32(1, nextCount(countOf(state)), true);
  const nft = { capability, commitment: binToHex(state) };
  return {
    lockingBytecode,
    satoshis: THREAD_DUST,
    token: { category: token?.category ?? '', amount: 0n, nft },
  };
};
