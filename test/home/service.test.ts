import test from 'ava';
import { about, health, ready } from '../../src/home/health.js';
import { TreasuryError } from '../../src/errors.js';
import { execute } from '../../src/operation/execute.js';
import { openTestHome, type TestHome } from '../home.js';

const withoutChain = (home: TestHome): TestHome => ({
  ...home,
  chain: { ...home.chain, tip: () => Promise.reject(new Error('the cable is cut')) },
});

const nobody = { kind: 'http', trustAddressHeader: false } as const;

test('GET /api › it is name, version and network, and the public keys of its authorities', async (t) => {
  const home = await openTestHome(t);
  const service = { page: null, name: 'treasury', version: '0.0.0-test', network: 'local' };
  t.deepEqual(await home.ask(about), { ...service, authorities: [] });
  await home.keys.create({ name: 'main', passphrase: null });
  const older = await home.keys.create({ name: 'older', passphrase: null, isAuthority: true });
  const newer = await home.keys.create({ name: 'newer', passphrase: null, isAuthority: true });
  const authorities = [older, newer].map(({ wallet }) => wallet.publicKey);
  t.deepEqual(await home.ask(about), { ...service, authorities });
});

test('GET /api/health › given a chain that does not answer › it is alive all the same', async (t) => {
  const home = withoutChain(await openTestHome(t));
  t.deepEqual(await execute(health, {}, home, nobody), { status: 'alive' });
});

test('GET /api/health/ready › given a chain that answers › it is ready, with the tip', async (t) => {
  const home = await openTestHome(t);
  const { height, medianTimePast } = await home.chain.tip();
  t.deepEqual(await home.ask(ready), { status: 'ready', height, medianTimePast });
});

test('GET /api/health/ready › given a chain that does not answer › it is chain_unavailable, 503', async (t) => {
  const home = withoutChain(await openTestHome(t));
  const error = await t.throwsAsync(execute(ready, {}, home, nobody), { instanceOf: TreasuryError });
  t.is(error.code, 'chain_unavailable');
  t.is(error.status, 503);
});

test('GET /api/health/ready › given a chain whose node is dead behind its indexer › it is chain_unavailable, 503', async (t) => {
  const served = await openTestHome(t);
  const reason = 'its node does not answer';
  const home: TestHome = {
    ...served,
    chain: {
      ...served.chain,
      askNode: () => Promise.reject(new TreasuryError('chain_unavailable', { reason })),
    },
  };
  const error = await t.throwsAsync(execute(ready, {}, home, nobody), { instanceOf: TreasuryError });
  t.like(error, { code: 'chain_unavailable', status: 503, retryable: true });
});
