/** Limits that several daemons on one store keep together. */
import test from 'ava';
import { RateLimiterRes } from 'rate-limiter-flexible';
import { createLimiter } from '../../src/http/admission.js';
import { createSharedLimit, rateCountCollection } from '../../src/http/shared-limit.js';
import { TreasuryError } from '../../src/errors.js';
import { memoryStore } from './memory-store.js';

const openStore = () => {
  const world = { now: 1_700_000_000_000, commits: 0, isAway: false };
  const inMemory = memoryStore();
  const store = {
    ...inMemory,
    isShared: true,
    time: () => Promise.resolve(world.now),
    transaction: ((change) => {
      world.commits += 1;
      return world.isAway ? Promise.reject(new Error('the database is away')) : inMemory.transaction(change);
    }) as typeof inMemory.transaction,
  };
  return { world, store };
};

const grants = async (consume: () => Promise<void>, tries: number): Promise<number> => {
  let granted = 0;
  for (let one = 0; one < tries; one += 1) {
    try {
      await consume();
      granted += 1;
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
    }
  }
  return granted;
};

test('limits › given one daemon › a caller has all of it, and no more, for a few commits', async (t) => {
  const { world, store } = openStore();
  const limit = createSharedLimit(300, store);
  t.is(await grants(() => limit('alice', 1), 400), 300);
  t.is(await grants(() => limit('bob', 1), 10), 10);
  t.true(world.commits <= 22, String(world.commits));
});

test('limits › given three daemons › a caller of all of them has no more than of one, and hardly less', async (t) => {
  const { store } = openStore();
  const limits = [1, 2, 3].map(() => createSharedLimit(300, store));
  let turn = 0;
  const granted = await grants(() => limits[(turn += 1) % 3]?.('alice', 1) ?? Promise.resolve(), 2_000);
  t.true(granted <= 300 && granted >= 270, String(granted));
  // Also where all of it is asked for at one of them.
  const [first, second] = limits;
  t.is(await grants(() => first?.('bob', 1) ?? Promise.resolve(), 400), 300);
  t.is(await grants(() => second?.('bob', 1) ?? Promise.resolve(), 400), 0);
});

test('limits › given amounts of many sizes › what is counted is never less than what was given', async (t) => {
  const { store } = openStore();
  const limits = [createSharedLimit(1_000, store), createSharedLimit(1_000, store)];
  let given = 0;
  for (let one = 0; one < 200; one += 1) {
    const amount = 1 + ((one * 37) % 90);
    given += amount * (await grants(() => limits[one % 2]?.('alice', amount) ?? Promise.resolve(), 1));
  }
  t.true(given <= 1_000 && given >= 800, String(given));
});

test('limits › given counts that are over › they are cleared away by those that follow', async (t) => {
  const { world, store } = openStore();
  const limit = createSharedLimit(300, store);
  for (let one = 0; one < 50; one += 1) await limit(`caller ${one}`, 1);
  world.now += 61_000;
  for (let one = 0; one < 10; one += 1) await limit(`another ${one}`, 1);
  t.is((await store.find(rateCountCollection)).total, 10);
});

test('limits › given a minute that is over › a caller begins anew', async (t) => {
  const { world, store } = openStore();
  const [first, second] = [createSharedLimit(20, store), createSharedLimit(20, store)];
  t.is(await grants(() => first('alice', 1), 30), 20);
  world.now += 60_000;
  t.is(await grants(() => second('alice', 1), 30), 20);
});

test('limits › given a store that is away › each daemon counts for itself, and nobody is refused for it', async (t) => {
  const { world, store } = openStore();
  const limit = createSharedLimit(300, store);
  world.isAway = true;
  t.is(await grants(() => limit('alice', 1), 400), 300);
});

test('limits › given the limiter of the HTTP face › it answers too_many_requests with when to come again, and tells', async (t) => {
  const { store } = openStore();
  let refused = 0;
  const limits = [1, 2].map(() => createLimiter(2, store, () => (refused += 1)));
  for (const limit of limits) await limit('alice');
  const error = await t.throwsAsync(limits[0]?.('alice') ?? Promise.resolve(), { instanceOf: TreasuryError });
  t.is(error.code, 'too_many_requests');
  t.is(error.details['retryAfter'], 60);
  t.is(refused, 1);
});
