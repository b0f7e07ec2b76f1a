/**
 * Income of the wallets of this home, as it is received or as it vests.
 *
 * `received`: income is what was paid, when it was paid. `vested`: income is what became due, booked at the end of each
 * month (UTC), at each move of the record and at the end; until it is paid it is a claim on the covenant. So at any time
 * income so far = what was received + what is vested and unclaimed. A transfer takes back what the old recipient had not
 * claimed and gives it to the new one, as the covenant does; a pause or a cancellation counts from its own time, so that
 * what was booked beyond it is taken back.
 */
import { BCH_DECIMALS } from '../../bch/amount.js';
import { refold } from '../../covenant/follow.js';
import { chainNow } from '../../operation/chain-now.js';
import type { Context } from '../../operation/context.js';
import { tokenAsset } from '../../record/assets.js';
import type { CovenantRecord, Deployable } from '../../record/deployable.js';
import { eachRecord } from '../../record/known-record.js';
import type { Worded } from '../../record/own-words.js';
import type { Entry, Span } from './book.js';

export const BASES = ['received', 'vested'] as const;
export type Basis = (typeof BASES)[number];

/** One line of income: what was earned, what was received, smallest unit. Either may be 0. */
export type IncomeEntry = {
  /** Unix seconds. */
  readonly seconds: number;
  readonly label: string;
  readonly own: Worded;
  /** What happened: `vested`, or the type of the event that paid. */
  readonly type: string;
  readonly recipient: string;
  readonly asset: string;
  readonly decimals: number;
  /** Below 0 where something is taken back. */
  readonly earned: bigint;
  readonly received: bigint;
  readonly usd: number | null;
  readonly txHash: string | null;
};

/** What a record and a recipient's income from it sums to: opening + earned - received = closing, which is unclaimed. */
export type IncomeSum = Pick<IncomeEntry, 'label' | 'recipient' | 'asset' | 'decimals'> & {
  readonly opening: bigint;
  readonly earned: bigint;
  readonly received: bigint;
  readonly closing: bigint;
};

/** A record as it was from a time on, and what its recipient could take then. */
type Stage = {
  readonly from: number;
  readonly recipient: string;
  readonly unclaimed: (at: number) => bigint;
};

