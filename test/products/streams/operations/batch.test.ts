import test from 'ava';
import { alice, bob, carol, dave, mallory } from '../../../../fixtures/people.js';
import { streamCollection, batchCollection } from '../../../../src/products/streams/index.js';
import { openTreasury, TEST_TIME, type Treasury } from '../../../treasury.js';
import { advance, DAY, handleOf, tokenTerms, type Json } from '../stream.js';
import { createVault } from '../vault.js';

const START = TEST_TIME - 3_600;

/** One row of each type. */
const mixedRows = (treasury: Treasury): Json[] => {
  const to = (who: typeof bob) => ({ recipient: treasury.addressOf(who).text, startTime: START });
  return [
    { ...to(bob), totalAmount: '0.01', streamType: 'LINEAR', endTime: START + 100 * DAY },
    { ...to(carol), totalAmount: 0.01, scheduleTemplate: 'step-monthly' },
    { ...to(dave), totalAmount: '0.01', scheduleTemplate: 'hybrid-upfront-linear' },
    { ...to(bob), totalAmount: '0.01', scheduleTemplate: 'tranche-backweighted', description: '=1+1' },
    { ...to(carol), totalAmount: '0.06', scheduleTemplate: 'recurring-monthly' },
    { ...to(dave), totalAmount: '0.06', scheduleTemplate: 'recurring-open-monthly' },
  ];
};

const ask = (treasury: Treasury, vaultId: string, entries: readonly unknown[], extra: Json = {}) =>
  treasury.ask(alice, 'streams.batch-create', {
    vaultId,
    senderAddress: treasury.addressOf(alice).text,
    entries,
    ...extra,
  });

const confirm = (treasury: Treasury, vaultId: string, batchId: unknown, txHash: string, extra: Json = {}) =>
  treasury.ask(null, 'streams.confirm-batch', { vaultId, batchId, txHash, ...extra });

test('a batch of every type is funded by one transaction with one genesis coin, and each stream lives by itself', async (t) => {
  const treasury = await openTreasury(t);
  const vaultId = await createVault(treasury);
  await treasury.give(alice, 50_000_000n);
  const launchContext = { source: 'dao', title: 'Contributors of June' };
  const built = await ask(treasury, vaultId, mixedRows(treasury), { launchContext });
  t.like(built, { success: true, batch: { status: 'PENDING', count: 6, active: 0, total_amount: 0.16 } });
  const ids = built['streamIds'] as string[];
  const txHash = await treasury.send(alice, built['wcTransaction']);
  const confirmed = await confirm(treasury, vaultId, built['batchId'], txHash, { streamIds: ids });
  t.like(confirmed, { status: 'ACTIVE', state: 'confirmed', batch: { active: 6, tx_hash: txHash } });

  const threads = (confirmed['streams'] as Json[]).map(({ thread }) => thread as Json);
  t.is(new Set(threads.map(({ category }) => category)).size, 1);
  t.is(new Set(threads.map(({ vout }) => vout)).size, 6);
  t.deepEqual(await confirm(treasury, vaultId, built['batchId'], txHash), confirmed);

  await advance(treasury, 100 * DAY);
  for (const [index, who] of [bob, carol, dave, bob, carol, dave].entries()) {
    const stream = handleOf(treasury, ids[index] ?? '');
    const { claimable_amountOnChain } = await stream.shown();
    const before = await treasury.satoshisOf(who);
    await stream.move(who, 'claim');
    const got = (await treasury.satoshisOf(who)) - before;
    t.true(got > BigInt(String(claimable_amountOnChain)) - 4_000n, `stream ${index}`);
  }
  const run = await treasury.ask(alice, 'streams.batch-run', { id: built['batchId'] });
  t.like(run, { batch: { active: 5, completed: 1, launch_context: launchContext } });
});

test('a batch in tokens has one reserve for each stream', async (t) => {
  const treasury = await openTreasury(t);
  const vaultId = await createVault(treasury);
  const { category } = await tokenTerms(treasury);
  await treasury.give(alice, 50_000_000n);
  const entries = [bob, carol, dave].map((who) => ({
    recipient: treasury.addressOf(who).text,
    totalAmount: '30.00',
    streamType: 'LINEAR',
    startTime: START,
    endTime: START + 10 * DAY,
  }));
  const built = await ask(treasury, vaultId, entries, { tokenType: 'CASHTOKENS', tokenCategory: category });
  const txHash = await treasury.send(alice, built['wcTransaction']);
  await confirm(treasury, vaultId, built['batchId'], txHash);
  await advance(treasury, 11 * DAY);
  for (const [index, who] of [bob, carol, dave].entries()) {
    await treasury.give(who, 100_000n);
    await handleOf(treasury, (built['streamIds'] as string[])[index] ?? '').move(who, 'claim');
    t.is(await treasury.tokensOf(who, category), 3_000n);
  }
});

