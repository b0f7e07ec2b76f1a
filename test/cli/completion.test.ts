/** Completion as the shells ask for it: the shipped program in their hands. */
import { execFile, spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';

const execute = promisify(execFile);
const BIN = resolve('bin/treasury.js');
const BEN = 'bchtest:qz3udv0wffyanu408vuq9968gna6jfqkfggf2jymz2';

/** A folder with a `treasury` to be called, and a home; and what runs there. */
const openPlace = (t: ExecutionContext) => {
  const folder = mkdtempSync(join(tmpdir(), 'treasury-'));
  t.teardown(() => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });
  chmodSync(BIN, 0o755);
  symlinkSync(BIN, join(folder, 'treasury'));
  const env = {
    PATH: `${folder}:${process.env['PATH'] ?? ''}`,
    HOME: folder,
    TREASURY_HOME: join(folder, 'home'),
  };
  const runThere = async (file: string, ...words: readonly string[]): Promise<string> =>
    (await execute(file, [...words], { env, cwd: folder })).stdout;
  return {
    folder,
    runThere,
    treasury: (...words: readonly string[]) => runThere(BIN, ...words),
    /** The words that the program itself answers. */
    offers: async (...words: readonly string[]) =>
      (await runThere(BIN, '__complete', ...words)).split('\n').flatMap((line) => line.split('\t')[0] || []),
  };
};

const inBash = (line: string): string => `
eval "$(treasury completion bash)"
COMP_LINE=${JSON.stringify(line)}; COMP_POINT=\${#COMP_LINE}; _treasury; printf '%s\\n' "\${COMPREPLY[@]}"`;

const inFish = (line: string): string => `
treasury completion fish | source
complete -C ${JSON.stringify(line)} | cut -f1`;

const inZsh = (line: string): string => `
compdef() { :; }
_describe() { print -l -- "\${items[@]%%:*}"; }
_files() { print files; }
eval "$(treasury completion zsh)"
words=(${line.endsWith(' ') ? `${line} ''` : line}); CURRENT=\${#words}; _treasury`;

/** A shell, the flag before a script, and the script that completes a line. */
const SHELLS = [
  ['bash', inBash],
  ['zsh', inZsh],
  ['fish', inFish],
] as const;

for (const [shell, scriptOf] of SHELLS) {
  const isThere = spawnSync(shell, ['-c', 'true']).error === undefined;
  test(`completion › in ${shell} › verbs, flags, enumerations, wallets and files are offered${isThere ? '' : ' (this machine has none)'}`, async (t) => {
    const { runThere, treasury, folder } = openPlace(t);
    await treasury('wallet', 'create', 'carol');
    writeFileSync(join(folder, 'team.csv'), '');
    const script = await treasury('completion', shell);
    t.true(script.includes('__complete'));
    if (!isThere) return;
    const offers = async (line: string) =>
      (await runThere(shell, '-c', scriptOf(line))).split('\n').filter((word) => word !== '');
    t.deepEqual(await offers('treasury conf'), ['config']);
    t.true((await offers('treasury vaults spend ')).includes('broadcast'));
    t.deepEqual(await offers('treasury wallet address --q'), ['--qr', '--quiet']);
    t.deepEqual(await offers('treasury streams create --token-type B'), ['BCH']);
    t.deepEqual(await offers('treasury --wallet ca'), ['carol']);
    const files = await offers('treasury streams batch VAULT-0001 --file te');
    t.deepEqual(files, [shell === 'zsh' ? 'files' : 'team.csv']);
  });
}

test('completion › given a contact › it is offered with its @, in bash the part after it', async (t) => {
  const { runThere, treasury, offers } = openPlace(t);
  await treasury('contacts', 'add', 'ben', BEN);
  t.deepEqual(await offers('streams', 'create', '--recipient', '@'), ['@ben']);
  t.deepEqual(await offers('streams', 'create', '--recipient=@'), ['--recipient=@ben']);
  t.deepEqual(await offers('contacts', 'remove', ''), ['ben']);
  t.is((await runThere('bash', '-c', inBash('treasury streams create --recipient @b'))).trim(), 'ben');
});

test('completion › given records › their labels are offered where one is taken, and no others', async (t) => {
  const { treasury, offers } = openPlace(t);
  const { address } = JSON.parse(await treasury('wallet', 'address', '--json')) as { address: string };
  await treasury('chain', 'faucet', address, '1');
  const create = [
    'payments',
    'create',
    '--recipient',
    BEN,
    '--amount-per-period',
    '0.01',
    '--interval',
    'DAILY',
  ];
  await treasury(...create, '--yes');
  t.deepEqual(await offers('payments', 'show', ''), ['PAY-0001']);
  t.deepEqual(await offers('payments', 'show', 'PAY-0001', ''), []);
  t.deepEqual(await offers('streams', 'show', ''), []);
  t.deepEqual(await offers('sync', ''), ['PAY-0001']);
});

