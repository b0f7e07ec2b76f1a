/** The maximum of a key: what counts, and that nothing gets past it, whatever is asked at once. */
import test from 'ava';
import { TEST_TIME } from '../treasury.js';
import { keyBuildCollection } from '../../src/operation/script-keys/script-key.js';
import { BUILD_SECONDS } from '../../src/operation/script-keys/used.js';
import type { Answer } from '../acceptance/client.js';
import { advance, createStream, fundStream, tokenTerms } from '../products/streams/stream.js';
import { spendCollection } from '../../src/products/vaults/spend.js';
import { fundVault } from '../products/vaults/vault.js';
import { fundPayment } from '../products/payments/payment.js';
import { alice, bob, openKeys, type Keys } from './keys.js';

const DAY = 86_400;

const claim = ({ ask }: Keys, key: string, stream: string, amount?: string): Promise<Answer> =>
  ask(key, 'POST', `/api/streams/${stream}/claim`, amount === undefined ? {} : { amount });

const OVER = { status: 422, body: { code: 'amount_exceeds_key_maximum' } };

test('a maximum › given claims › it counts what was built lately and what has happened, to the last satoshi', async (t) => {
  const keys = await openKeys(t);
  const { treasury, make, served } = keys;
  await fundStream(treasury);
  await advance(treasury, 40 * DAY);
  const key = await make(bob, { name: 'ci', allow: ['streams:claim'], max: ['0.02/30d'] });
  const used = async () => {
    const { body } = await served.call('GET', '/api/keys/ci', undefined, {
      token: await served.logIn(bob),
    });
    return (body['maximums'] as { used: number }[])[0]?.used;
  };

  t.like(await claim(keys, key, 'STREAM-0001', '0.02000001'), OVER);
  t.is(await used(), 0);
  const built = await claim(keys, key, 'STREAM-0001', '0.02');
  t.is(built.status, 200, JSON.stringify(built.body));
  t.is(await used(), 0.02);
  // The same coin: only one of both can happen.
  t.is((await claim(keys, key, 'STREAM-0001', '0.005')).status, 200);
  t.is(await used(), 0.02);
  const txHash = await treasury.send(bob, built.body['wcTransaction']);
  const confirm = { txHash };
  t.is((await keys.ask(key, 'POST', '/api/streams/STREAM-0001/confirm-claim', confirm)).status, 200);
  t.like(await claim(keys, key, 'STREAM-0001', '0.001'), OVER);

  // What happened counts on when the build is old.
  treasury.pass(BUILD_SECONDS + 1);
  t.like(await claim(keys, key, 'STREAM-0001', '0.001'), OVER);
  t.is(await used(), 0.02);
  treasury.pass(29 * DAY);
  t.like(await claim(keys, key, 'STREAM-0001', '0.001'), OVER);
  treasury.pass(DAY);
  t.is((await claim(keys, key, 'STREAM-0001', '0.001')).status, 200);
  t.is(await used(), 0.001);
});

test('a maximum › given builds that nobody sends › they count for ten minutes', async (t) => {
  const keys = await openKeys(t);
  const { treasury, make } = keys;
  for (let count = 0; count < 2; count += 1) await fundStream(treasury);
  await advance(treasury, 40 * DAY);
  const key = await make(bob, { allow: ['streams:claim'], max: ['0.02/30d'] });
  t.is((await claim(keys, key, 'STREAM-0001', '0.02')).status, 200);
  t.like(await claim(keys, key, 'STREAM-0002', '0.001'), OVER);
  treasury.pass(BUILD_SECONDS - 1);
  t.like(await claim(keys, key, 'STREAM-0002', '0.001'), OVER);
  treasury.pass(1);
  const second = await claim(keys, key, 'STREAM-0002', '0.02');
  t.is(second.status, 200, JSON.stringify(second.body));
});

test('a maximum › given somebody else’s move of the same coin › what the key had built counts no more', async (t) => {
  const keys = await openKeys(t);
  const { treasury, make } = keys;
  const stream = await fundStream(treasury);
  await fundStream(treasury);
  await advance(treasury, 40 * DAY);
  const key = await make(bob, { allow: ['streams:claim'], max: ['0.02/30d'] });
  t.is((await claim(keys, key, 'STREAM-0001', '0.02')).status, 200);
  await stream.move(bob, 'claim', { amount: '0.011' });
  treasury.pass(BUILD_SECONDS);
  t.is((await claim(keys, key, 'STREAM-0002', '0.02')).status, 200);
  t.is((await treasury.app.context.store.find(keyBuildCollection)).total, 1);
});

