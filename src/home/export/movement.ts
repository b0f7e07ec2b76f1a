/** Movements of money, read from events: what came into a contract, what it paid out, and what went back. */
import { parseAddress } from '../../bch/address.js';
import type { EventRecord } from '../../record/events.js';

/** `in`: into the contract. `out`: to whom it pays. `back`: to whoever funded it. */
export const FLOWS = ['in', 'out', 'back'] as const;
export type Flow = (typeof FLOWS)[number];

/** One movement of one asset. */
export type Movement = {
  readonly event: EventRecord;
  readonly flow: Flow;
  /** Address of who put it in or got it; empty when the chain names none. */
  readonly party: string;
  /** Null: BCH. */
  readonly category: string | null;
  /** Smallest unit. */
  readonly amount: bigint;
};

/** What must be known of the record behind an event. */
export type Subject = {
  /** Asset of its pool; null: BCH. */
  readonly category: string | null;
  /** Parties by role. */
  readonly parties: Readonly<Record<string, string>>;
  /** What its pool held before the event, smallest unit. */
  readonly held: bigint;
};

type Detail = EventRecord['details'][string];

const textOf = (detail: Detail): string => (typeof detail === 'string' ? detail : '');
const unitsOf = (detail: Detail): bigint => (/^\d+$/.test(textOf(detail)) ? BigInt(textOf(detail)) : 0n);

/** `category amount, category amount`: the tokens of a vault's event. */
const tokensOf = (detail: Detail): readonly { readonly category: string; readonly amount: bigint }[] =>
  textOf(detail)
    .split(', ')
    .flatMap((text) => {
      const [category = '', amount = ''] = text.split(' ');
      return /^\d+$/.test(amount) ? [{ category, amount: BigInt(amount) }] : [];
    });

const ofVault = (event: EventRecord, flow: Flow): readonly Movement[] => [
  { event, flow, party: event.actor, category: null, amount: event.amount },
  ...tokensOf(event.details['tokens']).map((token) => ({ event, flow, party: event.actor, ...token })),
];

const ofStake = (event: EventRecord, flow: Flow): readonly Movement[] => [
  { event, flow, party: event.actor, category: textOf(event.details['tokenCategory']), amount: event.amount },
];

/** What an end paid to the recipient; products tell it in words of their own. */
const paidAtEnd = ({ entity_type, amount, details }: EventRecord): bigint =>
  entity_type === 'payment' ? amount : unitsOf(details['vestedAmount']) + unitsOf(details['paidOnChain']);

const ofCancellation = (event: EventRecord, { category, parties, held }: Subject): readonly Movement[] => {
  const paid = paidAtEnd(event);
  const recipient = textOf(event.details['to']) || textOf(event.details['recipient']) || parties['recipient'];
  return [
    { event, flow: 'out', party: recipient ?? '', category, amount: paid },
    { event, flow: 'back', party: parties['refund'] ?? event.actor, category, amount: held - paid },
  ];
};

const payout = (event: EventRecord, { category, parties }: Subject): Movement => ({
  event,
  flow: 'out',
  party:
    textOf(event.details['to']) || textOf(event.details['recipient']) || parties['recipient'] || event.actor,
  category,
  amount: event.amount,
});

/** The movements that an event tells of, before those of nothing are left out. */
const read = (event: EventRecord, subject: Subject): readonly Movement[] => {
  const { category } = subject;
  switch (event.event_type) {
    case 'funded':
    case 'refilled':
      return [{ event, flow: 'in', party: event.actor, category, amount: event.amount }];
    case 'distribution':
    case 'claimed':
    case 'released':
    case 'paused':
      // A pause of a recurring payment pays what was settled.
      return [payout(event, subject)];
    case 'cancelled':
      return ofCancellation(event, subject);
    case 'deposited':
      return ofVault(event, 'in');
    case 'spent':
      return ofVault(event, 'out');
    case 'locked':
      return ofStake(event, 'in');
    case 'unlocked':
      return ofStake(event, 'back');
    // Nothing moves; what a completion paid is told by the claim or the release beside it.
    case 'created':
    case 'resumed':
    case 'transferred':
    case 'completed':
    case 'voted':
      return [];
  }
};

/** The movements that an event tells of; none for one without a transaction. */
export const movementsOf = (event: EventRecord, subject: Subject): readonly Movement[] =>
  event.tx_hash === null ? [] : read(event, subject).filter(({ amount }) => amount > 0n);

/** An address as ledgers show it: the `q` or `p` form; anything else as it is. */
export const showParty = (party: string): string => {
  try {
    return parseAddress(party).text;
  } catch {
    return party;
  }
};
