/** A wallet or a relay that does its worst over WalletConnect, and what is left of the session afterwards. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { WebSocketServer } from 'ws';
import { open, readPairingUri, seal } from './envelope.js';
import { RelayClient } from './relay-client.js';
import { PROJECT_ID } from './relay.js';
import { openWorld, type World } from './terminal.js';

const SEND = ['wallet', 'send', '--to', 'main', '--amount', '0.1', '--wallet', 'phone', '--yes', '--json'];
const OTHER = SEND.map((word) => (word === '0.1' ? '0.2' : word));

const begin = async (t: ExecutionContext, options: Parameters<typeof openWorld>[1] = {}): Promise<World> => {
  const world = await openWorld(t, { name: 'Cashbox', ...options });
  const connected = await world.connect();
  t.is(connected.exit, 0, connected.stdout + connected.stderr);
  const { address } = await world.phone.do('account');
  await world.treasury('chain', 'faucet', address, '1');
  return world;
};

const requests = ({ phone }: World): number =>
  phone.events.filter(({ kind, method }) => kind === 'request' && method === 'bch_signTransaction').length;

test('wallet send › given a yes that came while another command ran › the same command takes it', async (t) => {
  const world = await begin(t, { cancels: false });
  const { phone, treasury } = world;
  await phone.do('plan', { do: 'silence' });
  t.is((await treasury(...SEND, '--wait', '1')).json()['code'], 'wallet_silent');
  t.is(await phone.do('tap', { do: 'accept' }), 1);
  await phone.do('plan', { do: 'decline' });
  t.is((await treasury(...OTHER)).json()['code'], 'wallet_declined');
  const sent = await treasury(...SEND, '--wait', '3');
  t.is(sent.exit, 0, sent.stdout + sent.stderr);
  t.regex(sent.stderr, /has agreed to it meanwhile/);
  t.is(requests(world), 2);
});

test('wallet send › given that all requests were taken back from the phone › none is waited for as if it were there', async (t) => {
  const world = await begin(t, { cancels: true });
  const { phone, treasury, start, relay } = world;
  await phone.do('plan', { do: 'silence' }, { do: 'silence' });
  // The first stays on the phone: its run ends without a line.
  await phone.sees('request');
  const first = start([...SEND, '--wait', '3']);
  await phone.sees('request');
  await relay.leave();
  t.is((await first.done).json()['code'], 'relay_unavailable');
  await relay.come();
  await phone.do('leave');
  await phone.do('come');
  t.is((await treasury(...OTHER, '--wait', '1')).json()['code'], 'wallet_silent');
  await phone.sees('cancelled');
  const sent = await treasury(...SEND, '--wait', '3');
  t.is(sent.exit, 0, sent.stdout + sent.stderr);
});

test('wallet send › given updates and events under ids that are no numbers › the session can be opened the next time', async (t) => {
  const world = await begin(t);
  const { phone, treasury } = world;
  const { address } = await phone.do('account');
  const methods = ['bch_getAddresses', 'bch_signTransaction', 'bch_signMessage'];
  const namespaces = { bch: { accounts: [`bch:${address}`], methods } };
  for (const id of ['abc', 2 ** 60, -1.5, null, {}])
    for (const method of ['wc_sessionUpdate', 'wc_sessionEvent']) {
      const params =
        method === 'wc_sessionEvent' ? { event: { name: 'other' }, chainId: 'bch:bchtest' } : { namespaces };
      await phone.do('sendSealed', { id, jsonrpc: '2.0', method, params }, 1104);
    }
  const sent = await treasury(...SEND);
  t.is(sent.exit, 0, sent.stdout + sent.stderr);
  t.is((await treasury(...OTHER)).exit, 0);
});

test('wallet connect › given a session that lasts for ever › it is listed, and ends as sessions do', async (t) => {
  const { phone, connect, treasury } = await openWorld(t, { quiet: true });
  await phone.do('meet', { do: 'accept', seconds: 9e15 - Math.floor(Date.now() / 1000) });
  const connected = await connect();
  t.is(connected.exit, 0, connected.stdout + connected.stderr);
  const listed = await treasury('wallet', 'list');
  t.is(listed.exit, 0, listed.stdout + listed.stderr);
  const { wallet } = connected.json() as { readonly wallet: { readonly sessionEndsAt: number } };
  t.true(wallet.sessionEndsAt <= Math.floor(Date.now() / 1000) + 604_800);
});

test('wallet send › given a session file whose state is damaged › it says so, and what to do', async (t) => {
  const { home, treasury } = await begin(t);
  const file = join(home, 'local', 'sessions', 'phone.json');
  const content = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  writeFileSync(file, JSON.stringify({ ...content, state: { plain: { topic: 'x' } } }));
  const damaged = await treasury(...SEND);
  t.is(damaged.json()['code'], 'wallet_session_ended', damaged.stdout);
  t.regex(String(damaged.json()['error']), /its file is damaged at relayUrl.*wallet connect --name phone/);
});

test('wallet send › given a relay that always has more › it does not ask for ever', async (t) => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await new Promise((resolve) => server.once('listening', resolve));
  let asked = 0;
  server.on('connection', (socket) => {
    socket.on('message', (data: Buffer) => {
      const text = data.toString();
      const id = /"id":(\d+)/.exec(text)?.[1] ?? '0';
      const isFetch = text.includes('irn_fetchMessages');
      if (isFetch) asked += 1;
      const messages = [{ topic: 'ab', message: String(asked) }];
      // Ends at last, so that the test does.
      const result = isFetch ? { messages, hasMore: asked < 5_000 } : true;
      socket.send(`{"id":${id},"jsonrpc":"2.0","result":${JSON.stringify(result)}}`);
    });
  });
  t.teardown(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  const { port } = server.address() as { readonly port: number };
  const { start } = await openWorld(t, {
    env: { TREASURY_WALLETCONNECT_RELAY_URL: `ws://127.0.0.1:${port}` },
  });
  const nobody = await start(['wallet', 'connect', '--json', '--wait', '1']).done;
  t.is(nobody.json()['code'], 'wallet_not_paired', nobody.stdout);
  t.true(asked < 1_000, String(asked));
});

test('wallet connect › given a wallet that agrees with a key that is none › it says so', async (t) => {
  const { relay, start } = await openWorld(t);
  const running = start(['wallet', 'connect', '--json', '--wait', '3']);
  const { topic, symKey } = readPairingUri(await running.says(/wc:\S+/));
  const client = new RelayClient({
    url: relay.url,
    projectId: PROJECT_ID,
    identity: new Uint8Array(32).fill(9),
    hear: ({ message }) => {
      const { id } = JSON.parse(open(symKey, message)) as { readonly id: number };
      const responderPublicKey = '00'.repeat(32);
      const answer = { id, jsonrpc: '2.0', result: { relay: { protocol: 'irn' }, responderPublicKey } };
      void client.publish({ topic, message: seal(symKey, JSON.stringify(answer)), tag: 1101, ttl: 300 });
    },
    tell: () => undefined,
  });
  t.teardown(() => {
    client.goOffline();
  });
  await client.goOnline();
  await client.subscribe(topic);
  const refused = await running.done;
  t.is(refused.json()['code'], 'wallet_failed', refused.stdout);
});

test('wallet send › given a lie that came too late › it is refused, and the next run asks anew', async (t) => {
  const world = await begin(t, { cancels: false });
  const { phone, treasury } = world;
  await phone.do('plan', { do: 'silence' });
  t.is((await treasury(...SEND, '--wait', '1')).json()['code'], 'wallet_silent');
  t.is(await phone.do('tap', { do: 'accept', lie: 'outputLocking' }), 1);
  const refused = await treasury(...SEND, '--wait', '3');
  t.is(refused.json()['code'], 'wallet_answer_differs', refused.stdout);
  t.is(requests(world), 1);
  const sent = await treasury(...SEND);
  t.is(sent.exit, 0, sent.stdout + sent.stderr);
  t.is(requests(world), 2);
});

test('wallet send › given errors of a wallet that steer terminals › they are written out', async (t) => {
  const { phone, treasury } = await begin(t);
  const message =
    'no\u001b[8m\u001b]8;;http://evil.example\u001b\\click\u001b[2J\u202emoney\nError: all is well';
  await phone.do('plan', { do: 'error', code: -1, message }, { do: 'error', code: -1, message });
  const text = await treasury(...SEND.filter((word) => word !== '--json'));
  // eslint-disable-next-line no-control-regex
  t.notRegex(text.stderr + text.stdout, /[\u001b\u202e]/);
  t.notRegex(text.stderr, /^Error: all is well/m);
  const json = await treasury(...SEND);
  // eslint-disable-next-line no-control-regex
  t.notRegex(json.stdout + json.stderr, /[\u001b\u202e]/);
});

test('wallet connect › given an app whose addresses steer terminals or are none › it says so', async (t) => {
  const { phone, connect } = await openWorld(t);
  for (const account of ['bch:bchtest:\u001b[2Jq', 'bch:bchtest:', 'bch:bchtest:qqqq']) {
    await phone.do('meet', { do: 'accept', accounts: [account] });
    const refused = await connect();
    t.is(refused.json()['code'], 'wallet_network_mismatch', refused.stdout);
    // eslint-disable-next-line no-control-regex
    t.notRegex(refused.stdout + refused.stderr, /\u001b/);
  }
});

test('wallet send › given answers that are no transaction, however large › each is refused, and nothing hangs', async (t) => {
  const { phone, treasury } = await begin(t);
  const results = [
    null,
    7,
    [],
    {},
    'ff',
    { signedTransaction: null },
    { signedTransaction: { toString: 1 } },
    { signedTransaction: '0' },
    { signedTransaction: 'f'.repeat(1_000_000) },
    { signedTransaction: `02000000fdffff${'00'.repeat(1_000)}` },
    { signedTransaction: `0200000001${'00'.repeat(36)}ffffffffffffffffff` },
  ];
  for (const result of results) {
    await phone.do('plan', { do: 'answer', result });
    const refused = await treasury(...SEND);
    t.is(refused.json()['code'], 'wallet_answer_differs', refused.stdout);
    t.true(refused.stdout.length < 5_000);
  }
});

test('wallet send › given a relay that has not taken the request › the next run sends it, and does not wait in vain', async (t) => {
  const world = await begin(t, { cancels: false });
  const { relay, treasury } = world;
  relay.faults.rejectTag = 1108;
  const cut = await treasury(...SEND, '--wait', '3');
  t.is(cut.json()['code'], 'relay_unavailable', cut.stdout);
  relay.faults.rejectTag = null;
  const sent = await treasury(...SEND, '--wait', '5');
  t.is(sent.exit, 0, sent.stdout + sent.stderr);
  t.is(requests(world), 1);
});
