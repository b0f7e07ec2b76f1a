import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { alice, bob } from '../../fixtures/people.js';
import { openCommandLine } from './fake-environment.js';

const aliceAddress = alice.address('local').text;
const bobAddress = bob.address('local').text;

test('help › at the top › it lists nouns and own commands and loads no noun', async (t) => {
  const { run, state } = openCommandLine(t);
  const { exit, stdout, stderr } = await run(['--help']);
  t.is(exit, 0);
  t.is(stderr, '');
  for (const word of ['things', 'init', 'serve', 'demo', 'config', 'completion']) {
    t.regex(stdout, new RegExp(`^  ${word}\\b`, 'm'));
  }
  t.is(state.opened, 0);
});

test('help › without any word › it is the same as --help', async (t) => {
  const { run } = openCommandLine(t);
  const [bare, asked] = [await run([]), await run(['--help'])];
  t.is(bare.exit, 0);
  t.is(bare.stdout, asked.stdout);
});

test('help › of a noun › it lists a verb per operation, whole step and confirmation', async (t) => {
  const { run } = openCommandLine(t);
  const { stdout } = await run(['help', 'things']);
  for (const verb of ['create', 'list', 'show <id>', 'pay <id>', 'confirm-pay <id> <tx-hash>', 'end <id>']) {
    t.true(stdout.includes(`\n  ${verb} `), verb);
  }
});

test('help › of a verb › it shows flags with choices, defaults and what is required', async (t) => {
  const { run } = openCommandLine(t);
  const { stdout } = await run(['things', 'create', '--help'], { env: {} });
  t.regex(stdout, /--title <value>\s+What it is called \(required\)/);
  t.regex(stdout, /--kind <value>\s+\(one of BIG, SMALL; default: "BIG"\)/);
  t.regex(stdout, /--owner <address>[^-]*default: you/);
  t.regex(stdout, /Example:\n {2}treasury things create --title Tea/);
});

test('help exit-codes › it lists every code', async (t) => {
  const { run, json } = openCommandLine(t);
  const { exit, stdout } = await run(['help', 'exit-codes']);
  t.is(exit, 0);
  for (const code of [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 130]) t.regex(stdout, new RegExp(`^${code} `, 'm'));
  const { exitCodes } = (await json(['help', 'exit-codes'])) as {
    exitCodes: { code: number; errors: string[] }[];
  };
  t.true(exitCodes.find(({ code }) => code === 8)?.errors.includes('tx_not_indexed'));
});

test('--version › it prints the version of the package', async (t) => {
  const { run } = openCommandLine(t);
  const { exit, stdout } = await run(['--version']);
  t.is(exit, 0);
  t.regex(stdout, /^\d+\.\d+\.\d+\n$/);
});

test('usage › given an unknown noun › exit 2 and a suggestion', async (t) => {
  const { run } = openCommandLine(t);
  const { exit, stdout, stderr } = await run(['thing', 'list']);
  t.is(exit, 2);
  t.is(stdout, '');
  t.regex(stderr, /unknown command 'thing'.*Did you mean things\?/i);
});

test('usage › given an unknown verb and --json › the error body stands on stdout', async (t) => {
  const { json, run } = openCommandLine(t);
  const body = await json(['things', 'lst']);
  t.is(body['success'], false);
  t.is(body['code'], 'invalid_input');
  t.is((await run(['things', 'lst', '--json'])).exit, 2);
});

test('usage › given a noun alone › exit 2 and its help on stderr', async (t) => {
  const { run } = openCommandLine(t);
  const { exit, stdout, stderr } = await run(['things']);
  t.is(exit, 2);
  t.is(stdout, '');
  t.regex(stderr, /Usage: treasury things/);
});

test('usage › given too many words › exit 2', async (t) => {
  const { run } = openCommandLine(t);
  t.is((await run(['things', 'show', 'a', 'b'])).exit, 2);
});

