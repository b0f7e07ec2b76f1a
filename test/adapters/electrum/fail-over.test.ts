import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { startElectrumServer } from '../../../src/adapters/electrum-server/electrum-server.js';
import { decodeTransaction } from '../../../src/bch/transaction.js';
import { ALICE, BOB, fund, openTestChain, payAll, refused, START } from '../local-chain/chain-fixture.js';
import {
  answerLines,
  freePort,
  openThrough,
  serveChain,
  serveStrangely,
  until,
  type WireCall,
} from './electrum-fixture.js';
import { frozenAt, serveLies } from './lies.js';

// One after the other: servers and clients share this process, and the limits are short.

const BITCOIN = 100_000_000n;
const HEADER = '00'.repeat(80);

/** What any server answers until it is asked in earnest. */
const greeting = ({ method, params }: WireCall): Record<string, unknown> | undefined => {
  if (method === 'server.version') return { result: ['strange', params[1]] };
  if (method === 'blockchain.headers.subscribe') return { result: { height: 20, hex: HEADER } };
  return undefined;
};

test.serial('the list › given a dead server first › the second answers, and stays in use', async (t) => {
  const { local, tcpUrl } = await serveChain(t);
  const dead = `tcp://127.0.0.1:${await freePort()}`;
  const chain = await openThrough(t, [dead, tcpUrl]);
  t.deepEqual(await chain.tip(), await local.tip());
  t.deepEqual(await chain.coins(ALICE.lockingBytecode), []);
  t.is(chain.log.warnings.length, 1);
  t.regex(chain.log.warnings[0] ?? '', /ECONNREFUSED/);
});

for (const scheme of ['tcp', 'ws', 'tls'] as const) {
  test.serial(
    `the list › given a ${scheme} server first that takes the line and says nothing › the second answers`,
    async (t) => {
      const { local, wsUrl } = await serveChain(t);
      const { url } = await serveStrangely(t, () => undefined);
      const chain = await openThrough(t, [url.replace('tcp:', `${scheme}:`), wsUrl], { connectMs: 1_500 });
      t.deepEqual(await chain.tip(), await local.tip());
      t.regex(chain.log.warnings[0] ?? '', /did not answer within 1500 ms/);
    },
  );
}

test.serial(
  'the list › given a server first that greets and then hangs › the second answers within the limit',
  async (t) => {
    const { local, tcpUrl } = await serveChain(t);
    const { url } = await serveStrangely(t, answerLines(greeting));
    const chain = await openThrough(t, [url, tcpUrl], { requestMs: 1_500 });
    const begin = Date.now();
    t.deepEqual(await chain.tip(), await local.tip());
    t.true(Date.now() - begin < 8_000);
  },
);

for (const [what, answer] of [
  ['no JSON', '<html>busy</html>'],
  ['an error to nobody', '{"id":null,"error":{"code":-32700,"message":"?"}}'],
  ['an answer to another question', '{"id":4711,"result":null}'],
  ['another shape', { result: 'surprise' }],
  ['an error', { error: { code: 2, message: 'internal error' } }],
] as const) {
  test.serial(`the list › given a server first that answers with ${what} › the second answers`, async (t) => {
    const { local, tcpUrl } = await serveChain(t);
    const { url } = await serveStrangely(
      t,
      answerLines((call) => greeting(call) ?? answer),
    );
    const chain = await openThrough(t, [url, tcpUrl]);
    t.deepEqual(await chain.tip(), await local.tip());
  });
}

test.serial('the list › given a server first whose tip is old › the second answers', async (t) => {
  const stale = await serveChain(t);
  const local = await openTestChain(t);
  local.wall.seconds += 10 * 3_600;
  await local.mine(11);
  const server = await startElectrumServer({ chain: local, tcpPort: 0 });
  t.teardown(server.stop);
  const options = { staleSeconds: 4 * 3_600, now: () => START + 10 * 3_600 };
  const chain = await openThrough(t, [stale.tcpUrl, server.tcpUrl ?? ''], options);
  t.deepEqual(await chain.tip(), await local.tip());

  const alone = await openThrough(t, [stale.tcpUrl], options);
  t.is((await alone.tip()).height, (await stale.local.tip()).height, 'what is old is better than nothing');
  t.regex(alone.log.warnings.join(), /no Electrum server is up to date/);
});

