/** Commands on a home at a terminal of some columns, and what they have drawn. */
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import stringWidth from 'string-width';
import { nouns } from '../../src/app.js';
import type { App } from '../../src/app.js';
import { run } from '../../src/cli/run.js';
import type { Environment } from '../../src/cli/environment.js';

export type Drawn = { readonly exit: number; readonly stdout: string; readonly stderr: string };

/** How a terminal is. */
export type Terminal = {
  readonly columns: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Called after each write to stdout. */
  readonly onDrawn?: (text: string) => void;
  readonly onInterrupt?: Environment['onInterrupt'];
};

const nobody = () => Promise.reject(new Error('nobody answers'));

/** Runs a command of an app that stays open, at a terminal. */
export const runAt = async (
  app: App,
  words: readonly string[],
  { columns, env = {}, onDrawn, onInterrupt }: Terminal,
): Promise<Drawn> => {
  const [out, err]: [string[], string[]] = [[], []];
  const { home, network } = app.context;
  const exit = await run(words, {
    stdin: {
      isTTY: false,
      [Symbol.asyncIterator]: async function* () {
        yield await Promise.resolve('');
      },
    },
    stdout: {
      isTTY: true,
      columns,
      write: (text) => {
        out.push(text);
        onDrawn?.(text);
      },
    },
    stderr: { isTTY: true, columns: 0, write: (text) => err.push(text) },
    env: { TREASURY_NETWORK: network, NO_COLOR: '1', COLUMNS: String(columns), ...env },
    cwd: home,
    folders: () => Promise.resolve({ data: home, config: home }),
    nouns,
    openApp: () => Promise.resolve({ ...app, close: () => Promise.resolve() }),
    prompts: { confirm: nobody, text: nobody, choose: nobody, secret: nobody },
    startSpinner: () => Promise.resolve(() => undefined),
    sleep: () => Promise.resolve(),
    ...(onInterrupt && { onInterrupt }),
  });
  return { exit, stdout: out.join(''), stderr: err.join('') };
};

/** Lines that are wider than the terminal; a command to be pasted, or one word, is the terminal's to break. */
export const tooWide = (text: string, columns: number): readonly string[] =>
  text.split('\n').filter((line) => stringWidth(line) > columns && /\S\s+\S/.test(line.trim()));

const BIN = fileURLToPath(new URL('../../bin/treasury.js', import.meta.url));

/** A real terminal: util-linux's `script` gives the program a pty of its own. */
export const startInPty = (words: readonly string[], env: Readonly<Record<string, string | undefined>>) => {
  const command = `stty rows 30 cols 80; exec ${process.execPath} ${BIN} ${words.join(' ')}`;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    env: { ...process.env, ...env },
    stdio: 'pipe',
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  return {
    text: () => text,
    type: (keys: string) => child.stdin.write(keys),
    /** Resolves once that is to be seen. */
    until: async (isSeen: (text: string) => boolean): Promise<void> => {
      for (let tries = 0; tries < 300 && !isSeen(text); tries += 1) await wait(100);
      if (!isSeen(text)) throw new Error(`it was never seen:\n${text}`);
    },
    ended: async (): Promise<number | null> => {
      if (child.exitCode === null) await once(child, 'close');
      return child.exitCode;
    },
    kill: () => child.kill('SIGKILL'),
  };
};
