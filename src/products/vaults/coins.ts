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
import { vaultState } from './state.js';
import type { VaultRecord } from './vault.js';

type Pinned = Pick<VaultRecord, 'artifact_fingerprint' | 'thread'>;
type CoinKind = 'free' | 'alike' | 'stuck';

const STATE_SIZE = vaultState.size;
const VERSION = 1;
/** The last count: a thread that has it has no next state. */
const LAST_COUNT = 0x7fffffff;

/** The two fields of a commitment of five bytes, the count as the unsigned number that its bytes are. */
const fieldsOf = (commitment: Uint8Array): { readonly version: number; readonly count: number } => ({
  version: commitment[0] ?? 0,
  count: new DataView(commitment.buffer, commitment.byteOffset).getUint32(1, true),
});

const kindOf = ({ artifact_fingerprint: pinned }: Pinned, { token }: Coin): CoinKind => {
  const commitment = hexToBin(token?.nft?.commitment ?? '');
  const capability = token?.nft?.capability;
  if (commitment.length !== STATE_SIZE) return 'free';
  const { version, count } = fieldsOf(commitment);
  if (isFirstVersion('vault', pinned)) {
    return capability === 'none' || count === LAST_COUNT ? 'stuck' : 'alike';
  }
  return capability === 'mutable' && version === VERSION && count < LAST_COUNT ? 'alike' : 'free';
};

/** True for a coin that the contract takes for a thread: the pinned one, or one like it. */
export const looksLikeThread = (vault: Pinned, coin: Coin): boolean => kindOf(vault, coin) === 'alike';

export type SortedCoins = {
  /** The pinned thread; null when it is not among the coins. */
  readonly thread: Coin | null;
  readonly free: readonly Coin[];
  readonly alike: readonly Coin[];
  readonly stuck: readonly Coin[];
};

/** The coins of a vault by what they are to its contract. */
export const sortCoins = (vault: Pinned, coins: readonly Coin[]): SortedCoins => {
  const { thread } = vault;
  const isPinned = (coin: Coin) => thread !== null && sameOutpoint(coin, thread);
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
  new DataView(state.buffer, state.byteOffset).setUint32(1, nextCount(fieldsOf(state).count), true);
  const onward = { capability, commitment: binToHex(state) };
  return {
    lockingBytecode,
    satoshis: THREAD_DUST,
    token: { category: token?.category ?? '', amount: 0n, nft: onward },
  };
};
