/** Loaded before every test file: the run knows which files have not ended (`scripts/run-tests.ts`). */
import { rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';

const folder = process.env['TREASURY_RUNNING'];
if (folder !== undefined) {
  const file = join(folder, String(process.pid));
  writeFileSync(file, relative(process.cwd(), fileURLToPath(test.meta.file)));
  process.once('exit', () => {
    rmSync(file, { force: true });
  });
}
