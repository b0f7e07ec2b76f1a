import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { withFileLock } from '../../src/adapters/file-lock.js';
import { TreasuryError } from '../../src/errors.js';
import { startChild } from './store/children/start.js';
import { makeFolder } from './store/notes.js';

const lockIn = (t: ExecutionContext): string => path.join(makeFolder(t), 'treasury.lock');

/** Leaves a lock behind as another process would have. */
const leaveLock = (lock: string, holder: Record<string, unknown>): void => {
  fs.writeFileSync(lock, JSON.stringify(holder));
};

/** The pid of a process that has ended. */
const endedPid = (): number => spawnSync(process.execPath, ['--version']).pid;

const soon = { timeoutMs: 50 };
const onLinux = fs.existsSync('/proc/self/stat') ? test : test.skip; // start times and boots are known from /proc only

test('file lock › given a free lock › it returns what the work returns', async (t) => {
  t.is(await withFileLock(lockIn(t), () => Promise.resolve(7)), 7);
});

test('file lock › while the work runs › the file names this process', async (t) => {
  const lock = lockIn(t);
  const holder = await withFileLock(lock, () => JSON.parse(fs.readFileSync(lock, 'utf8')) as { pid: number });
  t.is(holder.pid, process.pid);
});

test('file lock › after the work › the lock is gone', async (t) => {
  const lock = lockIn(t);
  await withFileLock(lock, () => undefined);
  t.false(fs.existsSync(lock));
});

test('file lock › after the process › no file is left', async (t) => {
  const lock = lockIn(t);
  const file = path.join(path.dirname(lock), 'count');
  fs.writeFileSync(file, '0');
  t.is(await startChild('count-in-file.js', [lock, file, '3']).ended, 0);
  t.deepEqual(fs.readdirSync(path.dirname(lock)), ['count']);
});

test('file lock › given a folder that was emptied › it can be taken again', async (t) => {
  const lock = lockIn(t);
  await withFileLock(lock, () => undefined);
  fs.rmSync(path.dirname(lock), { recursive: true });
  fs.mkdirSync(path.dirname(lock));
  t.is(await withFileLock(lock, () => 1), 1);
});

test('file lock › given no folder › the error of the file system comes through', async (t) => {
  const lock = path.join(makeFolder(t), 'missing', 'treasury.lock');
  await t.throwsAsync(
    withFileLock(lock, () => 1),
    { code: 'ENOENT' },
  );
});

test('file lock › given work that throws › the error comes through and the lock is free', async (t) => {
  const lock = lockIn(t);
  await t.throwsAsync(
    withFileLock(lock, () => Promise.reject(new Error('no'))),
    { message: 'no' },
  );
  t.is(await withFileLock(lock, () => 1, soon), 1);
});

