import test from 'ava';
import { isCounted, nextLabel, normaliseLabel, passLabels } from '../../src/record/labels.js';
import { openMemoryStore } from '../operation/fake-context.js';

const KINDS = new Set(['PAY', 'STREAM']);

test('labels › given an empty store › they count from 1', async (t) => {
  const store = openMemoryStore([]);
  const labels = await store.transaction(async (writer) => [
    await nextLabel(writer, 'REWARD'),
    await nextLabel(writer, 'REWARD'),
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
    store.transaction(async (writer) => {
      await nextLabel(writer, 'PAY');
      throw new Error('no');
    }),
  );
  t.is(await store.transaction((writer) => nextLabel(writer, 'PAY')), '#PAY-0001');
});

test('labels › given ten thousand of them › the number grows longer', async (t) => {
  const store = openMemoryStore([]);
  const label = await store.transaction(async (writer) => {
    for (let count = 1; count < 10_000; count += 1) await writer.next('label-BUDGET');
    return nextLabel(writer, 'BUDGET');
  });
  t.is(label, '#BUDGET-10000');
});

for (const text of ['#REWARD-0001', 'REWARD-0001', 'reward-0001', ' #Reward-0001 ']) {
  test(`labels › given "${text}" › it is #REWARD-0001`, (t) => {
    t.is(normaliseLabel(text), '#REWARD-0001');
  });
}

test('labels › given labels from elsewhere › new ones go on behind them, and never back', async (t) => {
  const store = openMemoryStore([]);
  const next = () => store.transaction((writer) => nextLabel(writer, 'PAY'));
  const pass = (...labels: string[]) =>
    store.transaction(async (writer) => {
      await passLabels(writer, labels, KINDS);
    });
  await pass('#PAY-0007', '#PAY-0003', 'Common funds', '#STREAM-0100');
  t.is(await next(), '#PAY-0008');
  await pass('#PAY-0002');
  t.regex(await next(), /^#PAY-00(09|10)$/);
  t.is(await store.transaction((writer) => nextLabel(writer, 'STREAM')), '#STREAM-0101');
});

test('labels › given a name that is not counted › it is no label', (t) => {
  t.deepEqual(
    ['#PAY-0001', '#PAY-123456', 'PAY-0001', '#PAY-1', '#OTHER-0001', 'Common funds'].map((label) =>
      isCounted(label, KINDS),
    ),
    [true, true, false, false, false, false],
  );
});