test('input › given flags of every kind › the operation gets their JSON values', async (t) => {
  const { json } = openCommandLine(t);
  const words = ['--title', 'Tea', '--kind', 'SMALL', '--total-pool', '0.10', '--no-open'];
  const lists = ['--tags', 'a', '--tags', 'b', '--entries', '[{"to":"x"}]'];
  const { thing } = await json(['things', 'create', ...words, ...lists]);
  t.deepEqual(thing, {
    title: 'Tea',
    kind: 'SMALL',
    totalPool: '0.1',
    open: false,
    tags: ['a', 'b'],
    entries: [{ to: 'x' }],
    owner: aliceAddress,
  });
});

test('input › given the name of a file for a structure › the file is read', async (t) => {
  const { json, folder } = openCommandLine(t);
  writeFileSync(join(folder, 'team.json'), '{ "entries": [{ "to": "x" }, { "to": "y" }] }');
  const words = ['--title', 'Tea', '--total-pool', '1', '--entries', 'team.json'];
  const { thing } = await json(['things', 'create', ...words]);
  t.deepEqual((thing as { entries: unknown }).entries, [{ to: 'x' }, { to: 'y' }]);
});

test('input › given - for a structure › standard input is read', async (t) => {
  const { json } = openCommandLine(t);
  const words = ['--title', 'Tea', '--total-pool', '1', '--entries', '-'];
  const { thing } = await json(['things', 'create', ...words], { stdin: '[{"to":"z"}]' });
  t.deepEqual((thing as { entries: unknown }).entries, [{ to: 'z' }]);
});

test('input › given a file that is not there › invalid_file, exit 2', async (t) => {
  const { json, run } = openCommandLine(t);
  const words = ['things', 'create', '--title', 'Tea', '--total-pool', '1', '--entries', 'nothing.json'];
  t.is((await json(words))['code'], 'invalid_file');
  t.is((await run(words)).exit, 2);
});

test('input › given an alias of a field as a flag › it is the field', async (t) => {
  const { json } = openCommandLine(t);
  const words = ['--title', 'Tea', '--total-pool', '1', '--recipient', bobAddress];
  const { thing } = await json(['things', 'create', ...words]);
  t.is((thing as { recipientAddress: string }).recipientAddress, bobAddress);
});

test('input › given a value that reads like a global flag › it is a value all the same', async (t) => {
  const { json } = openCommandLine(t);
  const { thing } = await json(['things', 'create', '--title', '--yes', '--total-pool', '1']);
  t.is((thing as { title: string }).title, '--yes');
});

test('input › given no terminal and a value missing › missing_value names the flag, exit 2, nothing is opened', async (t) => {
  const { run, state } = openCommandLine(t);
  const { exit, stderr } = await run(['things', 'create', '--title', 'Tea']);
  t.is(exit, 2);
  t.regex(stderr, /--total-pool is needed/);
  t.is(state.opened, 0);
});

test('input › given no terminal and a position missing › missing_value names it', async (t) => {
  const { json } = openCommandLine(t);
  const body = await json(['things', 'show']);
  t.is(body['code'], 'missing_value');
  t.is(body['flag'], '<id>');
});

test('input › given several values missing › each is named with --json', async (t) => {
  const { json } = openCommandLine(t);
  const { issues } = (await json(['things', 'create'])) as { issues: { path: string }[] };
  t.deepEqual(
    issues.map(({ path }) => path),
    ['title', 'totalPool'],
  );
});

test('input › given a terminal › only what is missing is asked for', async (t) => {
  const { run, state } = openCommandLine(t);
  const { exit, asked } = await run(['things', 'create', '--title', 'Tea'], { answers: ['0.5'] });
  t.is(exit, 0);
  t.is(asked.length, 1);
  t.regex(asked[0] ?? '', /--total-pool/);
  t.deepEqual(state.ran, ['things.create']);
});

test('input › given Ctrl-C at a prompt › exit 130', async (t) => {
  const { run, state } = openCommandLine(t);
  const interrupt = (): never => {
    throw Object.assign(new Error('User force closed the prompt'), { name: 'ExitPromptError' });
  };
  const { exit } = await run(['things', 'create', '--title', 'Tea'], { answers: [interrupt] });
  t.is(exit, 130);
  t.deepEqual(state.ran, []);
});

test('input › given a value that is not valid › each problem is named by its flag, exit 2', async (t) => {
  const { run } = openCommandLine(t);
  const words = ['--title', '', '--kind', 'HUGE', '--total-pool', '1'];
  const { exit, stderr } = await run(['things', 'create', ...words]);
  t.is(exit, 2);
  t.regex(stderr, /^ {2}--title: /m);
  t.regex(stderr, /^ {2}--kind: /m);
});

