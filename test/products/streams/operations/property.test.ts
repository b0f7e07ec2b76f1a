/** Random streams, random moves, time moving: what the API shows is what the chain accepts, and one unit more is refused. */
import test from 'ava';
import { alice, authority, bob } from '../../../../fixtures/people.js';
import { parseAddress } from '../../../../src/bch/address.js';
import { spendOf } from '../../../../src/offer/gather-spend.js';
import { kindOf } from '../../../../src/products/streams/kinds.js';
import { streams as product } from '../../../../src/products/streams/product.js';
import { remainingPool } from '../../../../src/products/streams/rules.js';
import { openTreasury, TEST_TIME, type Treasury } from '../../../treasury.js';
import { refusalOf } from '../fixed-stream.js';
import { advance, createStream, DAY, tokenTerms, type Json, type StreamHandle } from '../stream.js';

/** The same numbers in every run. */
const randomNumbers = (seed: number) => () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
  return seed / 2 ** 31;
};

const START = TEST_TIME - 3_600;
const templates = [
  'linear-cliff',
  'step-quarterly-cliff',
  'hybrid-upfront-linear',
  'tranche-performance-ladder',
];

/** Builds a claim of one unit more than is claimable, past the rule that would refuse it. */
const overclaim = async (treasury: Treasury, { id }: StreamHandle, claimable: bigint) => {
  const { context } = treasury.app;
  const stream = await product.follow(id, context);
  const unit = stream.stream_type === 'RECURRING' ? (stream.amount_per_interval ?? 1n) : 1n;
  if (claimable + unit > remainingPool(stream)) return null;
  const to = parseAddress(stream.recipient);
  const spend = await spendOf(product, { record: stream, payer: to }, context);
  return refusalOf(kindOf(stream).buildClaim(spend, { amount: claimable + unit, to }));
};

for (const asset of ['BCH', 'tokens'] as const) {
  test(`in ${asset}, what is claimable is what the chain accepts, and one unit more is refused`, async (t) => {
    const treasury = await openTreasury(t);
    const random = randomNumbers(asset === 'BCH' ? 7 : 8);
    const token = asset === 'BCH' ? {} : (await tokenTerms(treasury)).terms;
    await treasury.give(authority, 1_000_000n);
    await treasury.give(bob, 10_000_000n);
    const streams: StreamHandle[] = [];
    for (const scheduleTemplate of [...templates, 'recurring-monthly']) {
      const isRecurring = scheduleTemplate === 'recurring-monthly';
      const totalAmount = asset === 'BCH' ? '0.06' : isRecurring ? '60' : '97.31';
      const extra: Json = { ...token, totalAmount, scheduleTemplate, startTime: START };
      const stream = await createStream(treasury, { ...extra, streamType: undefined, endTime: undefined });
      await stream.move(alice, 'funding');
      streams.push(stream);
    }

    let checked = 0;
    for (let round = 0; round < 6; round += 1) {
      await advance(treasury, Math.floor(random() * 80 * DAY) + 1);
      for (const stream of streams) {
        const { status, claimable_amountOnChain } = await stream.shown();
        if (status === 'COMPLETED') continue;
        const claimable = BigInt(String(claimable_amountOnChain));
        const refusal = await overclaim(treasury, stream, claimable);
        if (refusal !== null) t.is(refusal, 'tx_script_failed');
        checked += 1;
        if (claimable > 1_000n && random() < 0.6) {
          const before = BigInt(String((await stream.shown())['withdrawn_amountOnChain']));
          await stream.move(bob, 'claim');
          const after = BigInt(String((await stream.shown())['withdrawn_amountOnChain']));
          t.is(after - before, claimable);
        } else if (random() < 0.4) {
          await stream.move(alice, status === 'PAUSED' ? 'resume' : 'pause');
        }
      }
    }
    t.true(checked >= 15);
  });
}
