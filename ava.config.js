import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compile } from './scripts/compile.js';

const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 2 ** 30;

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
  process.on('exit', () => {
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
  require: ['./build/test/fixed-seed.js', './build/test/undeclared-errors.cjs'],
  // What is shown is in the time zone of the machine.
  environmentVariables: { TMPDIR: makeFolder(), TZ: 'UTC' },
  workerThreads: false,
  concurrency: 3,
  timeout: '4m',
};
