/**
 * An embedded chain behind an Electrum server of its own on loopback: the treasury sees only the wire. As on a node,
 * transactions wait in the mempool until somebody mines.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { people } from '../../fixtures/people.js';
import { startElectrumServer } from '../../src/adapters/electrum-server/electrum-server.js';
import { openLocalChain, type LocalChain } from '../../src/adapters/local-chain/local-chain.js';
import { steerEmbedded, TEST_TIME, throughServers, type ChainWorld } from '../chain-world.js';

export const openWire = async (
  t: ExecutionContext,
): Promise<{ readonly world: ChainWorld; readonly chain: LocalChain }> => {
  const folder = mkdtempSync(join(tmpdir(), 'treasury-chain-'));
  const chain = await openLocalChain({ folder, now: () => TEST_TIME, automine: false });
  const server = await startElectrumServer({ chain, tcpPort: 0 });
  t.teardown(async () => {
    await server.stop();
    await chain.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const open: ChainWorld['open'] = () =>
    Promise.resolve({
      outside: throughServers([server.tcpUrl ?? '']),
      wall: chain.now,
      people,
      steer: () => steerEmbedded(chain),
    });
  return { chain, world: { ...wireWorld, open } };
};

/** {@link openWire}, for tests that are content with what every chain can do. */
export const wireWorld: ChainWorld = {
  name: 'through the wire',
  network: 'regtest',
  can: ['advance', 'reorg'],
  open: async (t) => (await openWire(t)).world.open(t),
};