test('a maximum › given 60 requests at once › they do not exceed it together', async (t) => {
  const keys = await openKeys(t);
  const { treasury, make } = keys;
  for (let count = 0; count < 12; count += 1) await fundStream(treasury);
  await advance(treasury, 40 * DAY);
  const key = await make(bob, { allow: ['streams:claim'], max: ['0.05/30d'] });
  const labels = Array.from({ length: 12 }, (_, index) => `STREAM-${String(index + 1).padStart(4, '0')}`);
  const asked = Array.from({ length: 5 }, () => labels).flat();
  const answers = await Promise.all(
    asked.map(async (label) => ({ label, ...(await claim(keys, key, label, '0.01')) })),
  );
  const built = new Set(answers.filter(({ status }) => status === 200).map(({ label }) => label));
  t.is(built.size, 5);
  for (const { status, body } of answers)
    if (status !== 200) t.is(body['code'], 'amount_exceeds_key_maximum', JSON.stringify(body));
});

test('a maximum › given many small builds after a large one › the large one is not forgotten', async (t) => {
  const keys = await openKeys(t);
  const { treasury, make } = keys;
  for (let count = 0; count < 2; count += 1) await fundStream(treasury);
  await advance(treasury, 40 * DAY);
  const key = await make(bob, { allow: ['streams:claim'], max: ['0.02/30d'] });
  const large = await claim(keys, key, 'STREAM-0001', '0.02');
  for (let count = 0; count < 25; count += 1)
    t.is((await claim(keys, key, 'STREAM-0001', `0.0001${String(count).padStart(2, '0')}`)).status, 200);
  t.like(await claim(keys, key, 'STREAM-0002', '0.001'), OVER);
  await treasury.send(bob, large.body['wcTransaction']);
  treasury.pass(BUILD_SECONDS);
  t.like(await claim(keys, key, 'STREAM-0002', '0.001'), OVER);
});

test('a maximum › given moves of every kind › it measures what leaves, and refuses before anything is stored', async (t) => {
  const keys = await openKeys(t);
  const { treasury, make, ask } = keys;
  await createStream(treasury);
  await fundPayment(treasury);
  await treasury.give(treasury.people.authority, 1_000_000n);
  const key = await make(alice, {
    allow: ['streams:*', 'payments:*', 'vaults:*', 'governance:*'],
    max: ['0.0999/1d'],
  });
  const stored = async () => (await treasury.app.context.store.find(keyBuildCollection)).total;

  // A funding of 0.1: fee and dust do not count.
  t.like(await ask(key, 'GET', '/api/streams/STREAM-0001/funding-info'), OVER);
  t.is(await stored(), 0);
  const { body } = await keys.served.call('GET', '/api/streams/STREAM-0001/funding-info', undefined, {
    token: await keys.tokenOf(alice),
  });
  t.is(body['success'], true);
  const exact = await make(alice, { allow: ['streams:fund'], max: ['0.1/1d'] });
  t.like(await ask(exact, 'GET', '/api/streams/STREAM-0001/funding-info'), { status: 200 });

  // A refill, a pause, a cancellation of a recurring payment.
  const small = await make(alice, { allow: ['payments:*'], max: ['0.0009/1d'] });
  const payment = '/api/payments/PAY-0001';
  t.like(await ask(small, 'POST', `${payment}/refill`, { periods: 1 }), OVER);
  t.like(await ask(small, 'POST', `${payment}/cancel`, {}), OVER);
  t.is((await ask(small, 'POST', `${payment}/pause`, {})).status, 200);

  // What cannot be measured.
  for (const path of [
    'streams/STREAM-0001/transfer',
    'vaults/V/spends/S/signatures',
    'vaults/V/spends/S/broadcast',
  ]) {
    const answer = await ask(key, 'POST', `/api/${path}`, {});
    t.is(answer.body['code'], 'key_not_allowed', path);
    t.regex(String(answer.body['error']), /cannot be measured/);
  }
});