test.serial(
  'the list › given a server that falls behind while it is in use › the next one takes over',
  async (t) => {
    const { local, tcpUrl } = await serveChain(t);
    const behind = await serveLies(t, local, await frozenAt(local));
    const clock = { seconds: START };
    const chain = await openThrough(t, [behind, tcpUrl], {
      staleSeconds: 4 * 3_600,
      now: () => clock.seconds,
    });
    t.is((await chain.tip()).hash, (await local.tip()).hash);
    clock.seconds += 5 * 3_600;
    await local.advance(5 * 3_600);
    t.deepEqual(await chain.tip(), await local.tip());
  },
);

test.serial(
  'the list › given a second server with another chain › the first stays in use, whatever the other shows',
  async (t) => {
    const { local, tcpUrl } = await serveChain(t);
    const { local: other, tcpUrl: otherUrl } = await serveChain(t);
    const clock = { seconds: START };
    const options = { staleSeconds: 4 * 3_600, now: () => clock.seconds };
    const chain = await openThrough(t, [tcpUrl, otherUrl], options);
    t.is((await chain.tip()).hash, (await local.tip()).hash);
    clock.seconds += 5 * 3_600;
    await other.advance(5 * 3_600);
    t.deepEqual(await chain.tip(), await local.tip());
    t.regex(chain.log.warnings.join('\n'), /leaves the one this home knows/);
  },
);

test.serial('the network › given a server of another one › it is not used', async (t) => {
  const { tcpUrl } = await serveChain(t);
  const chain = await openThrough(t, [tcpUrl], {
    network: 'chipnet',
    staleSeconds: null,
    checkpoint: { height: 300_000, hash: 'ab'.repeat(32) },
  });
  const error = await refused(t, chain.tip(), 'chain_unavailable');
  t.regex(error.message, /serves another network than chipnet/);
});

test.serial(
  'versions › given a server that speaks only 1.6 › it is asked for older ones first, then used',
  async (t) => {
    const { local, tcpUrl } = await serveChain(t);
    const asked: unknown[] = [];
    const { url } = await serveStrangely(
      t,
      answerLines(({ method, params }) => {
        if (method !== 'server.version') return greeting({ id: 0, method, params });
        asked.push(params[1]);
        return params[1] === '1.6'
          ? { result: ['strange', '1.6'] }
          : { error: { code: 1, message: 'Unsupported protocol version' } };
      }),
    );
    const chain = await openThrough(t, [url, tcpUrl], { requestMs: 1_500 });
    t.deepEqual(await chain.tip(), await local.tip());
    t.deepEqual(asked, ['1.5.1', '1.5.2', '1.5.3', '1.6']);
  },
);

test.serial(
  'a broadcast › given no answer to it › the transaction is looked up before anything is said',
  async (t) => {
    const { local } = await serveChain(t);
    const raw = payAll(await fund(local, ALICE, BITCOIN), BOB);
    const { txid } = decodeTransaction(raw);
    let arrived = false;
    const { url } = await serveStrangely(
      t,
      answerLines((call) => {
        if (call.method === 'blockchain.transaction.broadcast') arrived = true;
        if (call.method === 'blockchain.transaction.get_height') return { result: arrived ? 0 : null };
        if (call.method === 'blockchain.transaction.get') return { result: raw };
        return greeting(call);
      }),
    );
    const chain = await openThrough(t, [url], { requestMs: 1_500, totalMs: 4_500 });
    t.is(await chain.broadcast(raw), txid);
  },
);

test.serial(
  'a broadcast › given no answer and no trace of it › it is the chain that cannot be reached',
  async (t) => {
    const { local } = await serveChain(t);
    const raw = payAll(await fund(local, ALICE, BITCOIN), BOB);
    const { url } = await serveStrangely(
      t,
      answerLines((call) =>
        call.method === 'blockchain.transaction.get_height' ? { result: null } : greeting(call),
      ),
    );
    const chain = await openThrough(t, [url], { requestMs: 1_500, totalMs: 4_500 });
    await refused(t, chain.broadcast(raw), 'chain_unavailable');
  },
);

