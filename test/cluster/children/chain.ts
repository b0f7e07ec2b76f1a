/** The one chain of a play, in a process of its own: the embedded chain behind an Electrum server, steered by messages. */
import { startElectrumServer } from '../../../src/adapters/electrum-server/electrum-server.js';
import { openLocalChain } from '../../../src/adapters/local-chain/local-chain.js';
import type { ChainOrder, ChainReply } from '../chain.js';

const [folder = ''] = process.argv.slice(2);
const chain = await openLocalChain({ folder, now: () => Date.now() / 1_000, automine: false });
const server = await startElectrumServer({ chain, tcpPort: 0 });

const carryOut = async (order: ChainOrder): Promise<unknown> => {
  switch (order.do) {
    case 'pay':
      for (let coin = 0; coin < order.coins; coin += 1)
        await chain.faucet(order.lockingBytecode, BigInt(order.satoshis));
      return null;
    case 'mine':
      return chain.mine(order.blocks);
    case 'reorg':
      return chain.reorg(order.depth);
    case 'tip':
      return chain.tip();
    case 'history':
      return chain.history(order.lockingBytecode);
    case 'held':
      return (await chain.unspent(order.lockingBytecode))
        .reduce((sum, { satoshis }) => sum + satoshis, 0n)
        .toString();
    case 'raw':
      return chain.rawTransaction(order.txid);
  }
};

const send = (reply: ChainReply): void => {
  process.send?.(reply);
};

process.on('disconnect', () => {
  void server.stop().then(chain.close);
});
process.on('message', (asked: { readonly id: number; readonly order: ChainOrder }) => {
  carryOut(asked.order).then(
    (answer) => {
      send({ id: asked.id, answer });
    },
    (error: unknown) => {
      send({ id: asked.id, error: String(error) });
    },
  );
});
process.send?.({ url: server.tcpUrl });
