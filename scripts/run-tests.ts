/**
 * Runs the tests and closes with one line that counts them.
 *
 * Failing tests are shown whole; passing ones as their titles when `--titles` is given. Further arguments go to ava.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const showTitles = process.argv.includes('--titles');
const rest = process.argv.slice(2).filter((argument) => argument !== '--titles');
const ava = spawn(process.execPath, ['node_modules/ava/entrypoints/cli.mjs', '--tap', ...rest], {
  stdio: ['ignore', 'pipe', 'inherit'],
});

let passed = 0;
let failed = 0;
let skipped = 0;
let inFailure = false;

for await (const line of createInterface({ input: ava.stdout })) {
  const result = /^(not )?ok \d+ - (.*)$/.exec(line);
  if (result === null) {
    if (inFailure) console.log(line);
    continue;
  }
  const title = result[2] ?? '';
  inFailure = result[1] !== undefined;
  if (/# (?:SKIP|TODO)/.test(title)) {
    skipped += 1;
    inFailure = false;
  } else if (inFailure) {
    failed += 1;
    console.log(`FAILED ${title}`);
  } else {
    passed += 1;
    if (showTitles) console.log(`ok ${title}`);
  }
}

const code = await new Promise<number>((resolve) => {
  if (ava.exitCode !== null) resolve(ava.exitCode);
  else
    ava.once('exit', (exitCode) => {
      resolve(exitCode ?? 1);
    });
});
if (code !== 0 && failed === 0) failed = 1;
console.log(`${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`);
process.exitCode = code === 0 && passed > 0 ? 0 : 1;
