/** Start-up: `treasury --help` against bare Node, alternating, so that both meet the same machine. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../bin/treasury.js', import.meta.url));
const BUILT = fileURLToPath(new URL('../dist/cli/run.js', import.meta.url));

/** Help may take this many times as long as bare Node. */
export const MOST_TIMES_BARE_NODE = 2.5;

/** Milliseconds until a process has ended. */
const timeProcess = (args: readonly string[]): number => {
  const begin = process.hrtime.bigint();
  const { status, error } = spawnSync(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const end = process.hrtime.bigint();
  if (status !== 0) throw new Error(`node ${args.join(' ')} failed`, { cause: error });
  return Number(end - begin) / 1e6;
};

const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = NaN, high = NaN] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]];
  return (low + high) / 2;
};

export type StartUpResult = {
  /** Median milliseconds of `node -e 0`. */
  readonly bareNode: number;
  /** Median milliseconds of `treasury --help`. */
  readonly help: number;
  /** `help / bareNode`. */
  readonly ratio: number;
  readonly runs: number;
};

/** Measures start-up and prints the ratio. Needs a build. */
export const benchStartUp = (runs = 21): StartUpResult => {
  if (!existsSync(BUILT)) throw new Error('there is no dist: run `npm run build` first');
  // The first of each warms the file cache.
  timeProcess(['-e', '0']);
  timeProcess([BIN, '--help']);
  const pairs = Array.from(
    { length: runs },
    () => [timeProcess(['-e', '0']), timeProcess([BIN, '--help'])] as const,
  );
  const bareNode = median(pairs.map(([bare]) => bare));
  const help = median(pairs.map(([, treasury]) => treasury));
  const ratio = help / bareNode;
  const verdict = ratio <= MOST_TIMES_BARE_NODE ? 'ok' : 'too slow';
  console.log(
    `start-up: node -e 0 ${bareNode.toFixed(1)} ms, treasury --help ${help.toFixed(1)} ms: ` +
      `${ratio.toFixed(2)} times (aim: at most ${MOST_TIMES_BARE_NODE}; ${verdict}; median of ${runs})`,
  );
  return { bareNode, help, ratio, runs };
};

if (process.argv[1] === fileURLToPath(import.meta.url)) benchStartUp();