test('completion › given a name that is new › the next question but one knows it', async (t) => {
  const { folder, treasury, offers } = openPlace(t);
  await treasury('wallet', 'create', 'carol');
  t.deepEqual(await offers('--wallet', 'd'), []);
  await treasury('wallet', 'create', 'dora');
  await offers('--wallet', 'd');
  for (let look = 0; look < 100 && (await offers('--wallet', 'd')).length === 0; look += 1) await wait(100);
  t.deepEqual(await offers('--wallet', 'd'), ['dora']);
  const mode = statSync(join(folder, 'home', 'local', 'completion.json')).mode % 0o1000;
  t.is(mode, 0o600, 'the names are for nobody else');
});

test('completion › given no home › nothing is offered, and none is made', async (t) => {
  const { folder, offers } = openPlace(t);
  t.deepEqual(await offers('streams', 'show', ''), []);
  t.deepEqual(await offers('--network', 'ma'), ['mainnet']);
  t.false(readdirSync(folder).includes('home'));
});

test('completion › given what cannot be read › nothing is offered, and nothing fails', async (t) => {
  const { folder, offers } = openPlace(t);
  writeFileSync(join(folder, 'treasury.config.json'), 'no JSON');
  t.deepEqual(await offers('--wallet', ''), []);
  t.deepEqual(await offers('nonsense', 'words', '--unknown', ''), []);
});

test('completion › given flags › own ones come before those of every command, and none comes twice', async (t) => {
  const { offers } = openPlace(t);
  const flags = await offers('contacts', 'list', '--json', '--');
  t.deepEqual(flags.slice(0, 2), ['--page', '--limit']);
  t.true(flags.includes('--home'));
  t.false(flags.includes('--json'), 'it is given already');
});

test('completion › given a value in quotes › what comes after it is another word', async (t) => {
  const { offers } = openPlace(t);
  t.deepEqual(await offers('streams', 'create', '--start-time', "'in", '3', "months'", '--token-ty'), [
    '--token-type',
  ]);
});

test('completion › given help › nouns and topics, then verbs', async (t) => {
  const { offers } = openPlace(t);
  t.deepEqual(await offers('help', 'ex'), ['export', 'exit-codes']);
  t.deepEqual(await offers('help', 'contacts', 'sh'), ['show']);
});

test('completion › given a file of names that somebody forged › no shell runs or shows what stands in it', async (t) => {
  const { folder, runThere, treasury, offers } = openPlace(t);
  await treasury('wallet', 'create', 'carol');
  await offers('--wallet', '');
  const evil = [
    '$(touch pwned)',
    '`touch pwned`',
    'a;touch pwned',
    "a'b",
    'a"b',
    'a\tb',
    'a\nb',
    '-x',
    '~',
    'a\u001b[2Jb',
    'a*',
  ];
  const file = join(folder, 'home', 'local', 'completion.json');
  const about = 'calm\u001b]0;title\u0007\u202e words\n:files';
  const wallets = [...evil.map((name) => [name, about]), ['good', about], 'none', [5, 6], null];
  writeFileSync(file, JSON.stringify({ wallets, contacts: 'no list', labels: 7 }));
  t.deepEqual(await offers('--wallet', ''), ['good']);
  writeFileSync(file, JSON.stringify({ wallets, contacts: 'no list', labels: 7 }));
  t.is(await runThere(BIN, '__complete', '--wallet', ''), 'good\tcalm]0;title words :files\n');
  writeFileSync(file, JSON.stringify({ wallets, contacts: 'no list', labels: 7 }));
  for (const words of [
    ['contacts', 'remove', ''],
    ['streams', 'show', ''],
    ['sync', ''],
  ]) {
    t.deepEqual(await offers(...words), []);
    writeFileSync(file, JSON.stringify({ wallets, contacts: 'no list', labels: 7 }));
  }
  for (const [shell, scriptOf] of SHELLS) {
    if (spawnSync(shell, ['-c', 'true']).error !== undefined) continue;
    const offered = await runThere(shell, '-c', scriptOf('treasury --wallet '));
    t.deepEqual(offered.split('\n').filter(Boolean), ['good'], shell);
  }
  t.false(readdirSync(folder).includes('pwned'));
});

test('completion › given a link in the place of the names › nothing is written where it leads', async (t) => {
  const { folder, treasury, offers } = openPlace(t);
  await treasury('wallet', 'create', 'carol');
  const mine = join(folder, 'mine');
  writeFileSync(mine, 'mine');
  symlinkSync(mine, join(folder, 'home', 'local', 'completion.json'));
  await offers('--wallet', '');
  t.is(readFileSync(mine, 'utf8'), 'mine');
});
