/** The real program on a home of its own, and the end of what runs on it. */
import { execFile, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const BIN = resolve('bin/treasury.js');
const run = promisify(execFile);

/** A home on the chain of regtest that a server has, whose folder the caller removes. */
export const makeRealHome = (prefix: string, electrum: string) => {
  const home = mkdtempSync(join(tmpdir(), prefix));
  const env = {
    ...process.env,
    TREASURY_HOME: home,
    TREASURY_NETWORK: 'regtest',
    TREASURY_ELECTRUM: electrum,
    NO_COLOR: '1',
  };
  /** A command: what it writes to stdout. */
  const treasury = async (...words: string[]): Promise<string> =>
    (await run(process.execPath, [BIN, ...words, '--yes', '--quiet'], { env, maxBuffer: 2 ** 24 })).stdout;
  return { home, env, treasury };
};

/** kill -9; returns once it is gone. */
export const killHard = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
};
