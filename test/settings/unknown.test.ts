import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { readSettings, settingNames, type SettingSources } from '../../src/settings/settings.js';
import { nearestName } from '../../src/nearest-name.js';
import { findUnknownSettings } from '../../src/settings/unknown.js';

/** A project folder with a settings file of these values. */
const setUp = (t: ExecutionContext, values: unknown, env: SettingSources['env'] = {}) => {
  const folder = mkdtempSync(join(tmpdir(), 'treasury-'));
  t.teardown(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const config = join(folder, 'config');
  mkdirSync(config);
  const file = join(folder, 'treasury.config.json');
  writeFileSync(file, JSON.stringify(values));
  const sources: SettingSources = { flags: {}, env, cwd: folder, folders: { data: folder, config } };
  return { file, sources };
};

test('unknown settings › given only settings › there are none', (t) => {
  const { sources } = setUp(t, { network: 'local' }, { TREASURY_PORT: '1', PATH: '/bin' });
  t.deepEqual(findUnknownSettings(sources), []);
});

test('unknown settings › given a key with two letters swapped › the setting that is meant is named', (t) => {
  const { sources, file } = setUp(t, { netwrok: 'local' });
  t.deepEqual(findUnknownSettings(sources), [{ name: 'netwrok', file, nearest: 'network', isSecret: false }]);
});

test('unknown settings › given a misspelt variable › the variable that is meant is named', (t) => {
  const { sources } = setUp(t, {}, { TREASURY_ELECTRUMS: 'tcp://127.0.0.1:1' });
  t.deepEqual(findUnknownSettings(sources), [
    { name: 'TREASURY_ELECTRUMS', file: null, nearest: 'TREASURY_ELECTRUM', isSecret: false },
  ]);
});

test('unknown settings › given a key like none › nothing is suggested', (t) => {
  const { sources } = setUp(t, { colour: 'green' });
  t.like(findUnknownSettings(sources), [{ name: 'colour', nearest: null }]);
});

test('unknown settings › given a key that promises a secret › it says so', (t) => {
  const { sources } = setUp(t, { passphrase: 'hush' });
  t.like(findUnknownSettings(sources), [{ name: 'passphrase', isSecret: true }]);
});

test('settings › given an unknown key that is passed over › the others are read', (t) => {
  const { sources } = setUp(t, { netwrok: 'mainnet', port: 5000 });
  t.is(readSettings(sources, { passOverUnknown: true }).port, 5000);
  t.throws(() => readSettings(sources), { code: 'invalid_setting' });
});

test('the nearest name › is looked for without regard to case, and is itself for a known name', (t) => {
  t.is(nearestName('CORSORIGINS', settingNames), 'corsOrigins');
  for (const name of settingNames) t.is(nearestName(name, settingNames), name);
});
