import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compile } from './scripts/compile.js';

const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 2 ** 30;

/** How long a server is waited for, milliseconds. */
const LONGEST_STOP = 5_000;

/** Ends the PostgreSQL that a test of this run has started (`test/postgres/server.ts`), and takes its files away. */
const stopPostgres = (file) => {
  if (!existsSync(file)) return;
  const { pid, folder, copied } = JSON.parse(readFileSync(file, 'utf8'));
  if (pid === undefined) return;
  try {
    process.kill(pid, 'SIGQUIT');
    for (let waited = 0; waited < LONGEST_STOP; waited += 20) {
      process.kill(pid, 0);
      if (!existsSync(join(folder, 'postmaster.pid'))) break;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  } catch {
    // It is gone.
  }
  rmSync(folder, { recursive: true, force: true });
  if (copied !== null) rmSync(copied, { recursive: true, force: true });
};

/**
 * Homes of tests live in memory where there is room: on a disk, most of their time is waiting until it has written.
 * A folder of this run's own, so that nothing of a killed process stays.
 */
const makeFolder = () => {
  const isRoomy = () => {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > ENOUGH_BYTES;
  };
  let parent = tmpdir();
  try {
    if (isRoomy()) parent = MEMORY;
  } catch {
    // There is no such place.
  }
  const folder = mkdtempSync(join(parent, 'treasury-tests-'));
  process.once('SIGTERM', () => process.exit(1));
  process.on('exit', () => {
    stopPostgres(join(folder, 'postgres.json'));
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
};

// Whichever way ava is started, it runs what stands in the checkout.
await compile();

export default {
  files: ['test/**/*.test.ts'],
  typescript: { rewritePaths: { 'test/': 'build/test/' }, compile: false },
  nodeArguments: ['--enable-source-maps'],
  require: [
    './build/test/running-file.js',
    './build/test/fixed-seed.js',
    './build/test/undeclared-errors.cjs',
  ],
  // What is shown is in the time zone of the machine.
  environmentVariables: { TMPDIR: makeFolder(), TZ: 'UTC' },
  workerThreads: false,
  concurrency: 3,
  timeout: '4m',
};
