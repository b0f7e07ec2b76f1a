/** A relay before an Electrum server that answers as an indexer whose node is dead: from what it has, and no more. */
import { connect } from 'node:net';
import type { ExecutionContext } from 'ava';
import { serveStrangely, type WireCall } from './electrum-fixture.js';

/** What an indexer hands on to its node. */
const NODE_METHODS: readonly string[] = [
  'blockchain.estimatefee',
  'blockchain.transaction.broadcast',
  'blockchain.transaction.get',
  'mempool.get_info',
];
/** In the words of Fulcrum. */
const REFUSAL = { code: -32_603, message: 'internal error: connection to bitcoind lost' };

export type Relay = {
  readonly url: string;
  /** Kills the node behind the indexer, or starts it again. */
  readonly node: { isDead: boolean };
};

/** Begins with a node that lives. */
export const relayTo = async (t: ExecutionContext, tcpUrl: string): Promise<Relay> => {
  const node = { isDead: false };
  const { hostname, port } = new URL(tcpUrl);
  const { url } = await serveStrangely(t, (socket) => {
    const upstream = connect(Number(port), hostname);
    upstream.on('error', () => undefined);
    upstream.pipe(socket);
    let unread = '';
    socket.on('data', (chunk: Buffer) => {
      const lines = `${unread}${chunk.toString()}`.split('\n');
      unread = lines.pop() ?? '';
      for (const call of lines.flatMap((line) => JSON.parse(line) as WireCall | WireCall[])) {
        if (node.isDead && NODE_METHODS.includes(call.method))
          socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: call.id, error: REFUSAL })}\n`);
        else upstream.write(`${JSON.stringify(call)}\n`);
      }
    });
    socket.on('close', () => upstream.destroy());
  });
  return { url, node };
};