test.serial('a broadcast › given a server whose node is in trouble › the next server takes it', async (t) => {
  const { local, tcpUrl } = await serveChain(t);
  const raw = payAll(await fund(local, ALICE, BITCOIN), BOB);
  const message = 'the transaction was rejected by network rules.\n\nWork queue depth exceeded\n';
  const { url } = await serveStrangely(
    t,
    answerLines((call) => greeting(call) ?? { error: { code: 1, message } }),
  );
  const chain = await openThrough(t, [url, tcpUrl]);
  await chain.broadcast(raw);
  t.is((await local.coins(BOB.lockingBytecode)).length, 1);
});

for (const transport of ['tcp', 'ws'] as const) {
  test.serial(
    `${transport} › given a server that stops and starts again › nothing that is watched is missed`,
    async (t) => {
      const local = await openTestChain(t, { automine: false });
      const port = await freePort();
      const start = () =>
        startElectrumServer({
          chain: local,
          ...(transport === 'tcp' ? { tcpPort: port } : { wsPort: port }),
        });
      let server = await start();
      t.teardown(() => server.stop());
      const chain = await openThrough(t, [`${transport}://127.0.0.1:${port}`]);
      const calls: string[] = [];
      const note = (name: string) => () => calls.push(name);
      await chain.watch({ lockingBytecodes: [ALICE.lockingBytecode] }, note('alice'));
      await chain.watch({ lockingBytecodes: [BOB.lockingBytecode] }, note('bob'));
      await chain.watch({ headers: true }, note('headers'));
      await chain.tip();

      await server.stop();
      await refused(t, chain.tip(), 'chain_unavailable');
      await local.faucet(ALICE.lockingBytecode, BITCOIN);
      server = await start();
      await until(t, () => calls.length > 0, 'the payment that was made while nobody listened');
      t.deepEqual(calls, ['alice']);

      await local.faucet(BOB.lockingBytecode, BITCOIN);
      await until(t, () => calls.length > 1, 'the payment after it');
      await local.mine(1);
      await until(t, () => calls.length > 4, 'the block');
      t.deepEqual(calls.slice(0, 2), ['alice', 'bob']);
      t.deepEqual([...calls.slice(2)].sort(), ['alice', 'bob', 'headers']);
      t.deepEqual(await chain.tip(), await local.tip());
    },
  );
}

test.serial('watching › given no server at first › it is subscribed when there is one', async (t) => {
  const local = await openTestChain(t);
  const port = await freePort();
  const chain = await openThrough(t, [`tcp://127.0.0.1:${port}`]);
  let calls = 0;
  await chain.watch({ lockingBytecodes: [ALICE.lockingBytecode] }, () => (calls += 1));
  const server = await startElectrumServer({ chain: local, tcpPort: port });
  t.teardown(server.stop);
  await until(t, () => calls === 1, 'told to look, since it is not known what was missed');
  await local.faucet(ALICE.lockingBytecode, BITCOIN);
  await until(t, () => calls === 2, 'the payment');
});

test.serial(
  'questions at once › given a server that stops under them › each is answered by the next',
  async (t) => {
    const { local, server, tcpUrl } = await serveChain(t);
    const second = await startElectrumServer({ chain: local, tcpPort: 0 });
    t.teardown(second.stop);
    const chain = await openThrough(t, [tcpUrl, second.tcpUrl ?? '']);
    const { txid } = await fund(local, ALICE, BITCOIN);
    await chain.tip();
    const questions = Array.from({ length: 20 }, () => chain.transaction(txid));
    await server.stop();
    const expected = await local.transaction(txid);
    for (const answer of await Promise.all(questions)) t.deepEqual(answer, expected);
  },
);

for (const ending of ['closed', 'left', 'lost'] as const) {
  test.serial(
    `a process › given a chain that is ${ending} where servers hang › it ends by itself`,
    async (t) => {
      const { server, tcpUrl, wsUrl } = await serveChain(t);
      const { url } = await serveStrangely(t, () => undefined);
      const script = fileURLToPath(new URL('asker.js', import.meta.url));
      const servers = [url, url.replace('tcp:', 'ws:'), ending === 'closed' ? tcpUrl : wsUrl];
      const child = spawn(process.execPath, [script, ending, ...servers], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let said = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += String(text)));
      child.stdout.once('data', (text) => {
        if (String(text).startsWith('asked\n')) void server.stop();
      });
      const [code] = (await once(child, 'exit')) as [number];
      t.is(code, 0, said);
      const [, milliseconds] = /^asked and closed, ended (\d+) ms later$/m.exec(said) ?? [];
      t.true(Number(milliseconds) < 3_000, said);
    },
  );
}
