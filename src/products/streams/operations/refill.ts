/** Refilling an open stream: more whole intervals go into its pool. */
import { z } from 'zod';
import { formatUnits, showAmounts, toPositiveUnits } from '../../../bch/amount.js';
import { AmountField } from '../../../bch/fields.js';
import { TreasuryError } from '../../../errors.js';
import { defineMove } from '../../../offer/move.js';
import { kindOf } from '../kinds.js';
import { streams } from '../product.js';
import { checkWholeIntervals } from '../rules.js';
import type { StreamRecord } from '../stream.js';

/** How this stream is refilled. @throws not_refillable */
const refillOf = (stream: StreamRecord) => {
  const { buildRefill } = kindOf(stream);
  if (!stream.refillable || buildRefill === null)
    throw new TreasuryError('not_refillable', { label: stream.stream_id });
  return buildRefill;
};

export const refill = defineMove(streams, 'refill', {
  summary: 'Build the transaction that refills a stream',
  description: 'Only for RECURRING streams that were created refillable. The sender signs it.',
  cli: { example: 'streams refill STREAM-0001 --refill-amount 0.5' },
  auth: 'optional',
  step: 'Put more into an open stream',
  input: { refillAmount: AmountField.describe('Display units; a whole number of intervals') },
  aliases: { amount: 'refillAmount' },
  errors: ['not_refillable', 'invalid_amount'],
  fields: { refillAmount: z.number(), refillAmountOnChain: z.string() },
  check: refillOf,
  build: (spend, { refillAmount }) => {
    const { record: stream } = spend;
    const { stream_id: label, decimals } = stream;
    const amount = toPositiveUnits(refillAmount, decimals, 'refillAmount');
    checkWholeIntervals(stream, amount, 'refillAmount');
    const prompt = `Put ${formatUnits(amount, decimals)} ${spend.unit} into ${label}`;
    const told = showAmounts({ refillAmount: amount }, decimals);
    return { ...refillOf(stream)(spend, amount), prompt, told };
  },
  confirm: {
    event: 'refilled',
    expected: 'a refill',
    message: ({ record }) => `${record.stream_id} is refilled`,
  },
});
