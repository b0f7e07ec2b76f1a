import test from 'ava';
import { TreasuryError } from '../../src/errors.js';
import type { ChainPort } from '../../src/operation/ports/chain.js';
import { withOneLook } from '../../src/operation/one-look.js';
import { fakeContext } from './fake-context.js';

const TIP = { height: 7, hash: '00'.repeat(32), time: 0, medianTimePast: 0 };

/** A context whose chain answers what a test says, and the names of what it was asked. */
const asking = (answers: Partial<ChainPort> = {}) => {
  const asked: string[] = [];
  const looks = new Set<unknown>();
  const note =
    <T>(name: string, answer: () => Promise<T>) =>
    (key?: unknown, look?: unknown): Promise<T> => {
      asked.push(name);
      looks.add(name === 'tip' ? key : look);
      return answer();
    };
  const base = fakeContext();
  const coin = { txid: '11'.repeat(32), vout: 0, satoshis: 1n, lockingBytecode: '51', height: null };
  const context = fakeContext({
    chain: {
      ...base.chain,
      tip: note('tip', answers.tip ?? (() => Promise.resolve(TIP))),
      coins: note('coins', () => Promise.resolve([coin])),
      history: note('history', () => Promise.resolve([])),
      transaction: note('transaction', answers.transaction?.bind(null, '') ?? (() => Promise.resolve(null))),
      broadcast: note('broadcast', () => Promise.resolve('')),
    },
  });
  return { context, asked, looks };
};

test('one look › given the same questions › each is asked once, a history each time', async (t) => {
  const { context, asked, looks } = asking();
  const { chain } = withOneLook(context);
  for (let time = 0; time < 2; time += 1)
    await Promise.all([chain.tip(), chain.tip(), chain.coins('51'), chain.coins('51'), chain.history('51')]);
  t.deepEqual(asked.toSorted(), ['coins', 'history', 'history', 'tip']);
  t.is(looks.size, 1);
});

test('one look › given coins that are sorted away › whoever asks next has them all', async (t) => {
  const { chain } = withOneLook(asking().context);
  (await chain.coins('51')).length = 0;
  t.is((await chain.coins('51')).length, 1);
});

test('one look › given a question that failed › it is asked again', async (t) => {
  let isAway = true;
  const tip = () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve(TIP));
  const { chain } = withOneLook(asking({ tip }).context);
  await t.throwsAsync(chain.tip(), { message: 'away' });
  isAway = false;
  t.deepEqual(await chain.tip(), TIP);
});

test('one look › given a transaction that is not there yet › it is asked for again', async (t) => {
  const { context, asked } = asking();
  const { chain } = withOneLook(context);
  await chain.transaction('22');
  await chain.transaction('22');
  t.deepEqual(asked, ['transaction', 'transaction']);
});

test('one look › given a broadcast › everything is asked anew, in another look', async (t) => {
  const { context, asked, looks } = asking();
  const { chain } = withOneLook(context);
  await Promise.all([chain.tip(), chain.coins('51')]);
  await chain.broadcast('');
  await Promise.all([chain.tip(), chain.coins('51')]);
  t.deepEqual(asked, ['tip', 'coins', 'broadcast', 'tip', 'coins']);
  t.is([...looks].filter((look) => typeof look === 'object').length, 2);
});

test('one look › given somebody who was quicker to write › coins are asked anew; after a write of our own they are not', async (t) => {
  const { context, asked } = asking();
  const { chain, store } = withOneLook(context);
  await chain.coins('51');
  await store.transaction(() => true);
  await chain.coins('51');
  t.deepEqual(asked, ['coins']);
  await store.transaction(() => false);
  await chain.coins('51');
  t.deepEqual(asked, ['coins', 'coins']);
});

test('one look › given a write that met another one › coins are asked anew', async (t) => {
  const { context, asked } = asking();
  const { chain, store } = withOneLook(context);
  await chain.coins('51');
  const conflict = new TreasuryError('store_conflict', { label: '#STREAM-0001' });
  const writing = store.transaction(() => {
    throw conflict;
  });
  t.is(await t.throwsAsync(writing), conflict);
  await chain.coins('51');
  t.deepEqual(asked, ['coins', 'coins']);
});

test('one look › given another one › it shares nothing with the first', async (t) => {
  const { context, asked, looks } = asking();
  await withOneLook(context).chain.tip();
  await withOneLook(context).chain.tip();
  t.deepEqual(asked, ['tip', 'tip']);
  t.is(looks.size, 2);
});
