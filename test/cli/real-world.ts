/** The command line over the real operations of a test treasury, without a process. */
import { nouns } from '../../src/app.js';
import { run } from '../../src/cli/run.js';
import type { Treasury } from '../treasury.js';
import type { Outcome } from './fake-world.js';

/** Runs a command on a treasury that stays open. There is no terminal. */
export const runOn = async (
  { app, home }: Treasury,
  words: readonly string[],
  { stdin = '', cwd = home }: { readonly stdin?: string; readonly cwd?: string } = {},
): Promise<Pick<Outcome, 'exit' | 'stdout' | 'stderr'>> => {
  const [out, err]: [string[], string[]] = [[], []];
  const exit = await run(words, {
    stdin: {
      [Symbol.asyncIterator]: async function* () {
        yield await Promise.resolve(stdin);
      },
    },
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
    env: { TREASURY_NETWORK: 'local', NO_COLOR: '1' },
    cwd,
    folders: () => Promise.resolve({ data: home, config: home }),
    nouns,
    openApp: () => Promise.resolve({ ...app, close: () => Promise.resolve() }),
    prompts: {
      confirm: () => Promise.reject(new Error('nobody answers')),
      text: () => Promise.reject(new Error('nobody answers')),
      choose: () => Promise.reject(new Error('nobody answers')),
      secret: () => Promise.reject(new Error('nobody answers')),
    },
    startSpinner: () => Promise.resolve(() => undefined),
    sleep: () => Promise.resolve(),
  });
  return { exit, stdout: out.join(''), stderr: err.join('') };
};
