/** An embedded chain behind an Electrum server, in a process of its own, so that what it costs is not counted. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { startElectrumServer } from '../src/adapters/electrum-server/electrum-server.js';
import { openLocalChain } from '../src/adapters/local-chain/local-chain.js';
import { TEST_TIME } from '../test/chain-world.js';

/** Transactions to broadcast, and then the blocks to mine. */
type Order = { readonly broadcast: readonly string[]; readonly mine: number };

export type ChainProcess = {
  readonly url: string;
  /** Returns the height of the tip when it is done. */
  readonly order: (order: Order) => Promise<number>;
  readonly stop: () => Promise<void>;
};

/** Starts it on the chain that a folder keeps. `maxSubscriptions`: scripts that a client may subscribe to. */
export const startChainProcess = async (
  folder: string,
  maxSubscriptions = Infinity,
): Promise<ChainProcess> => {
  const child = fork(new URL(import.meta.url).pathname, ['--chain', folder, String(maxSubscriptions)]);
  const [url] = (await once(child, 'message')) as [string];
  return {
    url,
    order: async (order) => {
      const done = once(child, 'message');
      child.send(order);
      return ((await done) as [number])[0];
    },
    stop: async () => {
      const closed = once(child, 'exit');
      child.disconnect();
      await closed;
    },
  };
};

const serve = async (folder: string, maxSubscriptions: number): Promise<void> => {
  const chain = await openLocalChain({ folder, now: () => TEST_TIME, automine: false });
  const server = await startElectrumServer({ chain, tcpPort: 0, maxSubscriptions });
  process.on('disconnect', () => {
    void server.stop().then(chain.close);
  });
  process.on('message', ({ broadcast, mine }: Order) => {
    void (async () => {
      for (const raw of broadcast) await chain.broadcast(raw);
      const { height } = mine === 0 ? await chain.tip() : await chain.mine(mine);
      process.send?.(height);
    })();
  });
  process.send?.(server.tcpUrl);
};

const [, own = '', mode, folder = '', most = 'Infinity'] = process.argv;
if (import.meta.url === pathToFileURL(own).href && mode === '--chain') await serve(folder, Number(most));
