/** Adds 1 to the number in a file, over and over: reading and writing it are two steps that only the lock ties. */
import { readFileSync, writeFileSync } from 'node:fs';
import { withFileLock } from '../../../../src/adapters/file-lock.js';

const [, , lock = '', file = '', times = ''] = process.argv;
for (let round = 0; round < Number(times); round += 1) {
  await withFileLock(lock, () => {
    writeFileSync(file, String(Number(readFileSync(file, 'utf8')) + 1));
  });
}
