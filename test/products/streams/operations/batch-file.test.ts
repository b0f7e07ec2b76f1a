import { readFileSync } from 'node:fs';
import test from 'ava';
import { alice, bob, mallory } from '../../../../fixtures/people.js';
import { batchCollection, streamCollection } from '../../../../src/products/streams/index.js';
import { openTreasury, type Treasury } from '../../../treasury.js';
import { tokenTerms, type Json } from '../stream.js';
import { createVault } from '../vault.js';

const TEAM = readFileSync('fixtures/team.csv', 'utf8');
const HEADER = 'recipient,amount,type,start,end,interval';

/** A treasury with a vault and money, and what asks for a batch from a file. */
const openBatch = async (t: Parameters<typeof openTreasury>[0]) => {
  const treasury = await openTreasury(t);
  const vaultId = await createVault(treasury);
  await treasury.give(alice, 50_000_000n);
  const inputOf = (file: string, extra: Json = {}): Json => ({
    vaultId,
    senderAddress: treasury.addressOf(alice).text,
    file,
    ...extra,
  });
  return { treasury, vaultId, inputOf };
};

const stored = async ({ app }: Treasury): Promise<number> =>
  (await app.context.store.find(streamCollection)).total +
  (await app.context.store.find(batchCollection)).total;

test('a CSV of every type is created, funded and confirmed', async (t) => {
  const { treasury, vaultId, inputOf } = await openBatch(t);
  const built = await treasury.ask(alice, 'streams.batch-create', inputOf(TEAM));
  t.like(built, { batch: { count: 5, total_amount: 0.2 } });
  const streams = built['streams'] as Json[];
  t.deepEqual(
    streams.map(({ stream_type, description }) => [stream_type, description]),
    [
      ['LINEAR', 'Design, first half'],
      ['STEP', 'Says "monthly", on two\nlines'],
      ['HYBRID', '=1+1'],
      ['TRANCHE', 'Two milestones'],
      ['RECURRING', ''],
    ],
  );
  t.like(streams[1], { start_time: 1_780_272_000, interval_seconds: 2_592_000 });
  const txHash = await treasury.send(alice, built['wcTransaction']);
  const confirmed = await treasury.ask(null, 'streams.confirm-batch', {
    vaultId,
    batchId: built['batchId'],
    txHash,
  });
  t.like(confirmed, { batch: { active: 5 } });
});

test('a dry run gives a verdict on every row, builds the transaction, and stores nothing', async (t) => {
  const { treasury, inputOf } = await openBatch(t);
  const checked = await treasury.ask(alice, 'streams.check-batch', inputOf(TEAM));
  t.like(checked, { success: true, good: 5, refused: 0 });
  t.truthy(checked['wcTransaction']);
  t.like((checked['rows'] as Json[])[1], {
    row: 2,
    verdict: 'good',
    stream_type: 'STEP',
    total_amountOnChain: '6000000',
  });
  t.is(await stored(treasury), 0);
});

const badFile = (treasury: Treasury): string => {
  const to = treasury.addressOf(bob).text;
  return [
    HEADER,
    `${to},1,STEP,2026-06-01,,30d`,
    `${to},0.01,LINEAR,,,`,
    `nobody,=1+1,LINEAR,,,`,
    `${to},0.01,LINEAR,2026-07-01T00:00:00Z,2026-06-30T00:00:00Z,`,
  ].join('\n');
};

const BAD = [
  [1, 'start'],
  [3, 'recipient'],
  [3, 'amount'],
  [4, 'end'],
];

test('every bad row of a CSV is reported by row and column: bad cells, bad fields and bad terms together', async (t) => {
  const { treasury, inputOf } = await openBatch(t);
  const input = inputOf(badFile(treasury));
  const error = await treasury.refusal(t, alice, 'streams.batch-create', input, 'invalid_input');
  const issues = error.details['issues'] as { path: string; row: number }[];
  t.deepEqual(
    issues.map(({ path, row }) => [row, path]),
    BAD.map(([row, column]) => [row, `entries.${Number(row) - 1}.${column}`]),
  );
  t.is(await stored(treasury), 0);
});

test('a dry run of bad rows says which are good and which are not', async (t) => {
  const { treasury, inputOf } = await openBatch(t);
  const checked = await treasury.ask(alice, 'streams.check-batch', inputOf(badFile(treasury)));
  t.like(checked, { success: false, code: 'invalid_input', good: 1, refused: 3, wcTransaction: null });
  const rows = checked['rows'] as { row: number; verdict: string; issues: Json[] }[];
  t.deepEqual(
    rows.map(({ verdict }) => verdict),
    ['refused', 'good', 'refused', 'refused'],
  );
  t.deepEqual(
    rows.flatMap(({ row, issues }) => issues.map(({ path }) => [row, path])),
    BAD,
  );
});

test('JSON is the entries, or a whole body whose asset counts', async (t) => {
  const { treasury, inputOf } = await openBatch(t);
  const { category } = await tokenTerms(treasury);
  const entries = [
    { recipient: treasury.addressOf(bob).text, totalAmount: '3', scheduleTemplate: 'linear-open' },
  ];
  const check = (document: unknown, extra: Json = {}) =>
    treasury.ask(alice, 'streams.check-batch', inputOf(JSON.stringify(document), extra));
  const total = (reply: Json) => (reply['rows'] as Json[])[0]?.['total_amountOnChain'];
  await treasury.give(alice, 500_000_000n);
  t.is(total(await check(entries)), '300000000');
  const body = { tokenType: 'CASHTOKENS', tokenCategory: category, entries };
  t.is(total(await check(body)), '300');
  t.is(total(await check(body, { tokenType: 'FUNGIBLE_TOKEN' })), '300');
});

test('a file that says something else than the request, or something unknown, is refused', async (t) => {
  const { treasury, inputOf } = await openBatch(t);
  const entries = [
    { recipient: treasury.addressOf(bob).text, totalAmount: '1', scheduleTemplate: 'linear-open' },
  ];
  const other = treasury.addressOf(mallory).text;
  const refused = (document: unknown, code: 'invalid_input' | 'caller_mismatch', extra: Json = {}) =>
    treasury.refusal(t, alice, 'streams.check-batch', inputOf(JSON.stringify(document), extra), code);
  const category = 'ab'.repeat(32);
  const inTokens = { tokenType: 'CASHTOKENS', tokenCategory: category, entries };
  await refused(inTokens, 'invalid_input', { tokenType: 'BCH' });
  await refused({ ...inTokens, asset: 'x' }, 'invalid_input');
  await refused({ entries, senderAddress: other }, 'caller_mismatch');
  await refused(entries, 'invalid_input', { entries });
  await refused([], 'invalid_input');
  const none = inputOf('', {});
  await treasury.refusal(t, alice, 'streams.check-batch', { ...none, file: undefined }, 'invalid_input');
  await treasury.refusal(t, alice, 'streams.check-batch', none, 'invalid_file');
  await treasury.refusal(t, alice, 'streams.check-batch', inputOf('[1,'), 'invalid_file');
});
