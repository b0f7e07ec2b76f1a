/**
 * Tells the log what time brings: payments that fall due, runways that end, votes that are over.
 *
 * When each record is next to be looked at is kept in memory. It is worked out for all of them once, a page at a time, and
 * from then on for those of which the log tells; a look costs what is due, not what there is. What was told stands in the
 * store, in the commit of the event: a clock that jumps tells late and never twice, whoever looks.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import { NETWORKS } from '../../bch/network.js';
import { chainNow } from '../../operation/chain-now.js';
import type { Context } from '../../operation/context.js';
import { eventLog } from '../../record/event-log.js';
import { agendaOf, tellDue, type Timetable } from '../../record/timetable.js';
import type { StorePort } from '../../operation/ports/store.js';
import { isLeaseLost } from '../../record/leases.js';
import { WORKERS } from '../../record/works.js';
import { isAway } from '../monitor/follower.js';
import { allOfIt, type Share } from '../sharing/share.js';
import type { Worker } from '../start-daemon.js';
import { createLooking } from '../looking.js';
import { createDueTimes } from './due-times.js';

export type TimeTellerOptions = {
  readonly context: Context;
  readonly timetables: readonly Timetable[];
  /** Default: all of the work. */
  readonly share?: Share;
  /** How often the log and the time are looked at, milliseconds; default a second. */
  readonly tickMs?: number;
};

const TICK_MS = 1_000;
/** Records that are read, or told of, between two turns of the service. */
const PAGE = 50;
/** Records of a page that were in the page before: so many may end between the two. */
const OVERLAP = 10;
/** Entries of the log that are read in one go. */
const ENTRIES = 250;
/** How often servers are asked for the time at most, milliseconds. */
const ASK_MS = 10_000;
/** Of a chain of others, the time may be ahead of the wall clock by this, seconds. */
const AHEAD = 7_200;

type Named = { readonly id: string };

const keyOf = ({ kind }: Timetable, id: string): string => `${kind} ${id}`;

/** When each record is next to be looked at: first of all, then of those that the log tells of. */
const createPlan = ({ context: { store }, timetables }: TimeTellerOptions) => {
  const due = createDueTimes();
  const byKind = new Map(timetables.map((timetable) => [timetable.kind, timetable]));
  let cursor: number | null = null;

  /** Those to which time has brought something already are due at once. */
  const replan = async (timetable: Timetable, id: string, now: number): Promise<void> => {
    const agenda = await agendaOf(timetable, id, now, store);
    const isDue = agenda !== null && agenda.moments.length > 0;
    due.set(keyOf(timetable, id), isDue ? now : (agenda?.next ?? null));
  };

  /** All that may yet be due, page by page; some of them twice. */
  async function* pagesOf({ collection, where = {} }: Timetable): AsyncGenerator<readonly string[]> {
    let last: string | undefined;
    for (let offset = 0; ;) {
      const query = { where, order: 'oldest', offset, limit: PAGE } as const;
      const ids = ((await store.find(collection, query)).items as readonly Named[]).map(({ id }) => id);
      const isMoved = last !== undefined && !ids.includes(last);
      if (!isMoved) yield ids;
      if (!isMoved && ids.length < PAGE) return;
      offset = isMoved ? 0 : offset + PAGE - OVERLAP;
      last = isMoved ? undefined : ids.at(-1);
    }
  }

  const planAll = async (now: number): Promise<void> => {
    for (const timetable of timetables) {
      for await (const ids of pagesOf(timetable)) {
        for (const id of ids) await replan(timetable, id, now);
        await breathe();
      }
    }
  };

  const planTold = async (now: number, after: number): Promise<number> => {
    const { entries } = await store.readLog(eventLog, { after, limit: ENTRIES });
    const told = new Map(entries.map(({ subject }) => [`${subject?.kind} ${subject?.id}`, subject]));
    for (const subject of told.values()) {
      const timetable = subject === null ? undefined : byKind.get(subject.kind);
      if (timetable !== undefined && subject !== null) await replan(timetable, subject.id, now);
    }
    return entries.at(-1)?.sequence ?? after;
  };

  return {
    due,
    isBegun: (): boolean => cursor !== null,
    timetableOf: (key: string): Timetable | undefined => byKind.get(key.split(' ', 1)[0] ?? ''),
    /** Takes in what has changed since the last look. */
    refresh: async (now: number): Promise<void> => {
      if (cursor === null) {
        // Before all is read: what moves meanwhile is read again.
        const { last } = await store.readLog(eventLog, { after: Number.MAX_SAFE_INTEGER, limit: 0 });
        await planAll(now);
        cursor = last;
      }
      for (let before = -1; before !== cursor;) {
        before = cursor;
        cursor = await planTold(now, cursor);
        await breathe();
      }
    },
  };
};

