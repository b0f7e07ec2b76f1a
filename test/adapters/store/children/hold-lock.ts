/** Takes a lock, says so, and holds it until it is killed. */
import { writeSync } from 'node:fs';
import { withFileLock } from '../../../../src/adapters/file-lock.js';

const [, , lock = ''] = process.argv;
await withFileLock(lock, async () => {
  writeSync(1, 'held\n');
  await new Promise((resolve) => setTimeout(resolve, 2 ** 30));
});
