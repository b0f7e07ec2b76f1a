/** What the phone and the relay do when they are told to: each of it is seen by the other side. */
import test, { type ExecutionContext } from 'ava';
import { WebSocket } from 'ws';
import { encodeWalletTransaction } from '../../src/bch/signing-request.js';
import type { Behaviour } from './behaviour.js';
import { RawDapp, type Heard } from './dapp.js';
import { startPhone, type Phone } from './phone.js';
import { makeTicket } from './relay-ticket.js';
import { PROJECT_ID, startRelay, type Relay } from './relay.js';
import { paymentOf } from './requests.js';

const CHAIN = 'bch:bchtest';
const METHODS = ['bch_getAddresses', 'bch_signTransaction', 'bch_signMessage', 'bch_cancelPendingRequests'];
const KEY = new Uint8Array(32).fill(3);

type World = {
  readonly relay: Relay;
  readonly phone: Phone;
  readonly dapp: RawDapp;
  readonly request: unknown;
};

const begin = async (t: ExecutionContext): Promise<World> => {
  const relay = await startRelay();
  const options = {
    seed: '0b'.repeat(16),
    chain: 'bchtest',
    relay: relay.url,
    projectId: PROJECT_ID,
  } as const;
  const phone = startPhone({ ...options, cancels: true });
  const dapp = new RawDapp(relay.url, PROJECT_ID);
  t.teardown(async () => {
    dapp.close();
    await phone.stop();
    await relay.close();
  });
  await Promise.all([dapp.connect(CHAIN, METHODS), phone.do('scan', dapp.uri)]);
  const { address, foreignAddress } = await phone.do('account');
  return { relay, phone, dapp, request: encodeWalletTransaction(paymentOf(address, foreignAddress)) };
};

const asker = ({ phone, dapp, request }: World) => {
  const ask = async (...plans: Behaviour[]): Promise<number> => {
    await phone.do('plan', ...plans);
    return dapp.ask(CHAIN, 'bch_signTransaction', request);
  };
  const answer = (id: number): Promise<Heard> => dapp.until((rpc) => rpc.id === id && rpc.tag === 1109);
  return { ask, answer };
};

test('the phone refuses, waits, cancels and ends as it is told', async (t) => {
  const world = await begin(t);
  const { phone, dapp } = world;
  const { ask, answer } = asker(world);
  t.like(await answer(await ask({ do: 'decline' })), { error: { code: 5000 } });
  t.like(await answer(await ask({ do: 'error', code: -1, message: 'no money' })), { error: { code: -1 } });
  t.deepEqual((await answer(await ask({ do: 'emptyError' }))).error, {});
  t.is((await answer(await ask({ do: 'answer', result: 7 }))).result, 7);

  const silent = await ask({ do: 'silence' });
  await phone.sees('request');
  t.is(await phone.do('tap', { do: 'decline' }), 1);
  t.like(await answer(silent), { error: { code: 5000 } });

  const cancelled = await ask({ do: 'silence' });
  const cancel = await dapp.ask(CHAIN, 'bch_cancelPendingRequests', {});
  t.deepEqual((await answer(cancel)).result, { cancelledCount: 1 });
  t.like(await answer(cancelled), { error: { code: 5000 } });

  const twice = await ask({ do: 'accept', twice: true, echo: true, wrongId: true, update: 2 });
  const answers = (): Heard[] => dapp.heard.filter(({ id, tag }) => id === twice && tag === 1109);
  await dapp.until(() => answers().length === 2);
  t.truthy(dapp.heard.find(({ id, method }) => id === twice && method === 'wc_sessionRequest'));
  t.truthy(dapp.heard.find(({ id }) => id === twice + 1));
  t.truthy(dapp.heard.find(({ method }) => method === 'wc_sessionUpdate'));

  await ask({ do: 'stranger' });
  await dapp.until(
    ({ method, params }) => method === 'wc_sessionEvent' && JSON.stringify(params).includes('bchtest'),
  );
  await ask({ do: 'leave' });
  await dapp.until(({ method }) => method === 'wc_sessionDelete');
});

