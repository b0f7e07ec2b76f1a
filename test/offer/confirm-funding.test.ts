import test from 'ava';
import type { ChainTransaction } from '../../src/bch/transaction.js';
import { TreasuryError } from '../../src/errors.js';
import { confirmFunding } from '../../src/offer/fund.js';
import { fakeContext } from '../operation/fake-context.js';

const MINE = '12'.repeat(32);
const OTHER = '34'.repeat(32);

const funding: ChainTransaction = {
  transaction: { txid: MINE, version: 2, locktime: 0, inputs: [], outputs: [] },
  height: 8,
  blockTime: 1_780_272_000,
};

/** Confirms `MINE` for a record that, followed, says of itself that `txHash` funded it. */
const confirm = (txHash: string | null, found: ChainTransaction | null = funding) => {
  const { chain, ...context } = fakeContext();
  const tip = { height: 10, hash: OTHER, time: 0, medianTimePast: 0 };
  return confirmFunding(
    {
      txHash: MINE,
      follow: () => Promise.resolve({ status: txHash === null ? 'PENDING' : 'ACTIVE', tx_hash: txHash }),
      label: () => '#REWARD-0001',
      funding: 'mint its thread with the whole pool',
    },
    {
      ...context,
      chain: {
        ...chain,
        transaction: () => Promise.resolve(found),
        faultOf: () => Promise.resolve(null),
        tip: () => Promise.resolve(tip),
      },
    },
  );
};

test('confirm funding › given the transaction that funded it › it is confirmed, as deep as it is', async (t) => {
  const { record, transaction, reply } = await confirm(MINE);
  t.is(record.tx_hash, MINE);
  t.is(transaction, funding);
  t.deepEqual(reply, {
    message: '#REWARD-0001 is funded',
    txHash: MINE,
    status: 'ACTIVE',
    state: 'confirmed',
    retryable: false,
    confirmations: 3,
  });
});

test('confirm funding › given one that the chain does not know › it is tx_not_indexed', async (t) => {
  const error = await t.throwsAsync(confirm(null, null), { instanceOf: TreasuryError });
  t.is(error.code, 'tx_not_indexed');
});

for (const [name, txHash, found] of [
  ['one that funds nothing', null, 'a transaction that does not mint its thread with the whole pool'],
  [
    'a record that another one funded',
    OTHER,
    'a transaction that did not fund it: #REWARD-0001 was funded by another',
  ],
] as const) {
  test(`confirm funding › given ${name} › it is tx_mismatch and says so`, async (t) => {
    const error = await t.throwsAsync(confirm(txHash), { instanceOf: TreasuryError });
    t.is(error.code, 'tx_mismatch');
    t.like(error.details, { expected: 'the funding of #REWARD-0001', found, state: 'failed' });
  });
}
