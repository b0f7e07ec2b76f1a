import test from 'ava';
import {
  findPendingStep,
  pendingStepCollection,
  removePendingStepsOf,
  savePendingStep,
  type PendingStep,
} from '../../src/record/pending-steps.js';
import { openMemoryStore } from '../operation/fake-context.js';

const step = (txid: string): PendingStep => ({
  id: '11'.repeat(32),
  subject: '22'.repeat(32),
  operation: 'streams.claim',
  caller: 'bchtest:qq',
  transaction: '00',
  txid,
  confirm_input: {},
  created_at: 0,
});

test('pending steps › given a step that another process put in the place of a confirmed one › it is not forgotten with that', async (t) => {
  const store = openMemoryStore([pendingStepCollection]);
  const [before, after] = [step('33'.repeat(32)), step('44'.repeat(32))];
  await savePendingStep(store, before);
  const slow: typeof store = {
    ...store,
    transaction: async (change) => {
      await store.transaction((writer) => {
        writer.put(pendingStepCollection, after);
      });
      return store.transaction(change);
    },
  };
  await removePendingStepsOf(slow, before.txid);
  t.deepEqual(await findPendingStep(store, after.id), after);
});

test('pending steps › given a transaction that was confirmed another way › its step is forgotten', async (t) => {
  const store = openMemoryStore([pendingStepCollection]);
  const { id, txid } = step('33'.repeat(32));
  await savePendingStep(store, step(txid));
  await removePendingStepsOf(store, txid);
  t.is(await findPendingStep(store, id), null);
});
