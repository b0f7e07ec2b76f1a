/**
 * The keeper: a worker that does what is due and what `keeper.json` allows, through the operations of everybody. The
 * command line and the daemon run the same one. Its lease makes it single; the file is read anew with each pass.
 */
import { isTreasuryError, messageOf } from '../errors.js';
import type { Session } from '../cli/session.js';
import type { Context } from '../operation/context.js';
import type { Noun } from '../operation/define.js';
import { giveKeeperLeaseBack, takeKeeperLease } from '../record/keeper.js';
import { openLeases, type Leases } from '../record/leases.js';
import { noting } from '../storage-failure.js';
import { noteNoRules } from './faults.js';
import { makePass, newMemory, type Outcome } from './pass.js';
import { makePlan, type Plan } from './plan.js';
import { tableOf } from './reading.js';
import type { Rules } from './rules.js';

export type KeeperOptions = {
  /** Of the home: whose wallet it is of makes no difference, since each rule names its own. */
  readonly base: Session;
  readonly nouns: readonly Noun[];
  /** Of the daemon that it runs in. Default: its own, renewed while it works. */
  readonly leases?: Leases;
  /** Reads the rules. @throws invalid_file */
  readonly readRules: () => Rules;
  readonly onOutcome?: (outcome: Outcome) => void;
  /** Told once when it begins: another keeper is at work, the file is no good, the chain is away; null when that is over. */
  readonly onTrouble?: (error: unknown) => void;
  /** True: what is left alone after a fault is tried again at once. Default false. */
  readonly again?: boolean;
  /** Milliseconds between two passes. Default 30 seconds. */
  readonly everyMs?: number;
};

export type Keeper = {
  readonly plan: () => Promise<Plan>;
  /** One pass. @throws keeper_busy, invalid_file, and what the store throws */
  readonly once: () => Promise<readonly Outcome[]>;
  /** Passes until it is stopped. */
  readonly run: () => Promise<void>;
  /** Ends after what is being done; the same promise however often it is called. */
  readonly stop: () => Promise<void>;
};

const EVERY_MS = 30_000;

/** Words of a trouble, by which another one is told apart. */
const troubleOf = (error: unknown): string =>
  `${isTreasuryError(error) ? error.code : ''} ${messageOf(error)}`;

/** The file is gone or no good, or a limit of all of it is. */
const isAboutRules = (error: unknown): boolean =>
  isTreasuryError(error) && (error.code === 'invalid_file' || error.code === 'invalid_input');

/** A wait that can be ended. */
const createPause = () => {
  let wake: () => void = () => undefined;
  return {
    wake: () => {
      wake();
    },
    wait: (milliseconds: number): Promise<void> =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
  };
};

/** Tells a trouble when it begins, and null when it is over. What goes on being so is told once. */
const createTrouble = (onTrouble: (error: unknown) => void) => {
  let last: string | null = null;
  return {
    begins: (error: unknown): void => {
      const trouble = troubleOf(error);
      if (trouble !== last) onTrouble(error);
      last = trouble;
    },
    ends: (): void => {
      if (last !== null) onTrouble(null);
      last = null;
    },
  };
};

/** Works, and works again after a pause, until it is stopped. */
const createLoop = (work: () => Promise<unknown>, everyMs: number, onTrouble: (error: unknown) => void) => {
  const pause = createPause();
  const trouble = createTrouble(onTrouble);
  const ending = new AbortController();
  const isStopped = (): boolean => ending.signal.aborted;
  return {
    isStopped,
    stop: (): void => {
      ending.abort();
      pause.wake();
    },
    run: async (): Promise<void> => {
      while (!isStopped()) {
        try {
          await work();
          trouble.ends();
        } catch (error) {
          trouble.begins(error);
        }
        if (!isStopped()) await pause.wait(everyMs);
      }
    },
  };
};

/** How often it is looked whether leases have to be renewed. */
const RENEW_MS = 1_000;

/** Leases that a command renews by itself, while something runs under them. */
const openOwnLeases = (context: Context) => {
  const leases = openLeases(context, { isDaemon: false });
  const renew = async (): Promise<void> => {
    if (leases.works().length > 0) await leases.change(await leases.look());
  };
  return {
    leases,
    while: async <T>(work: () => Promise<T>): Promise<T> => {
      // What cannot be renewed ends, and whoever writes under it is told.
      const timer = setInterval(() => void renew().catch(() => undefined), RENEW_MS).unref();
      try {
        return await work();
      } finally {
        clearInterval(timer);
        await noting(leases.leave());
      }
    },
  };
};

/** Those of the daemon, which renews them. */
const useLeases = (leases: Leases) => ({
  leases,
  while: async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } finally {
      await noting(giveKeeperLeaseBack(leases));
    }
  },
});

export const createKeeper = (options: KeeperOptions): Keeper => {
  const { base, nouns, readRules, everyMs = EVERY_MS, again = false } = options;
  const { onOutcome = () => undefined, onTrouble = () => undefined } = options;
  const { context } = base;
  const { leases, while: releasing } =
    options.leases === undefined ? openOwnLeases(context) : useLeases(options.leases);
  const table = tableOf(nouns);
  const memory = newMemory();
  let running: Promise<unknown> = Promise.resolve();

  const once = async (): Promise<readonly Outcome[]> => {
    const rules = readRules();
    const held = await takeKeeperLease(leases);
    const beat = async (): Promise<void> => {
      await takeKeeperLease(leases);
    };
    const { isStopped } = loop;
    return makePass({ base, table, rules, held, memory, onOutcome, beat, isStopped, again });
  };
  /** Nobody sees what a worker prints: rules that cannot be followed are told as every fault is. */
  const onceTold = async (): Promise<void> => {
    try {
      await once();
    } catch (error) {
      if (isAboutRules(error)) await noteNoRules(context, error, await takeKeeperLease(leases));
      throw error;
    }
  };
  const loop = createLoop(onceTold, everyMs, onTrouble);

  return {
    plan: async () => makePlan({ context, table, rules: readRules() }),
    once: () => releasing(once),
    run: () => {
      const ended = releasing(loop.run);
      running = ended.catch(() => undefined);
      return ended;
    },
    stop: async () => {
      loop.stop();
      await running;
    },
  };
};