test('a maximum of a token › given moves of it and of others › others are refused, dust and fee are not counted', async (t) => {
  const keys = await openKeys(t);
  const { treasury, make, ask, served, tokenOf } = keys;
  const { category, terms } = await tokenTerms(treasury);
  await fundStream(treasury, { ...terms, startTime: TEST_TIME - 3_600 });
  await fundStream(treasury);
  await advance(treasury, 40 * DAY);
  const key = await make(bob, { name: 'ci', allow: ['streams:claim'], max: ['20 GEMS/30d'] });
  const other = await claim(keys, key, 'STREAM-0002', '0.001');
  t.like(other, { status: 403, body: { code: 'key_not_allowed' } });
  t.regex(String(other.body['error']), /none for BCH/);
  // A claim of tokens needs coins of who claims for its fee.
  await treasury.give(bob, 1_000_000n);
  t.like(await claim(keys, key, 'STREAM-0001', '20.01'), OVER);
  const built = await claim(keys, key, 'STREAM-0001', '20');
  t.is(built.status, 200, JSON.stringify(built.body));
  t.like((await served.call('GET', '/api/keys/ci', undefined, { token: await tokenOf(bob) })).body, {
    maximums: [{ asset: 'GEMS', tokenCategory: category, maximum: 20, used: 20 }],
  });
  // And one for BCH lets no token go.
  const plain = await make(bob, { allow: ['streams:claim'], max: ['1/30d'] });
  t.like(await claim(keys, plain, 'STREAM-0001', '1'), { body: { code: 'key_not_allowed' } });
  t.is((await ask(plain, 'POST', '/api/streams/STREAM-0002/claim', {})).status, 200);
});

test('a maximum › given a vault’s spends › it counts what is proposed once, whoever of the signers asks for it', async (t) => {
  const keys = await openKeys(t);
  const { treasury, make, ask } = keys;
  await fundVault(treasury);
  await fundVault(treasury);
  const to = treasury.addressOf(treasury.people.dave).text;
  const key = await make(alice, { allow: ['vaults:*'], records: ['VAULT-0001'], max: ['0.0101/1d'] });
  const propose = (amount: string, vault = 'VAULT-0001') =>
    ask(key, 'POST', `/api/vaults/${vault}/spends`, { outputs: [{ to, amount }] });
  t.like(await propose('0.02'), OVER);
  t.is((await treasury.app.context.store.find(spendCollection)).total, 0);
  const made = await propose('0.01');
  t.is(made.status, 200, JSON.stringify(made.body));
  const label = String(made.body['label']).replace('#', '');
  t.is((await ask(key, 'POST', `/api/vaults/VAULT-0001/spends/${label}/sign`, {})).status, 200);
  t.like(await propose('0.01', 'VAULT-0002'), { body: { code: 'key_not_allowed' } });
  // A spend of another vault is none of this one's.
  const foreign = await treasury.ask(alice, 'vaults.spend-create', {
    id: 'VAULT-0002',
    outputs: [{ to, amount: '0.001' }],
  });
  const name = String(foreign['label']).replace('#', '');
  t.like(await ask(key, 'GET', `/api/vaults/VAULT-0001/spends/${name}`), { status: 404 });
  t.like(await ask(key, 'GET', `/api/vaults/VAULT-0002/spends/${name}`), { status: 403 });
});

test('several maximums › given a move › each of them holds', async (t) => {
  const keys = await openKeys(t);
  const { treasury, make } = keys;
  for (let count = 0; count < 3; count += 1) await fundStream(treasury);
  await advance(treasury, 40 * DAY);
  const key = await make(bob, { allow: ['streams:claim'], max: ['0.01/1h', '0.015/30d'] });
  t.like(await claim(keys, key, 'STREAM-0001', '0.011'), OVER);
  const first = await claim(keys, key, 'STREAM-0001', '0.01');
  await treasury.send(bob, first.body['wcTransaction']);
  treasury.pass(3_600);
  t.like(await claim(keys, key, 'STREAM-0002', '0.006'), OVER);
  t.is((await claim(keys, key, 'STREAM-0002', '0.005')).status, 200);
});

test('a pause › that the address itself has asked for › is measured when a key asks for it again', async (t) => {
  const keys = await openKeys(t);
  const { treasury, make, ask, served, tokenOf } = keys;
  await fundStream(treasury);
  await advance(treasury, 40 * DAY);
  const path = '/api/streams/STREAM-0001/cancel';
  t.is((await served.call('POST', path, {}, { token: await tokenOf(alice) })).status, 200);
  const key = await make(alice, { allow: ['streams:cancel'], max: ['0.01/1d'] });
  t.like(await ask(key, 'POST', path, {}), OVER);
});
