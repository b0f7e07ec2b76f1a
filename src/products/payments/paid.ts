/** What an event of a payment says that was paid. */
import { z } from 'zod';
import type { EventRecord } from '../../record/events.js';
import type { Paid } from '../../record/movement.js';
import type { PaymentRecord } from './payment.js';

/** What the event of a move tells: the periods that were paid or refilled, and whom they were paid to. */
export const MovedPeriods = z.object({ periods: z.int(), recipient: z.string().optional() });

const PAYING_MOVES: readonly string[] = ['claimed', 'paused', 'cancelled'];

/** A pause and a cancellation pay what was settled, as a claim does. */
export const paidByPayment = (
  { event_type, amount, details }: EventRecord,
  { recipient }: PaymentRecord,
): Paid | null =>
  PAYING_MOVES.includes(event_type)
    ? { to: MovedPeriods.parse(details).recipient ?? recipient, amount }
    : null;
