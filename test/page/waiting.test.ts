/** What waits for whoever reads, of the lists that are theirs. */
import test from 'ava';
import type { Block, Reply } from '../../src/page/replies.js';
import { sumsOf, sumText, takeable } from '../../src/page/pages/waiting.js';

const ANN = 'bchtest:qann';

const table = (column: string, cells: readonly string[]): Block => ({
  kind: 'table',
  head: [
    { title: 'Label', kind: 'text', rank: 0 },
    { title: column, kind: 'amount', rank: 1 },
  ],
  rows: cells.map((cell, index) => [`#${index}`, cell]),
});

const streams: Reply = {
  success: true,
  streams: [
    {
      stream_id: '#STREAM-0003',
      recipient: ANN,
      decimals: 2,
      claimable_amountOnChain: '39451',
      own_label: null,
    },
    { stream_id: '#STREAM-0002', recipient: ANN, decimals: 8, claimable_amountOnChain: '0', own_label: null },
    {
      stream_id: '#STREAM-0001',
      recipient: ANN,
      decimals: 8,
      claimable_amountOnChain: '10',
      own_label: 'Pay',
    },
  ],
  view: [table('Total', ['500 GEMS', '1 BCH', '1 BCH'])],
};
const plans: Reply = {
  success: true,
  plans: [
    {
      budget_id: '#BUDGET-0001',
      recipient: ANN,
      decimals: 8,
      releasable_amountOnChain: '5',
      own_label: null,
    },
  ],
  view: [table('Budget', ['0.6 BCH'])],
};

test('what can be taken is told with its unit, its step, and by whom', (t) => {
  const found = takeable({ streams, payments: null, plans });
  t.deepEqual(
    found.map(({ label, own, sum }) => [label, own, sumText(sum)]),
    [
      ['#STREAM-0003', null, '394.51 GEMS'],
      ['#STREAM-0001', 'Pay', '0.0000001 BCH'],
      ['#BUDGET-0001', null, '0.00000005 BCH'],
    ],
  );
  t.like(found[0]?.step, {
    build: { path: '/api/streams/STREAM-0003/claim', body: { recipientAddress: ANN } },
    confirm: '/api/streams/STREAM-0003/confirm-claim',
    command: 'streams claim STREAM-0003',
    page: '/app/streams/STREAM-0003',
    signer: ANN,
  });
  t.is(found[2]?.step.build.path, '/api/budget-plans/BUDGET-0001/release');
});

test('sums are by what they are in, and exact', (t) => {
  t.deepEqual(sumsOf(takeable({ streams, payments: null, plans })).map(sumText), [
    '394.51 GEMS',
    '0.00000015 BCH',
  ]);
});

test('two tokens of one name are two sums: whoever makes a token calls it what they like', (t) => {
  const row = (token_category: string, decimals: number, claimable_amountOnChain: string) => ({
    stream_id: '#STREAM-0001',
    recipient: ANN,
    token_category,
    decimals,
    claimable_amountOnChain,
  });
  const reply: Reply = {
    success: true,
    streams: [row('aa'.repeat(32), 8, '150000000'), row('bb'.repeat(32), 0, '7')],
    view: [table('Total', ['500 TEAM', '1 TEAM'])],
  };
  const found = takeable({ streams: reply, payments: null, plans: null });
  t.deepEqual(sumsOf(found).map(sumText), ['1.5 TEAM', '7 TEAM']);
});

test('a list that has not come has nothing', (t) => {
  t.deepEqual(takeable({ streams: null, payments: null, plans: null }), []);
});
