/**
 * Mutants that no transaction can tell from the contract, each with a proof and the space that is searched for a value
 * that contradicts it. The search runs whenever the mutant is met. A mutant that is killed has no place here, and one
 * that is neither killed nor listed fails `npm run mutants`.
 */
import { binToHex, bigIntToVmNumber, isVmNumberError, vmNumberToBigInt } from '@bitauth/libauth';
import type { Mutant } from './mutant.js';

export type Equivalence = {
  /** `contract › function`, or null: wherever the change stands. */
  readonly where: readonly string[] | null;
  /** `was → becomes`. */
  readonly change: string;
  readonly proof: string;
  /** The inputs that are searched. */
  readonly space: string;
  /** Whether the contract and the mutant agree on every input of the space, and how many those are. */
  readonly search: () => { readonly agrees: boolean; readonly inputs: number };
};

const over = <T>(inputs: readonly T[], was: (input: T) => unknown, becomes: (input: T) => unknown) => ({
  agrees: inputs.every((input) => was(input) === becomes(input)),
  inputs: inputs.length,
});

const upTo = (most: number, step = 1): number[] =>
  Array.from({ length: Math.floor(most / step) + 1 }, (_, index) => index * step);

/** 2^n and its neighbours up to a largest number: where an encoding gets longer, or its top bit is set. */
const powers = (largest: bigint): bigint[] => [
  ...new Set(
    [0n, largest, ...Array.from({ length: 64 }, (_, bits) => 1n << BigInt(bits))]
      .flatMap((power) => [power - 1n, power, power + 1n])
      .filter((value) => value >= 0n && value <= largest),
  ),
];

const pairs = (largest: bigint): (readonly [bigint, bigint])[] => {
  const values = powers(largest);
  return values.flatMap((low) => values.filter((high) => low <= high).map((high) => [low, high] as const));
};

/** The bytes of an unsigned integer, lowest first. */
const bytesOf = (value: bigint, size: number): Uint8Array =>
  Uint8Array.from({ length: size }, (_, index) => Number((value >> BigInt(8 * index)) & 0xffn));

/** What a script reads in bytes: OP_BIN2NUM. */
const readNumber = (bytes: Uint8Array): bigint => {
  const number = vmNumberToBigInt(bytes, { maximumVmNumberByteLength: 258, requireMinimalEncoding: false });
  if (isVmNumberError(number)) throw new Error(`${binToHex(bytes)}: ${number}`);
  return number;
};

/** OP_NUM2BIN. */
const writeNumber = (value: bigint, size: number): Uint8Array => {
  const shortest = bigIntToVmNumber(value < 0n ? -value : value);
  const bytes = Uint8Array.from({ length: size }, (_, index) => shortest[index] ?? 0);
  if (value < 0n) bytes[size - 1] = (bytes[size - 1] ?? 0) | 0x80;
  return bytes;
};

const SETTLED = 'due and left from 0 to 3, amounts and pools of 2^n and its neighbours up to 2^63 - 1';

/** What a pause or a cancel settles. */
const settlements = (): { readonly settled: bigint; readonly amount: bigint; readonly pool: bigint }[] => {
  const few = [0n, 1n, 2n, 3n];
  const values = powers(2n ** 63n - 1n);
  const bounds = few.flatMap((due) => few.map((left) => (due < left ? due : left)));
  return values
    .filter((amount) => amount > 0n)
    .flatMap((amount) =>
      values.flatMap((pool) =>
        bounds.map((bound) => ({ settled: bound < pool / amount ? bound : pool / amount, amount, pool })),
      ),
    );
};

/** 21,000,000 BCH. */
const SUPPLY = 2_100_000_000_000_000n;
const LARGEST = 2n ** 63n - 1n;
const COVENANTS = ['reward-campaign', 'budget-plan', 'stream', 'recurring-payment', 'vault'];

const atMost100 = 'counts up to 100, which is more than a contract lets pass';

