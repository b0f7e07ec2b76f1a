/** From a seed to a plan, from a plan to what became of it. */
import { Killed } from './host.js';
import { settle } from './checks.js';
import * as faults from './faults.js';
import * as moves from './moves.js';
import type { Play } from './moves.js';
import { randomOf } from './random.js';
import { runCommand, jsonOf } from './commands.js';
import { launchDaemon, openWorld, type Finding, type OpenedWorld } from './world.js';

/** What may happen, and how often beside the others. */
const KINDS = {
  create: [9, moves.create],
  fund: [10, moves.fund],
  act: [40, moves.act],
  resend: [5, moves.resend],
  confirmAgain: [6, moves.confirmAgain],
  look: [4, moves.look],
  stray: [1, moves.stray],
  command: [18, moves.command],
  receive: [5, moves.receive],
  mine: [10, faults.mine],
  leap: [2, faults.leap],
  reorganise: [2, faults.reorganise],
  doubleSpend: [1, faults.doubleSpend],
  kill: [4, faults.kill],
  stopDaemon: [1, faults.stopDaemon],
  startDaemon: [6, faults.startDaemon],
  troubleServer: [3, faults.troubleServer],
  restartServer: [1, faults.restartServer],
  troubleDisk: [1, faults.troubleDisk],
  troubleWire: [1, faults.troubleWire],
  skewClock: [1, faults.skewClock],
} as const satisfies Record<string, readonly [number, (play: Play) => Promise<void>]>;

export type Kind = keyof typeof KINDS;

/** One thing that happens, some time after the one before it. */
export type Entry = { readonly index: number; readonly kind: Kind; readonly afterMs: number };

export type Plan = { readonly seed: string; readonly entries: readonly Entry[] };

const FAULTS: readonly Kind[] = [
  'reorganise',
  'doubleSpend',
  'kill',
  'stopDaemon',
  'troubleServer',
  'restartServer',
  'troubleDisk',
  'troubleWire',
  'skewClock',
  'stray',
];

/**
 * The plan of a seed. Each has its own moods: in some worlds much is killed, in others nothing is.
 *
 * @param focus - the kinds that happen; none: all of them, as the mood is
 */
export const planOf = (seed: string, length: number, focus: readonly string[] = []): Plan => {
  const random = randomOf(seed, 'plan');
  const weights = Object.fromEntries(
    Object.entries(KINDS).map(([kind, [weight]]) => {
      const mood = FAULTS.includes(kind as Kind) ? random.pick([0, 0, 1, 1, 3]) : random.pick([0.5, 1, 2]);
      if (focus.length > 0) return [kind, focus.includes(kind) ? weight : 0];
      return [kind, weight * mood];
    }),
  ) as Record<Kind, number>;
  return {
    seed,
    entries: Array.from({ length }, (_, index) => ({
      index,
      kind: random.weighed(weights),
      afterMs: random.chance(0.3) ? random.next() * 100 : random.next() * 4_000,
    })),
  };
};

export type Played = {
  readonly findings: readonly Finding[];
  readonly story: readonly string[];
  readonly log: readonly string[];
  readonly counts: ReadonlyMap<string, number>;
  readonly events: number;
};

const MOST_UNDER_WAY = 5;

const prepare = async (world: OpenedWorld): Promise<void> => {
  launchDaemon(world, 'daemon-1');
  launchDaemon(world, 'daemon-2');
  const minted = await world.timeline.runOut(
    runCommand(world, [
      'tokens',
      'create',
      '--supply',
      '100000',
      '--decimals',
      '2',
      '--symbol',
      'GEMS',
      '--wallet',
      'alice',
      '--yes',
      '--json',
    ]),
    600_000,
  );
  const token = minted === null ? {} : jsonOf(minted);
  const category = token['category'] ?? (token['token'] as Record<string, unknown> | undefined)?.['category'];
  if (typeof category === 'string') world.tokens.push(category);
  else throw new Error(`no tokens were made: ${JSON.stringify(minted)}`);
  await world.timeline.runOut(world.mine(1), 60_000);
};

/** Plays a plan. */
export const play = async ({ seed, entries }: Plan): Promise<Played> => {
  const world = await openWorld(seed);
  const { timeline, findings, story, log, counts } = world;
  const underWay = new Set<Promise<void>>();
  try {
    await prepare(world);
    for (const { index, kind, afterMs } of entries) {
      await timeline.runUntil(timeline.now() + afterMs);
      if (findings.length > 0) break;
      for (let waited = 0; underWay.size >= MOST_UNDER_WAY && waited < 600; waited += 1)
        await timeline.runUntil(timeline.now() + 500);
      const one: Play = { world, random: randomOf(seed, index, kind), tag: `${kind}-${index}` };
      world.count(`move: ${kind}`);
      const [, happen] = KINDS[kind];
      const doing = happen(one)
        .catch((error: unknown) => {
          if (!(error instanceof Killed))
            world.find(
              'simulator',
              `${kind} ${index}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
            );
        })
        .finally(() => underWay.delete(doing));
      underWay.add(doing);
    }
    await timeline.runUntil(timeline.now() + 20_000);
    if (findings.length === 0) await settle(world);
  } catch (error) {
    world.find('simulator', error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  return { findings, story, log, counts, events: timeline.events() };
};
