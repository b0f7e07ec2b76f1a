/** What WizardConnect is made of: codes, wraps, parts, and what becomes of a session by what comes. */
import test from 'ava';
import { createJoiner, isLong, partsOf } from '../../../src/wallet-protocols/wizardconnect/chunks.js';
import { unwrap, wrap } from '../../../src/wallet-protocols/wizardconnect/gift-wrap.js';
import { createHearing } from '../../../src/wallet-protocols/wizardconnect/hearing.js';
import { FIRST_PATH, keyOf } from '../../../src/wallet-protocols/wizardconnect/keys.js';
import {
  readWalletMessage,
  withHeard,
  type Heard,
  type WizardState,
} from '../../../src/wallet-protocols/wizardconnect/state.js';
import { invitationPicture, invitationUri } from '../../../src/wallet-protocols/wizardconnect/uri.js';
import { bytesOf, hexOf } from '../../../src/bch/hex.js';
import { readSocketHost } from '../../../src/settings/values.js';
import { deriveKey, toHexKey, xpubOf } from '../../phone/key.js';
import * as phone from '../../phone/nostr.js';

const OURS = new Uint8Array(32).fill(1);
const WALLET = new Uint8Array(32).fill(2);
const STRANGER = new Uint8Array(32).fill(3);
const NOW = 1_790_000_000;
const SEED = '07'.repeat(16);

const [ourKey, walletKey, strangerKey] = [OURS, WALLET, STRANGER].map(phone.nostrKeyOf) as [
  string,
  string,
  string,
];
const random = (length: number): Uint8Array => new Uint8Array(length).fill(7);

const stateWith = (changes: Partial<WizardState> = {}): WizardState => ({
  privateKey: hexOf(OURS),
  secret: '0001020304050607',
  relayUrls: ['ws://127.0.0.1:9'],
  walletKey,
  app: 'Cashbox',
  paths: [],
  path: FIRST_PATH,
  takesParts: true,
  mark: NOW,
  lastTime: 0,
  nextSequence: 10,
  seen: [],
  open: [],
  ended: null,
  ...changes,
});

const fail = (body: unknown): never => {
  throw new Error(`no wallet says ${JSON.stringify(body)}`);
};

let wraps = 0;
const heard = (body: Record<string, unknown>, from = walletKey): Heard => ({
  id: `wrap ${(wraps += 1)}`,
  from,
  message: readWalletMessage({ time: NOW, ...body }) ?? fail(body),
});

const ready = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  action: 'wallet_ready',
  time: NOW,
  supported_protocols: ['hdwalletv1'],
  wallet_name: 'Cashbox',
  dapp_discovered: false,
  public_key: walletKey,
  secret: '0001020304050607',
  session: { hdwalletv1: { paths: [] } },
  extensions: { chunk: { version: 1 } },
  ...changes,
});

test('a code › given a key, a secret and a relay › it is groups of five bits, and capitals in the picture', (t) => {
  const code = { publicKey: bytesOf('00'.repeat(31) + 'ff'), secret: bytesOf('ffffffffffffffff') };
  // 256 bits are 51 groups and one more bit; 64 are 12 and four: the rest is zeros.
  const usual = invitationUri({ ...code, relayUrl: null });
  t.is(usual, `wiz://?p=${'q'.repeat(49)}rls&s=${'l'.repeat(12)}7`);
  t.like(phone.readWizUri(usual), { relay: null, publicKey: hexOf(code.publicKey) });
  const placeOf = (relayUrl: string): string | undefined =>
    invitationUri({ ...code, relayUrl }).split('?')[0];
  t.is(placeOf('wss://relay.example.org'), 'wiz://relay.example.org');
  t.is(placeOf('wss://relay.example.org:443'), 'wiz://relay.example.org');
  const own = invitationUri({ ...code, relayUrl: 'ws://127.0.0.1:8080' });
  t.regex(own, /^wiz:\/\/127\.0\.0\.1:8080\?p=[a-z0-9]{52}&s=[a-z0-9]{13}&pr=ws$/);
  const picture = invitationPicture(own);
  t.regex(picture, /^[0-9A-Z $%*+\-./:]+$/);
  t.deepEqual(phone.readWizUri(picture), phone.readWizUri(own));
});

