/** The commitment of a recurring payment's thread. Source: contracts/payments/recurring-payment.cash. */
import { bytes, commitment, type CommitmentState } from '../../bch/commitment.js';

/** `status u8 | nextDue u40 | paid u32 | pool u64 | recipient 20 | flags u8`, 39 bytes. */
export const recurringState = commitment({
  status: 'u8',
  nextDue: 'u40',
  paid: 'u32',
  pool: 'u64',
  recipient: bytes(20),
  flags: 'u8',
});

/**
 * What a thread says: `nextDue` in unix seconds, `paid` in periods, `recipient` as the hash160 of a key (hex). `pool`
 * is what the reserve holds in tokens; it is 0 where the pool is BCH, which sits in the thread's own coin.
 */
export type RecurringState = CommitmentState<(typeof recurringState)['layout']>;

/** The values of `status`. */
export const CHAIN_STATUS = { active: 0, paused: 1 } as const;

/** The bits of `flags`. */
export const FLAGS = { cancelable: 1, refillable: 4 } as const;

/** What the sender may do besides waiting. Fixed at genesis: no function changes the flags. */
export type Permissions = { readonly cancelable: boolean; readonly refillable: boolean };

/**
 * Permissions as the byte `flags`.
 *
 * @example
 * encodeFlags({ cancelable: true, refillable: true }); // 5
 */
export const encodeFlags = ({ cancelable, refillable }: Permissions): number =>
  (cancelable ? FLAGS.cancelable : 0) | (refillable ? FLAGS.refillable : 0);

/**
 * The state that a thread carries.
 *
 * @example
 * readRecurringState(thread.commitment).recipient; // bob.address.hash
 */
export const readRecurringState = recurringState.read;
