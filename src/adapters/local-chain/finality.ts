/** When a transaction may enter the next block: absolute and relative locks, coinbase maturity. Pure. */
import type { Outpoint } from '../../bch/coins.js';
import { COINBASE_MATURITY, type Transaction } from '../../bch/transaction.js';
import type { Block } from './blocks.js';

/** A locktime below this is a height, from here on a time. Source: Bitcoin consensus, nLockTime. */
const LOCKTIME_THRESHOLD = 500_000_000;
const FINAL_SEQUENCE = 0xffffffff;
/** Source: BIP68. */
const RELATIVE_LOCK_DISABLED = 2 ** 31;
const RELATIVE_LOCK_IN_TIME = 2 ** 22;
const RELATIVE_LOCK_MASK = 0xffff;
const RELATIVE_LOCK_SECONDS = 512;
/** What a block is counted as where a wait in blocks is told in seconds. Source: BCH target spacing. */
const BLOCK_SECONDS = 600;

/** How long a transaction has still to wait. */
export type Wait = {
  /** Seconds of median time past. */
  readonly secondsLeft: number;
  /** Given when it waits for a height; `secondsLeft` is then an estimate. */
  readonly blocksLeft?: number;
};

/** A coin as the locks see it. */
export type LockedCoin = {
  /** Height of its block, or null while in the mempool. */
  readonly height: number | null;
  readonly isCoinbase: boolean;
};

const waitBlocks = (blocksLeft: number): Wait | null =>
  blocksLeft > 0 ? { secondsLeft: blocksLeft * BLOCK_SECONDS, blocksLeft } : null;

const waitSeconds = (secondsLeft: number): Wait | null => (secondsLeft > 0 ? { secondsLeft } : null);

/** True when a bit of a sequence number is set. By arithmetic, since bitwise operators read 32 bits as signed. */
const hasBit = (sequence: number, bit: number): boolean => Math.floor(sequence / bit) % 2 === 1;

/**
 * How long nLockTime keeps a transaction out of the block after `tip`; null when it does not.
 * A time must lie below median time past, a height below the next height. Source: BIP113, Bitcoin consensus.
 */
export const absoluteLock = ({ locktime, inputs }: Transaction, tip: Block): Wait | null => {
  if (locktime === 0 || inputs.every(({ sequence }) => sequence === FINAL_SEQUENCE)) return null;
  return locktime < LOCKTIME_THRESHOLD
    ? waitBlocks(locktime - tip.height)
    : waitSeconds(locktime - tip.medianTimePast + 1);
};

const relativeLockOf = (sequence: number, { height }: LockedCoin, blocks: readonly Block[]): Wait | null => {
  const nextHeight = blocks.length;
  const coinHeight = height ?? nextHeight;
  const length = sequence % (RELATIVE_LOCK_MASK + 1);
  if (!hasBit(sequence, RELATIVE_LOCK_IN_TIME)) return waitBlocks(coinHeight + length - nextHeight);
  // Time runs from the median time past before the coin's own block. Source: BIP68.
  const since = blocks[Math.max(coinHeight - 1, 0)]?.medianTimePast ?? 0;
  const now = blocks.at(-1)?.medianTimePast ?? 0;
  return waitSeconds(since + length * RELATIVE_LOCK_SECONDS - now);
};

/** How long the sequence numbers keep a transaction out of the next block; null when they do not. Source: BIP68. */
export const relativeLock = (
  { version, inputs }: Transaction,
  coinOf: (outpoint: Outpoint) => LockedCoin | null,
  blocks: readonly Block[],
): Wait | null => {
  if (version < 2) return null;
  for (const input of inputs) {
    if (hasBit(input.sequence, RELATIVE_LOCK_DISABLED)) continue;
    const coin = coinOf(input);
    const wait = coin === null ? null : relativeLockOf(input.sequence, coin, blocks);
    if (wait !== null) return wait;
  }
  return null;
};

/** How long a coin of a coinbase is not mature; null when it is. The genesis block's coins are mature at once. */
export const maturityLock = ({ height, isCoinbase }: LockedCoin, nextHeight: number): Wait | null =>
  isCoinbase && height !== null && height > 0 ? waitBlocks(height + COINBASE_MATURITY - nextHeight) : null;
