/** The command line over the real operations of a test treasury, without a process. */
import { nouns } from '../../src/app.js';
import { run } from '../../src/cli/run.js';
import type { Treasury } from '../treasury.js';
import type { Outcome } from './fake-environment.js';

/** How a run is set up. */
export type RealOptions = {
  readonly stdin?: string;
  readonly cwd?: string;
  /** Answers to questions, in order. Given: there is a terminal. */
  readonly answers?: readonly boolean[];
};

/** Runs a command on a treasury that stays open. */
export const runOn = async (
  { app, home }: Treasury,
  words: readonly string[],
  { stdin = '', cwd = home, answers }: RealOptions = {},
): Promise<Pick<Outcome, 'exit' | 'stdout' | 'stderr'>> => {
  const [out, err]: [string[], string[]] = [[], []];
  const left = [...(answers ?? [])];
  const exit = await run(words, {
    stdin: {
      isTTY: answers !== undefined,
      [Symbol.asyncIterator]: async function* () {
        yield await Promise.resolve(stdin);
      },
    },
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text), isTTY: answers !== undefined },
    env: { TREASURY_NETWORK: app.context.network, NO_COLOR: '1' },
    cwd,
    folders: () => Promise.resolve({ data: home, config: home }),
    nouns,
    openApp: () => Promise.resolve({ ...app, close: () => Promise.resolve() }),
    prompts: {
      confirm: ({ message }) => {
        err.push(`${message}\n`);
        const answer = left.shift();
        return answer === undefined ? Promise.reject(new Error('nobody answers')) : Promise.resolve(answer);
      },
      text: () => Promise.reject(new Error('nobody answers')),
      choose: () => Promise.reject(new Error('nobody answers')),
      secret: () => Promise.reject(new Error('nobody answers')),
    },
    startSpinner: () => Promise.resolve(() => undefined),
    sleep: () => Promise.resolve(),
  });
  return { exit, stdout: out.join(''), stderr: err.join('') };
};