/** The time that covenants go by, asked for when it may matter. */
const createTime = ({ chain, clock, network }: Context) => {
  const isNear = NETWORKS[network].servedBy === 'embedded';
  let last: { readonly now: number; readonly askedAt: number } | null = null;
  return async (next: number | null): Promise<number> => {
    const mayMatter = next !== null && next <= clock.wall() + AHEAD;
    const isFresh = last !== null && performance.now() < last.askedAt + (isNear ? 0 : ASK_MS);
    if (last === null || (!isFresh && (isNear || mayMatter)))
      last = { now: await chainNow({ chain }), askedAt: performance.now() };
    return last.now;
  };
};

/** One look: what has changed is taken in, and what is due is told. */
const createLook = (options: TimeTellerOptions) => {
  const { context } = options;
  const { share = allOfIt(context.store) } = options;
  let plan = createPlan(options);
  const timeOf = createTime(context);

  const tell = async (key: string, now: number, store: StorePort): Promise<void> => {
    const timetable = plan.timetableOf(key);
    if (timetable === undefined) return;
    try {
      plan.due.set(key, await tellDue(timetable, key.slice(timetable.kind.length + 1), now, store));
    } catch (error) {
      plan.due.set(key, now);
      throw error;
    }
  };

  return {
    size: (): number => plan.due.size(),
    once: async (): Promise<void> => {
      const store = share.storeFor(WORKERS.times);
      if (store === null) {
        // Another daemon tells: nothing is kept for it here.
        if (plan.isBegun()) plan = createPlan(options);
        return;
      }
      await store.refresh();
      const now = await timeOf(plan.due.next());
      await plan.refresh(now);
      for (;;) {
        const keys = plan.due.take(now, PAGE);
        if (keys.length === 0) return;
        const told = await Promise.allSettled(keys.map((key) => tell(key, now, store)));
        const failed = told.find(({ status }) => status === 'rejected');
        if (failed?.status === 'rejected') throw failed.reason;
        await breathe();
      }
    },
  };
};

export type TimeTeller = Worker & {
  /** Looks now, and resolves when that is done; for tests. */
  readonly look: () => Promise<void>;
  /** Records to which time will bring something. */
  readonly size: () => number;
};

/** The worker. A chain that is away, and a disk that is full, are waited for. */
export const timeTeller = (options: TimeTellerOptions): TimeTeller => {
  const { context, tickMs = TICK_MS } = options;
  const { once, size } = createLook(options);
  let timer: NodeJS.Timeout | undefined;
  const { look, idle } = createLooking({
    once,
    log: context.log,
    message: 'what time brings could not be told; it is tried again',
    isExpected: (error) => isAway(error) || isLeaseLost(error),
  });
  return {
    name: 'time teller',
    start: () => {
      timer = setInterval(() => void look(), tickMs).unref();
      void look();
      return Promise.resolve();
    },
    stop: async () => {
      clearInterval(timer);
      await idle();
    },
    look,
    size,
  };
};
