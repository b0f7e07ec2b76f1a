/** What the events of a vote lock tell of its stake. */
import { z } from 'zod';
import type { EventRecord } from '../../record/events.js';
import type { Flow, Movement } from '../../record/movement.js';
import type { CountedLock } from './proposal.js';

/** What the event of a lock and that of its unlock tell. */
const Stake = z.object({ choice: z.string(), tokenCategory: z.string() });

export const stakeDetails = ({
  choice,
  token_category: tokenCategory,
}: Pick<CountedLock, 'choice' | 'token_category'>): z.output<typeof Stake> => ({ choice, tokenCategory });

const FLOW: Readonly<Record<string, Flow>> = { locked: 'in', unlocked: 'back' };

/** A stake comes in with the lock, and goes back to its voter. */
export const voteMovements = ({ event_type, actor, amount, decimals, details }: EventRecord): Movement[] => {
  const flow = FLOW[event_type];
  if (flow === undefined) return [];
  return [{ flow, party: actor, category: Stake.parse(details).tokenCategory, amount, decimals }];
};
