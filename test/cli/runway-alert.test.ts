/** The recipe of docs/guides/events.md, as it stands there, beside a real daemon. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { runInShell } from './shell.js';

const GUIDE = readFileSync('docs/guides/events.md', 'utf8');
const SCRIPT = /```sh\n(# runway-alert\.sh\n[\s\S]*?)```/.exec(GUIDE)?.[1] ?? '';
const BIN = resolve('bin/treasury.js');

const until = async (holds: () => boolean | Promise<boolean>, what: string): Promise<void> => {
  for (let tries = 0; !(await holds()); tries += 1) {
    if (tries > 6_000) throw new Error(`it never came: ${what}`);
    await wait(10);
  }
};

/** Ends a group of processes, such as a script and what it pipes, and waits for the first of them. */
const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  process.kill(-(child.pid ?? 0), 'SIGTERM');
  await ended;
};

test('the recipe for runways › given a runway that ends › it says so once, and what came while it was not running', async (t: ExecutionContext) => {
  const cwd = mkdtempSync(join(tmpdir(), 'treasury-'));
  t.teardown(() => {
    // What the script had started may write for a moment longer.
    rmSync(cwd, { recursive: true, force: true, maxRetries: 10 });
  });
  symlinkSync(BIN, join(cwd, 'treasury'));
  writeFileSync(join(cwd, 'alert'), '#!/bin/sh\nprintf "%s\\n" "$1" >> alerts\n', { mode: 0o755 });
  const { PATH = '', NODE_OPTIONS } = process.env;
  const env = { PATH: `${cwd}:${PATH}`, NODE_OPTIONS, HOME: cwd, TREASURY_HOME: join(cwd, 'home') };
  const start = (file: string, ...words: readonly string[]): ChildProcess => {
    const child = spawn(file, words, { cwd, env, stdio: 'ignore', detached: true });
    t.teardown(() => end(child));
    return child;
  };
  const linesOf = (file: string): string[] =>
    existsSync(join(cwd, file)) ? readFileSync(join(cwd, file), 'utf8').trim().split('\n') : [];
  const type = (...commands: readonly string[]): Promise<void> =>
    runInShell(t, commands.join('\n'), { cwd, env });

  await type(
    'treasury wallet create ben',
    'treasury payments create --recipient ben --amount-per-period 0.1 --interval DAILY --yes',
    'treasury payments fund PAY-0001 --yes',
  );
  start(process.execPath, BIN, 'serve', '--port', '0');
  const script = start('bash', '-c', SCRIPT);
  await type('treasury chain advance 6d');
  await until(
    () => linesOf('alerts').length === 1 && existsSync(join(cwd, 'runway-cursor')),
    'the first alert',
  );
  await end(script);
  await type('treasury chain advance 6d');
  const told = async (): Promise<boolean> => {
    await type('treasury events list --types runway.ending --jsonl > told');
    return linesOf('told').length === 2;
  };
  await until(told, 'the second event');
  t.is(linesOf('alerts').length, 1);
  start('bash', '-c', SCRIPT);
  await until(() => linesOf('alerts').length === 2, 'the second alert');
  t.deepEqual(linesOf('alerts'), [
    '#PAY-0001 needs a refill, days left: 7',
    '#PAY-0001 needs a refill, days left: 1',
  ]);
});
