/**
 * What the command line stands in: streams, environment, folders, the app, questions to a person, a spinner. All of it is
 * an argument, for tests. `inquirer` is loaded with the first question, `ora` with the first spinner; both work on stderr.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { App, AppSettings, Database } from '../app.js';
import type { Network } from '../bch/network.js';
import type { Noun } from '../operation/define.js';
import type { DatabaseSettings } from '../settings/database.js';
import type { PlatformFolders } from '../settings/settings.js';

/** Something to choose; what is not named reads as its value. */
export type Choice = { readonly value: string; readonly name?: string };

export type Prompts = {
  readonly confirm: (question: { readonly message: string; readonly fallback: boolean }) => Promise<boolean>;
  readonly text: (question: {
    readonly message: string;
    /** What Enter takes. */
    readonly fallback?: string;
    /** What is wrong with an answer, which is then mended where it stands; null: nothing. */
    readonly check?: (answer: string) => Promise<string | null>;
  }) => Promise<string>;
  /** Long lists are searched by typing. */
  readonly choose: (question: {
    readonly message: string;
    readonly choices: readonly Choice[];
    /** The value that is marked first. */
    readonly fallback?: string;
  }) => Promise<string>;
  /** The answer is not shown. */
  readonly secret: (question: { readonly message: string }) => Promise<string>;
};

type Shown = ReturnType<typeof shown>;

type Question = { readonly message: string } & (
  | { readonly type: 'confirm'; readonly default: boolean }
  | {
      readonly type: 'input';
      readonly default?: string;
      readonly validate?: (answer: string) => Promise<string | true>;
    }
  | { readonly type: 'password' }
  | {
      readonly type: 'select';
      readonly choices: readonly Shown[];
      readonly default?: string;
      readonly pageSize: number;
    }
  | {
      readonly type: 'search';
      readonly source: (term: string | undefined) => readonly Shown[];
      readonly pageSize: number;
    }
);

/** Columns of the mark before a question, or before what is wrong with its answer. */
const MARK = 2;

/** Choices that stand on a screen at once; a list that is longer is searched. */
const PAGE = 12;

const holds = ({ value, name = value }: Choice, term: string): boolean => {
  const text = `${value} ${name}`.toLowerCase();
  return term
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
};

/** A choice on one line; once it is made, what stands before two spaces says it. */
const shown = ({ value, name = value }: Choice) => {
  const room = Math.max(20, (process.stderr.columns || 80) - 4);
  return {
    value,
    name: name.length > room ? `${name.slice(0, room - 1)}…` : name,
    short: name.split('  ')[0] ?? name,
  };
};

/** A choice to be made: with arrows, and in a list that is longer than a page by typing parts of it. */
const choiceOf = ({ message, choices, fallback }: Parameters<Prompts['choose']>[0]): Question => {
  if (choices.length <= PAGE)
    return {
      type: 'select',
      message,
      choices: choices.map(shown),
      pageSize: PAGE,
      ...(fallback === undefined ? {} : { default: fallback }),
    };
  const isFirst = ({ value }: Choice): boolean => value === fallback;
  const ordered = [...choices.filter(isFirst), ...choices.filter((choice) => !isFirst(choice))];
  const source = (term = '') => ordered.filter((choice) => holds(choice, term)).map(shown);
  return { type: 'search', message, source, pageSize: PAGE };
};

/** A text broken between words; left to itself it is broken anywhere. */
const broken = async (text: string): Promise<string> => {
  const { styledLines, wrapTo } = await import('./plain-text.js');
  return wrapTo(styledLines(text), (process.stderr.columns || 80) - MARK).join('\n');
};

const ask = async <Answer>(question: Question): Promise<Answer> => {
  const [{ default: inquirer }, message] = await Promise.all([import('inquirer'), broken(question.message)]);
  const prompt = inquirer.createPromptModule({ input: process.stdin, output: process.stderr });
  const answers = await prompt<{ answer: unknown }>([{ ...question, message, name: 'answer' }]);
  return answers.answer as Answer;
};

const validating =
  (check: (answer: string) => Promise<string | null>) =>
  async (answer: string): Promise<string | true> => {
    const problem = await check(answer);
    return problem === null ? true : broken(problem);
  };

/** Prompts on this process's terminal. */
const terminalPrompts = (): Prompts => ({
  confirm: ({ message, fallback }) => ask<boolean>({ type: 'confirm', message, default: fallback }),
  text: ({ message, fallback, check }) =>
    ask<string>({
      type: 'input',
      message,
      ...(fallback === undefined ? {} : { default: fallback }),
      ...(check === undefined ? {} : { validate: validating(check) }),
    }),
  choose: (question) => ask<string>(choiceOf(question)),
  secret: ({ message }) => ask<string>({ type: 'password', message }),
});

/** True when a question was left with Ctrl-C. */
export const isInterruption = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'ExitPromptError' || error.name === 'AbortPromptError');

/** Waits, and ends with an interruption where Ctrl-C came meanwhile. @throws an interruption */
export const sleepAwake = async (
  { sleep, onInterrupt }: Pick<Environment, 'sleep' | 'onInterrupt'>,
  milliseconds: number,
): Promise<void> => {
  const heard = { isInterrupted: false };
  const stopListening = onInterrupt?.(() => {
    heard.isInterrupted = true;
  });
  await sleep(milliseconds);
  stopListening?.();
  if (heard.isInterrupted) throw Object.assign(new Error('interrupted'), { name: 'AbortPromptError' });
};

/** Shows a spinner; returns how to take it away. */
type StartSpinner = (text: string) => Promise<() => void>;

/** A spinner on this process's stderr. */
const startOra: StartSpinner = async (text) => {
  const { default: ora } = await import('ora');
  // Input that is thrown away takes Ctrl-C with it.
  const spinner = ora({ text, stream: process.stderr, discardStdin: false }).start();
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
  readonly rows?: number;
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
  /** The database of a network, to be looked after; left out where there are only homes. */
  readonly openDatabase?: (settings: DatabaseSettings, network: Network) => Promise<Database>;
  readonly prompts: Prompts;
  readonly startSpinner: StartSpinner;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Calls back when somebody ends the program (Ctrl-C, or a signal to end); returns how to stop listening. */
  readonly onInterrupt?: (listener: () => void) => () => void;
};

/** True when a person is there to be asked: input and talk are both terminals. */
export const isInteractive = ({ stdin, stderr }: Environment): boolean =>
  stdin.isTTY === true && stderr.isTTY === true;

/** The environment of this process. */
export const processEnvironment = async (): Promise<Environment> => {
  const { nouns, openApp, openDatabase } = await import('../app.js');
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
    openDatabase,
    prompts: terminalPrompts(),
    startSpinner: startOra,
    sleep: async (milliseconds) => {
      await wait(milliseconds);
    },
    onInterrupt: (listener) => {
      const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
      for (const signal of signals) process.on(signal, listener);
      return () => {
        for (const signal of signals) process.off(signal, listener);
      };
    },
  };
};
