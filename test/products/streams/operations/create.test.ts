import test from 'ava';
import { alice, authority, bob } from '../../../../fixtures/people.js';
import { addressOf } from '../../../../src/bch/address.js';
import { streamCollection } from '../../../../src/products/streams/index.js';
import { TEMPLATES } from '../../../../src/products/streams/templates.js';
import { openTreasury, TEST_TIME, type Treasury } from '../../../treasury.js';
import { chainTime, DAY, terms, type Json } from '../stream.js';

const create = async (treasury: Treasury, extra: Json = {}): Promise<Record<string, Json>> =>
  (await treasury.ask(alice, 'streams.create', {
    recipient: treasury.addressOf(bob).text,
    ...terms,
    ...extra,
  })) as Record<string, Json>;

/** The paths that a creation is refused for. */
const refusedPaths = async (
  treasury: Treasury,
  t: Parameters<Treasury['refusal']>[0],
  extra: Json,
): Promise<string[]> => {
  const input = { recipient: treasury.addressOf(bob).text, ...terms, ...extra };
  const error = await treasury.refusal(t, alice, 'streams.create', input, 'invalid_input');
  return (error.details['issues'] as { path: string }[]).map(({ path }) => path);
};

test('create › given no credentials › it is unauthenticated, whatever the body says', async (t) => {
  const treasury = await openTreasury(t);
  await treasury.refusal(t, null, 'streams.create', {}, 'unauthenticated');
});

test('create › given valid terms › it is PENDING, labelled, and tells what funding must mint', async (t) => {
  const treasury = await openTreasury(t);
  const { stream, deployment } = await create(treasury);
  t.like(stream, {
    status: 'PENDING',
    stream_id: '#STREAM-0001',
    sender: treasury.addressOf(alice).text,
    recipient: treasury.addressOf(bob).text,
    total_amount: 0.1,
    total_amountOnChain: '10000000',
    vested_amount: 0,
    claimable_amount: 0,
    progress_percentage: 0,
    cancelable: true,
    transferable: true,
    vault_id: null,
  });
  t.true(String(deployment?.['contractAddress']).startsWith('bchtest:p'));
  t.like(deployment?.['fundingRequired'], { amount: 0.1, threadDustSatoshis: 1_000 });
  t.is(String(deployment?.['nftCommitment']).length, 80);
  t.is((stream?.['constructor_params'] as string[] | undefined)?.length, 6);
});

test('create › given a type and an amount only › it starts now and lasts a year', async (t) => {
  const treasury = await openTreasury(t);
  const input = { recipient: treasury.addressOf(bob).text, totalAmount: 1, streamType: 'LINEAR' };
  const { stream } = (await treasury.ask(alice, 'streams.create', input)) as Record<string, Json>;
  const now = await chainTime(treasury);
  t.like(stream, { start_time: now, end_time: now + 365 * DAY });
});

test('create › given a sender that is not the caller › it is caller_mismatch', async (t) => {
  const treasury = await openTreasury(t);
  const to = { recipient: treasury.addressOf(bob).text, ...terms };
  const input = { ...to, sender: treasury.addressOf(bob).text };
  await treasury.refusal(t, alice, 'streams.create', input, 'caller_mismatch');
});

test('create › given a template › every one of them fills in the schedule', async (t) => {
  const treasury = await openTreasury(t);
  const recipient = treasury.addressOf(bob).text;
  for (const template of TEMPLATES) {
    const input = { recipient, totalAmount: '0.12', scheduleTemplate: template.id, startTime: TEST_TIME };
    const { stream } = (await treasury.ask(alice, 'streams.create', input)) as Record<string, Json>;
    t.like(
      stream,
      {
        stream_type: template.streamType,
        schedule_template: template.id,
        end_time: template.refillable ? null : TEST_TIME + template.durationDays * DAY,
        interval_seconds: template.intervalDays === null ? null : template.intervalDays * DAY,
        refillable: template.refillable,
      },
      template.id,
    );
    const tranches = stream?.['tranche_schedule'] as { amountOnChain: string }[] | null;
    const sum = (tranches ?? []).reduce((held, { amountOnChain }) => held + BigInt(amountOnChain), 0n);
    t.is(sum, template.trancheDays === null ? 0n : 12_000_000n, template.id);
  }
});

