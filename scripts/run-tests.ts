/**
 * Runs the tests and closes with one line that counts them.
 *
 * Failing tests are shown whole; passing ones as their titles when `--titles` is given. Further arguments go to ava. After
 * a whole run, a tree that differs from its titles is a failure; `--write-trees` runs the files that have one, and mends it.
 *
 * A run in which no test ends for a while is ended here, with the files that it waits for: with `--tap` ava names none, and
 * it waits for ever for what a test has started and left behind.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { differencesOf, filesWithTrees, writeTrees } from './trees.js';

const showTitles = process.argv.includes('--titles');
const isWritingTrees = process.argv.includes('--write-trees');
const given = process.argv.slice(2).filter((argument) => !['--titles', '--write-trees'].includes(argument));
const rest = isWritingTrees ? ['--serial', ...filesWithTrees()] : given;
const [, minutes = '4'] = /--timeout=(\d+)m/.exec(given.join(' ')) ?? [];
/** Ava is told nothing but options: it runs every test. */
const isWhole = rest.every((argument) => argument.startsWith('--timeout='));
/** Where each process of tests writes down its file (`test/running-file.ts`). */
const running = mkdtempSync(join(tmpdir(), 'treasury-running-'));
const ava = spawn(
  process.execPath,
  ['node_modules/ava/entrypoints/cli.mjs', '--tap', ...rest, '--timeout=24h'],
  {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TREASURY_RUNNING: running },
    // Its processes are a group of their own, and end together.
    detached: true,
  },
);
const kill = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone.
  }
};
const group = -(ava.pid ?? 0);
const end = (): void => {
  for (const pid of readdirSync(running)) kill(Number(pid), 'SIGKILL');
  kill(-group, 'SIGTERM');
  setTimeout(kill, 10_000, group, 'SIGKILL').unref();
};
const endStuck = (): void => {
  const files = readdirSync(running).map((pid) => readFileSync(join(running, pid), 'utf8'));
  console.log(`FAILED no test ended for ${minutes} min: ${files.join(', ')}`);
  failed += 1;
  end();
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
const watch = setTimeout(endStuck, Number(minutes) * 60_000);

let passed = 0;
let failed = 0;
let skipped = 0;
let inFailure = false;
const titles: string[] = [];

for await (const line of createInterface({ input: ava.stdout })) {
  watch.refresh();
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

const code = await new Promise<number>((resolve) => {
  if (ava.exitCode !== null) resolve(ava.exitCode);
  else
    ava.once('exit', (exitCode) => {
      resolve(exitCode ?? 1);
    });
});
clearTimeout(watch);
kill(group, 'SIGKILL');
rmSync(running, { recursive: true });
if (code !== 0 && failed === 0) failed = 1;
if (isWritingTrees && code === 0) writeTrees(titles);
const differences = isWhole ? differencesOf(titles) : [];
for (const difference of differences) console.log(`FAILED ${difference}`);
failed += differences.length;
console.log(`${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`);
process.exitCode = code === 0 && failed === 0 && passed > 0 ? 0 : 1;
