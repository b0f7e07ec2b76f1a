/**
 * The share of a daemon: which works it does, among all daemons on its store.
 *
 * Every second it looks who is there. Each may have as many works of a kind as any other: what it has above that it gives
 * back, and what it lacks it takes of what is free. Nobody decides for another, so that nobody has to be asked.
 */
import type { Context } from '../../operation/context.js';
import { fenced, openLeases, type Held, type Leases, type LeaseTable } from '../../record/leases.js';
import type { StorePort } from '../../operation/ports/store.js';
import { poolsOf, sumOf, type Pool } from '../../record/works.js';
import { createLooking } from '../looking.js';

/** A work that is begun, and is not given back before it has ended. */
export type Begun = {
  readonly store: StorePort;
  /** False: somebody else is to have it. What is begun is brought to its end. */
  readonly isWanted: () => boolean;
  readonly end: () => void;
};

export type Share = {
  /** True when this daemon does a work now. */
  readonly has: (work: string) => boolean;
  /** The store for what is written for some works; null when one of them is not this daemon's. */
  readonly storeFor: (...works: readonly string[]) => StorePort | null;
  /** Begins with something that is to be ended before its work goes to another; null when it is not this daemon's. */
  readonly begin: (work: string) => Begun | null;
  /** True where no other daemon is at work. */
  readonly isAlone: () => boolean;
  /** Changes whenever what it has does. */
  readonly version: () => number;
};

/** Of a process that does all of the work, and whose writes nobody fences: tools and tests. */
export const allOfIt = (store: StorePort): Share => ({
  has: () => true,
  storeFor: () => store,
  begin: () => ({ store, isWanted: () => true, end: () => undefined }),
  isAlone: () => true,
  version: () => 0,
});

export type SharingOptions = {
  readonly context: Context;
  /** How often it is looked who is there, milliseconds; default a second. */
  readonly tickMs?: number;
};

export type Sharing = Share & {
  readonly name: string;
  readonly leases: Leases;
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  /** Looks now, and resolves when that is done. */
  readonly look: () => Promise<void>;
};

const TICK_MS = 1_000;

/** Where a daemon stands among all, and how many of so many works are its part. */
const partOf = (size: number, { alive }: LeaseTable, own: string) => {
  const ids = [...new Set([own, ...alive.filter((one) => one.is_daemon).map(({ id }) => id)])].sort();
  const rank = ids.indexOf(own);
  const count = Math.floor(size / ids.length) + (rank < size % ids.length ? 1 : 0);
  return { count, from: Math.floor((rank * size) / ids.length) };
};

/** What a daemon has too much of a kind, and what it may take. */
const balance = (pool: Pool, table: LeaseTable, own: string, mine: ReadonlySet<string>) => {
  const { count, from } = partOf(pool.length, table, own);
  const has = pool.filter((work) => mine.has(work));
  const taken = new Set(
    table.leases
      .filter(({ holder }) => holder !== own && table.alive.some(({ id }) => id === holder))
      .map(({ id }) => id),
  );
  // Each begins at another place, so that two that come at once seldom want the same.
  const free = [...pool.slice(from), ...pool.slice(0, from)].filter(
    (work) => !mine.has(work) && !taken.has(work),
  );
  return { surplus: has.slice(count), take: free.slice(0, Math.max(0, count - has.length)) };
};

/** What is begun, by work. */
const createUses = () => {
  const uses = new Map<string, number>();
  return {
    isUsed: (work: string): boolean => uses.has(work),
    /** @returns how it is ended */
    begin: (work: string): (() => void) => {
      uses.set(work, (uses.get(work) ?? 0) + 1);
      return () => {
        const left = (uses.get(work) ?? 1) - 1;
        if (left > 0) uses.set(work, left);
        else uses.delete(work);
      };
    },
  };
};

/** One look: what is due is renewed, given back and taken. */
const createLook = ({ store, log, meters }: Context, leases: Leases) => {
  const uses = createUses();
  let leaving: ReadonlySet<string> = new Set();
  let isAlone = false;
  let version = 0;

  const tell = ({ alive }: LeaseTable): void => {
    const { shards, webhooks, workers } = sumOf(leases.works());
    meters.set('daemons', alive.filter((one) => one.is_daemon && one.id !== leases.holder()).length + 1);
    meters.set('shards_held', shards);
    meters.set('webhooks_held', webhooks);
    meters.set('workers_held', workers.length);
  };
  /** A keeper takes its lease by itself. */
  const shareNow = (): string =>
    leases
      .works()
      .filter((work) => work !== 'keeper')
      .join();
  const once = async (): Promise<void> => {
    const table = await leases.look();
    const pools = await poolsOf(store);
    const own = leases.holder();
    const mine = new Set(leases.works());
    const parts = pools.map((pool) => balance(pool, table, own, mine));
    const all = new Set(pools.flat());
    // Of what is no work any more the webhooks alone are of the share: a keeper gives its own back.
    const ended = [...mine].filter((work) => work.startsWith('webhook ') && !all.has(work));
    const surplus = [...parts.flatMap((part) => part.surplus), ...ended];
    leaving = new Set(surplus);
    const give = surplus.filter((work) => !uses.isUsed(work));
    const take = parts.flatMap((part) => part.take);
    const before = shareNow();
    if (!(await leases.change(table, { give, take })))
      log.warn(
        { lost: mine.size },
        'this daemon was taken to be gone: others do its work, and it begins anew',
      );
    isAlone = !table.alive.some((one) => one.is_daemon && one.id !== own);
    tell(table);
    if (shareNow() === before) return;
    version += 1;
    log.info({ ...sumOf(leases.works()), alone: isAlone }, 'this daemon has another share of the work');
  };

  const heldNow = (work: string): Held | null => (leaving.has(work) ? null : leases.held(work));
  const share: Share = {
    has: (work) => heldNow(work) !== null,
    storeFor: (...works) => {
      const held = works.map(heldNow).filter((lease) => lease !== null);
      return held.length < works.length ? null : fenced(store, ...held);
    },
    begin: (work) => {
      const held = heldNow(work);
      if (held === null) return null;
      return { store: fenced(store, held), isWanted: () => !leaving.has(work), end: uses.begin(work) };
    },
    isAlone: () => isAlone,
    version: () => version,
  };
  return { once, share };
};

/** The worker that keeps a daemon's share. It is started before the others, and stopped after them. */
export const createSharing = ({ context, tickMs = TICK_MS }: SharingOptions): Sharing => {
  const leases = openLeases(context, { isDaemon: true });
  const { once, share } = createLook(context, leases);
  let timer: NodeJS.Timeout | undefined;
  const { look, idle } = createLooking({
    once,
    log: context.log,
    message: 'the share of the work could not be looked at; it is tried again',
  });
  return {
    ...share,
    name: 'sharing',
    leases,
    look,
    start: async () => {
      timer = setInterval(() => void look(), tickMs).unref();
      await look();
    },
    stop: async () => {
      clearInterval(timer);
      await idle();
      await leases.leave().catch((error: unknown) => {
        context.log.warn({ err: error }, 'the share of the work could not be given back: it ends by itself');
      });
    },
  };
};
