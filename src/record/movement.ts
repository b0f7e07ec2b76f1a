/** Movements of money, as the events of a record tell them: what came into its contract, was paid out, and went back. */
import type { EventRecord } from './events.js';

/** `in`: into the contract. `out`: to whom it pays. `back`: to whoever funded it. */
export const FLOWS = ['in', 'out', 'back'] as const;
export type Flow = (typeof FLOWS)[number];

/** One movement of one asset. */
export type Movement = {
  readonly flow: Flow;
  /** Address of who put it in or got it; empty when the chain names none. */
  readonly party: string;
  /** Null: BCH. */
  readonly category: string | null;
  /** Smallest unit. */
  readonly amount: bigint;
  /** Those pinned with the record; null: what the registry says of the category. */
  readonly decimals: number | null;
};

/** What an event says that the pool paid its recipient, smallest unit. `to` is empty where the chain names none. */
export type Paid = { readonly to: string; readonly amount: bigint };

type Pool<R> = {
  /** Null: BCH. */
  readonly tokenCategory: (record: R) => string | null;
  /** Parties by role; `refund` is who gets back what a cancellation leaves, when the actor does not. */
  readonly parties: (record: R) => Readonly<Record<string, string>>;
  /** What an event says that was paid to the recipient; null: nothing. */
  readonly paid: (event: EventRecord, record: R) => Paid | null;
};

/** The movements of a pool: what funds it comes in, what it pays goes out, and a cancellation gives the rest back. */
export const poolMovements =
  <R>({ tokenCategory, parties, paid }: Pool<R>) =>
  (event: EventRecord, record: R | null, held: bigint): readonly Movement[] => {
    if (record === null) return [];
    const { event_type: type, actor, amount, decimals } = event;
    const asset = { category: tokenCategory(record), decimals };
    if (type === 'funded' || type === 'refilled') return [{ flow: 'in', party: actor, amount, ...asset }];
    const payout = paid(event, record);
    const out =
      payout === null
        ? []
        : [{ flow: 'out' as const, party: payout.to || actor, amount: payout.amount, ...asset }];
    if (type !== 'cancelled') return out;
    const left = held - (payout?.amount ?? 0n);
    return [...out, { flow: 'back', party: parties(record)['refund'] ?? actor, amount: left, ...asset }];
  };
