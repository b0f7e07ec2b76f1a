/** What a send promises: from recipients with display amounts to outputs, or to a whole wallet on its way. */
import { z } from 'zod';
import type { Address } from '../../bch/address.js';
import { BCH_DECIMALS, formatUnits, toPositiveUnits, type WrittenAmount } from '../../bch/amount.js';
import {
  fungibleCoins,
  plainCoins,
  sameOutpoint,
  sumTokens,
  type Coin,
  type Output,
} from '../../bch/coins.js';
import { AddressField, AmountField, TokenCategoryField } from '../../bch/fields.js';
import { MAXIMUM_COINS, TOKEN_CHANGE_SATOSHIS, type PaymentPlan } from '../../bch/payment.js';
import { dustOf } from '../../bch/transaction.js';
import { invalidField, TreasuryError } from '../../errors.js';
import { BCH, tokenAsset, type Asset } from '../../record/assets.js';
import type { StoreReader } from '../../operation/ports/store.js';

const category = TokenCategoryField.describe('Token category, 64 hex digits; BCH is sent without one');

/** Plain coins that may join tokens to pay their fee. */
const FEE_COINS = 10;

export const SendFields = z.object({
  to: AddressField.optional().describe('Who is paid'),
  amount: AmountField.optional().describe('Amount in display units: BCH, or the token of --token-category'),
  tokenCategory: category,
  max: z
    .boolean()
    .default(false)
    .describe(
      'Send all of it instead of an amount: as many coins as one transaction holds, but for those that wait for a funding (see usePinned)',
    ),
  usePinned: z
    .boolean()
    .default(false)
    .describe('Spend coins too that wait for the funding of a record: it takes another one then'),
  outputs: z
    .array(z.object({ to: AddressField, amount: AmountField, tokenCategory: category }))
    .min(1)
    .max(500)
    .optional()
    .describe('Several recipients at once: [{ to, amount, tokenCategory? }], instead of to and amount'),
});
export type SendRequest = z.output<typeof SendFields>;

type Recipient = {
  readonly to: Address;
  readonly amount: WrittenAmount;
  readonly tokenCategory?: string | null | undefined;
  /** Dotted path of the amount in the request. */
  readonly field: string;
};

const assetOf = async (tokenCategory: string | null | undefined, store: StoreReader): Promise<Asset> =>
  tokenCategory === null || tokenCategory === undefined ? BCH : await tokenAsset(tokenCategory, store);

/** @throws invalid_amount, amount_below_dust */
const outputFor = async (
  { to, amount, tokenCategory, field }: Recipient,
  store: StoreReader,
): Promise<Output> => {
  const { lockingBytecode } = to;
  const asset = await assetOf(tokenCategory, store);
  const units = toPositiveUnits(amount, asset.decimals, field, asset.maximum);
  if (asset.category !== null) {
    const token = { category: asset.category, amount: units };
    return { lockingBytecode, satoshis: TOKEN_CHANGE_SATOSHIS, token };
  }
  const output = { lockingBytecode, satoshis: units };
  const minimum = dustOf(output);
  if (units >= minimum) return output;
  throw new TreasuryError('amount_below_dust', {
    field,
    amount: amount.decimal,
    minimum: formatUnits(minimum, BCH_DECIMALS),
  });
};

/** `insufficient_funds` in display units, where the payment itself knows no decimals. */
const checkTokens = async (
  payer: Address,
  coins: readonly Coin[],
  outputs: readonly Output[],
  store: StoreReader,
) => {
  for (const { token } of outputs) {
    if (token === undefined) continue;
    const { decimals, symbol } = await tokenAsset(token.category, store);
    const available = sumTokens(fungibleCoins(coins, token.category), token.category);
    const needed = sumTokens(outputs, token.category);
    if (available >= needed) continue;
    throw new TreasuryError('insufficient_funds', {
      address: payer.text,
      asset: symbol,
      available: formatUnits(available, decimals),
      needed: formatUnits(needed, decimals),
    });
  }
};

/** @throws invalid_input when the request names its recipients in two ways or in none */
const readRecipients = ({ to, amount, tokenCategory, max, outputs }: SendRequest): readonly Recipient[] => {
  if (outputs !== undefined) {
    if (to !== undefined || amount !== undefined || max) {
      throw invalidField('outputs', 'stands instead of to, amount and max: leave these out');
    }
    return outputs.map((output, index) => ({ ...output, field: `outputs.${index}.amount` }));
  }
  if (to === undefined) throw invalidField('to', 'is required, unless outputs says who is paid');
  if (amount === undefined) throw invalidField('amount', 'is required, unless max sends all of it');
  return [{ to, amount, tokenCategory, field: 'amount' }];
};

/**
 * The coins of an asset that sending all of it takes: the largest, if there are more than one transaction holds. Dust
 * that strangers sent then stays behind. Of tokens some fewer, since plain coins pay their fee.
 */
const wholeCoins = (coins: readonly Coin[], tokenCategory: string | null): readonly Coin[] =>
  tokenCategory === null
    ? plainCoins(coins).slice(0, MAXIMUM_COINS)
    : fungibleCoins(coins, tokenCategory).slice(0, MAXIMUM_COINS - FEE_COINS);

/** Coins of the asset of a request that its payment leaves behind. */
export const coinsLeft = (
  { tokenCategory = null }: SendRequest,
  coins: readonly Coin[],
  inputs: readonly Coin[],
): number => {
  const held = tokenCategory === null ? plainCoins(coins) : fungibleCoins(coins, tokenCategory);
  return held.filter((coin) => !inputs.some((input) => sameOutpoint(input, coin))).length;
};

/** Everything there is of one asset. @throws invalid_input, insufficient_funds (no such token) */
const planWhole = async (
  { to, amount, tokenCategory, outputs }: SendRequest,
  payer: Address,
  coins: readonly Coin[],
  store: StoreReader,
): Promise<PaymentPlan> => {
  if (to === undefined || amount !== undefined || outputs !== undefined) {
    throw invalidField('max', 'goes with to, and without amount and outputs');
  }
  const asset = await assetOf(tokenCategory, store);
  if (asset.category === null) {
    return { payer, coins, outputs: [], requiredCoins: wholeCoins(coins, null), changeTo: to };
  }
  const held = wholeCoins(coins, asset.category);
  const token = { category: asset.category, amount: sumTokens(held, asset.category) };
  const output = { lockingBytecode: to.lockingBytecode, satoshis: TOKEN_CHANGE_SATOSHIS, token };
  if (held.length > 0) return { payer, coins, outputs: [output] };
  throw new TreasuryError('insufficient_funds', {
    address: payer.text,
    asset: asset.symbol,
    available: '0',
    needed: 'some',
  });
};

/**
 * The payment that a request asks for.
 *
 * @throws invalid_input, invalid_amount, amount_below_dust, insufficient_funds (in tokens)
 */
export const planSend = async (
  request: SendRequest,
  payer: Address,
  coins: readonly Coin[],
  store: StoreReader,
): Promise<PaymentPlan> => {
  if (request.max) return planWhole(request, payer, coins, store);
  const outputs = await Promise.all(readRecipients(request).map((recipient) => outputFor(recipient, store)));
  await checkTokens(payer, coins, outputs, store);
  return { payer, coins, outputs };
};