const counts = (
  atom: string,
  least: number,
  [was, becomes]: readonly [string, string],
  proof: string,
  agree: readonly [(count: number) => boolean, (count: number) => boolean],
): Equivalence => ({
  where: null,
  change: `${atom} ${was} → ${atom} ${becomes}`,
  proof,
  space: `${least} and all ${atMost100}`,
  search: () =>
    over(
      upTo(100).filter((count) => count >= least),
      ...agree,
    ),
});

export const EQUIVALENTS: readonly Equivalence[] = [
  counts('this.activeInputIndex', 0, ['== 0', '<= 0'], 'No index is below 0.', [
    (x) => x === 0,
    (x) => x <= 0,
  ]),
  counts('this.activeInputIndex', 0, ['> 0', '!= 0'], 'No index is below 0.', [(x) => x > 0, (x) => x !== 0]),
  counts('tx.outputs.length', 1, ['> 1', '!= 1'], 'A transaction has an output.', [
    (x) => x > 1,
    (x) => x !== 1,
  ]),
  counts('tx.inputs.length', 1, ['> 1', '!= 1'], 'A transaction has an input.', [
    (x) => x > 1,
    (x) => x !== 1,
  ]),
  {
    where: ['reward-campaign › distribute'],
    change: 'remaining > 0 → remaining != 0',
    proof: 'The check before it, "the amount is within the pool", lets nothing below 0 pass.',
    space: '2^n and its neighbours from 0 to 2^63 - 1',
    search: () =>
      over(
        powers(LARGEST),
        (remaining) => remaining > 0n,
        (remaining) => remaining !== 0n,
      ),
  },
  {
    where: ['recurring-payment › claim', 'recurring-payment › refill'],
    change: 'periods == 0 → periods <= 0',
    proof: 'A term is 0, which is open-ended, or a count: none is below 0 (rule 16).',
    space: '2^n and its neighbours from 0 to 2^31 - 1',
    search: () =>
      over(
        powers(2n ** 31n - 1n),
        (periods) => periods === 0n,
        (periods) => periods <= 0n,
      ),
  },
  {
    where: ['recurring-payment › pause', 'recurring-payment › cancel', 'recurring-payment › push'],
    change: 'periods > 0 → periods != 0',
    proof: 'A term is 0, which is open-ended, or a count: none is below 0 (rule 16).',
    space: '2^n and its neighbours from 0 to 2^31 - 1',
    search: () =>
      over(
        powers(2n ** 31n - 1n),
        (periods) => periods > 0n,
        (periods) => periods !== 0n,
      ),
  },
  ...(
    [
      ['pause', 'amount > 0 → amount != 0', (sum: bigint) => sum !== 0n],
      ['pause', 'amount > 0 → settled > 0', (_: bigint, settled: bigint) => settled > 0n],
      ['push', 'amount > 0 → amount != 0', (sum: bigint) => sum !== 0n],
      ['push', 'amount > 0 → settled > 0', (_: bigint, settled: bigint) => settled > 0n],
      ['cancel', 'owed > 0 → owed != 0', (sum: bigint) => sum !== 0n],
    ] as const
  ).map(([call, change, becomes]): Equivalence => ({
    where: [`recurring-payment › ${call}`],
    change,
    proof:
      'What is settled is the least of three counts, none of them below 0: periods due (a `max` with 0), periods funded (a thread holds its dust, which the genesis audit checks, and no move takes of it), and periods left (a claim beyond the term is refused). An amount per period is above 0 (rule 16), so that the sum has the sign of the count.',
    space: SETTLED,
    search: () =>
      over(
        settlements(),
        ({ settled, amount }) => settled * amount > 0n,
        ({ settled, amount }) => becomes(settled * amount, settled),
      ),
  })),
  {
    where: ['recurring-payment › cancel'],
    change:
      'max(now - int(state.slice(1, 6)) + interval, 0) → max(now - int(state.slice(1, 6)) + interval, -1)',
    proof:
      'Before the first period nothing is owed: 0 becomes -1, which an interval above 1 divides to 0 again, and with an interval of 1 the sum owed is below 0 instead of 0. A cancel reads no more of it than whether it is above 0.',
    space: 'seconds from -5 to 5 beside the due time, intervals from 1 to 5, and 0 to 3 periods funded',
    search: () => {
      const owedOf = (least: number, [late, interval, funded]: readonly number[]): number => {
        const due = Math.trunc(Math.max((late ?? 0) + (interval ?? 1), least) / (interval ?? 1));
        return Math.max(Math.min(due, funded ?? 0), 0);
      };
      const inputs = upTo(10).flatMap((late) =>
        upTo(4).flatMap((more) => upTo(3).map((funded) => [late - 5, more + 1, funded])),
      );
      return over(
        inputs,
        (input) => owedOf(0, input),
        (input) => owedOf(-1, input),
      );
    },
  },
  {
    where: ['recurring-payment › push'],
    change: 'max(now - nextDue + interval, 0) → max(now - nextDue + interval, -1)',
    proof:
      'Before the first period nothing is due: 0 becomes -1, which an interval above 1 divides to 0 again, and with an interval of 1 the amount is below 0 instead of 0. "The amount is positive" refuses both.',
    space: 'seconds from -5 to 5 beside the due time, intervals from 1 to 5, and 0 to 3 periods funded',
    search: () => {
      const isDue = (least: number, [late, interval, funded]: readonly number[]): boolean => {
        const due = Math.trunc(Math.max((late ?? 0) + (interval ?? 1), least) / (interval ?? 1));
        return Math.min(due, funded ?? 0) > 0;
      };
      const inputs = upTo(10).flatMap((late) =>
        upTo(4).flatMap((more) => upTo(3).map((funded) => [late - 5, more + 1, funded])),
      );
      return over(
        inputs,
        (input) => isDue(0, input),
        (input) => isDue(-1, input),
      );
    },
  },
  {
    where: ['recurring-payment › push'],
    change: 'rest > 0 → rest != 0',
    proof:
      'What is paid is a whole number of periods, at most as many as the pool funds: it is never more than the pool.',
    space: SETTLED,
    search: () =>
      over(
        settlements(),
        ({ pool, settled, amount }) => pool - settled * amount > 0n,
        ({ pool, settled, amount }) => pool - settled * amount !== 0n,
      ),
  },
  {
    where: ['recurring-payment › cancel'],
    change: 'owed = 0; → owed = -1;',
    proof: 'A cancel reads no more of the sum owed than whether it is above 0, unless it is.',
    space: 'the one value before and the one after',
    search: () =>
      over(
        [[0, -1]],
        ([was]) => (was ?? 0) > 0,
        ([, becomes]) => (becomes ?? 0) > 0,
      ),
  },
  {
    where: ['recurring-payment › pause'],
    change: 'tokens > 0 → tokens != 0',
    proof:
      'What is paid is a whole number of periods, at most as many as the pool funds: it is never more than the pool.',
    space: SETTLED,
    search: () =>
      over(
        settlements(),
        ({ pool, settled, amount }) => pool - settled * amount > 0n,
        ({ pool, settled, amount }) => pool - settled * amount !== 0n,
      ),
  },
  {
    where: ['recurring-payment › claim'],
    change: 'tokens > 0 → tokens != 0',
    proof:
      'The check before it, "the periods are funded", lets no pool below 0 pass, and `tokens` is 0 or the pool.',
    space: '2^n and its neighbours from 0 to 2^63 - 1',
    search: () =>
      over(
        powers(LARGEST),
        (tokens) => tokens > 0n,
        (tokens) => tokens !== 0n,
      ),
  },
  ...['tokens > 0 → pool > 0', 'tx.outputs[1].tokenAmount == tokens → tx.outputs[1].tokenAmount == pool'].map(
    (change): Equivalence => ({
      where: ['recurring-payment › claim'],
      change,
      proof:
        'Both are read only where the pool is tokens, and there `tokens` was set to `pool`, which changes no more.',
      space: 'the one value that both names have: 2^n and its neighbours from 0 to 2^63 - 1',
      search: () =>
        over(
          powers(LARGEST),
          (pool) => pool,
          (tokens) => tokens,
        ),
    }),
  ),
  {
    where: ['recurring-payment › refill'],
    change: 'added % amountPerPeriod == 0 → added % amountPerPeriod <= 0',
    proof:
      'The check before it, "the pool grows", lets only sums above 0 pass, and an amount is above 0 (rule 16): no remainder is below 0.',
    space:
      'pairs of 2^n and its neighbours from 1 to 2^63 - 1, of which one is the sum and the other the amount',
    search: () =>
      over(
        pairs(LARGEST)
          .filter(([low]) => low > 0n)
          .flatMap(
            ([low, high]) =>
              [
                [low, high],
                [high, low],
              ] as const,
          ),
        ([added, amount]) => added % amount === 0n,
        ([added, amount]) => added % amount <= 0n,
      ),
  },
  {
    where: ['budget-plan › release', 'budget-plan › push'],
    change: 'later.length == 0 → later.length <= 0',
    proof: 'No length is below 0.',
    space: 'every length of up to 30 milestones of 13 bytes',
    search: () =>
      over(
        upTo(390, 13),
        (x) => x === 0,
        (x) => x <= 0,
      ),
  },
  ...(
    [
      ['budget-plan › cancel', 13],
      ['budget-plan › push', 13],
      ['stream › claim', 17],
      ['stream › cancel', 17],
      ['stream › push', 17],
    ] as const
  ).flatMap(([where, size]): Equivalence[] => [
    {
      where: [where],
      change: 'later.length > 0 → later.length != 0',
      proof: 'No length is below 0.',
      space: `every length of up to 30 entries of ${size} bytes`,
      search: () =>
        over(
          upTo(30 * size, size),
          (x) => x > 0,
          (x) => x !== 0,
        ),
    },
    {
      where: [where],
      change: 'later.length > 0 → later.length > 1',
      proof: `The list is whole entries of ${size} bytes (the terms are checked, rule 16), and it is cut between them.`,
      space: `every length of up to 30 entries of ${size} bytes`,
      search: () =>
        over(
          upTo(30 * size, size),
          (x) => x > 0,
          (x) => x > 1,
        ),
    },
  ]),
  {
    where: ['budget-plan › release', 'budget-plan › push'],
    change: 'total > released → total != released',
    proof:
      'Amounts never fall from milestone to milestone (rule 16), so that none is above the total, which is the last.',
    space: 'pairs released <= total of 2^n and its neighbours up to 2^63 - 1',
    search: () =>
      over(
        pairs(LARGEST),
        ([released, total]) => total > released,
        ([released, total]) => total !== released,
      ),
  },
  {
    where: ['budget-plan › release'],
    change: 'reached.slice(5, 13) → reached.slice(5, 12)',
    proof:
      'This amount is read for a pool of BCH alone (with tokens the state says what remains). The whole supply is below 2^51, so that the eighth byte is 0 and the top bit of the seventh is clear.',
    space: '2^n and its neighbours up to 2,100,000,000,000,000 satoshis',
    search: () =>
      over(
        powers(SUPPLY),
        (amount) => readNumber(bytesOf(amount, 8)),
        (amount) => readNumber(bytesOf(amount, 7)),
      ),
  },
  {
    where: ['budget-plan › cancel'],
    change: 'upTo == current → upTo <= current',
    proof: 'The check before it, "no milestone is taken back", lets no `upTo` below `current` pass.',
    space: 'every pair current <= upTo up to 30',
    search: () =>
      over(
        upTo(30).flatMap((current) =>
          upTo(30)
            .filter((to) => to >= current)
            .map((to) => [current, to] as const),
        ),
        ([current, to]) => to === current,
        ([current, to]) => to <= current,
      ),
  },
  {
    where: ['budget-plan › cancel'],
    change: 'owed > 0 → owed != 0',
    proof:
      'Amounts never fall from milestone to milestone (rule 16), and "no milestone is taken back": nothing owed is below 0.',
    space: 'pairs of amounts, the later not below the earlier, of 2^n and its neighbours up to 2^63 - 1',
    search: () =>
      over(
        pairs(LARGEST),
        ([before, after]) => after - before > 0n,
        ([before, after]) => after - before !== 0n,
      ),
  },
  ...[1n, -1n].map((value): Equivalence => ({
    where: ['stream › claim', 'stream › cancel', 'stream › push'],
    change: `bytes17(0) → bytes17(${value})`,
    proof:
      'Segment 0 gives what has vested (bytes 5 to 13) and its step (bytes 13 to 17); its offset is read only where the step is above 0. Both stay 0: the number lies in the first byte, its sign in the last, which reads as minus zero.',
    space: 'the two fields that are read',
    search: () => {
      const [was, becomes] = [writeNumber(0n, 17), writeNumber(value, 17)];
      const fields = [
        [5, 13],
        [13, 17],
      ] as const;
      return over(
        [...fields],
        ([a, b]) => readNumber(was.slice(a, b)),
        ([a, b]) => readNumber(becomes.slice(a, b)),
      );
    },
  })),
  {
    where: ['stream › claim', 'stream › cancel', 'stream › push'],
    change: 'segment == 0 → segment <= 0',
    proof: 'Two lines above, the schedule is cut at `segment * 17`, and a cut below 0 fails.',
    space: 'every segment up to 30',
    search: () =>
      over(
        upTo(30),
        (segment) => segment === 0,
        (segment) => segment <= 0,
      ),
  },
  {
    where: ['stream › claim', 'stream › cancel', 'stream › push'],
    change: 'step > 0 → step != 0',
    proof:
      'A step is below 2^31 (the top bit of its four bytes is clear, rule 16), so that none reads as below 0.',
    space: '2^n and its neighbours up to 2^31 - 1, as four bytes',
    search: () =>
      over(
        powers(2n ** 31n - 1n).map((step) => readNumber(bytesOf(step, 4))),
        (step) => step > 0n,
        (step) => step !== 0n,
      ),
  },
  {
    where: ['stream › claim'],
    change: 'released == total → released >= total',
    proof:
      'The check before it, "the amount has vested", lets no more than `vested` pass, which is never above the total: cumulative amounts never fall, and the last is the total (rule 16).',
    space: 'pairs released <= total of 2^n and its neighbours up to 2^63 - 1',
    search: () =>
      over(
        pairs(LARGEST),
        ([released, total]) => released === total,
        ([released, total]) => released >= total,
      ),
  },
  {
    where: ['stream › push'],
    change: 'vested == total → vested >= total',
    proof:
      'No more has vested than the total: cumulative amounts never fall, and the last is the total (rule 16).',
    space: 'pairs vested <= total of 2^n and its neighbours up to 2^63 - 1',
    search: () =>
      over(
        pairs(LARGEST),
        ([vested, total]) => vested === total,
        ([vested, total]) => vested >= total,
      ),
  },
];

/** Why a survivor is no gap, or undefined. */
export const equivalenceOf = ({ contract, functionName, was, becomes }: Mutant): Equivalence | undefined => {
  if (!COVENANTS.includes(contract)) return undefined;
  const change = `${was} → ${becomes.replace(/ #\d+$/, '')}`;
  return EQUIVALENTS.find(
    ({ where, change: listed }) =>
      listed === change && (where === null || where.includes(`${contract} › ${functionName}`)),
  );
};
