/** The push minimum as requests have it. */
import { toUnits, type WrittenAmount } from '../bch/amount.js';
import { AmountField } from '../bch/fields.js';
import type { Asset } from '../record/assets.js';

export const PushMinimumField = AmountField.nullish().describe(
  'Lets anybody push what is due to the recipient, at their own cost: the least that a push pays, display units; 0 or left out: nobody',
);

/** The least that a push pays, smallest unit; 0: nobody pushes. @throws invalid_amount */
export const pushMinimumOf = (
  { pushMinimum }: { readonly pushMinimum?: WrittenAmount | null | undefined },
  { decimals, maximum }: Pick<Asset, 'decimals' | 'maximum'>,
): bigint => (pushMinimum == null ? 0n : toUnits(pushMinimum, decimals, 'pushMinimum', maximum));
