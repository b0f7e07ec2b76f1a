import test from 'ava';
import { processes } from '../../src/adapters/machine.js';
import {
  coinLeaseCollection,
  giveLeaseBack,
  narrowLease,
  readLeases,
  takeLease,
  type CoinLease,
} from '../../src/record/coin-leases.js';
import { openTestHome } from '../home.js';

const OWNER = '76a914' + '11'.repeat(20) + '88ac';
const COIN = `${'ab'.repeat(32)}:0`;

const open = async (t: Parameters<typeof openTestHome>[0]) => {
  const home = await openTestHome(t);
  const leaseOf = (id: string, more: Partial<CoinLease> = {}): CoinLease => ({
    id,
    owner: OWNER,
    holder: processes.self(),
    coins: null,
    leased_at: home.clock.wall(),
    ...more,
  });
  const others = async () => (await readLeases(OWNER, 'mine', home)).others.map(({ id }) => id);
  return { home, leaseOf, others, take: (id: string) => takeLease(home.store, leaseOf(id), []) };
};

test('a lease › while another builds › nothing is leased; once it has chosen, its coins are told', async (t) => {
  const { home, leaseOf, take } = await open(t);
  t.deepEqual(await take('first'), []);
  t.is(await take('second'), null);
  await narrowLease(home.store, leaseOf('first'), [COIN]);
  t.deepEqual(
    (await take('second'))?.map(({ coins }) => coins),
    [[COIN]],
  );
  await giveLeaseBack(home.store, 'first');
  await narrowLease(home.store, leaseOf('second'), []);
  t.is((await home.store.find(coinLeaseCollection)).total, 0);
});

test('a lease › of another wallet › keeps nobody from this one', async (t) => {
  const { home, leaseOf, take } = await open(t);
  await takeLease(home.store, leaseOf('first', { owner: '51' }), []);
  t.deepEqual(await take('second'), []);
});

test('a lease › of a process that is gone › is over, and is swept by the next', async (t) => {
  const { home, leaseOf, others } = await open(t);
  const gone = { ...processes.self(), pid: 4_194_305 };
  await takeLease(home.store, leaseOf('dead', { holder: gone }), []);
  t.deepEqual(await others(), []);
  const { over } = await readLeases(OWNER, 'mine', home);
  t.deepEqual(await takeLease(home.store, leaseOf('mine'), over), []);
  t.deepEqual(
    (await home.store.find(coinLeaseCollection)).items.map(({ id }) => id),
    ['mine'],
  );
});

for (const seconds of [600, -600, 40 * 365 * 86_400]) {
  test(`a lease › after a clock that went ${seconds} seconds › is over, whoever holds it`, async (t) => {
    const { home, others, take } = await open(t);
    await take('first');
    t.deepEqual(await others(), ['first']);
    home.pass(seconds);
    t.deepEqual(await others(), []);
  });
}

test('a lease › after a clock that was set back a little › still holds', async (t) => {
  const { home, others, take } = await open(t);
  await take('first');
  home.pass(-30);
  t.deepEqual(await others(), ['first']);
});

test('a lease › where machines share the store › ends by time, whatever runs here under that number', async (t) => {
  const { home, leaseOf } = await open(t);
  const shared = { ...home, store: { ...home.store, isShared: true } };
  const elsewhere = { ...processes.self(), pid: 4_194_305 };
  await takeLease(home.store, leaseOf('elsewhere', { holder: elsewhere }), []);
  const others = async () => (await readLeases(OWNER, 'mine', shared)).others.map(({ id }) => id);
  t.deepEqual(await others(), ['elsewhere']);
  home.pass(600);
  t.deepEqual(await others(), []);
});
