import test from 'ava';
import { alice, bob, type Person } from '../../fixtures/people.js';
import { addressOf } from '../../src/bch/address.js';
import { encodeWif } from '../../src/bch/keys.js';
import { signMessage } from '../../src/bch/signed-message.js';
import { challenge, exchange, revoke, token, usedChallengeCollection } from '../../src/home/access.js';
import { importWallet } from '../../src/home/wallets/secrets.js';
import { openTestHome, type TestHome } from '../home.js';

const textOf = (who: Person) => who.address('local').text;

const challengeFor = async (home: TestHome, who: Person): Promise<string> =>
  String((await home.ask(challenge, { address: textOf(who) }))['challenge']);

const signedBy = (who: Person, text: string, address = textOf(who)) => ({
  address,
  challenge: text,
  signature: signMessage(text, who.privateKey),
});

test('challenge › given the address of a key › the text names domain, address and network', async (t) => {
  const home = await openTestHome(t);
  const text = await challengeFor(home, alice);
  for (const part of ['treasury.test', textOf(alice), 'local']) t.true(text.includes(part));
});

test('challenge › given the address of a contract › it is invalid_address', async (t) => {
  const home = await openTestHome(t);
  const contract = addressOf(`aa20${'07'.repeat(32)}87`, 'local');
  const error = await home.refusal(t, 'invalid_address', challenge, { address: contract?.text });
  t.regex(error.message, /a contract cannot sign/);
});

test('exchange › given the challenge signed by its key › the token speaks for the address', async (t) => {
  const home = await openTestHome(t);
  const reply = await home.ask(exchange, signedBy(alice, await challengeFor(home, alice)));
  t.is(reply['tokenType'], 'Bearer');
  t.is(await home.access.verify(String(reply['accessToken'])), textOf(alice));
});

test('exchange › given the token-aware form of the address › the token speaks for its q form', async (t) => {
  const home = await openTestHome(t);
  const address = alice.address('local').tokenText;
  const reply = await home.ask(exchange, signedBy(alice, await challengeFor(home, alice), address));
  t.is(await home.access.verify(String(reply['accessToken'])), textOf(alice));
});

test('exchange › given a challenge twice › the second is challenge_used', async (t) => {
  const home = await openTestHome(t);
  const request = signedBy(alice, await challengeFor(home, alice));
  await home.ask(exchange, request);
  await home.refusal(t, 'challenge_used', exchange, request);
});

test('exchange › given a challenge twice at once › one of them is challenge_used', async (t) => {
  const home = await openTestHome(t);
  const request = signedBy(alice, await challengeFor(home, alice));
  const results = await Promise.allSettled([home.ask(exchange, request), home.ask(exchange, request)]);
  t.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
});

test('exchange › given the signature of somebody else › it is invalid_signature, and the challenge still works', async (t) => {
  const home = await openTestHome(t);
  const text = await challengeFor(home, alice);
  await home.refusal(t, 'invalid_signature', exchange, signedBy(bob, text, textOf(alice)));
  await t.notThrowsAsync(home.ask(exchange, signedBy(alice, text)));
});

test('exchange › given the signature of another text › it is invalid_signature', async (t) => {
  const home = await openTestHome(t);
  const text = await challengeFor(home, alice);
  const request = { ...signedBy(alice, text), signature: signMessage('another text', alice.privateKey) };
  await home.refusal(t, 'invalid_signature', exchange, request);
});

test('exchange › given the challenge of another address › it is invalid_challenge', async (t) => {
  const home = await openTestHome(t);
  await home.refusal(t, 'invalid_challenge', exchange, signedBy(bob, await challengeFor(home, alice)));
});

test('exchange › given it too late › it is challenge_expired', async (t) => {
  const home = await openTestHome(t);
  const request = signedBy(alice, await challengeFor(home, alice));
  home.pass(3_600);
  await home.refusal(t, 'challenge_expired', exchange, request);
});

test('exchange › given a daemon whose clock is fast, and a challenge again at one whose clock is not › it is challenge_used', async (t) => {
  const home = await openTestHome(t);
  const request = signedBy(alice, await challengeFor(home, alice));
  await home.ask(exchange, request);
  home.pass(600);
  await home.ask(exchange, signedBy(bob, await challengeFor(home, bob)));
  home.pass(-600);
  await home.refusal(t, 'challenge_used', exchange, request);
});

test('exchange › given many over time › nonces that have expired are forgotten', async (t) => {
  const home = await openTestHome(t);
  await home.ask(exchange, signedBy(alice, await challengeFor(home, alice)));
  await home.ask(exchange, signedBy(alice, await challengeFor(home, alice)));
  t.is((await home.store.find(usedChallengeCollection)).total, 2);
  home.pass(2 * 3_600);
  await home.ask(exchange, signedBy(alice, await challengeFor(home, alice)));
  t.is((await home.store.find(usedChallengeCollection)).total, 1);
});

test('token › given a wallet of this home › the token speaks for it', async (t) => {
  const home = await openTestHome(t);
  await home.ask(importWallet, { name: 'alice', secret: encodeWif(alice.privateKey, 'local') });
  const reply = await home.ask(token, {}, alice.address('local'));
  t.is(reply['address'], textOf(alice));
  t.is(await home.access.verify(String(reply['accessToken'])), textOf(alice));
});

test('token › given an address whose key is elsewhere › it is wallet_not_found', async (t) => {
  const home = await openTestHome(t);
  await home.refusal(t, 'wallet_not_found', token, {}, bob.address('local'));
});

test('revoke › given a token and a challenge › neither works any more', async (t) => {
  const home = await openTestHome(t);
  const reply = await home.ask(exchange, signedBy(alice, await challengeFor(home, alice)));
  const text = await challengeFor(home, alice);
  await home.ask(revoke);
  await t.throwsAsync(home.access.verify(String(reply['accessToken'])), {
    message: /not one of this service/,
  });
  await home.refusal(t, 'invalid_challenge', exchange, signedBy(alice, text));
});
