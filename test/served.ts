/** `treasury serve` as a process of the real program. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

export type Served = {
  readonly url: string;
  readonly child: ChildProcess;
  /** All that it has said. */
  readonly said: () => string;
};

type Program = {
  /** Its file. */
  readonly bin: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
};

/** Serves on a port of its own until the test ends, or until it is stopped. */
export const serveProgram = async (
  t: { readonly teardown: (end: () => unknown) => void },
  { bin, cwd, env }: Program,
  words: readonly string[],
): Promise<Served> => {
  const child = spawn(process.execPath, [bin, 'serve', '--port', '0', ...words], {
    cwd,
    env,
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