/** The last second of the month of a time, UTC. */
const monthEnd = (seconds: number): number => {
  const date = new Date(seconds * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / 1000 - 1;
};

/** The ends of the months between two times. */
const monthEnds = (from: number, to: number): readonly number[] => {
  const ends: number[] = [];
  for (let end = monthEnd(from); end < to; end = monthEnd(end + 1)) ends.push(end);
  return ends;
};

/** The stages of a record, from its funding on, by the chain. @throws chain_unavailable, tx_invalid */
const stagesOf = async (
  deployable: Deployable,
  record: CovenantRecord,
  timeOf: (txHash: string) => number | null,
  context: Context,
): Promise<readonly Stage[]> => {
  const { unclaimed, parties } = deployable;
  if (unclaimed === null) return [];
  const { followed } = deployable.following(context);
  const { moves } = await refold(record, followed, context.chain);
  return moves.map(({ record: left, txHash, blockTime }) => ({
    from: blockTime ?? timeOf(txHash) ?? context.clock.now(),
    recipient: parties(left)['recipient'] ?? '',
    unclaimed: (at) => (followed.thread(left) === null ? 0n : unclaimed(left, at)),
  }));
};

/** Payouts of a record, by whose they are: whoever was its recipient, wherever it was sent. */
const payoutsOf = (book: readonly Entry[], id: string): readonly (Entry & { readonly earner: string })[] =>
  book
    .filter(({ event, flow }) => event.entity_id === id && flow === 'out')
    .map((entry) => {
      const { recipient } = entry.event.details;
      return { ...entry, earner: typeof recipient === 'string' ? recipient : entry.party };
    });

type Told = Pick<IncomeEntry, 'label' | 'own' | 'asset' | 'decimals'>;

/** The price that was known last, at most a day before. */
const priceAt = (book: readonly Entry[], seconds: number): number | null =>
  book.findLast(
    ({ event, usd }) => usd !== null && event.created_at <= seconds && event.created_at > seconds - 86_400,
  )?.usd ?? null;

/** The income of one recipient from one record, as it vests. */
const vestedOf = (
  earner: string,
  stages: readonly Stage[],
  payouts: ReturnType<typeof payoutsOf>,
  {
    told,
    now,
    end,
    book,
  }: { readonly told: Told; readonly now: number; readonly end: number; readonly book: readonly Entry[] },
): readonly IncomeEntry[] => {
  const own = payouts.filter((one) => one.earner === earner);
  const first = stages[0]?.from ?? end;
  const moments = [
    ...monthEnds(first, end).map((seconds) => ({ seconds, payout: null })),
    ...stages.map(({ from: seconds }) => ({ seconds, payout: null })),
    ...own.map((payout) => ({ seconds: payout.event.created_at, payout })),
    { seconds: end, payout: null },
  ].sort((a, b) => a.seconds - b.seconds || Number(a.payout === null) - Number(b.payout === null));
  let earned = 0n;
  return moments.flatMap(({ seconds, payout }) => {
    // Of several payouts in one block none comes before another.
    const received = own
      .filter(({ event }) => event.created_at <= seconds)
      .reduce((sum, { amount }) => sum + amount, 0n);
    const stage = stages.findLast(({ from }) => from <= seconds);
    // No covenant knows of more than chain now, and a block's own time may be past it.
    const open =
      stage === undefined || stage.recipient !== earner ? 0n : stage.unclaimed(Math.min(seconds, now));
    const income = received + open - earned;
    earned += income;
    if (income === 0n && payout === null) return [];
    return [
      {
        ...told,
        seconds,
        type: payout?.event.event_type ?? 'vested',
        recipient: earner,
        earned: income,
        received: payout?.amount ?? 0n,
        usd: payout?.usd ?? priceAt(book, seconds),
        txHash: payout?.event.tx_hash ?? null,
      },
    ];
  });
};

const receivedOf = (earner: string, payouts: ReturnType<typeof payoutsOf>): readonly IncomeEntry[] =>
  payouts
    .filter((one) => one.earner === earner)
    .map(({ event, label, own, asset, decimals, amount, usd }) => ({
      ...{ label, own, asset, decimals, usd },
      seconds: event.created_at,
      type: event.event_type,
      recipient: earner,
      earned: amount,
      received: amount,
      txHash: event.tx_hash,
    }));

/** Takes in what happened on chain to every record that vests, so that book and chain tell of the same moves. */
export const followVesting = async (deployables: readonly Deployable[], context: Context): Promise<void> => {
  for (const { deployable, record } of await eachRecord(deployables, context.store, 'oldest'))
    if (deployable.unclaimed !== null && record.tx_hash !== null) await deployable.follow(record.id, context);
};

/**
 * The income of some addresses, oldest first, up to the end of a span.
 *
 * @param earners cash addresses
 * @throws chain_unavailable, tx_invalid (basis `vested`: what vests is read from the chain's moves)
 */
export const readIncome = async (
  {
    basis,
    earners,
    span,
    book,
  }: {
    readonly basis: Basis;
    readonly earners: readonly string[];
    readonly span: Span;
    readonly book: readonly Entry[];
  },
  deployables: readonly Deployable[],
  context: Context,
): Promise<readonly IncomeEntry[]> => {
  const { store } = context;
  const now = basis === 'vested' ? await chainNow(context) : 0;
  const entries: IncomeEntry[] = [];
  for (const { deployable, record } of await eachRecord(deployables, store, 'oldest')) {
    const payouts = payoutsOf(book, deployable.eventsId(record));
    if (basis === 'received' || deployable.unclaimed === null) {
      for (const earner of earners) entries.push(...receivedOf(earner, payouts));
      continue;
    }
    if (record.tx_hash === null) continue;
    const times = new Map(book.map(({ event }) => [event.tx_hash, event.created_at]));
    const stages = await stagesOf(deployable, record, (txHash) => times.get(txHash) ?? null, context);
    const category = deployable.tokenCategory(record);
    const { own_label = null, own_note = null } = record as Partial<Worded>;
    const told: Told = {
      label: deployable.label(record),
      own: { own_label, own_note },
      asset: category ?? 'BCH',
      decimals:
        (record as { readonly decimals?: number }).decimals ??
        (category === null ? BCH_DECIMALS : (await tokenAsset(category, store)).decimals),
    };
    const last = Math.max(
      now,
      ...stages.map(({ from }) => from),
      ...payouts.map(({ event }) => event.created_at),
    );
    const end = Math.min(span.to, last);
    for (const earner of earners)
      entries.push(...vestedOf(earner, stages, payouts, { told, now, end, book }));
  }
  return entries.filter(({ seconds }) => seconds <= span.to).sort((a, b) => a.seconds - b.seconds);
};

/** The sums of each record, recipient and asset. */
export const sumIncome = (entries: readonly IncomeEntry[], { from }: Span): readonly IncomeSum[] => {
  const groups = new Map<string, IncomeEntry[]>();
  for (const entry of entries) {
    const key = `${entry.label} ${entry.recipient} ${entry.asset}`;
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  const sum = (items: readonly IncomeEntry[], of: (entry: IncomeEntry) => bigint): bigint =>
    items.reduce((total, entry) => total + of(entry), 0n);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { label, recipient, asset, decimals } = first;
    const opening = sum(
      group.filter(({ seconds }) => seconds < from),
      ({ earned, received }) => earned - received,
    );
    const within = group.filter(({ seconds }) => seconds >= from);
    const [earned, received] = [sum(within, (entry) => entry.earned), sum(within, (entry) => entry.received)];
    return [
      { label, recipient, asset, decimals, opening, earned, received, closing: opening + earned - received },
    ];
  });
};
