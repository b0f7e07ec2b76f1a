/** A command line without a process: captured streams, prompts that answer, an app in memory. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { AppSettings } from '../../src/app.js';
import type { Network } from '../../src/bch/network.js';
import type { Prompts, Environment } from '../../src/cli/environment.js';
import { run } from '../../src/cli/run.js';
import { fakeApp, fakeState, initOf, thingsOf, type FakeState } from './fake-app.js';

/** What a run said and how it ended. */
export type Outcome = {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The questions that were asked. */
  readonly asked: readonly string[];
  /** Questions and spinners in order: `+` a spinner begins, `-` it is taken away. */
  readonly shown: readonly string[];
};

/** How a run is set up. */
export type RunOptions = {
  /** Answers to the prompts, in order; a function throws. Given: there is a terminal. */
  readonly answers?: readonly (string | boolean | (() => never))[];
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** True: stdout and stderr are terminals. */
  readonly isTerminal?: boolean;
  /** Called before anything is written to stdout. */
  readonly onStdout?: () => void;
};

/** A home, and commands on it. */
export type CommandLine = {
  readonly state: FakeState;
  /** The temporary folder it stands in, which is also the working folder. */
  readonly folder: string;
  readonly run: (words: readonly string[], options?: RunOptions) => Promise<Outcome>;
  /** The same; stdout has to be one JSON document, and is returned. */
  readonly json: (words: readonly string[], options?: RunOptions) => Promise<Record<string, unknown>>;
  /** How apps were opened. */
  readonly opened: AppSettings[];
};

/** Prompts that are answered in order. An answer that is refused is followed by the next one. */
export const answering = (
  answers: RunOptions['answers'],
  say: (kind: 'asked' | 'offered' | 'refused', text: string) => void,
): Prompts => {
  const left = [...(answers ?? [])];
  const answer = (message: string): Promise<never> => {
    say('asked', message);
    const next = left.shift();
    if (next === undefined) throw new Error(`nobody answers "${message}"`);
    return Promise.resolve((typeof next === 'function' ? next() : next) as never);
  };
  return {
    confirm: ({ message }) => answer(message),
    text: async ({ message, fallback = '', check = () => Promise.resolve(null) }) => {
      for (;;) {
        const given = (await answer(message)) as string;
        const text = given === '' ? fallback : given;
        const problem = await check(text);
        if (problem === null) return text;
        say('refused', problem);
      }
    },
    choose: async ({ message, choices, fallback = choices[0]?.value ?? '' }) => {
      for (const { value, name = value } of choices) say('offered', name);
      const given = ((await answer(message)) as string) || fallback;
      if (choices.some(({ value }) => value === given)) return given;
      throw new Error(`"${given}" is none of the choices of "${message}"`);
    },
    secret: ({ message }) => answer(message),
  };
};

const sourceOf = (text: string, isTTY: boolean): Environment['stdin'] => ({
  isTTY,
  [Symbol.asyncIterator]: async function* () {
    yield await Promise.resolve(text);
  },
});

/** A command line on a fresh home; its folder is removed when the test ends. */
export const openCommandLine = (t: ExecutionContext, network: Network = 'local'): CommandLine => {
  const folder = mkdtempSync(join(tmpdir(), 'treasury-'));
  t.teardown(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const state = fakeState(network);
  const opened: AppSettings[] = [];
  const runWords: CommandLine['run'] = async (words, options = {}) => {
    const [out, err, asked, shown]: [string[], string[], string[], string[]] = [[], [], [], []];
    const isTTY = options.isTerminal === true;
    const isAnswered = options.answers !== undefined || isTTY;
    const exit = await run(words, {
      stdin: sourceOf(options.stdin ?? '', isAnswered),
      stdout: {
        write: (text) => {
          options.onStdout?.();
          return out.push(text);
        },
        isTTY,
      },
      stderr: { write: (text) => err.push(text), isTTY: isAnswered },
      env: { TREASURY_NETWORK: network, NO_COLOR: '1', ...options.env },
      cwd: folder,
      folders: () => Promise.resolve({ data: join(folder, 'data'), config: join(folder, 'config') }),
      nouns: [
        { noun: 'init', summary: 'Set up', load: () => Promise.resolve({ operations: initOf(state) }) },
        { noun: 'things', summary: 'Things', load: () => Promise.resolve({ operations: thingsOf(state) }) },
      ],
      openApp: async (settings) => {
        opened.push(settings);
        await state.onOpen();
        return fakeApp(state, settings.home);
      },
      prompts: answering(options.answers, (kind, text) => {
        if (kind === 'asked') asked.push(text);
        if (kind !== 'offered') shown.push(kind === 'asked' ? text : `! ${text}`);
      }),
      startSpinner: (text) => {
        shown.push(`+ ${text}`);
        return Promise.resolve(() => shown.push(`- ${text}`));
      },
      sleep: () => Promise.resolve(),
    });
    return { exit, stdout: out.join(''), stderr: err.join(''), asked, shown };
  };
  return {
    state,
    folder,
    opened,
    run: runWords,
    json: async (words, options) => {
      const { stdout } = await runWords([...words, '--json'], options);
      return JSON.parse(stdout) as Record<string, unknown>;
    },
  };
};
