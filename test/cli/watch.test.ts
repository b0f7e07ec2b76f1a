/** `--watch`, at a real terminal and in process. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { runOn } from './real-environment.js';
import { openTreasury } from '../treasury.js';
import { createPayment } from '../products/payments/payment.js';
import { runAt, startInPty } from './drawn-terminal.js';

const BIN = fileURLToPath(new URL('../../bin/treasury.js', import.meta.url));

/** A home of the program, and commands on it. */
const openHome = (t: ExecutionContext) => {
  const folder = mkdtempSync(join(tmpdir(), 'treasury-'));
  t.teardown(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const env = { HOME: folder, TREASURY_HOME: join(folder, 'home'), TERM: 'xterm-256color' };
  const command = async (...words: string[]) =>
    (await promisify(execFile)(process.execPath, [BIN, ...words], { env: { ...process.env, ...env } }))
      .stdout;
  return { env, command };
};

const ENTERED = '\u001b[?1049h';
const LEFT = '\u001b[?1049l';
const drawings = (text: string): number => text.split('\u001b[H').length - 1;

for (const words of [['--watch'], ['rewards', 'show', 'REWARD-0001', '--watch']]) {
  test.serial(
    `watch › at a terminal: ${words.join(' ')} › it is drawn again when something changes, and Ctrl-C leaves the terminal as it was`,
    async (t) => {
      const { env, command } = openHome(t);
      await command(
        'rewards',
        'create',
        '--title',
        'Tea',
        '--total-pool',
        '0.03',
        '--max-reward-amount',
        '0.01',
      );
      const terminal = startInPty(words, env);
      t.teardown(terminal.kill);
      await terminal.until((text) => drawings(text) === 1 && text.includes('REWARD-0001'));
      t.true(terminal.text().startsWith(ENTERED));
      await command('chain', 'mine', '1');
      await terminal.until((text) => drawings(text) >= 2);
      terminal.type('\u0003');
      t.is(await terminal.ended(), 0);
      const text = terminal.text();
      t.is(text.split(LEFT).length, 2);
      t.true(text.lastIndexOf('\u001b[?25h') > text.lastIndexOf('\u001b[?25l'), 'the cursor is to be seen');
      t.regex(text.slice(text.indexOf(LEFT)), /REWARD-0001/, 'what was seen last stays');
    },
  );
}

test('watch › given a list › it is looked at every so many seconds until it is ended', async (t) => {
  const treasury = await openTreasury(t);
  await createPayment(treasury);
  let end: () => void = () => undefined;
  let drawn = 0;
  const { exit, stdout } = await runAt(treasury.app, ['payments', 'list', '--watch', '--every', '1'], {
    columns: 80,
    onInterrupt: (listener) => {
      end = listener;
      return () => undefined;
    },
    onDrawn: (text) => {
      if (text.startsWith('\u001b[H')) drawn += 1;
      if (drawn === 3) end();
    },
  });
  t.is(exit, 0);
  t.is(drawn, 3);
  t.regex(stdout, /#PAY-0001/);
});

test('watch › given --jsonl › each look that found something else is a line, also off a terminal', async (t) => {
  const treasury = await openTreasury(t);
  await createPayment(treasury);
  let end: () => void = () => undefined;
  let lines = 0;
  const { exit, stdout } = await runAt(
    treasury.app,
    ['payments', 'list', '--watch', '--every', '1', '--jsonl'],
    {
      columns: 80,
      onInterrupt: (listener) => {
        end = listener;
        return () => undefined;
      },
      onDrawn: () => {
        lines += 1;
        if (lines === 1) void createPayment(treasury);
        if (lines === 3) end();
      },
    },
  );
  t.is(exit, 0);
  const labels = stdout
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { payment_id: string }).payment_id);
  t.deepEqual(labels, ['#PAY-0001', '#PAY-0002', '#PAY-0001']);
});

test('watch › given --json, no terminal or --jq › it is refused, and says what to do', async (t) => {
  const treasury = await openTreasury(t);
  for (const words of [['--json'], [], ['--jq', '.']]) {
    const { exit, stdout, stderr } = await runOn(treasury, ['payments', 'list', '--watch', ...words]);
    t.is(exit, 2);
    t.regex(stdout + stderr, /watch/);
  }
  const { exit, stderr } = await runOn(treasury, ['payments', 'list', '--every', '5']);
  t.is(exit, 2);
  t.regex(stderr, /--every: goes with --watch/);
});
