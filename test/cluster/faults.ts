/** What goes wrong in a play, and when: all of it follows from the seed. */
import { setTimeout as wait } from 'node:timers/promises';
import type { OwnServer } from '../postgres/server.js';
import { randomOf, type Random } from '../simulate/random.js';
import type { ClusterChain } from './chain.js';
import type { Daemon } from './daemons.js';
import type { Diary } from './diary.js';
import type { Receiver } from './followers.js';

/** The time of a lease is 15 s. */
const FROZEN_MS = [17_000, 24_000] as const;

export type Stage = {
  readonly daemons: readonly Daemon[];
  readonly chain: ClusterChain;
  /** Null: it is somebody else's, and only its connections are cut. */
  readonly postgres: OwnServer | null;
  /** Ends every connection of treasury at the server. @returns how many */
  readonly terminate: () => Promise<number>;
  readonly receiver: Receiver;
  readonly seed: string;
  /** Of the fault that is played. */
  readonly random: Random;
  readonly diary: Diary;
  /** A moment of the play in words, for its log. */
  readonly say: (what: string) => void;
};

type Fault = (stage: Stage, daemon: Daemon) => Promise<void>;

const stopDatabase =
  (signal: NodeJS.Signals): Fault =>
  async ({ postgres, random }) => {
    await postgres?.stop(signal);
    await wait(random.whole(0, 4_000));
    await postgres?.start();
  };

const FAULTS = {
  'daemon killed and started again': async ({ random }, daemon) => {
    await daemon.kill();
    await wait(random.whole(0, 6_000));
    daemon.start();
  },
  'daemon stopped in good order and started again': async ({ random }, daemon) => {
    await daemon.stop();
    await wait(random.whole(0, 3_000));
    daemon.start();
  },
  'daemon frozen past its lease and woken': async ({ random }, daemon) => {
    daemon.freeze();
    await wait(random.whole(...FROZEN_MS));
    daemon.wake();
  },
  'daemon frozen for a moment': async ({ random }, daemon) => {
    daemon.freeze();
    await wait(random.whole(500, 6_000));
    daemon.wake();
  },
  // SIGINT: what runs is rolled back, in good order. SIGQUIT: at once, as if it were killed.
  'database stopped and started again': stopDatabase('SIGINT'),
  'database killed and started again': stopDatabase('SIGQUIT'),
  'connections ended by the database': async ({ terminate, diary }) => {
    diary.count('connections cut', await terminate());
  },
  'connections of a daemon cut on their way': ({ diary }, { relay }) => {
    diary.count('connections cut', relay.cut());
    return Promise.resolve();
  },
  'way to the database leads nowhere': async ({ random }, { relay }) => {
    relay.swallow(true);
    await wait(random.whole(1_000, 22_000));
    relay.swallow(false);
  },
  'blocks taken back': async ({ chain, random }) => {
    await chain.reorg(random.whole(1, 4));
  },
  'receiver of webhooks fails': async ({ receiver, random }) => {
    receiver.fail(true);
    await wait(random.whole(500, 5_000));
    receiver.fail(false);
  },
} as const satisfies Readonly<Record<string, Fault>>;
export type FaultName = keyof typeof FAULTS;

const WEIGHTS: Readonly<Record<FaultName, number>> = {
  'daemon killed and started again': 5,
  'daemon stopped in good order and started again': 2,
  'daemon frozen past its lease and woken': 3,
  'daemon frozen for a moment': 3,
  'database stopped and started again': 1,
  'database killed and started again': 2,
  'connections ended by the database': 4,
  'connections of a daemon cut on their way': 4,
  'way to the database leads nowhere': 3,
  'blocks taken back': 3,
  'receiver of webhooks fails': 2,
};

/** One fault, until it is over. @param daemon whom it befalls, if it is one of a daemon */
export const befall = async (name: FaultName, stage: Stage, daemon: Daemon): Promise<void> => {
  stage.say(`${name} (${daemon.name})`);
  stage.diary.count(`fault: ${name}`);
  await FAULTS[name](stage, daemon);
};

/** Faults after one another, and two at once now and then, until it is over. */
export const playFaults = async (stage: Stage, isOver: () => boolean): Promise<void> => {
  const { seed, random, daemons, postgres } = stage;
  const isPossible = (name: FaultName): boolean => postgres !== null || !name.startsWith('database');
  const busy = new Set<Daemon>();
  let isDatabaseBusy = false;
  const under: Promise<void>[] = [];
  // Each has choices of its own, so that what is played next does not hang on how long another takes.
  for (let index = 0; !isOver(); index += 1) {
    const name = random.weighed(WEIGHTS);
    const daemon = random.pick(daemons);
    const isDatabase = name.startsWith('database');
    await wait(random.whole(500, 5_000));
    if (isOver() || !isPossible(name) || busy.has(daemon) || (isDatabase && isDatabaseBusy)) continue;
    busy.add(daemon);
    isDatabaseBusy ||= isDatabase;
    const done = befall(name, { ...stage, random: randomOf(seed, 'fault', index) }, daemon)
      .catch((error: unknown) => {
        stage.diary.find(`${name}: ${String(error)}`);
      })
      .finally(() => {
        busy.delete(daemon);
        if (isDatabase) isDatabaseBusy = false;
      });
    under.push(done);
  }
  await Promise.all(under);
};

/** Blocks come every few seconds. */
export const playBlocks = async ({ chain, seed }: Stage, isOver: () => boolean): Promise<void> => {
  const random = randomOf(seed, 'blocks');
  while (!isOver()) {
    await wait(random.whole(1_000, 4_000));
    await chain.mine(1);
  }
};