test('output › given --json › exactly one document in the API’s shape', async (t) => {
  const { run } = openCommandLine(t);
  const { exit, stdout, stderr } = await run(['things', 'list', '--json']);
  t.is(exit, 0);
  t.deepEqual(JSON.parse(stdout), {
    success: true,
    things: [
      { id: '1', title: 'Tea' },
      { id: '2', title: 'Cake' },
    ],
    total: 2,
  });
  t.is(stderr, '');
});

for (const words of [
  ['--json', 'things', 'list'],
  ['things', '--json', 'list'],
  ['things', 'list', '--json'],
]) {
  test(`output › given ${words.join(' ')} › the flag works in that place`, async (t) => {
    const { run } = openCommandLine(t);
    const { stdout } = await run(words);
    t.is((JSON.parse(stdout) as { total: number }).total, 2);
  });
}

test('output › given --jsonl › one line per element', async (t) => {
  const { run } = openCommandLine(t);
  const { stdout } = await run(['things', 'list', '--jsonl']);
  const lines = stdout.trimEnd().split('\n');
  t.deepEqual(
    lines.map((line) => (JSON.parse(line) as { title: string }).title),
    ['Tea', 'Cake'],
  );
});

test('output › given a view › its data is on stdout and its next step on stderr', async (t) => {
  const { run } = openCommandLine(t);
  const { stdout, stderr } = await run(['things', 'show', 'tea']);
  t.is(stdout, `thing  tea\n\nWho\n${aliceAddress}\n`);
  t.is(stderr, 'Next: treasury things pay tea  (to fill it)\n');
});

test('output › given --quiet › the next step is not said', async (t) => {
  const { run } = openCommandLine(t);
  t.is((await run(['things', 'show', 'tea', '--quiet'])).stderr, '');
});

test('output › given no view › facts and tables are made of the reply', async (t) => {
  const { run } = openCommandLine(t);
  const { stdout } = await run(['things', 'list']);
  t.regex(stdout, /^total {2}2$/m);
  t.regex(stdout, /^id {2}title$/m);
  t.regex(stdout, /^2 {3}Cake$/m);
});

test('output › given a terminal › it is coloured, and not with NO_COLOR', async (t) => {
  const { run } = openCommandLine(t);
  const isColoured = (text: string): boolean => text.includes('\u001b[');
  const terminal = { isTerminal: true };
  t.true(isColoured((await run(['things', 'show', 'tea'], { ...terminal, env: { NO_COLOR: '' } })).stdout));
  t.false(isColoured((await run(['things', 'show', 'tea'], { ...terminal, env: { NO_COLOR: '1' } })).stdout));
});

test('output › off a terminal › it is not coloured', async (t) => {
  const { run } = openCommandLine(t);
  const { stdout, stderr } = await run(['things', 'show', 'tea'], { env: { NO_COLOR: '' } });
  t.false(`${stdout}${stderr}`.includes('\u001b['));
});

test('errors › given a record that is not there › a sentence and what to do, exit 3', async (t) => {
  const { run } = openCommandLine(t);
  const { exit, stdout, stderr } = await run(['things', 'show', 'none']);
  t.is(exit, 3);
  t.is(stdout, '');
  t.regex(stderr, /^Error: There is no reward campaign "none"\.$/m);
  t.regex(stderr, /^What to do: /m);
});

test('errors › given --json › the error body stands on stdout', async (t) => {
  const { json } = openCommandLine(t);
  t.like(await json(['things', 'show', 'none']), {
    success: false,
    code: 'reward_not_found',
    retryable: false,
  });
});

test('errors › given a defect › exit 1, and the app is closed all the same', async (t) => {
  const { run, state } = openCommandLine(t);
  const { exit, stderr } = await run(['things', 'show', 'defect']);
  t.is(exit, 1);
  t.regex(stderr, /a defect/);
  t.is(state.closed, 1);
});

test('caller › given nothing › it is the default wallet', async (t) => {
  const { json } = openCommandLine(t);
  t.is((await json(['things', 'show', 'tea']))['caller'], aliceAddress);
});

