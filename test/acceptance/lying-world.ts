/** A treasury behind a server that shows whatever the test makes up: nothing of it may come into a record. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { people } from '../../fixtures/people.js';
import { startElectrumServer } from '../../src/adapters/electrum-server/electrum-server.js';
import { openLocalChain } from '../../src/adapters/local-chain/local-chain.js';
import type { WalletTransaction } from '../../src/bch/wallet-transaction.js';
import { lyingChain, type LyingChain } from '../adapters/electrum/lying-chain.js';
import { steerEmbedded, TEST_TIME, throughServers, type ChainWorld } from '../chain-world.js';
import { openTreasury, type Treasury } from '../treasury.js';
import { wireWorld } from './wire-world.js';

export type Deceived = {
  readonly treasury: Treasury;
  readonly liar: LyingChain;
  /** For another treasury behind the same server. */
  readonly world: ChainWorld;
};

/** Opens a treasury and the server that lies to it; both end with the test. */
export const openDeceived = async (t: ExecutionContext): Promise<Deceived> => {
  const folder = mkdtempSync(join(tmpdir(), 'treasury-chain-'));
  const chain = await openLocalChain({ folder, now: () => TEST_TIME });
  const liar = lyingChain(chain);
  const server = await startElectrumServer({ chain: liar, tcpPort: 0 });
  t.teardown(async () => {
    await server.stop();
    await chain.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const world: ChainWorld = {
    ...wireWorld,
    open: () =>
      Promise.resolve({
        outside: throughServers([server.tcpUrl ?? '']),
        wall: chain.now,
        people,
        steer: () => steerEmbedded(chain),
      }),
  };
  return { treasury: await openTreasury(t, world), liar, world };
};

/** The transaction of a build's answer as it was before anybody signed it, raw hex. */
export const unsigned = (reply: Readonly<Record<string, unknown>>): string =>
  (reply['wcTransaction'] as WalletTransaction).transaction;
