/**
 * One virtual clock for everything that is simulated. What waits (a timer, a message, a disk) is an event of one queue;
 * when nothing of the present event is left to run, the next one comes, and the clock stands at its time at once.
 *
 * `Date`, timers, `performance.now` and random bytes of the whole process are those of the timeline while it runs.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';
import type { Machine } from '../../src/adapters/machine.js';
import type { Random } from './random.js';

/** What an event belongs to: it does not come when that has ended. */
export type Owner = {
  readonly isAlive: () => boolean;
  /** Of its clock. */
  readonly skewMs: () => number;
  /** It stands still until then, by {@link Timeline.now}: what was to come meanwhile comes late. */
  readonly frozenUntil: () => number;
  readonly machine: Machine;
  /** Called when it ends. */
  readonly onEnd: Set<() => void>;
};

export type Timer = { isOff: boolean };
type SimEvent = Timer & {
  readonly at: number;
  readonly order: number;
  readonly owner: Owner | null;
  readonly work: () => void;
};

const owners = new AsyncLocalStorage<Owner | null>();

/** Who runs now; null: the world. */
export const runningOwner = (): Owner | null => owners.getStore() ?? null;

/** Runs something as somebody. */
export const runAs = <T>(owner: Owner | null, work: () => T): T => owners.run(owner, work);

const isBefore = (a: SimEvent, b: SimEvent): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

/** Events by their time. */
const createHeap = () => {
  const heap: SimEvent[] = [];
  const swap = (i: number, j: number): void => {
    [heap[i], heap[j]] = [heap[j] as SimEvent, heap[i] as SimEvent];
  };
  const at = (i: number): SimEvent => heap[i] as SimEvent;
  return {
    size: () => heap.length,
    first: () => heap[0],
    push: (event: SimEvent): void => {
      heap.push(event);
      for (let i = heap.length - 1; i > 0;) {
        const parent = (i - 1) >> 1;
        if (!isBefore(at(i), at(parent))) break;
        swap(i, parent);
        i = parent;
      }
    },
    pop: (): SimEvent | undefined => {
      const first = heap[0];
      const last = heap.pop();
      if (first === undefined || last === undefined || heap.length === 0) return first;
      heap[0] = last;
      for (let i = 0; ;) {
        let least = i;
        for (const child of [2 * i + 1, 2 * i + 2])
          if (child < heap.length && isBefore(at(child), at(least))) least = child;
        if (least === i) return first;
        swap(i, least);
        i = least;
      }
    },
  };
};

export type Timeline = {
  /** Milliseconds since it began; never goes back. */
  readonly now: () => number;
  /** Milliseconds since the epoch, by the clock of who asks. */
  readonly wall: () => number;
  /** Moves every wall clock on. */
  readonly leap: (milliseconds: number) => void;
  /** Does something later, in the name of who asks unless another is named. */
  readonly after: (milliseconds: number, work: () => void, owner?: Owner | null) => Timer;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Runs until a time of {@link now}. */
  readonly runUntil: (time: number) => Promise<void>;
  /** Runs until a promise is settled. @throws what it throws; Error when nothing happens any more before */
  readonly runOut: <T>(promise: Promise<T>, limitMs: number) => Promise<T>;
  /** Lets the clock stand until something real is done that this world waits for. */
  readonly hold: (real: Promise<unknown>) => void;
  /** How many events have come. */
  readonly events: () => number;
};

const turn = (
  (later) => () =>
    new Promise<void>((resolve) => later(resolve))
)(setImmediate);

