/**
 * Amounts of dollars: `$50` at the price of BCH that an oracle has signed within the last ten minutes.
 *
 * They are the last that is read of an input. A step that an earlier run signed is gone on with as it was written,
 * whatever the price has become since: nobody pays `$50` twice because a rate has moved.
 */
import { BCH_DECIMALS, formatUnits } from '../bch/amount.js';
import { showLocalDate } from '../bch/date.js';
import { isTreasuryError, TreasuryError } from '../errors.js';
import type { Context } from '../operation/context.js';
import type { PriceQuote } from '../operation/ports/price.js';
import type { RawInput } from './gather-input.js';
import { replaceWritten, writtenIn, type Target, type Written } from './written-input.js';

/** A signed price older than this is none, seconds; nor is one that lies so far ahead of the clock. */
const OLDEST_SECONDS = 600;

/** Cents of a decimal text; null when it has fractions of one. */
const centsOf = (decimal: string): bigint | null => {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return fraction.length > 2 ? null : BigInt(whole + fraction.padEnd(2, '0'));
};

/** The satoshis that so many dollars are, rounded down: nobody pays more than was written. */
export const satoshisOfDollars = (cents: bigint, centsPerBch: bigint): bigint =>
  (cents * 10n ** BigInt(BCH_DECIMALS)) / centsPerBch;

type Rate = { readonly centsPerBch: bigint; readonly signedAt: number };

/** @throws rate_unavailable */
const signedRate = async (
  amount: string,
  { price, clock }: Pick<Context, 'price' | 'clock'>,
): Promise<Rate> => {
  const refuse = (found: string) => new TreasuryError('rate_unavailable', { amount, found });
  let quote: PriceQuote;
  try {
    quote = await price.latest();
  } catch (error) {
    if (!isTreasuryError(error) || error.code !== 'price_unavailable') throw error;
    throw refuse('no price source answers');
  }
  if (quote.proof === null) throw refuse('the only price there is has no signature');
  const signedAt = quote.proof.messageTimestamp;
  if (Math.abs(clock.wall() - signedAt) > OLDEST_SECONDS)
    throw refuse(`the newest is of ${showLocalDate(signedAt)}`);
  return { centsPerBch: BigInt(Math.round(quote.usd * 100)), signedAt };
};

const ageOf = (seconds: number): string =>
  seconds < 60 ? `${Math.max(0, seconds)} seconds ago` : `${Math.floor(seconds / 60)} minutes ago`;

type Converted = { readonly value: string; readonly short: string; readonly note: string };

/** @throws invalid_amount */
const convert = ({ text, path: field }: Written, rate: Rate, now: number): Converted => {
  const refuse = (expected: string) => new TreasuryError('invalid_amount', { field, value: text, expected });
  const cents = centsOf(text.slice(1));
  if (cents === null) throw refuse('at most 2 decimals of dollars');
  const satoshis = satoshisOfDollars(cents, rate.centsPerBch);
  if (satoshis === 0n) throw refuse('at least what a satoshi is worth');
  const value = formatUnits(satoshis, BCH_DECIMALS);
  const isExact = satoshis * rate.centsPerBch === cents * 10n ** BigInt(BCH_DECIMALS);
  const short = `${text} is ${value} BCH`;
  const perBch = `${rate.centsPerBch / 100n}.${String(rate.centsPerBch % 100n).padStart(2, '0')}`;
  const rounding = isExact ? '' : ', rounded down to a whole satoshi';
  return {
    value,
    short,
    note: `${short} at ${perBch} USD per BCH, signed ${ageOf(now - rate.signedAt)}${rounding}`,
  };
};

/** True for an amount of dollars, as {@link readWrittenValues} leaves it. */
const isDollars = ({ format, text }: Written): boolean => format === 'amount' && text.startsWith('$');

/** An input in which every amount is one of BCH or a token. */
export type Priced = {
  readonly input: RawInput;
  /** What dollars were taken for, to be agreed to: `$50 is 0.1 BCH`; none where there were none. */
  readonly taken: readonly string[];
  /** The same with the rate and its age. */
  readonly notes: readonly string[];
};

/**
 * Puts BCH in the place of dollars. The price is asked for only where there are some.
 *
 * @throws rate_unavailable, invalid_amount
 */
export const priceDollars = async (
  target: Target,
  input: RawInput,
  context: Pick<Context, 'price' | 'clock'>,
): Promise<Priced> => {
  const dollars = writtenIn(target, input).filter(isDollars);
  const [first] = dollars;
  if (first === undefined) return { input, taken: [], notes: [] };
  const rate = await signedRate(first.text, context);
  const converted = new Map(
    dollars.map((written) => [written.path, convert(written, rate, context.clock.wall())] as const),
  );
  const all = [...converted.values()];
  return {
    input: replaceWritten(target, input, ({ path, text }) => converted.get(path)?.value ?? text),
    taken: [...new Set(all.map(({ short }) => short))],
    notes: [...new Set(all.map(({ note }) => note))],
  };
};
