/** The command line over the real operations of a test treasury, without a process. */
import { nouns } from '../../src/app.js';
import { run } from '../../src/cli/run.js';
import type { Treasury } from '../treasury.js';
import { answering, type Outcome, type RunOptions } from './fake-environment.js';

/** How a run is set up. */
export type RealOptions = {
  readonly stdin?: string;
  readonly cwd?: string;
  /** Answers to questions, in order. Given: there is a terminal. */
  readonly answers?: RunOptions['answers'];
  /** Of the terminal that questions are asked at. Default: 80. */
  readonly columns?: number;
  /** How it waits; left out: it does not. */
  readonly sleep?: (milliseconds: number) => Promise<void>;
};

/** How questions, choices and refusals stand in what is said. */
const MARKS = { asked: '', offered: '  - ', refused: '! ' } as const;

/** Runs a command on a treasury that stays open. */
export const runOn = async (
  { app, home }: Treasury,
  words: readonly string[],
  { stdin = '', cwd = home, answers, columns, sleep = () => Promise.resolve() }: RealOptions = {},
): Promise<Pick<Outcome, 'exit' | 'stdout' | 'stderr' | 'asked'>> => {
  const [out, err]: [string[], string[]] = [[], []];
  const asked: string[] = [];
  const exit = await run(words, {
    stdin: {
      isTTY: answers !== undefined,
      [Symbol.asyncIterator]: async function* () {
        yield await Promise.resolve(stdin);
      },
    },
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text), isTTY: answers !== undefined, ...(columns && { columns }) },
    env: { TREASURY_NETWORK: app.context.network, NO_COLOR: '1' },
    cwd,
    folders: () => Promise.resolve({ data: home, config: home }),
    nouns,
    openApp: () => Promise.resolve({ ...app, close: () => Promise.resolve() }),
    prompts: answering(answers, (kind, text) => {
      if (kind === 'asked') asked.push(text);
      err.push(`${MARKS[kind]}${text}\n`);
    }),
    startSpinner: () => Promise.resolve(() => undefined),
    sleep,
  });
  return { exit, stdout: out.join(''), stderr: err.join(''), asked };
};
