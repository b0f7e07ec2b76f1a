/** What is worth claiming: whether an amount is more than the fee of taking it, so that schedules lose no money. */
import { z } from 'zod';
import { BCH_DECIMALS, displayNumber, showNumber, toUnits, type WrittenAmount } from '../bch/amount.js';
import { sumSatoshis } from '../bch/coins.js';
import { BchField } from '../bch/fields.js';
import { PAYOUT_DUST } from '../bch/transaction.js';
import { isTreasuryError } from '../errors.js';
import type { LeftOut, ViewBlock, Worth } from '../operation/define.js';

/** Twice the fee: half of what is taken then stays. */
const TIMES_FEE = 2n;

export const MinimumField = BchField.optional().describe(
  'BCH: what is worth less is left out. Default twice the fee of its claim; 0 leaves nothing out. Tokens are never left out',
);

/** Satoshis by label; null: not known, as when there is no coin to pay it with. */
export const FeesField = z
  .record(z.string(), z.number().nullable())
  .describe('Satoshis that each claim costs, by label; null: not known');

export const LeftOutField = z
  .object({
    count: z.number(),
    amount: z.number().describe('All of it, BCH'),
    amountOnChain: z.string(),
    labels: z.array(z.string()),
  })
  .describe('What could be claimed and is worth less than the least');

/** Something that can be claimed: what there is of it, and the transaction that would take all of it. */
type Candidate<T> = {
  readonly item: T;
  readonly label: string;
  readonly worth: Omit<Worth, 'fee'>;
  readonly build: () => Promise<{ readonly fee: bigint }>;
};

const isNamed = (error: unknown, codes: readonly string[]): boolean =>
  isTreasuryError(error) && codes.includes(error.code);

/** What the claim costs; null: not known. `tiny`: nobody could pay it out. @throws what reading the chain throws */
const feeOf = async ({ build }: Pick<Candidate<unknown>, 'build'>): Promise<bigint | null | 'tiny'> => {
  try {
    return (await build()).fee;
  } catch (error) {
    if (isNamed(error, ['amount_below_dust'])) return 'tiny';
    if (isNamed(error, ['insufficient_funds', 'store_conflict'])) return null;
    throw error;
  }
};

const isWorth = ({ units, category, fee }: Worth, least: bigint | null): boolean =>
  category !== null || units >= (least ?? (fee === null ? PAYOUT_DUST : fee * TIMES_FEE));

/** What is worth claiming of some candidates, in their order, with its fee; and what is left. */
export type Sorted<T> = {
  readonly worth: readonly (Pick<Candidate<T>, 'item' | 'label'> & { readonly fee: bigint | null })[];
  readonly leftOut: z.output<typeof LeftOutField>;
};

/**
 * Sorts out what is worth less than the least that is asked for, or than twice its fee.
 *
 * @param min display BCH
 * @throws invalid_amount, and what reading the chain throws
 */
export const sortByWorth = async <T>(
  candidates: readonly Candidate<T>[],
  min: WrittenAmount | undefined,
): Promise<Sorted<T>> => {
  const least = min === undefined ? null : toUnits(min, BCH_DECIMALS, 'min');
  const worth: Sorted<T>['worth'][number][] = [];
  const left: { readonly label: string; readonly satoshis: bigint }[] = [];
  for (const candidate of candidates) {
    const { item, label } = candidate;
    const fee = await feeOf(candidate);
    if (fee !== 'tiny' && isWorth({ ...candidate.worth, fee }, least)) worth.push({ item, label, fee });
    else left.push({ label, satoshis: candidate.worth.units });
  }
  const amount = sumSatoshis(left);
  return {
    worth,
    leftOut: {
      count: left.length,
      amount: displayNumber(amount, BCH_DECIMALS),
      amountOnChain: amount.toString(),
      labels: left.map(({ label }) => label),
    },
  };
};

/** The fees of a reply: see {@link FeesField}. */
export const showFees = ({ worth }: Sorted<unknown>): Record<string, number | null> =>
  Object.fromEntries(worth.map(({ label, fee }) => [label, fee === null ? null : Number(fee)]));

/** What was left alone, in a sentence. */
export const tellLeftOut = ({ count, amount }: LeftOut): string => {
  const [are, them] = count === 1 ? ['is', 'it'] : ['are', 'them'];
  return `${count} more ${are} left alone, ${showNumber(amount)} BCH in all: worth less than twice the fee, or than --min. --min 0 takes ${them} too.`;
};

/** That sentence under a list; nothing where nothing was left alone. */
export const viewLeftOut = (leftOut: LeftOut): readonly ViewBlock[] =>
  leftOut.count === 0 ? [] : [{ kind: 'text', text: tellLeftOut(leftOut) }];

/** What claiming of a record moves, with the fee of its label in a reply. */
export const worthOf = (
  {
    token_category: category,
    decimals,
  }: { readonly token_category: string | null; readonly decimals: number },
  units: bigint,
  fee: number | null = null,
): Worth => ({ units, category, decimals, fee: fee === null ? null : BigInt(fee) });
