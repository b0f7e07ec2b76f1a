/**
 * When a transaction was accepted, as far as it decides whether a lock is in time.
 *
 * Anyone must be able to count again, so this is read from headers alone: the time of the block that holds the
 * transaction. A block's time is above the median time past that it was mined at, so a lock that is in time by its
 * block is in time by median time past as well. A transaction of the mempool stands where the tip stands.
 */
import type { ChainTransaction } from '../../bch/transaction.js';

type TipTime = { /** Of the tip's own header, unix seconds. */ readonly time: number };

/** Unix seconds. */
export const acceptanceTime = ({ blockTime }: Pick<ChainTransaction, 'blockTime'>, tip: TipTime): number =>
  blockTime ?? tip.time;

/** The earliest time at which what is built now can be accepted, unix seconds. */
export const nextAcceptanceTime = (tip: TipTime): number => tip.time;
