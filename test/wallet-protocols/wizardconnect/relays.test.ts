/** Several Nostr relays as one: real servers on loopback, of which some are away, hang, or come back. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { aroundTerminal } from '../../../src/adapters/remote-surroundings.js';
import { openSocket } from '../../../src/adapters/web-socket.js';
import { greet } from '../../../src/wallet-protocols/wizardconnect/greeting.js';
import { openLink } from '../../../src/wallet-protocols/wizardconnect/link.js';
import { openNostrRelays } from '../../../src/wallet-protocols/wizardconnect/nostr-relays.js';
import { FIRST_PATH } from '../../../src/wallet-protocols/wizardconnect/keys.js';
import type { WizardState } from '../../../src/wallet-protocols/wizardconnect/state.js';
import type { RemoteWallet } from '../../../src/wallet-protocols/remote-wallet.js';
import { hexOf } from '../../../src/bch/hex.js';
import { addressOfPublicKey } from '../../../src/bch/keys.js';
import { deriveKey, toHexKey, xpubOf } from '../../phone/key.js';
import { Parts, toParts } from '../../phone/chunks.js';
import { nostrKeyOf, unwrap, wrap } from '../../phone/nostr.js';
import { startNostrRelay } from '../../phone/nostr-relay.js';

const OURS = new Uint8Array(32).fill(1);
const WALLET = new Uint8Array(32).fill(2);
const AWAY = 'ws://127.0.0.1:9';
const [publicKey, walletKey] = [nostrKeyOf(OURS), nostrKeyOf(WALLET)];

const relayFor = async (t: ExecutionContext) => {
  const relay = await startNostrRelay();
  t.teardown(() => relay.close());
  return relay;
};

const message = (body: Record<string, unknown>) => wrap(JSON.stringify(body), WALLET, publicKey);

const open = async (t: ExecutionContext, urls: readonly string[]) => {
  const [kept, came]: [unknown[], unknown[]] = [[], []];
  const relays = await openNostrRelays({
    urls,
    publicKey,
    onKept: (events) => Promise.resolve(void kept.push(...events)),
    onEvent: (event) => came.push(event),
    openSocket,
  });
  t.teardown(relays.close);
  return { relays, kept, came };
};

test('relays › given that one of them is away › the other is enough', async (t) => {
  const relay = await relayFor(t);
  relay.inject(message({ action: 'pong', time: 1 }));
  const { relays, kept } = await open(t, [AWAY, relay.url]);
  t.is(kept.length, 1);
  t.is(relays.trouble(), null);
  const event = message({ action: 'ping', time: 2 });
  await relays.publish(event);
  t.true(relay.events.some(({ id }) => id === event.id));
});

test('relays › given that all are away, or refuse › it is said', async (t) => {
  const relay = await relayFor(t);
  const away = await t.throwsAsync(open(t, [AWAY, AWAY]));
  t.like(away, { code: 'relay_unavailable' });
  const { relays } = await open(t, [relay.url]);
  relay.faults.reject = true;
  await t.throwsAsync(relays.publish(message({ action: 'ping', time: 2 })), { code: 'relay_unavailable' });
  await relay.leave();
  await t.throwsAsync(relays.publish(message({ action: 'ping', time: 3 })), { code: 'relay_unavailable' });
  t.like(relays.trouble(), { code: 'relay_unavailable' });
});

test('relays › given one that takes the line and says nothing › the other is not kept waiting, and closing ends it', async (t) => {
  const sockets: Socket[] = [];
  const mute = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  await once(mute, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    mute.close();
  });
  const relay = await relayFor(t);
  const { relays } = await open(t, [`ws://127.0.0.1:${(mute.address() as AddressInfo).port}`, relay.url]);
  await relays.publish(message({ action: 'ping', time: 2 }));
  const [socket] = sockets;
  t.false(socket?.destroyed);
  socket?.resume();
  relays.close();
  if (socket !== undefined && !socket.destroyed) await once(socket, 'close');
  t.pass();
});

const open8 = { sequence: 8, digest: 'd', answer: null };

/** The line of a session. @param saved what it has kept */
const openLine = async (t: ExecutionContext, changes: Partial<WizardState>, saved: WizardState[] = []) => {
  const state: WizardState = {
    privateKey: hexOf(OURS),
    secret: '00'.repeat(8),
    relayUrls: [AWAY],
    walletKey,
    app: 'Cashbox',
    paths: [],
    path: FIRST_PATH,
    takesParts: true,
    mark: 0,
    lastTime: 0,
    nextSequence: 10,
    seen: [],
    open: [],
    ended: null,
    ...changes,
  };
  const link = await openLink(state, {
    name: 'phone',
    nowMs: Date.now,
    random: (length) => new Uint8Array(randomBytes(length)),
    openSocket,
    save: (next) => Promise.resolve(void saved.push(next)),
  });
  t.teardown(link.close);
  return link;
};

