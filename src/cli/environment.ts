/** What the command line stands in: streams, environment, folders, the app. All of it is an argument, for tests. */
import { setTimeout as wait } from 'node:timers/promises';
import type { App, AppSettings } from '../app.js';
import type { Noun } from '../operation/define.js';
import type { PlatformFolders } from '../settings/settings.js';
import { terminalPrompts, type Prompts } from './prompts.js';
import { startOra, type StartSpinner } from './spinner.js';

/** A stream that text is written to. */
export type Sink = {
  readonly write: (text: string) => unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
};

/** A stream that text is read from. */
export type Source = AsyncIterable<Buffer | string> & { readonly isTTY?: boolean };

export type Environment = {
  readonly stdin: Source;
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The platform's folders for this program. */
  readonly folders: () => Promise<PlatformFolders>;
  readonly nouns: readonly Noun[];
  readonly openApp: (settings: AppSettings) => Promise<App>;
  readonly prompts: Prompts;
  readonly startSpinner: StartSpinner;
  readonly sleep: (milliseconds: number) => Promise<void>;
};

/** True when a person is there to be asked: input and talk are both terminals. */
export const isInteractive = ({ stdin, stderr }: Environment): boolean =>
  stdin.isTTY === true && stderr.isTTY === true;

/** The environment of this process. */
export const processEnvironment = async (): Promise<Environment> => {
  const { nouns, openApp } = await import('../app.js');
  // A reader that has seen enough (`treasury ... | head`) is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    folders: async () => {
      const { default: envPaths } = await import('env-paths');
      return envPaths('treasury', { suffix: '' });
    },
    nouns,
    openApp,
    prompts: terminalPrompts(),
    startSpinner: startOra,
    sleep: async (milliseconds) => {
      await wait(milliseconds);
    },
  };
};
