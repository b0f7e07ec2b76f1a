/** Lets the clock of a world stand while a real PostgreSQL has something to do. */
import type pg from 'pg';
import { runAs, type Timeline } from './timeline.js';

/** A wire as the server has it. */
export type ServerEnd = {
  readonly number: number;
  /** Of the server's process; 0: not known yet. */
  pid: number;
  /** Questions without an answer. */
  asked: number;
  /** It was told to end. */
  isEnding: boolean;
  hasEnded: boolean;
  /** Hands on what has come of the server. */
  readonly handOn: () => void;
};

export type StandingClock = {
  readonly ends: Set<ServerEnd>;
  /** Does something real, one thing after the other, and waits until the server has done what it can. */
  readonly really: (work: () => unknown) => void;
  /** To be called when something has come of the server. */
  readonly changed: () => void;
  readonly whenDone: () => Promise<unknown>;
};

/** How long the server is waited for before it is asked what it waits for, milliseconds of this machine. */
const LOOK_AFTER_MS = 3;
/** How exactly the server knows the time of the world, milliseconds. */
const TICK_MS = 10;

const realTimeout = setTimeout;
const realClear = clearTimeout;

const isBusy = ({ asked, isEnding, hasEnded }: ServerEnd): boolean => !hasEnded && (asked > 0 || isEnding);

/**
 * True when all that are busy wait for what another has locked who was answered, and who goes on when the world does. Those
 * that wait for each other do not: the server ends that.
 */
const areStuck = async (busy: readonly ServerEnd[], all: Iterable<ServerEnd>, control: pg.Client) => {
  const text = 'select pid, pg_blocking_pids(pid) as by from unnest($1::int[]) pid';
  const { rows } = await control.query<{ pid: number; by: number[] }>(text, [busy.map(({ pid }) => pid)]);
  const waited = new Set([...all].filter((end) => !isBusy(end)).map(({ pid }) => pid));
  for (let before = -1; before < waited.size;) {
    before = waited.size;
    for (const { pid, by } of rows) if (by.some((one) => waited.has(one))) waited.add(pid);
  }
  return busy.every(({ pid }) => waited.has(pid));
};

export const createStandingClock = (control: pg.Client, timeline: Timeline): StandingClock => {
  const ends = new Set<ServerEnd>();
  let last: Promise<unknown> = Promise.resolve();
  let told = 0;
  let changed = (): void => undefined;

  /** True once something has come of the server; false when nothing has for a while. */
  const change = (): Promise<boolean> =>
    new Promise((resolve) => {
      const timer = realTimeout(() => {
        resolve(false);
      }, LOOK_AFTER_MS);
      changed = () => {
        realClear(timer);
        resolve(true);
      };
    });
  const settle = async (): Promise<void> => {
    for (;;) {
      const busy = [...ends].filter(isBusy);
      if (busy.length === 0) break;
      if (await change()) continue;
      if (await areStuck(busy, ends, control)) break;
    }
    for (const end of [...ends].sort((a, b) => a.number - b.number)) end.handOn();
  };
  /** Tells the server what time it is in this world. */
  const tick = async (): Promise<void> => {
    const milliseconds = timeline.wall();
    if (Math.abs(milliseconds - told) < TICK_MS) return;
    told = milliseconds;
    await control.query(`select setval('simulated.microseconds', ${milliseconds * 1_000})`);
  };
  return {
    ends,
    changed: () => {
      changed();
    },
    whenDone: () => last,
    really: (work) => {
      const doing = async (): Promise<void> => {
        await tick();
        await work();
        await settle();
      };
      // In nobody's name: by nobody's clock.
      last = last.then(() => runAs(null, doing));
      timeline.hold(last);
    },
  };
};
