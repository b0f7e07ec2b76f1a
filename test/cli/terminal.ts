/** A command of the built program at a real terminal: `script` gives it a pty, and what a person types goes in as keys. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import type { ExecutionContext } from 'ava';

/** Keys that are no letters. */
export const KEYS = {
  enter: '\r',
  down: '\u001B[B',
  ctrlC: '\u0003',
  /** Takes away what stands in the line. */
  clear: '\u0015',
} as const;

export type Terminal = {
  /** Waits until the screen has shown something since the last key; returns all that it has shown since then. */
  readonly see: (pattern: RegExp) => Promise<string>;
  /** Types once what is asked is seen: a text with Enter after it, or keys as they are. */
  readonly type: (text: string, end?: string) => void;
  /** When the command has ended: its exit code, and everything that was on the screen. */
  readonly ended: Promise<{ readonly exit: number | null; readonly screen: string }>;
};

const PROGRAM = fileURLToPath(new URL('../../bin/treasury.js', import.meta.url));
const PATIENCE_MS = 20_000;

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** Runs a command at a terminal of 100 columns. It is ended with the test. */
export const openTerminal = (
  t: ExecutionContext,
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Terminal => {
  const command = ['node', PROGRAM, ...words].map(quoted).join(' ');
  const child = spawn('script', ['-qec', `stty cols 100 rows 50; exec ${command}`, '/dev/null'], {
    env: { PATH: process.env['PATH'], TERM: 'xterm', NO_COLOR: '1', TZ: 'UTC', ...env },
    stdio: 'pipe',
  });
  t.teardown(() => child.kill());
  let screen = '';
  let from = 0;
  let look = (): void => undefined;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += stripVTControlCharacters(text);
    look();
  });
  const ended = new Promise<{ exit: number | null; screen: string }>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exit) => {
      resolve({ exit, screen });
    });
  });
  return {
    ended,
    see: (pattern) =>
      new Promise((resolve, reject) => {
        const late = setTimeout(() => {
          reject(new Error(`${pattern.source} was not seen in:\n${screen.slice(from)}`));
        }, PATIENCE_MS);
        const tooLate = () => {
          reject(new Error(`It ended before ${pattern.source} was seen in:\n${screen.slice(from)}`));
        };
        child.once('close', tooLate);
        look = () => {
          const shown = screen.slice(from);
          if (!pattern.test(shown)) return;
          clearTimeout(late);
          child.off('close', tooLate);
          look = () => undefined;
          resolve(shown);
        };
        look();
      }),
    type: (text, end = KEYS.enter) => {
      from = screen.length;
      child.stdin.write(`${text}${end}`);
    },
  };
};

/** Answers questions in order: what is seen, and what is typed then. */
export const converse = async (
  { see, type }: Terminal,
  lines: readonly (readonly [seen: RegExp, typed: string, end?: string])[],
): Promise<void> => {
  for (const [seen, typed, end] of lines) {
    await see(seen);
    type(typed, end);
  }
};
