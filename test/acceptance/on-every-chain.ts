/**
 * Registers the acceptance tests for each chain they run on: the embedded one, with the records in files and on
 * PostgreSQL, and one through the wire; or, when the environment names an Electrum server, only the chain behind that.
 */
import test, { type ExecutionContext } from 'ava';
import { IS_LONG } from '../at-length.js';
import { localWorld, type Ability, type ChainWorld } from '../chain-world.js';
import { postgresWorld, whyNoPostgres } from './postgres-world.js';
import { serverWorld } from './server-world.js';
import { wireWorld } from './wire-world.js';

const server = serverWorld(process.env);
const worlds = server === null ? [localWorld, wireWorld, postgresWorld] : [server];
/** Those that play the first test of a file only, unless all is run at length. */
const firstOnly: readonly ChainWorld[] = [wireWorld, postgresWorld];

const WANTS: Readonly<Record<Ability, string>> = {
  advance: 'a way to move time, TREASURY_ADVANCE_COMMAND',
  reorg: 'a chain whose blocks can be taken off',
};

/** Only what a test says it needs is there for it. */
const limitTo = (world: ChainWorld, needs: readonly Ability[]): ChainWorld => ({
  ...world,
  open: async (t) => {
    const chain = await world.open(t);
    const refuse = (ability: Ability) => () =>
      Promise.reject(new Error(`the test does not say that it needs "${ability}"`));
    return {
      ...chain,
      steer: (app) => ({
        ...chain.steer(app),
        ...Object.fromEntries(
          (['advance', 'reorg'] as const)
            .filter((ability) => !needs.includes(ability))
            .map((ability) => [ability, refuse(ability)]),
        ),
      }),
    };
  },
});

export type ChainTest = (t: ExecutionContext, world: ChainWorld) => Promise<void>;

/**
 * Tests that share a chain would move its time under each other; and where client and server share this process, tests
 * side by side would make each other's answers late.
 */
const registerOn = (world: ChainWorld) => (world === wireWorld || world === server ? test.serial : test);

/** The tests on every chain in this file so far. */
let tests = 0;

/**
 * A test on every chain; through the wire and on PostgreSQL only the first of a file, unless all is run at length. Where a chain cannot do what the test needs,
 * it is skipped and says so.
 */
export const onEveryChain = (title: string, needs: readonly Ability[], body: ChainTest): void => {
  tests += 1;
  for (const world of worlds) {
    if (firstOnly.includes(world) && tests > 1 && !IS_LONG) continue;
    const lacking = needs.filter((ability) => !world.can.includes(ability)).map((ability) => WANTS[ability]);
    const name = `${world.name} › ${title}`;
    if (world === postgresWorld && whyNoPostgres !== null) {
      test.skip(`${name} (skipped: ${whyNoPostgres})`, () => undefined);
      continue;
    }
    if (lacking.length > 0)
      test.skip(`${name} (skipped: it needs ${lacking.join(' and ')})`, () => undefined);
    else registerOn(world)(name, (t) => body(t, limitTo(world, needs)));
  }
};

/** A test on the embedded chain alone, and why it is. */
export const onEmbeddedChain = (
  title: string,
  why: string,
  body: (t: ExecutionContext) => Promise<void>,
): void => {
  if (server === null) test(title, body);
  else test.skip(`${title} (skipped: ${why})`, () => undefined);
};