for (const words of [
  ['--wallet', 'bob'],
  ['--as', 'bob'],
  ['--as', bobAddress],
]) {
  test(`caller › given ${words[0] ?? ''} ${words[1]?.slice(0, 8) ?? ''} › it is bob`, async (t) => {
    const { json } = openCommandLine(t);
    t.is((await json(['things', 'show', 'tea', ...words]))['caller'], bobAddress);
  });
}

test('caller › given a wallet that is not there › wallet_not_found, exit 3', async (t) => {
  const { run } = openCommandLine(t);
  t.is((await run(['things', 'show', 'tea', '--wallet', 'carol'])).exit, 3);
  t.is((await run(['things', 'show', 'tea', '--as', 'carol'])).exit, 3);
});

test('caller › given --as with an address of another network › invalid_address, exit 2', async (t) => {
  const { run } = openCommandLine(t);
  const { exit } = await run(['things', 'show', 'tea', '--as', alice.address('mainnet').text]);
  t.is(exit, 2);
});

test('fresh home › given local › the first command sets it up and says so', async (t) => {
  const { run, state } = openCommandLine(t);
  state.wallets = [];
  const { exit, stderr } = await run(['things', 'create', '--title', 'Tea', '--total-pool', '1']);
  t.is(exit, 0);
  t.deepEqual(state.ran, ['init', 'things.create']);
  t.regex(stderr, /^Set up /m);
});

test('fresh home › given chipnet › nothing is set up by itself', async (t) => {
  const { run, state } = openCommandLine(t, 'chipnet');
  state.wallets = [];
  const { exit } = await run(['things', 'create', '--title', 'Tea', '--total-pool', '1']);
  t.is(exit, 4);
  t.deepEqual(state.ran, []);
});

test('init › as a noun that is its own verb › it runs once', async (t) => {
  const { run, state } = openCommandLine(t);
  state.wallets = [];
  t.is((await run(['init', '--yes'])).exit, 0);
  t.deepEqual(state.ran, ['init']);
});

test('remove › given an ending operation off mainnet › --yes is enough', async (t) => {
  const { run, state } = openCommandLine(t);
  t.is((await run(['things', 'remove', 'tea'])).exit, 2);
  t.deepEqual(state.ran, []);
  t.is((await run(['things', 'remove', 'tea', '--yes'])).exit, 0);
  t.deepEqual(state.ran, ['things.remove']);
});

test('settings › metrics › are for serve alone: no other command measures', async (t) => {
  const { run, opened } = openCommandLine(t);
  await run(['things', 'list'], { env: { TREASURY_METRICS: '1' } });
  t.is(opened[0]?.metrics, false);
});

test('settings › --home and --network › decide which home is opened', async (t) => {
  const { run, opened, folder } = openCommandLine(t);
  await run(['things', 'list', '--home', 'elsewhere', '--network', 'chipnet']);
  t.is(opened[0]?.home, join(folder, 'elsewhere'));
  t.is(opened[0]?.network, 'chipnet');
});

test('settings › given a value that is not valid › exit 2 and what was expected', async (t) => {
  const { run } = openCommandLine(t);
  const { exit, stderr } = await run(['things', 'list', '--network', 'bitcoin']);
  t.is(exit, 2);
  t.regex(stderr, /--network.*expected one of local/);
});

test('config list › given --show-origin › each value says where it comes from', async (t) => {
  const { json, run, state } = openCommandLine(t);
  const { settings } = (await json(['config', 'list', '--show-origin', '--wallet', 'bob'])) as {
    settings: { name: string; value: unknown; origin: string; source: string }[];
  };
  t.like(
    settings.find(({ name }) => name === 'wallet'),
    { value: 'bob', origin: 'flag', source: '--wallet' },
  );
  t.like(
    settings.find(({ name }) => name === 'network'),
    { origin: 'environment', source: 'TREASURY_NETWORK' },
  );
  t.regex((await run(['config', 'list'])).stdout, /^port +4280$/m);
  t.is(state.opened, 0);
});

test('completion › given another shell › exit 2', async (t) => {
  const { run } = openCommandLine(t);
  t.is((await run(['completion', 'csh'])).exit, 2);
});
