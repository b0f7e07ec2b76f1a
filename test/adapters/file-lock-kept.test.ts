/** What becomes of a lock whose file its holder cannot remove, as on a disk that has become read-only meanwhile. */
import { AsyncLocalStorage } from 'node:async_hooks';
import fs from 'node:fs';
import path from 'node:path';
import test from 'ava';
import { withFileLock } from '../../src/adapters/file-lock.js';
import { chooseMachine, machine, type Machine } from '../../src/adapters/machine.js';
import { makeFolder } from './store/notes.js';

const thisMachine = machine();
const running = new AsyncLocalStorage<Machine>();
chooseMachine(() => running.getStore() ?? thisMachine);

/** A living process of its own, whose disk removes nothing while `refuses`. */
const aProcess = (pid: number) => {
  const disk = { refuses: false };
  const own: Machine = {
    self: { pid, startTicks: '1', bootId: 'boot' },
    isGone: () => false,
    files: {
      ...thisMachine.files,
      remove: (file) => {
        if (disk.refuses) throw Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS' });
        thisMachine.files.remove(file);
      },
    },
  };
  return { disk, run: <T>(work: () => Promise<T>): Promise<T> => running.run(own, work) };
};

test('file lock › given a lock that cannot be removed › what the work came to stands', async (t) => {
  const lock = path.join(makeFolder(t), 'treasury.lock');
  const { disk, run } = aProcess(1);
  const work = (): number => {
    disk.refuses = true;
    return 7;
  };
  t.is(await run(() => withFileLock(lock, work)), 7);
  disk.refuses = false;
});

test('file lock › given a lock that cannot be removed › its process holds it still, and can take it', async (t) => {
  const lock = path.join(makeFolder(t), 'treasury.lock');
  const { disk, run } = aProcess(1);
  disk.refuses = true;
  await run(() => withFileLock(lock, () => 1)).catch(() => undefined);
  disk.refuses = false;
  t.is(await run(() => withFileLock(lock, () => 2, { timeoutMs: 200 })), 2);
  t.false(fs.existsSync(lock));
});

test('file lock › given a lock that could not be removed for a while › another process takes it then', async (t) => {
  const lock = path.join(makeFolder(t), 'treasury.lock');
  const [one, other] = [aProcess(1), aProcess(2)];
  one.disk.refuses = true;
  await one.run(() => withFileLock(lock, () => 1)).catch(() => undefined);
  await t.throwsAsync(
    other.run(() => withFileLock(lock, () => 2, { timeoutMs: 50 })),
    { code: 'store_locked' },
  );
  one.disk.refuses = false;
  t.is(await other.run(() => withFileLock(lock, () => 2, { timeoutMs: 10_000 })), 2);
});

test('file lock › given a lock that was removed by hand and is held by another process › nobody removes it', async (t) => {
  const lock = path.join(makeFolder(t), 'treasury.lock');
  const [one, other] = [aProcess(1), aProcess(2)];
  one.disk.refuses = true;
  await one.run(() => withFileLock(lock, () => 1)).catch(() => undefined);
  fs.rmSync(lock);
  one.disk.refuses = false;
  await other.run(() =>
    withFileLock(lock, async () => {
      await new Promise((resolve) => {
        setTimeout(resolve, 1_500);
      });
      t.true(fs.existsSync(lock));
    }),
  );
});