test('every bad row is reported with its number, whether its form or its terms are bad, and nothing is stored', async (t) => {
  const treasury = await openTreasury(t);
  const vaultId = await createVault(treasury);
  await treasury.give(alice, 50_000_000n);
  const [linear, step, ...rest] = mixedRows(treasury);
  const entries = [
    { ...linear, recipient: 'nobody' },
    step,
    { ...linear, endTime: START - 5 },
    'text',
    { ...linear, totalAmount: '0.000000001' },
    { ...step, scheduleTemplate: 'no-such' },
    ...rest,
  ];
  const input = { vaultId, senderAddress: treasury.addressOf(alice).text, entries };
  const error = await treasury.refusal(t, alice, 'streams.batch-create', input, 'invalid_input');
  const issues = error.details['issues'] as { path: string; row: number }[];
  t.deepEqual(
    issues.map(({ path, row }) => [row, path]),
    [
      [1, 'entries.0.recipient'],
      [3, 'entries.2.endTime'],
      [4, 'entries.3'],
      [5, 'entries.4.totalAmount'],
      [6, 'entries.5.scheduleTemplate'],
    ],
  );
  const { store } = treasury.app.context;
  t.is((await store.find(streamCollection)).total + (await store.find(batchCollection)).total, 0);
});

test('more rows than one transaction holds are refused with how many it holds', async (t) => {
  const treasury = await openTreasury(t);
  const vaultId = await createVault(treasury);
  const entries = Array<Json>(2_000).fill({});
  const input = { vaultId, senderAddress: treasury.addressOf(alice).text, entries };
  const error = await treasury.refusal(t, alice, 'streams.batch-create', input, 'batch_too_large');
  t.true(Number(error.details['maximum']) > 500);
});

test('a batch that is not funded is funded through any of its streams, all of them together', async (t) => {
  const treasury = await openTreasury(t);
  const vaultId = await createVault(treasury);
  await treasury.give(alice, 50_000_000n);
  const built = await ask(treasury, vaultId, mixedRows(treasury));
  const [first = '', second = ''] = built['streamIds'] as string[];
  const funding = await treasury.ask(null, 'streams.funding-info', { id: second });
  t.like(funding, { fundingInfo: { streams: 6, amount: 0.16 } });
  const txHash = await treasury.send(alice, funding['wcTransaction']);
  await treasury.ask(null, 'streams.confirm-funding', { id: first, txHash });
  const { store } = treasury.app.context;
  const statuses = await Promise.all(
    (built['streamIds'] as string[]).map(async (id) => (await store.get(streamCollection, id))?.status),
  );
  t.deepEqual([...new Set(statuses)], ['ACTIVE']);
  t.like(await confirm(treasury, vaultId, built['batchId'], txHash), { batch: { active: 6 } });
});

test('a transaction that funds all but one stream activates none', async (t) => {
  const treasury = await openTreasury(t);
  const vaultId = await createVault(treasury);
  // A coin for each: the second is not built from the one that waits for the first.
  await treasury.give(alice, 50_000_000n);
  await treasury.give(alice, 50_000_000n);
  const built = await ask(treasury, vaultId, mixedRows(treasury));
  const other = await ask(treasury, vaultId, mixedRows(treasury).slice(1));
  const txHash = await treasury.send(alice, other['wcTransaction']);
  const input = { vaultId, batchId: built['batchId'], txHash };
  const error = await treasury.refusal(t, alice, 'streams.confirm-batch', input, 'tx_mismatch');
  t.is(error.details['state'], 'failed');
  t.like(await treasury.ask(alice, 'streams.batch-run', { id: built['batchId'] }), {
    batch: { status: 'PENDING', active: 0 },
  });
  const wrong = { ...input, batchId: other['batchId'], streamIds: ['x'] };
  await treasury.refusal(t, alice, 'streams.confirm-batch', wrong, 'tx_mismatch');
});

test('a run is exported as CSV that cannot carry a formula, and as JSON', async (t) => {
  const treasury = await openTreasury(t);
  const vaultId = await createVault(treasury);
  await treasury.give(alice, 50_000_000n);
  const built = await ask(treasury, vaultId, mixedRows(treasury));
  const csv = await treasury.ask(alice, 'streams.export', { id: built['batchId'] });
  const lines = String(csv['text']).split('\r\n');
  t.is(lines.length, 8);
  t.regex(lines[0] ?? '', /^label,id,status,type,/);
  t.regex(lines[4] ?? '', /,"'=1\+1",/);
  const json = await treasury.ask(alice, 'streams.export', { id: built['batchId'], format: 'json' });
  t.is((json['streams'] as Json[]).length, 6);
});

test('who may launch and who may read: others than the sender, and a private vault', async (t) => {
  const treasury = await openTreasury(t);
  const vaultId = await createVault(treasury, { isPublic: false });
  await treasury.give(alice, 50_000_000n);
  const entries = mixedRows(treasury).slice(0, 1);
  const input = { vaultId, senderAddress: treasury.addressOf(alice).text, entries };
  await treasury.refusal(t, mallory, 'streams.batch-create', input, 'caller_mismatch');
  const strange = { ...input, senderAddress: treasury.addressOf(mallory).text };
  await treasury.refusal(t, mallory, 'streams.batch-create', strange, 'private_vault');

  const built = await ask(treasury, vaultId, entries);
  const [id = ''] = built['streamIds'] as string[];
  await treasury.refusal(t, mallory, 'streams.show', { id }, 'private_vault');
  await treasury.refusal(t, mallory, 'streams.batch-run', { id: built['batchId'] }, 'private_vault');
  for (const [who, total] of [
    [mallory, 0],
    [null, 0],
    [bob, 1],
    [alice, 1],
  ] as const) {
    t.is((await treasury.ask(who, 'streams.list', { treasury: true }))['total'], total);
    t.is((await treasury.ask(who, 'streams.activity'))['total'], total);
  }
  t.is((await treasury.ask(mallory, 'streams.batch-runs'))['total'], 0);
  t.is((await treasury.ask(alice, 'streams.batch-runs', { vaultId }))['total'], 1);
});
