import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { withFileLock } from '../../../src/adapters/file-lock.js';
import {
  attempt,
  chainStandIn,
  storeStandIn,
  isInRange,
  lookAround,
} from '../../../src/adapters/surroundings/surroundings.js';
import { tokenCollection } from '../../../src/record/assets.js';

const setUp = (t: ExecutionContext) => {
  const home = mkdtempSync(join(tmpdir(), 'treasury-'));
  t.teardown(() => {
    rmSync(home, { recursive: true, force: true });
  });
  const folder = join(home, 'local');
  const look = (passphraseFile: string | null = null, secretFiles: readonly string[] = []) =>
    lookAround({ home, folder, passphraseFile, secretFiles, node: '20.19.0', engines: '>=20.19' });
  return { home, folder, look };
};

test('looking around › given no folder of the network › it says so and makes nothing', async (t) => {
  const { folder, look } = setUp(t);
  const { home, files } = await look();
  t.like(home, { isThere: true, isFolderThere: false });
  t.deepEqual(
    files.map(({ kind }) => kind),
    ['folder'],
  );
  t.false(existsSync(folder));
});

test('looking around › given files › it tells modes and sizes, and which hold secrets', async (t) => {
  const { folder, look } = setUp(t);
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, 'keystore.json'), '{}', { mode: 0o600 });
  writeFileSync(join(folder, 'treasury.json'), '12345', { mode: 0o600 });
  chmodSync(join(folder, 'treasury.json'), 0o644);
  const segment = join('events', '0000000000000001.jsonl');
  mkdirSync(join(folder, 'events'), { mode: 0o700 });
  writeFileSync(join(folder, segment), '1234567');
  chmodSync(join(folder, segment), 0o640);
  const { files, store } = await look();
  t.deepEqual(
    files
      .filter(({ kind }) => kind === 'file')
      .map(({ path, mode, isSecret }) => [path.slice(folder.length + 1), mode, isSecret]),
    [
      [segment, 0o640, false],
      ['keystore.json', 0o600, true],
      ['treasury.json', 0o644, false],
    ],
  );
  t.like(store, { snapshotBytes: 5, journalBytes: null, logBytes: 7 });
});

test('looking around › given a lock of a process that is gone › it is not held', async (t) => {
  const { folder, look } = setUp(t);
  mkdirSync(folder);
  const path = join(folder, 'treasury.lock');
  // No process has a pid beyond the largest.
  writeFileSync(path, JSON.stringify({ pid: 2 ** 30, startTicks: null, bootId: null }));
  t.deepEqual((await look()).locks, [{ path, pid: 2 ** 30, isHeld: false }]);
  t.true(existsSync(path), 'it is left where it is');
});

test('looking around › given a lock of a living process › it is held', async (t) => {
  const { folder, look } = setUp(t);
  mkdirSync(folder);
  const path = join(folder, 'treasury.lock');
  await withFileLock(path, async () => {
    t.deepEqual((await look()).locks, [{ path, pid: process.pid, isHeld: true }]);
  });
});

test('looking around › given a file of a passphrase that is not there › it says why it cannot be read', async (t) => {
  const { home, look } = setUp(t);
  const { passphraseFile } = await look(join(home, 'nothing'));
  t.regex(passphraseFile?.failure ?? '', /ENOENT/);
});

for (const [version, range, expected] of [
  ['20.19.0', '^20.19 || ^22.13 || >=24', true],
  ['20.18.9', '^20.19 || ^22.13 || >=24', false],
  ['21.7.0', '^20.19 || ^22.13 || >=24', false],
  ['22.12.0', '^20.19 || ^22.13 || >=24', false],
  ['22.13.1', '^20.19 || ^22.13 || >=24', true],
  ['23.11.0', '^20.19 || ^22.13 || >=24', false],
  ['24.0.0', '^20.19 || ^22.13 || >=24', true],
  ['26.1.0', '^20.19 || ^22.13 || >=24', true],
  ['20.19.0', '>=20.19', true],
  ['20.18.9', '>=20.19', false],
  ['22.1.0', '>=20.19', true],
  ['18.20.0', '>=20.19', false],
] as const) {
  test(`the range of versions › given ${version} and ${range} › ${expected}`, (t) => {
    t.is(isInRange(version, range), expected);
  });
}

test('a stand-in › answers every question with why, and lets itself be closed', async (t) => {
  const failure = new Error('it is broken');
  const { opened, failure: kept } = await attempt(() => Promise.reject(failure), storeStandIn);
  t.is(kept, failure);
  await t.throwsAsync(() => opened.find(tokenCollection), { is: failure });
  await t.throwsAsync(
    opened.transaction(() => null),
    { is: failure },
  );
  await t.notThrowsAsync(opened.refresh());
  await t.notThrowsAsync(opened.close());
  await t.throwsAsync(chainStandIn(failure).tip(), { is: failure });
});