test('the setting of a relay › given a path, a query or a user › it is none: a code has no place for them', (t) => {
  for (const good of ['wss://relay.example.org', 'ws://127.0.0.1:8080', 'wss://relay.example.org:443/'])
    t.is(readSocketHost(good), good.replace(/\/$/, ''));
  for (const bad of [
    'wss://relay.example.org/nostr',
    'wss://a.example.org?x=1',
    'wss://me:pw@a.example.org',
    'https://a.example.org',
    'relay',
  ])
    t.is(readSocketHost(bad), undefined, bad);
});

test('a wrap › given the other side › each reads what the other has written', (t) => {
  const text = JSON.stringify({ action: 'ping', words: 'żółw' });
  t.deepEqual(
    phone.unwrap(wrap(text, { privateKey: OURS, peer: walletKey, now: NOW, random }) as never, WALLET),
    {
      from: ourKey,
      content: text,
    },
  );
  t.like(unwrap(phone.wrap(text, WALLET, ourKey), OURS), { from: walletKey, content: text });
});

test('a wrap › given one that is forged, or for somebody else › it is nothing', (t) => {
  const forgeries: readonly phone.Forgery[] = [
    { rumorKey: strangerKey },
    { badSealSignature: true },
    { sealKind: 14 },
    { rumorKind: 1 },
  ];
  for (const forgery of forgeries)
    t.is(unwrap(phone.wrap('hello', WALLET, ourKey, forgery), OURS), null, JSON.stringify(forgery));
  t.is(unwrap(phone.wrap('hello', WALLET, strangerKey), OURS), null);
  const whole = phone.wrap('hello', WALLET, ourKey);
  t.not(unwrap(whole, OURS), null);
  t.is(unwrap({ ...whole, created_at: whole.created_at + 1 }, OURS), null);
  t.is(unwrap({ ...whole, content: `${whole.content.slice(0, -8)}AAAAAAA=` }, OURS), null);
  for (const nothing of [null, 'x', {}, { ...whole, pubkey: 'x' }]) t.is(unwrap(nothing, OURS), null);
});

test('parts › given any order, and some twice › the message is whole once', (t) => {
  const text = JSON.stringify({ action: 'sign_transaction_response', words: 'ż'.repeat(60_000) });
  t.true(isLong(text));
  t.false(isLong('ż'.repeat(20_000)));
  t.true(isLong('ż'.repeat(20_001)));
  const parts = partsOf(text, NOW, 'one');
  t.is(parts.length, 5);
  const join = createJoiner();
  const shuffled = [3, 0, 0, 4, 1, 2].map((index) => parts[index]);
  t.deepEqual(
    shuffled.map((part) => join(part, NOW)).filter((whole) => whole !== null),
    [text],
  );
  t.deepEqual(
    [...shuffled, ...parts].map((part) => join(part, NOW)).filter((whole) => whole !== null),
    [],
  );
});

test('parts › given some that come too late, do not fit or are too many › they are dropped', (t) => {
  const parts = partsOf('x'.repeat(50_000), NOW, 'one');
  const late = createJoiner();
  t.is(late(parts[0], NOW), null);
  t.is(late(parts[1], NOW + 121), null);
  const bad = createJoiner();
  t.is(bad({ ...parts[0], index: 2 }, NOW), null);
  t.is(bad({ ...parts[0], total: 1_000_000 }, NOW), null);
  t.is(bad(parts[0], NOW), null);
  t.is(bad({ ...parts[1], total: 3 }, NOW), null);
  t.not(bad(parts[1], NOW), null);
  const flooded = createJoiner();
  flooded(parts[0], NOW);
  for (let other = 0; other < 10; other += 1) flooded({ ...parts[0], msgId: `other ${other}` }, NOW);
  t.is(flooded(parts[1], NOW), null);
});

test('who answers a code › given a stranger, or no secret › nobody has come, and it is said why', (t) => {
  const state = stateWith({ walletKey: null, mark: 0 });
  const hearing = createHearing(
    () => state,
    () => NOW,
  );
  const say = (body: unknown, key = WALLET) => hearing.hear(phone.wrap(JSON.stringify(body), key, ourKey));
  t.is(say({ action: 'pong', time: NOW }), null);
  t.is(hearing.refused(), null);
  t.is(say(ready({ secret: '0000000000000000' })), null);
  t.regex(hearing.refused() ?? '', /secret/);
  t.is(say(ready(), STRANGER), null);
  t.regex(hearing.refused() ?? '', /another key/);
  for (const part of partsOf(JSON.stringify(ready()), NOW, 'one')) t.is(say(part), null);
  t.like(say(ready()), { from: walletKey, message: { action: 'wallet_ready' } });
  t.is(hearing.refused(), null);
  // As it stands in the code, of which some make capitals.
  t.not(say(ready({ secret: phone.toGroups(bytesOf(state.secret)).toUpperCase() })), null);
});