test('create › given a template and some of the schedule › what is given stands', async (t) => {
  const treasury = await openTreasury(t);
  const { stream } = await create(treasury, {
    streamType: undefined,
    scheduleTemplate: 'linear-cliff',
    endTime: terms.startTime + 200 * DAY,
  });
  t.like(stream, {
    end_time: terms.startTime + 200 * DAY,
    cliff_timestamp: terms.startTime + 90 * DAY,
  });
});

test('create › given an unknown template › it is template_not_found', async (t) => {
  const treasury = await openTreasury(t);
  const input = { recipient: treasury.addressOf(bob).text, totalAmount: 1, scheduleTemplate: 'x' };
  await treasury.refusal(t, alice, 'streams.create', input, 'template_not_found');
});

const start = terms.startTime;
const refusals: readonly (readonly [what: string, extra: Json, path: string])[] = [
  ['no type', { streamType: undefined }, 'streamType'],
  ['a template of another type', { scheduleTemplate: 'step-monthly' }, 'scheduleTemplate'],
  ['an end before the start', { endTime: start - 1 }, 'endTime'],
  ['an end in the past', { endTime: TEST_TIME - 60 }, 'endTime'],
  ['a cliff after the end', { cliffTimestamp: start + 101 * DAY }, 'cliffTimestamp'],
  [
    'a cliff on HYBRID',
    {
      streamType: 'HYBRID',
      hybridUnlockTimestamp: start + DAY,
      hybridUpfrontPercentage: 5,
      cliffTimestamp: start + DAY,
    },
    'cliffTimestamp',
  ],
  ['STEP without an interval', { streamType: 'STEP' }, 'intervalSeconds'],
  [
    'a RECURRING interval that does not divide the duration',
    { streamType: 'RECURRING', intervalSeconds: 7 * DAY },
    'endTime',
  ],
  [
    'a STEP cliff between two steps',
    { streamType: 'STEP', intervalSeconds: 10 * DAY, cliffTimestamp: start + 15 * DAY },
    'cliffTimestamp',
  ],
  ['HYBRID without an unlock', { streamType: 'HYBRID', hybridUpfrontPercentage: 5 }, 'hybridUnlockTimestamp'],
  [
    '100 percent upfront',
    { streamType: 'HYBRID', hybridUnlockTimestamp: start + DAY, hybridUpfrontPercentage: 100 },
    'hybridUpfrontPercentage',
  ],
  [
    'an unlock before the start',
    { streamType: 'HYBRID', hybridUnlockTimestamp: start - 1, hybridUpfrontPercentage: 5 },
    'hybridUnlockTimestamp',
  ],
  ['TRANCHE without tranches', { streamType: 'TRANCHE', endTime: undefined }, 'trancheSchedule'],
  [
    'tranches that do not add up',
    {
      streamType: 'TRANCHE',
      endTime: undefined,
      trancheSchedule: [{ unlockTime: start + 9 * DAY, amount: '0.09' }],
    },
    'trancheSchedule',
  ],
  [
    'tranches out of order',
    {
      streamType: 'TRANCHE',
      endTime: undefined,
      trancheSchedule: [
        { unlockTime: start + 9 * DAY, amount: '0.05' },
        { unlockTime: start + 9 * DAY, amount: '0.05' },
      ],
    },
    'trancheSchedule.1.unlockTime',
  ],
  [
    'an end before the last tranche',
    {
      streamType: 'TRANCHE',
      endTime: start + DAY,
      trancheSchedule: [{ unlockTime: start + 9 * DAY, amount: '0.1' }],
    },
    'endTime',
  ],
  [
    'a RECURRING total that does not divide',
    { streamType: 'RECURRING', intervalSeconds: 25 * DAY, totalAmount: '0.10000001' },
    'totalAmount',
  ],
  [
    'an open stream that cannot be cancelled',
    {
      streamType: 'RECURRING',
      intervalSeconds: DAY,
      refillable: true,
      cancelable: false,
      amountPerInterval: '0.01',
    },
    'cancelable',
  ],
  ['refillable on LINEAR', { refillable: true }, 'refillable'],
];
test('create › given a schedule that breaks a rule › it is refused by the name of the field, and nothing is stored', async (t) => {
  const treasury = await openTreasury(t);
  for (const [what, extra, path] of refusals) {
    t.deepEqual(await refusedPaths(treasury, t, extra), [path], what);
  }
  t.is((await treasury.app.context.store.find(streamCollection)).total, 0);
});

