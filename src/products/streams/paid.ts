/** What an event of a stream says that was paid. */
import { z } from 'zod';
import { Units } from '../../bch/fields.js';
import type { EventRecord } from '../../record/events.js';
import type { Paid } from '../../record/movement.js';

/** What the event of any payout tells: a claim, a cancellation, and the pause of a recurring stream. */
export const PaidOut = z.object({
  recipient: z.string(),
  /** Where it was sent; empty when that is no address. */
  to: z.string(),
  /** Smallest unit. */
  paidOnChain: Units,
});

/** Whatever tells of a payout was one. */
export const paidByStream = ({ details }: EventRecord): Paid | null => {
  const { data } = PaidOut.safeParse(details);
  return data === undefined ? null : { to: data.to || data.recipient, amount: data.paidOnChain };
};
