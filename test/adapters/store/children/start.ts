/** Starts another process of the tests: a compiled file beside this one. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export type Child = {
  readonly process: ChildProcess;
  /** The whole lines printed so far. */
  readonly lines: () => string[];
  /** Resolves when that many lines are printed; rejects when the process ends before. */
  readonly printed: (count: number) => Promise<void>;
  /** Resolves with the exit code, or the signal's name, when it has ended and all it printed is read. */
  readonly ended: Promise<number | string>;
};

/** `prefix` is a command line that runs what follows it. */
export const startChild = (file: string, args: readonly string[], prefix: readonly string[] = []): Child => {
  const script = fileURLToPath(new URL(file, import.meta.url));
  const [command = process.execPath, ...rest] = [...prefix, process.execPath, script, ...args];
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const lines = () => text.split('\n').slice(0, -1);
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  const printed = async (count: number): Promise<void> => {
    while (lines().length < count) {
      const isOver = await Promise.race([
        once(child.stdout, 'data').then(() => false),
        ended.then(() => true),
      ]);
      if (isOver && lines().length < count)
        throw new Error(`${file} ended after ${lines().length} lines: ${text}`);
    }
  };
  return { process: child, lines, printed, ended };
};
