/**
 * What the command line stands in: streams, environment, folders, the app, questions to a person, a spinner. All of it is
 * an argument, for tests. `inquirer` is loaded with the first question, `ora` with the first spinner; both work on stderr.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { App, AppSettings } from '../app.js';
import type { Noun } from '../operation/define.js';
import type { PlatformFolders } from '../settings/settings.js';

export type Prompts = {
  readonly confirm: (question: { readonly message: string; readonly fallback: boolean }) => Promise<boolean>;
  readonly text: (question: { readonly message: string }) => Promise<string>;
  readonly choose: (question: {
    readonly message: string;
    readonly choices: readonly string[];
  }) => Promise<string>;
  /** The answer is not shown. */
  readonly secret: (question: { readonly message: string }) => Promise<string>;
};

type Question =
  | { readonly type: 'confirm'; readonly message: string; readonly default: boolean }
  | { readonly type: 'input' | 'password'; readonly message: string }
  | { readonly type: 'select'; readonly message: string; readonly choices: readonly string[] };

const ask = async <Answer>(question: Question): Promise<Answer> => {
  const { default: inquirer } = await import('inquirer');
  const prompt = inquirer.createPromptModule({ input: process.stdin, output: process.stderr });
  const answers = await prompt<{ answer: unknown }>([{ ...question, name: 'answer' }]);
  return answers.answer as Answer;
};

/** Prompts on this process's terminal. */
const terminalPrompts = (): Prompts => ({
  confirm: ({ message, fallback }) => ask<boolean>({ type: 'confirm', message, default: fallback }),
  text: ({ message }) => ask<string>({ type: 'input', message }),
  choose: ({ message, choices }) => ask<string>({ type: 'select', message, choices }),
  secret: ({ message }) => ask<string>({ type: 'password', message }),
});

/** True when a question was left with Ctrl-C. */
export const isInterruption = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'ExitPromptError' || error.name === 'AbortPromptError');

/** Shows a spinner; returns how to take it away. */
type StartSpinner = (text: string) => Promise<() => void>;

/** A spinner on this process's stderr. */
const startOra: StartSpinner = async (text) => {
  const { default: ora } = await import('ora');
  const spinner = ora({ text, stream: process.stderr }).start();
  return () => {
    spinner.stop();
  };
};

/** The spinner of a call, so that a prompt can take it away first. */
export type SpinnerSlot = { stop: (() => void) | null };

type Spinning = {
  readonly environment: {
    readonly stderr: { readonly isTTY?: boolean; readonly columns?: number };
    readonly startSpinner: StartSpinner;
  };
  readonly globals: { readonly quiet?: boolean };
  readonly spinner: SpinnerSlot;
};

/** Takes the spinner of a call away, if there is one. */
export const stopSpinner = ({ spinner }: Pick<Spinning, 'spinner'>): void => {
  spinner.stop?.();
  spinner.stop = null;
};

/** Works while a spinner on stderr says what is being done. Off a terminal it only works. */
export const withSpinner = async <Result>(
  call: Spinning,
  text: string,
  work: () => Promise<Result>,
): Promise<Result> => {
  const { stderr, startSpinner } = call.environment;
  // A terminal that says it has no columns has no room for a spinner, and `ora` never ends clearing one.
  const hasRoom = stderr.isTTY === true && stderr.columns !== 0;
  if (!hasRoom || call.globals.quiet === true) return work();
  call.spinner.stop = await startSpinner(text);
  try {
    return await work();
  } finally {
    stopSpinner(call);
  }
};

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