test('a session › given its wallet and strangers › the wallet alone is heard', (t) => {
  const hearing = createHearing(
    () => stateWith(),
    () => NOW,
  );
  const answer = { action: 'sign_transaction_response', time: NOW, sequence: 10, signedTransaction: '00' };
  t.is(hearing.hear(phone.wrap(JSON.stringify(answer), STRANGER, ourKey)), null);
  t.not(hearing.hear(phone.wrap(JSON.stringify(answer), WALLET, ourKey)), null);
  t.is(hearing.hear(phone.wrap('not json', WALLET, ourKey)), null);
  t.is(hearing.hear(phone.wrap('{"action":"dance","time":1}', WALLET, ourKey)), null);
});

test('a session › given something older than the last, or twice › it is dropped', (t) => {
  const state = stateWith({ open: [{ sequence: 8, digest: 'd', answer: null }] });
  const answer = (time: number) =>
    heard({ action: 'sign_transaction_response', time, sequence: 8, signedTransaction: '00' });
  t.is(withHeard(state, answer(NOW - 1)), state);
  const next = withHeard(state, answer(NOW + 5));
  t.is(next.mark, NOW + 5);
  t.deepEqual(next.open, [{ sequence: 8, digest: 'd', answer: { signedTransaction: '00', error: null } }]);
  t.is(withHeard(next, heard({ action: 'pong', time: NOW + 4 })), next);
  const again = heard({ action: 'pong', time: NOW + 5 });
  t.is(withHeard(withHeard(next, again), again).seen.length, 2);
  t.is(withHeard(state, { ...heard({ action: 'pong' }), from: strangerKey }), state);
});

test('a session › given two answers to one request › the first counts', (t) => {
  const open = [{ sequence: 8, digest: 'd', answer: null }];
  const answer = (signedTransaction: string) =>
    heard({ action: 'sign_transaction_response', sequence: 8, signedTransaction });
  const twice = withHeard(withHeard(stateWith({ open }), answer('aa')), answer('bb'));
  t.is(twice.open[0]?.answer?.signedTransaction, 'aa');
  t.deepEqual(withHeard(stateWith(), answer('aa')).open, []);
});

test('a session › given that the wallet ends it › it is over for good, in the words of the wallet', (t) => {
  const over = withHeard(
    stateWith(),
    heard({ action: 'disconnect', reason: 'user_disconnect', message: 'bye' }),
  );
  t.is(over.ended, 'Cashbox has ended it: bye');
  t.is(withHeard(over, heard(ready({ time: NOW + 1 }))), over);
});

test('keys › given the xpub of a path › the key is its child, and the network is told apart where it can be', (t) => {
  const surroundings = (network: 'local' | 'mainnet') => ({ network }) as Parameters<typeof keyOf>[1];
  const paths = (chain: 'bitcoincash' | 'bchtest') => [{ name: 'receive', xpub: xpubOf(SEED, 0, chain) }];
  const expected = toHexKey(deriveKey(SEED, '0/0'));
  for (const chain of ['bitcoincash', 'bchtest'] as const) {
    const found = keyOf({ paths: paths(chain), path: FIRST_PATH, app: 'Cashbox' }, surroundings('local'));
    t.is(hexOf(found), expected);
  }
  const third = keyOf(
    { paths: paths('bitcoincash'), path: { name: 'receive', index: 3 }, app: 'Cashbox' },
    surroundings('mainnet'),
  );
  t.is(hexOf(third), toHexKey(deriveKey(SEED, '0/3')));
  t.throws(
    () => keyOf({ paths: paths('bchtest'), path: FIRST_PATH, app: 'Cashbox' }, surroundings('mainnet')),
    {
      code: 'wallet_network_mismatch',
    },
  );
  for (const none of [
    [],
    [{ name: 'receive', xpub: 'xpub' }],
    [{ name: 'change', xpub: xpubOf(SEED, 1, 'bchtest') }],
  ])
    t.throws(() => keyOf({ paths: none, path: FIRST_PATH, app: 'Cashbox' }, surroundings('local')), {
      code: 'wallet_proof_failed',
    });
});
