/** `treasury chain serve` in a process of its own, which a test may kill and start again on the same home and port. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { ExecutionContext } from 'ava';
import { freePort } from '../adapters/electrum/electrum-fixture.js';
import { killHard } from './real-home.js';

const BIN = resolve('bin/treasury.js');

export type ChainProcess = {
  /** The home of the embedded chain. */
  readonly home: string;
  readonly port: number;
  /** Returns once it serves. */
  readonly start: () => Promise<void>;
  /** kill -9; returns once it is gone. */
  readonly kill: () => Promise<void>;
};

/** Waits for the line that says where the chain is. @throws Error when the process ends without one */
const untilServing = async ({ stdout }: ChildProcess): Promise<void> => {
  if (stdout === null) throw new Error('the process has no stdout');
  for await (const _line of createInterface({ input: stdout })) return;
  throw new Error('the chain is not served');
};

/** Starts one on a home of its own, with further flags; both are gone after the test. */
export const startChainProcess = async (
  t: ExecutionContext,
  flags: readonly string[] = [],
): Promise<ChainProcess> => {
  const home = mkdtempSync(join(tmpdir(), 'treasury-chain-'));
  const port = await freePort();
  const env = { ...process.env, TREASURY_HOME: home, TREASURY_NETWORK: 'local', NO_COLOR: '1' };
  const words = [BIN, 'chain', 'serve', '--tcp', String(port), '--json', '--quiet', ...flags];
  let child: ChildProcess | null = null;
  const kill = async (): Promise<void> => {
    if (child !== null) await killHard(child);
    child = null;
  };
  const start = async (): Promise<void> => {
    child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    await untilServing(child);
  };
  t.teardown(async () => {
    await kill();
    rmSync(home, { recursive: true, force: true });
  });
  await start();
  return { home, port, start, kill };
};
