/** The simulator: nothing is found in the program as it is, and what is wrong is found, from seeds that stay. */
import { execFile } from 'node:child_process';
import test from 'ava';
import { AT_LENGTH, atLength, IS_LONG } from '../at-length.js';
import { testServer } from '../postgres/server.js';
import { bundleSimulator } from './bundle.js';
import { MUTANTS } from './mutants.js';

const server = await testServer();
/** Why no world is on PostgreSQL; null: they are. What is said there goes over wires that know no password. */
const whyNoPostgres =
  'missing' in server
    ? server.missing
    : new URL(server.url).password === ''
      ? null
      : 'the server asks for a password';
const onPostgres = 'missing' in server ? [] : ['--database', server.url];

type Run = { readonly exit: number; readonly stdout: string };

const run = (file: string, args: readonly string[]): Promise<Run> =>
  new Promise((resolve) => {
    execFile(process.execPath, [file, ...args], { maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      resolve({ exit: typeof error?.code === 'number' ? error.code : 0, stdout: `${stdout}${stderr}` });
    });
  });

let plain: Promise<string> | null = null;
const program = (): Promise<string> => (plain ??= bundleSimulator(process.cwd()));

test.serial('simulator › given the program as it is › nothing is found', async (t) => {
  t.timeout(600_000);
  const worlds = String(atLength(60, 8));
  const { exit, stdout } = await run(await program(), [
    '--seed',
    'slice4',
    '--worlds',
    worlds,
    '--length',
    '80',
  ]);
  t.is(exit, 0, stdout);
  // What was played is what it is for: something of every product is on the chain, and something went wrong.
  for (const played of [
    /^(?:streams|payments|budgets|rewards)\.fund .* \d+ +\d+$/m,
    /^governance\.lock .*\d$/m,
    /^vaults\.spend +\d+/m,
    /^faults: .*killed \d/m,
    /^checks: .*folds \d.*sums \d/m,
    /^answers over HTTP: 200 \d/m,
  ])
    t.regex(stdout, played);
});

test.serial('simulator › given the same seed › the story is the same', async (t) => {
  t.timeout(120_000);
  const args = ['--seed', 'twice', '--world', '0', '--length', '40', '--story'];
  const storyOf = ({ stdout }: Run): string => stdout.replace(/\d+ a second|^.* MB now$/gm, '');
  const [one, other] = [await run(await program(), args), await run(await program(), args)];
  t.is(storyOf(one), storyOf(other));
  t.regex(one.stdout, /daemon-1 starts/);
});

const onDatabase =
  'simulator › given records on PostgreSQL, wires that are cut at commits and processes that stand still › nothing is found';
if (whyNoPostgres === null)
  test.serial(onDatabase, async (t) => {
    t.timeout(600_000);
    const worlds = ['--worlds', String(atLength(8, 1)), '--length', String(atLength(60, 20))];
    // What is short has its faults all the same.
    const focus = [
      '--focus',
      'create*6,fund*2,follow,cutWire*4,freeze*2,restartDatabase*2,kill*2,startDaemon',
    ];
    const { exit, stdout } = await run(await program(), [
      ...['--seed', 'p5', ...worlds, ...(IS_LONG ? [] : focus), ...onPostgres],
    ]);
    t.is(exit, 0, stdout);
    for (const played of [
      /^faults: .*cut (?:after|before) a commit \d.*frozen/m,
      /^checks: .*folds \d.*made once \d.*sums \d/m,
    ])
      t.regex(stdout, played);
  });
else test.skip(`${onDatabase}: ${whyNoPostgres}`, (t) => t.pass());

/** Worlds that are tried for a mutant: where timing has changed, it may be found in another one than before. */
const MOST_WORLDS = 40;
/** A world on PostgreSQL takes ten times as long. */
const MOST_ON_POSTGRES = 10;

for (const { name, changes, seed, from, length, focus, pace, isOnPostgres = false } of IS_LONG
  ? MUTANTS
  : []) {
  if (isOnPostgres && whyNoPostgres !== null) continue;
  test.serial(`simulator › given ${name.replaceAll('-', ' ')} › it is found${AT_LENGTH}`, async (t) => {
    t.timeout(isOnPostgres ? 900_000 : 300_000);
    const wish = [
      ...['--seed', seed, '--length', String(length), '--focus', focus, '--pace', String(pace)],
      ...(isOnPostgres ? onPostgres : []),
    ];
    const { exit, stdout } = await run(await bundleSimulator(process.cwd(), name, changes), [
      ...wish,
      ...[
        '--from',
        String(from),
        '--worlds',
        String(isOnPostgres ? MOST_ON_POSTGRES : MOST_WORLDS),
        '--stop',
        '--shrink-seconds',
        '0',
      ],
    ]);
    t.is(exit, 1, stdout);
    t.regex(stdout, /^FOUND (?!simulator)/m);
    // It is the mutant that is found, and nothing else of that world.
    const world = /^again: .* --world (\d+) /m.exec(stdout)?.[1] ?? '';
    const plainly = await run(await program(), [...wish, '--world', world, '--shrink-seconds', '0']);
    t.is(plainly.exit, 0, plainly.stdout);
  });
}
