/**
 * Loaded before every test file: random values are the same in every run, and whoever runs the tests is told which file
 * this process runs (`scripts/run-tests.ts`).
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import fc from 'fast-check';

fc.configureGlobal({ seed: 20_260_601 });

const folder = process.env['TEST_FILES_RUNNING'];
if (folder !== undefined) {
  const own = join(folder, String(process.pid));
  writeFileSync(own, relative(process.cwd(), fileURLToPath(test.meta.file)));
  process.once('exit', () => {
    rmSync(own, { force: true });
  });
}