test('file lock › given several calls of one process › they run one after another, in order', async (t) => {
  const lock = lockIn(t);
  const story: string[] = [];
  const tell = async (name: string): Promise<void> => {
    story.push(`${name} begins`);
    await new Promise((resolve) => setImmediate(resolve));
    story.push(`${name} ends`);
  };
  await Promise.all(['a', 'b', 'c'].map((name) => withFileLock(lock, () => tell(name))));
  t.deepEqual(story, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
});

test('file lock › given the lock of a process that has ended › it is taken over at once', async (t) => {
  const lock = lockIn(t);
  leaveLock(lock, { pid: endedPid(), startTicks: null, bootId: null });
  t.is(await withFileLock(lock, () => 'mine', soon), 'mine');
});

onLinux(
  'file lock › given the pid of a running process that started at another time › it is taken over',
  async (t) => {
    const lock = lockIn(t);
    leaveLock(lock, { pid: process.pid, startTicks: '1', bootId: null });
    t.is(await withFileLock(lock, () => 'mine', soon), 'mine');
  },
);

onLinux('file lock › given a lock from before the last boot › it is taken over', async (t) => {
  const lock = lockIn(t);
  leaveLock(lock, { pid: process.ppid, startTicks: null, bootId: 'another' });
  t.is(await withFileLock(lock, () => 'mine', soon), 'mine');
});

test('file lock › given a lock that a power cut emptied › it is taken over', async (t) => {
  const lock = lockIn(t);
  fs.writeFileSync(lock, '');
  t.is(await withFileLock(lock, () => 'mine', soon), 'mine');
});

test('file lock › given a process that ended during a takeover › both locks are taken over', async (t) => {
  const lock = lockIn(t);
  leaveLock(lock, { pid: endedPid(), startTicks: null, bootId: null });
  leaveLock(`${lock}.takeover`, { pid: endedPid(), startTicks: null, bootId: null });
  t.is(await withFileLock(lock, () => 'mine', soon), 'mine');
  t.false(fs.existsSync(lock));
  t.false(fs.existsSync(`${lock}.takeover`));
});

test('file lock › given that a living process takes a dead lock over › nobody else touches that lock', async (t) => {
  const lock = lockIn(t);
  const dead = endedPid();
  leaveLock(lock, { pid: dead, startTicks: null, bootId: null });
  leaveLock(`${lock}.takeover`, { pid: process.ppid, startTicks: null, bootId: null });
  await t.throwsAsync(
    withFileLock(lock, () => 'mine', soon),
    { instanceOf: TreasuryError },
  );
  t.like(JSON.parse(fs.readFileSync(lock, 'utf8')), { pid: dead });
});

test('file lock › given a living process that holds it › store_locked names that process', async (t) => {
  const lock = lockIn(t);
  leaveLock(lock, { pid: process.ppid, startTicks: null, bootId: null });
  const error = await t.throwsAsync(
    withFileLock(lock, () => 'mine', soon),
    { instanceOf: TreasuryError },
  );
  t.like(error, { code: 'store_locked', details: { pid: process.ppid, file: lock } });
});

test('file lock › given a waiter that gave up › the holder still has it', async (t) => {
  const lock = lockIn(t);
  leaveLock(lock, { pid: process.ppid, startTicks: null, bootId: null });
  await t.throwsAsync(withFileLock(lock, () => 'mine', soon));
  t.like(JSON.parse(fs.readFileSync(lock, 'utf8')), { pid: process.ppid });
});

test('file lock › given a holder that is killed › the next waiter has it at once', async (t) => {
  const lock = lockIn(t);
  const holder = startChild('hold-lock.js', [lock]);
  await holder.printed(1);
  holder.process.kill('SIGKILL');
  await holder.ended;
  t.true(fs.existsSync(lock));
  t.is(await withFileLock(lock, () => 'mine', soon), 'mine');
});

test('file lock › given what a killed process left beside it › the next process removes it', async (t) => {
  const lock = lockIn(t);
  const plate = `${lock}.01234567-89ab-cdef-0123-456789abcdef`;
  leaveLock(plate, { pid: endedPid(), startTicks: null, bootId: null });
  await withFileLock(lock, () => undefined);
  t.false(fs.existsSync(plate));
});

test('file lock › given what a living process keeps beside it › it stays', async (t) => {
  const lock = lockIn(t);
  const plate = `${lock}.01234567-89ab-cdef-0123-456789abcdef`;
  leaveLock(plate, { pid: process.ppid, startTicks: null, bootId: null });
  await withFileLock(lock, () => undefined);
  t.true(fs.existsSync(plate));
});

test('file lock › given processes that all find a dead lock › no two of them run at a time', async (t) => {
  const lock = lockIn(t);
  const file = path.join(path.dirname(lock), 'count');
  fs.writeFileSync(file, '0');
  leaveLock(lock, { pid: endedPid(), startTicks: null, bootId: null });
  const children = [1, 2, 3, 4].map(() => startChild('count-in-file.js', [lock, file, '250']));
  t.deepEqual(await Promise.all(children.map(({ ended }) => ended)), [0, 0, 0, 0]);
  t.is(fs.readFileSync(file, 'utf8'), '1000');
});
