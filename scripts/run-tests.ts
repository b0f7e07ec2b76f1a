/**
 * Runs the tests and closes with one line that counts them.
 *
 * Failing tests are shown whole; passing ones as their titles when `--titles` is given. Further arguments go to ava. After
 * a whole run, a tree that differs from its titles is a failure; `--write-trees` runs the files that have one, and mends it.
 * Files of which nothing has come for long are ended and named: AVA waits for ever for one whose event loop never rests.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { atLength } from '../test/at-length.js';
import { differencesOf, filesWithTrees, writeTrees } from './trees.js';

const showTitles = process.argv.includes('--titles');
const isWritingTrees = process.argv.includes('--write-trees');
const given = process.argv.slice(2).filter((argument) => !['--titles', '--write-trees'].includes(argument));
const rest = isWritingTrees ? ['--serial', ...filesWithTrees()] : given;
/** Ava is told nothing but options: it runs every test. */
const isWhole = rest.every((argument) => argument.startsWith('--timeout='));
/** Each process of AVA's leaves there, under its id, which file it runs. */
const running = mkdtempSync(join(tmpdir(), 'treasury-files-running-'));
process.once('exit', () => {
  rmSync(running, { recursive: true, force: true });
});
/** Longer than any test may take and AVA waits for one, milliseconds. */
const LONGEST_QUIET_MS = Number(process.env['TEST_QUIET_MS'] ?? atLength(20, 8) * 60_000);
const ava = spawn(process.execPath, ['node_modules/ava/entrypoints/cli.mjs', '--tap', ...rest], {
  stdio: ['ignore', 'pipe', 'inherit'],
  env: { ...process.env, TEST_FILES_RUNNING: running },
});

let passed = 0;
let failed = 0;
let skipped = 0;
let inFailure = false;
const titles: string[] = [];

/** Ends what runs still. What it leaves behind is a failure of AVA's too. */
const endFiles = (): void => {
  for (const pid of readdirSync(running)) {
    console.log(`FAILED ${readFileSync(join(running, pid), 'utf8')} was ended: nothing came of it any more`);
    rmSync(join(running, pid));
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
};
let watch = setTimeout(endFiles, LONGEST_QUIET_MS);

for await (const line of createInterface({ input: ava.stdout })) {
  clearTimeout(watch);
  watch = setTimeout(endFiles, LONGEST_QUIET_MS);
  const result = /^(not )?ok \d+ - (.*)$/.exec(line);
  if (result === null) {
    if (inFailure) console.log(line);
    continue;
  }
  const title = result[2] ?? '';
  titles.push(title.replace(/ # (?:SKIP|TODO).*$/, ''));
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

clearTimeout(watch);
const code = await new Promise<number>((resolve) => {
  if (ava.exitCode !== null) resolve(ava.exitCode);
  else
    ava.once('exit', (exitCode) => {
      resolve(exitCode ?? 1);
    });
});
if (code !== 0 && failed === 0) failed = 1;
if (isWritingTrees && code === 0) writeTrees(titles);
const differences = isWhole ? differencesOf(titles) : [];
for (const difference of differences) console.log(`FAILED ${difference}`);
failed += differences.length;
console.log(`${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`);
process.exitCode = code === 0 && failed === 0 && passed > 0 ? 0 : 1;
