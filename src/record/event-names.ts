/** What events are called: what the type of each begins with, and how it goes on. Whoever tells another one adds it here. */

/** The end of the type of an event that withdraws another. */
export const REVERTED = '.reverted';

/** What becomes of whatever holds money for others. */
const OF_POOLS = [
  'created',
  'funded',
  'paused',
  'resumed',
  'refilled',
  'transferred',
  'cancelled',
  'completed',
] as const;

/** What the types of events begin with, and how each goes on. */
const ENDINGS = {
  stream: [...OF_POOLS, 'claimed', 'claimable'],
  campaign: [...OF_POOLS, 'distributed'],
  vault: [
    'created',
    'deposited',
    'spend.proposed',
    'spend.signed',
    'spend.ready',
    'spend.cancelled',
    'spend.executed',
  ],
  payment: [...OF_POOLS, 'claimed', 'due'],
  budget: [...OF_POOLS, 'released', 'milestone_due'],
  proposal: ['created', 'passed', 'rejected', 'expired'],
  vote: ['locked', 'unlocked', 'said', 'ended'],
  runway: ['ending'],
  unexpected: ['funding'],
  chain: ['reorg'],
  service: ['started', 'stopped', 'degraded', 'recovered'],
  keeper: ['acted', 'failed', 'recovered'],
  key: ['created', 'revoked', 'refused'],
  webhook: ['disabled', 'test'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export const EVENT_KINDS = Object.keys(ENDINGS);
export const EVENT_TYPES: readonly string[] = Object.entries(ENDINGS).flatMap(([kind, endings]) =>
  endings.map((ending) => `${kind}.${ending}`),
);

/** True for the type of an event that there can be, and of what withdraws one. */
export const isEventType = (type: string): boolean =>
  EVENT_TYPES.includes(type.endsWith(REVERTED) ? type.slice(0, -REVERTED.length) : type);
