import { connect, type Socket } from 'node:net';
import test from 'ava';
import { ALICE, fund } from '../local-chain/chain-fixture.js';
import { countingRelay } from './counting-relay.js';
import { openThrough, serveChain, serveStrangely } from './electrum-fixture.js';

/** A relay that does `treat` with each batch, and hands on what is none. Returns its URL, and how many batches came. */
const relayWithout = async (
  t: Parameters<typeof serveChain>[0],
  tcpUrl: string,
  treat: (socket: Socket) => void,
) => {
  const seen = { batches: 0 };
  const { hostname, port } = new URL(tcpUrl);
  const { url } = await serveStrangely(t, (socket) => {
    const upstream = connect(Number(port), hostname);
    upstream.on('error', () => undefined);
    upstream.pipe(socket);
    let unread = '';
    socket.on('data', (chunk: Buffer) => {
      const lines = `${unread}${chunk.toString()}`.split('\n');
      unread = lines.pop() ?? '';
      for (const line of lines) {
        if (!line.startsWith('[')) upstream.write(`${line}\n`);
        else {
          seen.batches += 1;
          treat(socket);
        }
      }
    });
    socket.on('close', () => upstream.destroy());
  });
  return { url, seen };
};

const scripts = Array.from({ length: 250 }, (_, index) => `51${index.toString(16).padStart(4, '0')}`);

test('batches › given 250 questions in one turn › they leave in three requests, and each has its answer', async (t) => {
  const { local, tcpUrl } = await serveChain(t);
  await fund(local, ALICE, 1_000n);
  const { url, count } = await countingRelay(t, tcpUrl);
  const chain = await openThrough(t, [url]);
  await chain.history(ALICE.lockingBytecode);
  count();
  const asked = [...scripts.slice(1), ALICE.lockingBytecode];
  const histories = await Promise.all(asked.map((script) => chain.history(script)));
  t.like(count(), { requests: 3, calls: 250 });
  t.deepEqual(
    histories.map(({ length }) => length),
    [...scripts.slice(1).map(() => 0), 1],
  );
});

test('batches › given one question › it leaves as it is', async (t) => {
  const { tcpUrl } = await serveChain(t);
  const { url, seen } = await relayWithout(t, tcpUrl, () => t.fail());
  const chain = await openThrough(t, [url]);
  await chain.tip();
  t.is(seen.batches, 0);
});

for (const [what, treat] of [
  [
    'refuses batches',
    (socket: Socket) =>
      socket.write(
        '{"jsonrpc":"2.0","id":null,"error":{"code":-31999,"message":"Json Error: expected object"}}\n',
      ),
  ],
  ['hangs up on batches', (socket: Socket) => socket.destroy()],
  ['never answers batches', () => undefined],
] as const) {
  test(`batches › given a server that ${what} › it is asked one by one from then on`, async (t) => {
    const { tcpUrl } = await serveChain(t);
    const { url, seen } = await relayWithout(t, tcpUrl, treat);
    const chain = await openThrough(t, [url], { requestMs: 1_000 });
    const ask = () => Promise.all(scripts.slice(0, 5).map((script) => chain.history(script)));
    t.deepEqual(await ask(), [[], [], [], [], []]);
    t.deepEqual(await ask(), [[], [], [], [], []]);
    t.is(seen.batches, 1);
  });
}

test('batches › given one bad answer among others › the others stand', async (t) => {
  const { tcpUrl } = await serveChain(t);
  const chain = await openThrough(t, [tcpUrl]);
  const [none, tip] = await Promise.all([chain.transaction('ab'.repeat(32)), chain.tip()]);
  t.is(none, null);
  t.true(tip.height >= 0);
});