/** A timeline that begins at a moment, in milliseconds since the epoch. */
export const createTimeline = (startsAt: number): Timeline => {
  const heap = createHeap();
  let now = 0;
  let leapt = 0;
  let order = 0;
  let events = 0;
  const held = new Set<Promise<unknown>>();

  /** Until nothing of the present event is left to run. */
  const rest = async (): Promise<void> => {
    await turn();
    while (held.size > 0) {
      const real = [...held];
      await Promise.all(real);
      for (const one of real) held.delete(one);
      await turn();
    }
  };

  const after: Timeline['after'] = (milliseconds, work, owner = runningOwner()) => {
    const event = { at: now + Math.max(0, milliseconds), order, owner, work, isOff: false };
    order += 1;
    heap.push(event);
    return event;
  };
  const step = async (): Promise<void> => {
    const event = heap.pop();
    if (event === undefined) return;
    now = Math.max(now, event.at);
    if (event.isOff || event.owner?.isAlive() === false) return;
    const wakes = event.owner?.frozenUntil() ?? 0;
    if (wakes > now) {
      heap.push(Object.assign(event, { at: wakes, order }));
      order += 1;
      return;
    }
    events += 1;
    runAs(event.owner, event.work);
    await rest();
  };
  return {
    now: () => now,
    wall: () => startsAt + leapt + Math.floor(now) + (runningOwner()?.skewMs() ?? 0),
    leap: (milliseconds) => {
      leapt += milliseconds;
    },
    after,
    sleep: (milliseconds) =>
      new Promise((resolve) => {
        after(milliseconds, resolve);
      }),
    runUntil: async (time) => {
      await rest();
      for (let next = heap.first(); next !== undefined && next.at <= time; next = heap.first()) await step();
      now = Math.max(now, time);
    },
    runOut: async (promise, limitMs) => {
      const until = now + limitMs;
      let outcome: 'pending' | 'settled' = 'pending';
      const settle = (): void => {
        outcome = 'settled';
      };
      const isPending = (): boolean => outcome === 'pending';
      promise.then(settle, settle);
      await rest();
      while (isPending()) {
        // What has no event may have a file of the program to load.
        for (let turns = 0; turns < 200 && heap.size() === 0 && isPending(); turns += 1) await rest();
        if (!isPending()) break;
        if (heap.size() === 0 || (heap.first()?.at ?? 0) > until)
          throw new Error(`it was not done after ${limitMs} ms`);
        await step();
      }
      return promise;
    },
    hold: (real) => {
      held.add(real);
    },
    events: () => events,
  };
};

const uuidOf = (bytes: Uint8Array): `${string}-${string}-${string}-${string}-${string}` => {
  const hex = Buffer.from(bytes).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

type Ticking = Timer & {
  ref: () => Ticking;
  unref: () => Ticking;
  hasRef: () => boolean;
  [Symbol.dispose]: () => void;
};

const ticking = (): Ticking => {
  const timer: Ticking = {
    isOff: false,
    ref: () => timer,
    unref: () => timer,
    hasRef: () => true,
    [Symbol.dispose]: () => {
      timer.isOff = true;
    },
  };
  return timer;
};

/** Puts the clock, the timers and the random bytes of this process under a timeline, for good. */
export const takeOver = (current: () => { readonly timeline: Timeline; readonly random: Random }): void => {
  const timeline = (): Timeline => current().timeline;
  const start =
    (repeats: boolean) =>
    (work: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) => {
      const timer = ticking();
      const plan = (): void => {
        timeline().after(Math.max(1, ms), () => {
          if (timer.isOff) return;
          if (repeats) plan();
          work(...given);
        });
      };
      plan();
      return timer;
    };
  const stop = (timer?: unknown): void => {
    if (typeof timer === 'object' && timer !== null) (timer as Timer).isOff = true;
  };
  const RealDate = Date;
  const now = (): number => timeline().wall();
  class SimDate extends RealDate {
    constructor(...given: unknown[]) {
      super(...((given.length === 0 ? [now()] : given) as [number]));
    }
    static override now = now;
  }
  const random = (length: number): Buffer => Buffer.from(current().random.bytes(length));
  Object.assign(globalThis, {
    Date: SimDate,
    setTimeout: start(false),
    setInterval: start(true),
    clearTimeout: stop,
    clearInterval: stop,
  });
  Object.defineProperty(performance, 'now', { value: () => timeline().now() });
  Math.random = () => current().random.next();
  AbortSignal.timeout = (ms) => {
    const ending = new AbortController();
    setTimeout(() => {
      ending.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
    }, ms);
    return ending.signal;
  };
  Object.assign(timersPromises, { setTimeout: (ms: number) => timeline().sleep(ms) });
  Object.assign(crypto, {
    randomBytes: random,
    randomUUID: () => uuidOf(random(16)),
    randomInt: (least: number, most: number) => current().random.whole(least, most - 1),
  });
  syncBuiltinESMExports();
};
