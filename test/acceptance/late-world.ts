/** A treasury behind `treasury chain serve --index-delay`: what it broadcasts is shown to it only later. */
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { people } from '../../fixtures/people.js';
import { openLocalChain } from '../../src/adapters/local-chain/local-chain.js';
import type { ChainPort } from '../../src/operation/ports/chain.js';
import { throughServers, type ChainWorld } from '../chain-world.js';
import { openTreasury, type Treasury } from '../treasury.js';
import { startChainProcess } from './chain-process.js';
import { wireWorld } from './wire-world.js';

const PATIENCE_MS = 20_000;

const untilHolds = async (holds: () => Promise<boolean>, what: string): Promise<void> => {
  const end = Date.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`${what} is not shown`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

/** Money and time for a test come only when the index shows them: what it is about are the treasury's own steps. */
const steering = (own: Awaited<ReturnType<typeof openLocalChain>>, shown: ChainPort) => {
  const untilTip = async () => {
    const { hash } = await own.tip();
    await untilHolds(async () => (await shown.tip()).hash === hash, 'the tip');
  };
  const seen = (txid: string) => untilHolds(async () => (await shown.transaction(txid)) !== null, txid);
  return {
    pay: async ({ lockingBytecode }: { readonly lockingBytecode: string }, satoshis: bigint) => {
      const txid = await own.faucet(lockingBytecode, satoshis);
      await seen(txid);
      return txid;
    },
    mine: async (blocks: number) => {
      await own.mine(blocks);
      await untilTip();
    },
    advance: async (seconds: number) => {
      await own.advance(seconds);
      await untilTip();
    },
    reorg: () => Promise.reject(new Error('nothing is taken back here')),
    seen,
  };
};

export type Late = { readonly treasury: Treasury; readonly url: string };

/** Starts the chain's process with that delay (`2s`) and opens a treasury behind it; both end with the test. */
export const openLate = async (t: ExecutionContext, delay: string): Promise<Late> => {
  const { home, port } = await startChainProcess(t, ['--index-delay', delay]);
  const own = await openLocalChain({
    folder: join(home, 'local'),
    now: () => Math.floor(Date.now() / 1_000),
  });
  t.teardown(own.close);
  const url = `tcp://127.0.0.1:${port}`;
  const world: ChainWorld = {
    ...wireWorld,
    open: () =>
      Promise.resolve({
        outside: throughServers([url]),
        wall: own.now,
        people,
        steer: ({ context: { chain } }) => steering(own, chain),
      }),
  };
  return { treasury: await openTreasury(t, world), url };
};