test('what came while the phone was away waits for it, and its answer for who asked', async (t) => {
  const world = await begin(t);
  const { phone, relay, dapp, request } = world;
  const { ask, answer } = asker(world);
  await phone.do('leave');
  const id = await dapp.ask(CHAIN, 'bch_signTransaction', request);
  t.is(relay.kept.at(-1)?.tag, 1108);
  await phone.do('come');
  t.truthy((await answer(id)).result);
  t.truthy((await answer(await ask({ do: 'accept', offline: 200 }))).result);

  await relay.leave();
  const late = dapp.ask(CHAIN, 'bch_signTransaction', request);
  await relay.come();
  relay.faults.twice = true;
  relay.faults.delay = 20;
  t.truthy((await answer(await late)).result);
  relay.drop();
  t.truthy((await answer(await ask({ do: 'accept' }))).result);
  t.is(phone.events.filter(({ kind }) => kind === 'request').length, 4);
  t.deepEqual(relay.complaints, []);
});

/** How a client of the relay ends: a status, a code, or open. */
const knock = async (
  relay: Relay,
  more: { audience?: string; project?: string; now?: number } = {},
): Promise<number> => {
  const { audience = relay.url, project = PROJECT_ID, now = Math.floor(Date.now() / 1000) } = more;
  const auth = makeTicket(KEY, { audience, subject: '22'.repeat(32), now });
  const socket = new WebSocket(`${relay.url}/?auth=${auth}&projectId=${project}`);
  return new Promise((resolve) => {
    socket.on('unexpected-response', (_request, { statusCode }) => {
      resolve(statusCode ?? 0);
    });
    socket.on('close', resolve);
    socket.on('error', () => undefined);
    // Who is let in is answered.
    socket.on('open', () => {
      socket.send(
        `{"id":1,"jsonrpc":"2.0","method":"irn_subscribe","params":{"topic":"${'ab'.repeat(32)}"}}`,
      );
    });
    socket.on('message', () => {
      resolve(0);
      socket.close();
    });
  });
};

test('the relay lets nobody in who has no project, and no ticket for it', async (t) => {
  const relay = await startRelay();
  t.teardown(() => relay.close());
  t.is(await knock(relay), 0);
  t.is(await knock(relay, { project: '' }), 400);
  t.is(await knock(relay, { project: 'f'.repeat(32) }), 3000);
  t.is(await knock(relay, { audience: 'wss://relay.walletconnect.org' }), 401);
  t.is(await knock(relay, { now: Math.floor(Date.now() / 1000) - 90_000 }), 401);
  relay.faults.refuse = 'status';
  t.is(await knock(relay), 403);
});

test('the relay hands out in pages what it did not deliver', async (t) => {
  const relay = await startRelay();
  t.teardown(() => relay.close());
  relay.faults.page = 2;
  relay.faults.deliverOnSubscribe = false;
  const topic = 'ab'.repeat(32);
  for (const message of ['1', '2', '3']) relay.inject(topic, message);
  const auth = makeTicket(KEY, {
    audience: relay.url,
    subject: '22'.repeat(32),
    now: Math.floor(Date.now() / 1000),
  });
  const socket = new WebSocket(`${relay.url}/?auth=${auth}&projectId=${PROJECT_ID}`);
  t.teardown(() => {
    socket.terminate();
  });
  await new Promise((resolve) => socket.once('open', resolve));
  const call = async (method: string): Promise<unknown> => {
    // Above 2^53: it has to come back digit by digit.
    socket.send(
      `{"id":1795393230123456789,"jsonrpc":"2.0","method":"${method}","params":{"topic":"${topic}"}}`,
    );
    const [data] = await new Promise<unknown[]>((resolve) => {
      socket.once('message', (...given) => {
        resolve(given);
      });
    });
    const text = (data as Buffer).toString();
    t.true(text.startsWith('{"id":1795393230123456789,'), text);
    return (JSON.parse(text) as { readonly result: unknown }).result;
  };
  await call('irn_subscribe');
  t.like(await call('irn_fetchMessages'), { messages: [{ message: '1' }, { message: '2' }], hasMore: true });
  t.like(await call('irn_fetchMessages'), { messages: [{ message: '3' }], hasMore: false });
  t.like(await call('irn_fetchMessages'), { messages: [], hasMore: false });
});
