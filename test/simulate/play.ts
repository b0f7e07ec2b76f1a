/** From a seed to a plan, from a plan to what became of it. */
import { Killed } from './host.js';
import { lookThrough, settle } from './checks.js';
import * as faults from './faults.js';
import * as acts from './acts.js';
import { makeBatch } from './batches.js';
import { confirmAgain, fund, resend } from './carry-out.js';
import type { Play } from './cast.js';
import { ask, send, signReply } from './client.js';
import { create, createVault } from './creations.js';
import { keeper, layRules } from './keepers.js';
import { follow, subscribe, troubleReceiver, webhook } from './listeners.js';
import { receive, stray } from './outsiders.js';
import { script } from './scripts.js';
import { spend } from './vault-spends.js';
import { randomOf } from './random.js';
import { runCommand, jsonOf } from './commands.js';
import { launchDaemon, openWorld, type Finding, type OpenedWorld } from './world.js';

/** What may happen, and how often beside the others. */
const KINDS = {
  create: [9, create],
  batch: [1, makeBatch],
  fund: [10, fund],
  act: [40, acts.act],
  spend: [8, spend],
  resend: [5, resend],
  confirmAgain: [6, confirmAgain],
  keep: [1, acts.keep],
  look: [4, acts.look],
  stray: [2, stray],
  command: [18, acts.command],
  receive: [5, receive],
  keeper: [4, keeper],
  script: [14, script],
  follow: [8, follow],
  webhook: [3, webhook],
  troubleReceiver: [3, troubleReceiver],
  mine: [10, faults.mine],
  leap: [4, faults.leap],
  reorganise: [2, faults.reorganise],
  doubleSpend: [1, faults.doubleSpend],
  evict: [1, faults.evict],
  kill: [4, faults.kill],
  stopDaemon: [1, faults.stopDaemon],
  startDaemon: [6, faults.startDaemon],
  troubleServer: [3, faults.troubleServer],
  restartServer: [1, faults.restartServer],
  troubleDisk: [1, faults.troubleDisk],
  troubleWire: [1, faults.troubleWire],
  skewClock: [1, faults.skewClock],
} as const satisfies Record<string, readonly [number, (play: Play) => Promise<void>]>;

/** What happens beside that in a world whose records are in a database. */
const DATABASE_KINDS = {
  cutWire: [16, faults.cutWire],
  restartDatabase: [2, faults.restartDatabase],
  freeze: [10, faults.freeze],
} as const satisfies Record<string, readonly [number, (play: Play) => Promise<void>]>;

const EVERY_KIND = { ...KINDS, ...DATABASE_KINDS };

export type Kind = keyof typeof EVERY_KIND;

/** One thing that happens, some time after the one before it. */
export type Entry = { readonly index: number; readonly kind: Kind; readonly afterMs: number };

export type Plan = {
  readonly seed: string;
  readonly entries: readonly Entry[];
  /** The PostgreSQL that the records are on; null: they are files of the home. */
  readonly databaseServer: string | null;
};

const FAULTS: readonly Kind[] = [
  'reorganise',
  'doubleSpend',
  'evict',
  'kill',
  'stopDaemon',
  'troubleServer',
  'restartServer',
  'troubleDisk',
  'troubleWire',
  'skewClock',
  'stray',
  'troubleReceiver',
  'restartDatabase',
];

/** How many entries a plan has, and what they are. */
export type Wish = {
  readonly length: number;
  /** The kinds that happen, and how much more often than else (`kill*4`); none: all of them, as the mood is. */
  readonly focus: readonly string[];
  /** What the time between two entries is multiplied with. */
  readonly pace: number;
  readonly databaseServer: string | null;
};

/** The plan of a seed. Each has its own moods: in some worlds much is killed, in others nothing is. */
export const planOf = (seed: string, { length, focus, pace, databaseServer }: Wish): Plan => {
  const times = new Map(
    focus.map((one) => {
      const [kind = '', factor = '1'] = one.split('*');
      return [kind, Number(factor)];
    }),
  );
  const random = randomOf(seed, 'plan');
  const weights = Object.fromEntries(
    Object.entries(databaseServer === null ? KINDS : EVERY_KIND).map(([kind, [weight]]) => {
      const mood = FAULTS.includes(kind as Kind) ? random.pick([0, 0, 1, 1, 3]) : random.pick([0.5, 1, 2]);
      if (focus.length > 0) return [kind, weight * (times.get(kind) ?? 0)];
      return [kind, weight * mood];
    }),
  ) as Record<Kind, number>;
  return {
    seed,
    databaseServer,
    entries: Array.from({ length }, (_, index) => ({
      index,
      kind: random.weighed(weights),
      afterMs: pace * (random.chance(0.3) ? random.next() * 100 : random.next() * 4_000),
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
/** Entries after which the store is looked through. */
const LOOKED_AFTER = 40;

const prepare = async (world: OpenedWorld, seed: string): Promise<void> => {
  layRules(world, seed);
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
  await world.timeline.runOut(openVault(world, seed), 600_000);
  const [alice] = world.people;
  const one: Play = { world, random: randomOf(seed, 'webhook'), tag: 'the-first-webhook' };
  if (alice !== undefined) await world.timeline.runOut(subscribe(one, alice, { since: 0 }), 600_000);
};

/** The first vault, with money in it: what needs one need not wait for it. */
const openVault = async (world: OpenedWorld, seed: string): Promise<void> => {
  const [who] = world.people;
  const one: Play = { world, random: randomOf(seed, 'vault'), tag: 'the-first-vault' };
  const vault = who === undefined ? null : await createVault(one, who);
  if (who === undefined || vault === null) throw new Error('no vault was made');
  const input = { id: vault.id };
  const got = await ask(world, who, 'vaults.deposit', input);
  const build = { build: 'vaults.deposit', record: vault, input };
  const signed = got === null ? null : signReply(world, who, build, got.body);
  if (signed !== null) await send(world, signed, 'node');
  await world.mine(1);
};

/** Plays a plan. */
export const play = async ({ seed, entries, databaseServer }: Plan): Promise<Played> => {
  const world = await openWorld(seed, databaseServer);
  const { timeline, findings, story, log, counts } = world;
  const underWay = new Set<Promise<void>>();
  try {
    await prepare(world, seed);
    for (const [number, { index, kind, afterMs }] of entries.entries()) {
      await timeline.runUntil(timeline.now() + afterMs);
      if (findings.length > 0) break;
      if (number % LOOKED_AFTER === LOOKED_AFTER - 1) await lookThrough(world);
      for (let waited = 0; underWay.size >= MOST_UNDER_WAY && waited < 600; waited += 1)
        await timeline.runUntil(timeline.now() + 500);
      const one: Play = { world, random: randomOf(seed, index, kind), tag: `${kind}-${index}` };
      world.count(`entry: ${kind}`);
      const [, happen] = EVERY_KIND[kind];
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
  } finally {
    await world.database?.close();
  }
  return { findings, story, log, counts, events: timeline.events() };
};
