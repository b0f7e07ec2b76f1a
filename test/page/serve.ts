/** `treasury serve` on the home of a world: the real program in a process of its own. */
import { resolve } from 'node:path';
import type { World } from '../phone/terminal.js';
import { serveProgram, type Served } from '../served.js';

/** Serves a home until the test ends, or until it is stopped. */
export const serveWorld = (
  t: { readonly teardown: (end: () => unknown) => void },
  { home, env }: Pick<World, 'home' | 'env'>,
  words: readonly string[] = [],
): Promise<Served> => {
  const { PATH = '', NODE_OPTIONS = '' } = process.env;
  const program = {
    bin: resolve('bin/treasury.js'),
    cwd: home,
    env: { PATH, NODE_OPTIONS, HOME: home, ...env },
  };
  return serveProgram(t, program, words);
};
