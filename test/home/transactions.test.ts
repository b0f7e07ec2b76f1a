import test, { type ExecutionContext } from 'ava';
import { alice, bob, type Person } from '../../fixtures/people.js';
import { encodeWif } from '../../src/bch/keys.js';
import { broadcastFile, broadcastRaw } from '../../src/home/transactions/broadcast.js';
import { inspect } from '../../src/home/transactions/inspect.js';
import { sign } from '../../src/home/transactions/sign.js';
import { importWallet } from '../../src/home/wallets/secrets.js';
import { send } from '../../src/home/wallets/send.js';
import type { Reply } from '../../src/operation/execute.js';
import { openTestHome, type TestHome } from '../home.js';

const of = (who: Person) => who.address('local');

/** A home with the wallet of Alice, and an unsigned payment of hers to Bob: the build reply. */
const withPayment = async (t: ExecutionContext): Promise<{ home: TestHome; built: Reply }> => {
  const home = await openTestHome(t);
  await home.ask(importWallet, { name: 'alice', secret: encodeWif(alice.privateKey, 'local') });
  await home.embedded.faucet(of(alice).lockingBytecode, 1_000_000n);
  const built = await home.ask(send.build, { to: of(bob).text, amount: '0.001' }, of(alice));
  return { home, built };
};

test('inspect › given an unsigned wcTransaction › it says who is paid, the fee, and that it is not complete', async (t) => {
  const { home, built } = await withPayment(t);
  const reply = await home.ask(inspect, { file: built['wcTransaction'] });
  t.like(reply, { complete: false, txHash: null, fee: built['fee'], userPrompt: `Send to ${of(bob).text}` });
  t.like((reply['inputs'] as unknown[])[0], { address: of(alice).text, satoshis: 1_000_000 });
  t.like((reply['outputs'] as unknown[])[0], { address: of(bob).text, satoshis: 100_000 });
});

test('inspect › given a whole build reply › it reads the wcTransaction inside', async (t) => {
  const { home, built } = await withPayment(t);
  const bare = await home.ask(inspect, { file: built['wcTransaction'] });
  t.deepEqual(await home.ask(inspect, { file: built }), bare);
});

test('inspect › given a signed one › it is complete and has its id', async (t) => {
  const { home, built } = await withPayment(t);
  const { transaction, txHash } = await home.ask(sign, { file: built }, of(alice));
  const file = { ...(built['wcTransaction'] as object), transaction };
  t.like(await home.ask(inspect, { file }), { complete: true, txHash, missing: null });
});

test('inspect › given what holds no transaction › it is tx_malformed', async (t) => {
  const home = await openTestHome(t);
  await home.refusal(t, 'tx_malformed', inspect, { file: { hello: 'world' } });
});

test('sign › given a wcTransaction of the wallet › it is complete, and the chain takes it', async (t) => {
  const { home, built } = await withPayment(t);
  const signed = await home.ask(sign, { file: built['wcTransaction'] }, of(alice));
  t.true(signed['complete']);
  t.is(await home.chain.broadcast(String(signed['transaction'])), String(signed['txHash']));
});

test('sign › given one of somebody else › it is signing_failed', async (t) => {
  const { home, built } = await withPayment(t);
  await home.ask(importWallet, { name: 'bob', secret: encodeWif(bob.privateKey, 'local') });
  await home.refusal(t, 'signing_failed', sign, { file: built }, of(bob));
});

test('sign › given a caller whose key is elsewhere › it is wallet_not_found', async (t) => {
  const { home, built } = await withPayment(t);
  await home.refusal(t, 'wallet_not_found', sign, { file: built }, of(bob));
});

test('broadcast › given what tx sign answered › the chain has it, also the second time', async (t) => {
  const { home, built } = await withPayment(t);
  const signed = await home.ask(sign, { file: built }, of(alice));
  const { txHash } = signed;
  t.deepEqual(await home.ask(broadcastFile, { file: signed }), { txHash });
  t.deepEqual(await home.ask(broadcastFile, { file: signed }), { txHash });
  t.not(await home.chain.transaction(String(txHash)), null);
});

test('broadcast › given raw hex › the chain has it', async (t) => {
  const { home, built } = await withPayment(t);
  const { transaction, txHash } = await home.ask(sign, { file: built }, of(alice));
  t.deepEqual(await home.ask(broadcastFile, { transaction }), { txHash });
});

test('broadcast › given an unsigned one › it is tx_script_failed', async (t) => {
  const { home, built } = await withPayment(t);
  await home.refusal(t, 'tx_script_failed', broadcastFile, { file: built });
});

test('broadcast › given both, or neither › it is invalid_input', async (t) => {
  const { home, built } = await withPayment(t);
  await home.refusal(t, 'invalid_input', broadcastFile, {});
  await home.refusal(t, 'invalid_input', broadcastFile, { file: built, transaction: '00' });
});

test('POST broadcast › given raw hex › the chain has it', async (t) => {
  const { home, built } = await withPayment(t);
  const { transaction, txHash } = await home.ask(sign, { file: built }, of(alice));
  t.deepEqual(await home.ask(broadcastRaw, { transaction }), { txHash });
  t.not(await home.chain.transaction(String(txHash)), null);
});

for (const transaction of ['xyz', '00', 'deadbeef']) {
  test(`POST broadcast › given "${transaction}" › it is tx_malformed`, async (t) => {
    const home = await openTestHome(t);
    await home.refusal(t, 'tx_malformed', broadcastRaw, { transaction });
  });
}
