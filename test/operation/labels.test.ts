import test from 'ava';
import { nextLabel, normaliseLabel } from '../../src/operation/labels.js';
import { openMemoryStore } from './fake-context.js';

test('labels › given an empty store › they count from 1', async (t) => {
  const store = openMemoryStore([]);
  const labels = await store.transaction((writer) => [
    nextLabel(writer, 'REWARD'),
    nextLabel(writer, 'REWARD'),
  ]);
  t.deepEqual(labels, ['#REWARD-0001', '#REWARD-0002']);
});

test('labels › given another kind › it has its own counter', async (t) => {
  const store = openMemoryStore([]);
  await store.transaction((writer) => nextLabel(writer, 'REWARD'));
  t.is(await store.transaction((writer) => nextLabel(writer, 'STREAM')), '#STREAM-0001');
});

test('labels › given a change that failed › its number is given again', async (t) => {
  const store = openMemoryStore([]);
  await t.throwsAsync(
    store.transaction((writer) => {
      nextLabel(writer, 'PAY');
      throw new Error('no');
    }),
  );
  t.is(await store.transaction((writer) => nextLabel(writer, 'PAY')), '#PAY-0001');
});

test('labels › given ten thousand of them › the number grows longer', async (t) => {
  const store = openMemoryStore([]);
  const label = await store.transaction((writer) => {
    for (let count = 1; count < 10_000; count += 1) writer.next('label-BUDGET');
    return nextLabel(writer, 'BUDGET');
  });
  t.is(label, '#BUDGET-10000');
});

for (const text of ['#REWARD-0001', 'REWARD-0001', 'reward-0001', ' #Reward-0001 ']) {
  test(`labels › given "${text}" › it is #REWARD-0001`, (t) => {
    t.is(normaliseLabel(text), '#REWARD-0001');
  });
}
