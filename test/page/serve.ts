/** `treasury serve` on the home of a world: the real program in a process of its own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { World } from '../phone/terminal.js';

export type Served = {
  readonly url: string;
  readonly child: ChildProcess;
  /** All that it has said. */
  readonly said: () => string;
};

/** Serves a home until the test ends, or until it is stopped. */
export const serveWorld = async (
  t: { readonly teardown: (end: () => unknown) => void },
  { home, env }: Pick<World, 'home' | 'env'>,
  words: readonly string[] = [],
): Promise<Served> => {
  const { PATH = '', NODE_OPTIONS = '' } = process.env;
  const child = spawn(process.execPath, [resolve('bin/treasury.js'), 'serve', '--port', '0', ...words], {
    cwd: home,
    env: { PATH, NODE_OPTIONS, HOME: home, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`it did not serve: ${said}`)));
  ended.catch(() => undefined);
  const serving = async (): Promise<string> => {
    for (;;) {
      const url = /^Serving \w+ at (\S+)$/m.exec(said)?.[1];
      if (url !== undefined) return url.replace('0.0.0.0', '127.0.0.1');
      await once(child.stderr, 'data');
    }
  };
  return { url: await Promise.race([serving(), ended]), child, said: () => said };
};