test('a line › given what is longer than a wrap holds › it goes in parts to who takes them, and comes so', async (t) => {
  const relay = await relayFor(t);
  const link = await openLine(t, { relayUrls: [relay.url], open: [open8] });
  const long = 'ż'.repeat(60_000);
  await link.send({ action: 'sign_transaction_request', long });
  const chunks = relay.events.map((event) => JSON.parse(unwrap(event, WALLET).content) as never);
  t.is(chunks.length, 5);
  const theirs = new Parts();
  const whole = chunks
    .toReversed()
    .map((chunk) => theirs.take(chunk))
    .at(-1);
  t.like(JSON.parse(whole ?? ''), { action: 'sign_transaction_request', long });

  const signedTransaction = 'ab'.repeat(60_000);
  const answer = { action: 'sign_transaction_response', time: 100, sequence: 8, signedTransaction };
  const heard = new Promise((resolve) => {
    link.listen(resolve);
  });
  for (const part of toParts(JSON.stringify(answer), 100, true).toReversed())
    relay.inject(wrap(part, WALLET, publicKey));
  t.like(await heard, { sequence: 8, signedTransaction });
  t.like(link.state().open[0]?.answer, { signedTransaction });

  const other = await openLine(t, { relayUrls: [relay.url], takesParts: false });
  const error = await t.throwsAsync(other.send({ action: 'sign_transaction_request', long }));
  t.like(error, {
    code: 'wallet_unsupported',
    details: { reason: 'the transaction is longer than it takes' },
  });
});

test('a line › given two relays with parts of what was said, in no order › it is taken in its order, once', async (t) => {
  const [first, second] = [await relayFor(t), await relayFor(t)];
  const answer = (time: number, signedTransaction: string) =>
    message({ action: 'sign_transaction_response', time, sequence: 8, signedTransaction });
  const [one, two, three] = [answer(100, 'aa'), answer(200, 'bb'), message({ action: 'pong', time: 300 })];
  first.inject(three);
  for (const event of [three, two, one]) second.inject(event);
  const saved: WizardState[] = [];
  const link = await openLine(t, { relayUrls: [first.url, second.url], open: [open8] }, saved);
  t.is(link.heardAt(), 0);
  t.like(link.state(), { mark: 300, open: [{ answer: { signedTransaction: 'aa' } }] });
  t.is(link.state().seen.length, 3);
  t.deepEqual(saved.at(-1), link.state());
  // What comes now is a sign of life.
  const heard = new Promise((resolve) => {
    link.listen(resolve);
  });
  const now = message({ action: 'pong', time: 400 });
  first.inject(now);
  second.inject(now);
  t.like(await heard, { action: 'pong', time: 400 });
  t.not(link.heardAt(), 0);
});

test('a line › given a wallet that comes back with other keys › both accounts are named, and nothing is kept of them', async (t) => {
  const relay = await relayFor(t);
  const link = await openLine(t, { relayUrls: [relay.url] });
  const seed = '07'.repeat(16);
  const addressAt = (index: number) => addressOfPublicKey(deriveKey(seed, `0/${index}`).publicKey, 'local');
  const wallet: RemoteWallet = {
    ...aroundTerminal({
      network: 'local',
      random: (length) => new Uint8Array(randomBytes(length)),
      settings: {
        walletconnectRelayUrl: AWAY,
        walletconnectProjectId: null,
        wizardconnectRelayUrl: null,
        walletWait: 20,
      },
      asking: { tell: () => undefined, show: () => undefined },
    }),
    name: 'phone',
    address: addressAt(1),
    publicKey: toHexKey(deriveKey(seed, '0/1')),
    face: { app: 'Cashbox', endsAt: null },
    state: null,
    save: () => Promise.resolve(),
  };
  const greeted = greet(link, wallet);
  relay.inject(
    message({
      action: 'wallet_ready',
      time: 100,
      supported_protocols: ['hdwalletv1'],
      wallet_name: 'Cashbox',
      dapp_discovered: true,
      public_key: walletKey,
      secret: '00'.repeat(8),
      session: { hdwalletv1: { paths: [{ name: 'receive', xpub: xpubOf(seed, 0, 'bchtest') }] } },
      extensions: {},
    }),
  );
  t.like(await t.throwsAsync(greeted), {
    code: 'wallet_account_mismatch',
    details: { expected: addressAt(1).text, found: addressAt(0).text },
  });
  t.deepEqual(link.state().paths, []);
});