test('create › given several problems › all of them are said', async (t) => {
  const treasury = await openTreasury(t);
  const paths = await refusedPaths(treasury, t, {
    endTime: start - 1,
    refillable: true,
    hybridUpfrontPercentage: 3,
  });
  t.deepEqual(paths, ['hybridUpfrontPercentage', 'refillable', 'endTime']);
});

test('create › given a party that cannot sign, or is the authority › it is refused', async (t) => {
  const treasury = await openTreasury(t);
  const p2sh = addressOf(`aa20${'11'.repeat(32)}87`, 'local')?.text;
  t.deepEqual(await refusedPaths(treasury, t, { recipient: p2sh }), ['recipient']);
  t.deepEqual(await refusedPaths(treasury, t, { recipient: treasury.addressOf(authority).text }), [
    'recipient',
  ]);
});

test('create › given amounts › too many decimals are invalid_amount, and too little BCH is amount_below_dust', async (t) => {
  const treasury = await openTreasury(t);
  const input = { recipient: treasury.addressOf(bob).text, ...terms };
  for (const totalAmount of ['0.000000001', '0', '1,5']) {
    await treasury.refusal(t, alice, 'streams.create', { ...input, totalAmount }, 'invalid_amount');
  }
  const dust = { ...input, totalAmount: '0.00000545' };
  await treasury.refusal(t, alice, 'streams.create', dust, 'amount_below_dust');
});

test('create › given a RECURRING total that does not divide › the error says the nearest one that does', async (t) => {
  const treasury = await openTreasury(t);
  const input = {
    recipient: treasury.addressOf(bob).text,
    ...terms,
    streamType: 'RECURRING',
    intervalSeconds: 25 * DAY,
    totalAmount: '0.10000003',
  };
  const error = await treasury.refusal(t, alice, 'streams.create', input, 'invalid_input');
  t.regex(error.message, /0\.10000004 does/);
});

test('create › given a RECURRING interval that does not divide › the error says the nearest end, and a total that it shares', async (t) => {
  const treasury = await openTreasury(t);
  const input = {
    recipient: treasury.addressOf(bob).text,
    ...terms,
    streamType: 'RECURRING',
    intervalSeconds: 7 * DAY,
    totalAmount: '0.10000003',
  };
  const error = await treasury.refusal(t, alice, 'streams.create', input, 'invalid_input');
  const end = terms.startTime + 14 * 7 * DAY;
  const date = new Date(end * 1000).toISOString().replace('.000', '');
  t.regex(
    error.message,
    new RegExp(`nearest end is ${date}, .* its 14 intervals share equally is 0.10000004`),
  );
  const { stream } = await create(treasury, { ...input, endTime: end, totalAmount: '0.10000004' });
  t.like(stream, { end_time: end, amount_per_interval: 0.00714286 });
});

test('create › given a refillable RECURRING with neither end nor amount an interval › the total is one interval’s, and it is open', async (t) => {
  const treasury = await openTreasury(t);
  const { stream } = await create(treasury, {
    streamType: 'RECURRING',
    endTime: undefined,
    intervalSeconds: 7 * DAY,
    refillable: true,
    totalAmount: '0.0100003',
  });
  t.like(stream, {
    end_time: null,
    interval_seconds: 7 * DAY,
    amount_per_interval: 0.0100003,
    total_amount: 0.0100003,
    refillable: true,
  });
});

test('create › given terms › the funding goes to the contract address, whose token-aware form stands beside it', async (t) => {
  const treasury = await openTreasury(t);
  const { deployment, stream } = await create(treasury);
  const required = deployment?.['fundingRequired'] as Json;
  t.is(required['toAddress'], deployment?.['contractAddress']);
  t.regex(String(required['toTokenAddress']), /^bchtest:r/);
  for (let coin = 0; coin < 2; coin += 1) await treasury.give(alice, 20_000_000n);
  const info = await treasury.ask(alice, 'streams.funding-info', { id: String(stream?.['id']) });
  const { outputs } = info['fundingInfo'] as { outputs: Json[] };
  t.is(outputs[0]?.['address'], required['toTokenAddress']);
  t.is(outputs.at(-1)?.['address'], treasury.addressOf(alice).text);
});
