/** What an event of a campaign says that was paid. */
import { z } from 'zod';
import type { EventRecord } from '../../record/events.js';
import type { Paid } from '../../record/movement.js';

/** What the event of a distribution tells. */
export const Distributed = z.object({ recipient: z.string() });

/** A distribution alone pays; what a cancellation leaves goes back. */
export const paidByCampaign = ({ event_type, amount, details }: EventRecord): Paid | null =>
  event_type === 'distribution' ? { to: Distributed.parse(details).recipient, amount } : null;
