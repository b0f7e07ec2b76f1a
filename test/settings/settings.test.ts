import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { TreasuryError } from '../../src/errors.js';
import {
  readSettingOrigins,
  readSettings,
  settingNames,
  settingRows,
  type SettingName,
  type SettingSources,
} from '../../src/settings/settings.js';

type Setup = {
  readonly cwd: string;
  readonly sources: (more?: Partial<SettingSources>) => SettingSources;
  readonly writeProject: (settings: unknown) => string;
  readonly writeUser: (settings: unknown) => string;
};

/** A user with a config folder and a project; the working folder is two levels inside the project. */
const setUp = (t: ExecutionContext): Setup => {
  const folder = mkdtempSync(join(tmpdir(), 'treasury-'));
  t.teardown(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const [project, config] = [join(folder, 'project'), join(folder, 'config')];
  const cwd = join(project, 'a', 'b');
  mkdirSync(cwd, { recursive: true });
  mkdirSync(config);
  const write = (path: string, settings: unknown): string => {
    writeFileSync(path, typeof settings === 'string' ? settings : JSON.stringify(settings));
    return path;
  };
  return {
    cwd,
    sources: (more = {}) => ({
      flags: {},
      env: {},
      cwd,
      folders: { data: join(folder, 'data'), config },
      ...more,
    }),
    writeProject: (settings) => write(join(project, 'treasury.config.json'), settings),
    writeUser: (settings) => write(join(config, 'config.json'), settings),
  };
};

const originOf = (sources: SettingSources, name: SettingName) => {
  const reading = readSettingOrigins(sources).find((one) => one.name === name);
  return reading === undefined ? null : [reading.value, reading.origin, reading.source];
};

test('settings › given nothing › every setting has its default', (t) => {
  const { sources } = setUp(t);
  const settings = readSettings(sources());
  t.is(settings.network, 'local');
  t.is(settings.port, 4280);
  t.is(settings.host, '127.0.0.1');
  t.is(settings.home, sources().folders.data);
  t.is(settings.wallet, null);
  t.deepEqual(settings.corsOrigins, []);
  t.true(readSettingOrigins(sources()).every(({ origin }) => origin === 'default'));
});

test('settings › given every source › the flag wins, then environment, project, user', (t) => {
  const { sources, writeProject, writeUser } = setUp(t);
  const user = writeUser({ port: 1 });
  t.deepEqual(originOf(sources(), 'port'), [1, 'user', user]);
  const project = writeProject({ port: 2 });
  t.deepEqual(originOf(sources(), 'port'), [2, 'project', project]);
  const env = { TREASURY_PORT: '3' };
  t.deepEqual(originOf(sources({ env }), 'port'), [3, 'environment', 'TREASURY_PORT']);
  t.deepEqual(originOf(sources({ env, flags: { port: '4' } }), 'port'), [4, 'flag', '--port']);
});

test('settings › given an empty variable › it counts as not set', (t) => {
  const { sources } = setUp(t);
  t.deepEqual(originOf(sources({ env: { TREASURY_NETWORK: '' } }), 'network'), ['local', 'default', '']);
});

test('settings › given a relative path in a file › it is relative to that file', (t) => {
  const { sources, writeProject } = setUp(t);
  const project = writeProject({ home: 'data/here' });
  t.is(readSettings(sources()).home, join(project, '..', 'data', 'here'));
});

test('settings › given a relative path in a flag › it is relative to the working folder', (t) => {
  const { cwd, sources } = setUp(t);
  t.is(readSettings(sources({ flags: { home: 'here' } })).home, join(cwd, 'here'));
});

test('settings › given lists › text is split at commas and JSON lists are taken', (t) => {
  const { sources, writeProject } = setUp(t);
  writeProject({ corsOrigins: ['https://a.example', 'http://b.example:8080'] });
  t.deepEqual(readSettings(sources()).corsOrigins, ['https://a.example', 'http://b.example:8080']);
  const env = { TREASURY_ELECTRUM: 'wss://one.example:50004, tls://two.example:50002' };
  t.deepEqual(readSettings(sources({ env })).electrum, [
    'wss://one.example:50004',
    'tls://two.example:50002',
  ]);
});

const invalid: readonly (readonly [env: string, value: string, expected: RegExp])[] = [
  ['TREASURY_NETWORK', 'bitcoin', /one of local, regtest/],
  ['TREASURY_PORT', '65536', /0 to 65535/],
  ['TREASURY_PORT', '4280.5', /0 to 65535/],
  ['TREASURY_RATE_PER_MINUTE', '-1', /0 to 1000000/],
  ['TREASURY_TRUST_ADDRESS_HEADER', 'maybe', /true or false/],
  ['TREASURY_METRICS', 'yes', /true or false/],
  ['TREASURY_LOG_LEVEL', 'loud', /debug, info, warn, error, silent/],
  ['TREASURY_CORS_ORIGINS', 'https://a.example/path', /without a path/],
  ['TREASURY_CORS_ORIGINS', '*', /origins such as/],
  ['TREASURY_ELECTRUM', 'https://a.example', /wss, ws, tls or tcp/],
  ['TREASURY_PRICE_ORACLE_URL', 'ftp://a.example', /http or https/],
  ['TREASURY_PRICE_ORACLE_PUBKEY', '04ab', /66 hex digits/],
];

for (const [env, value, expected] of invalid) {
  test(`settings › given ${env}=${value} › it is refused, saying what was expected`, (t) => {
    const { sources } = setUp(t);
    const error = t.throws(() => readSettings(sources({ env: { [env]: value } })), {
      instanceOf: TreasuryError,
    });
    t.is(error.code, 'invalid_setting');
    t.is(error.exit, 2);
    t.true(error.message.includes(env) && error.message.includes(value));
    t.regex(error.message, expected);
  });
}

test('settings › given a passphrase in a file › it is refused and not shown', (t) => {
  const { sources, writeProject } = setUp(t);
  writeProject({ passphrase: 'swordfish' });
  const error = t.throws(() => readSettings(sources()), { instanceOf: TreasuryError });
  t.is(error.code, 'invalid_setting');
  t.regex(error.message, /passphraseFile/);
  t.notRegex(error.message, /swordfish/);
});

test('settings › given a key that is no setting › it is refused by name', (t) => {
  const { sources, writeUser } = setUp(t);
  writeUser({ prot: 1 });
  const error = t.throws(() => readSettings(sources()), { instanceOf: TreasuryError });
  t.is(error.code, 'invalid_setting');
  t.regex(error.message, /prot in /);
});

for (const [what, content] of [
  ['no JSON', '{'],
  ['no object', '[]'],
] as const) {
  test(`settings › given a file with ${what} › it is invalid_file`, (t) => {
    const { sources, writeProject } = setUp(t);
    const path = writeProject(content);
    const error = t.throws(() => readSettings(sources()), { instanceOf: TreasuryError });
    t.is(error.code, 'invalid_file');
    t.is(error.details['file'], path);
  });
}

test('settings › the table for the README › has one row per setting, with its variable', (t) => {
  t.deepEqual(
    settingRows.map(({ name }) => name),
    settingNames,
  );
  t.true(settingRows.every(({ env, description }) => env.startsWith('TREASURY_') && description.length > 0));
});

test('settings › given a checkpoint › it is read from the flag before the environment, in small letters', (t) => {
  const { sources } = setUp(t);
  const hash = 'ab'.repeat(32);
  const env = { TREASURY_CHECKPOINT: `7:${hash}` };
  t.is(readSettings(sources()).checkpoint, null);
  t.is(readSettings(sources({ env })).checkpoint, `7:${hash}`);
  t.is(
    readSettings(sources({ env, flags: { checkpoint: `8:${hash.toUpperCase()}` } })).checkpoint,
    `8:${hash}`,
  );
  for (const wrong of ['7', hash, `7:${hash}0`, `-7:${hash}`, `x:${hash}`]) {
    const error = t.throws(() => readSettings(sources({ flags: { checkpoint: wrong } })), {
      instanceOf: TreasuryError,
      code: 'invalid_setting',
    });
    t.regex(error.message, /--checkpoint.*HEIGHT:HASH/);
  }
});
