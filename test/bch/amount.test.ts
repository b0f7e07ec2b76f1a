import test from 'ava';
import fc from 'fast-check';
import {
  displayNumber,
  formatUnits,
  MAXIMUM_SATOSHIS,
  MAXIMUM_TOKEN_AMOUNT,
  readAmount,
  toPositiveUnits,
  toUnits,
  type WrittenAmount,
} from '../../src/bch/amount.js';
import { TreasuryError } from '../../src/errors.js';

fc.configureGlobal({ seed: 20_260_601 });

const written = (value: unknown): WrittenAmount => {
  const amount = readAmount(value);
  if (amount === null) throw new Error(`${String(value)} is no amount`);
  return amount;
};
const satoshisOf = (value: unknown): bigint => toUnits(written(value), 8, 'totalPool', MAXIMUM_SATOSHIS);

const exact: readonly (readonly [value: number | string, satoshis: bigint])[] = [
  [0.1, 10_000_000n],
  ['0.1', 10_000_000n],
  [1e-8, 1n],
  [1.5e-7, 15n],
  ['0.30000000', 30_000_000n],
  [0.3, 30_000_000n],
  [20999999.9769, 2_099_999_997_690_000n],
  ['20999999.9769', 2_099_999_997_690_000n],
  [21_000_000, 2_100_000_000_000_000n],
  ['007.50', 750_000_000n],
  [0, 0n],
  [-0, 0n],
  ['0.00000000', 0n],
];

for (const [value, satoshis] of exact) {
  test(`amount › given ${typeof value} ${String(value)}${Object.is(value, -0) ? ' (minus zero)' : ''} › it is ${satoshis} satoshis`, (t) => {
    t.is(satoshisOf(value), satoshis);
  });
}

for (const value of [-1, -1e-9, NaN, Infinity, -Infinity]) {
  test(`amount › given the number ${value} › it is no amount`, (t) => {
    t.is(readAmount(value), null);
  });
}

const noAmounts = [
  '1,5',
  '1e3',
  '',
  ' 1',
  '1 ',
  '-1',
  '+1',
  '.5',
  '5.',
  '0x10',
  '1_000',
  '1.2.3',
  '٣',
  'NaN',
];

for (const value of noAmounts) {
  test(`amount › given the text "${value}" › it is no amount`, (t) => {
    t.is(readAmount(value), null);
  });
}

for (const [name, value] of [
  ['null', null],
  ['nothing', undefined],
  ['true', true],
  ['a bigint', 1n],
  ['an object', {}],
  ['a list', ['1']],
] as const) {
  test(`amount › given ${name} › it is no amount`, (t) => {
    t.is(readAmount(value), null);
  });
}

test('amount › given a number beyond 1e21 › it is written out in full', (t) => {
  t.deepEqual(readAmount(1.5e22), { decimal: '15000000000000000000000', isNumber: true });
});

test('amount › given a hundred thousand zeros before the last decimal › it is answered at once', (t) => {
  const start = performance.now();
  readAmount(`0.${'0'.repeat(100_000)}1`);
  t.true(performance.now() - start < 1_000);
});

const refusals: readonly (readonly [
  name: string,
  value: unknown,
  decimals: number,
  maximum: bigint | undefined,
  details: object,
])[] = [
  [
    'more decimals than the asset has',
    0.000000001,
    8,
    undefined,
    { value: '0.000000001', expected: 'at most 8 decimals' },
  ],
  ['decimals where there are none', '1.5', 0, undefined, { value: '1.5', expected: 'at most 0 decimals' }],
  [
    'more than there can be',
    '21000000.00000001',
    8,
    MAXIMUM_SATOSHIS,
    { value: '21000000.00000001', expected: 'at most 21000000' },
  ],
  [
    'more than a token amount holds',
    '9223372036854775808',
    0,
    undefined,
    { value: '9223372036854775808', expected: 'at most 9223372036854775807' },
  ],
  [
    'a JSON number above 2^53 - 1 in the smallest unit',
    2 ** 53,
    0,
    undefined,
    { value: '9007199254740992', expected: 'a decimal string, since a JSON number this large is not exact' },
  ],
  [
    'a JSON number above 2^53 - 1 in the smallest unit of a token with decimals',
    9_007_199_254.740992,
    6,
    undefined,
    { value: '9007199254.740992', expected: 'a decimal string, since a JSON number this large is not exact' },
  ],
  [
    'a JSON number that stands for two amounts',
    JSON.parse('800000000000000.3'),
    1,
    undefined,
    { expected: 'a decimal string, since a JSON number this large is not exact' },
  ],
];

for (const [name, value, decimals, maximum, details] of refusals) {
  test(`units › given ${name} › it is invalid_amount and says what was expected`, (t) => {
    const error = t.throws(() => toUnits(written(value), decimals, 'totalPool', maximum), {
      instanceOf: TreasuryError,
    });
    t.is(error.code, 'invalid_amount');
    t.like(error.details, { field: 'totalPool', ...details });
  });
}

test('units › given 2^53 - 1 as a JSON number › it is taken', (t) => {
  t.is(toUnits(written(Number.MAX_SAFE_INTEGER), 0, 'amount'), 9_007_199_254_740_991n);
});

test('units › given the largest token amount as text › it is taken', (t) => {
  t.is(toUnits(written('9223372036854775807'), 0, 'amount'), MAXIMUM_TOKEN_AMOUNT);
});

test('units › given zero where a positive amount is due › it is invalid_amount', (t) => {
  const error = t.throws(() => toPositiveUnits(written('0.00'), 8, 'amount'), { instanceOf: TreasuryError });
  t.like(error, {
    code: 'invalid_amount',
    details: { field: 'amount', value: '0', expected: 'an amount greater than 0' },
  });
});

test('units › given one unit where a positive amount is due › it is taken', (t) => {
  t.is(toPositiveUnits(written('0.00000001'), 8, 'amount'), 1n);
});

/** The units of a value, or the code it is refused with. */
const unitsOrCode = (value: number, decimals: number): bigint | string => {
  try {
    return toUnits(written(value), decimals, 'amount');
  } catch (error) {
    return error instanceof TreasuryError ? String(error.code) : String(error);
  }
};

const decimalsArbitrary = fc.integer({ min: 0, max: 18 });

test('amount › property › units written out are read back, for any decimals', (t) => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 200n }), decimalsArbitrary, (units, decimals) => {
      t.is(toUnits(written(formatUnits(units, decimals)), decimals, 'amount', 2n ** 200n), units);
    }),
  );
});

test('amount › property › a JSON number carries up to 2^52 units exactly, for any decimals', (t) => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 52n }), decimalsArbitrary, (units, decimals) => {
      t.is(toUnits(written(displayNumber(units, decimals)), decimals, 'amount'), units);
    }),
  );
});

test('amount › property › a JSON number from 2^52 units on is exact or refused, for any decimals', (t) => {
  const largeUnits = fc.bigInt({ min: 2n ** 52n, max: 2n ** 53n - 1n });
  fc.assert(
    fc.property(largeUnits, decimalsArbitrary, (units, decimals) => {
      t.true([units, 'invalid_amount'].includes(unitsOrCode(displayNumber(units, decimals), decimals)));
    }),
  );
});

test('format › property › it writes no exponent, no superfluous zero, and a minus for less than nothing', (t) => {
  fc.assert(
    fc.property(fc.bigInt(), decimalsArbitrary, (units, decimals) => {
      const text = formatUnits(units, decimals);
      t.regex(text, /^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/);
      t.is(text.startsWith('-'), units < 0n);
    }),
  );
});

const formats: readonly (readonly [bigint, number, string])[] = [
  [150_000_000n, 8, '1.5'],
  [1n, 8, '0.00000001'],
  [0n, 8, '0'],
  [0n, 0, '0'],
  [7n, 0, '7'],
  [700n, 2, '7'],
  [-5n, 1, '-0.5'],
];

for (const [units, decimals, text] of formats) {
  test(`format › given ${units} units of ${decimals} decimals › it is ${text}`, (t) => {
    t.is(formatUnits(units, decimals), text);
  });
}

const displays: readonly (readonly [bigint, number, number])[] = [
  [150_000_000n, 8, 1.5],
  [1n, 8, 1e-8],
  [2_099_999_997_690_000n, 8, 20999999.9769],
  [MAXIMUM_TOKEN_AMOUNT, 0, 2 ** 63],
];

for (const [units, decimals, number] of displays) {
  test(`display › given ${units} units of ${decimals} decimals › it is the nearest number ${number}`, (t) => {
    t.is(displayNumber(units, decimals), number);
  });
}

test('a display number › of any units and decimals › is the number that its digits spell', (t) => {
  const edges = [0n, 1n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, MAXIMUM_TOKEN_AMOUNT];
  const units = fc.oneof(
    fc.bigInt(-MAXIMUM_TOKEN_AMOUNT, MAXIMUM_TOKEN_AMOUNT),
    fc.bigInt(-(2n ** 53n), 2n ** 53n),
    fc.bigInt(0n, 1_000_000n),
    fc.constantFrom(...edges),
  );
  fc.assert(
    fc.property(units, fc.integer({ min: 0, max: 30 }), (amount, decimals) => {
      t.is(displayNumber(amount, decimals), Number(formatUnits(amount, decimals)));
    }),
    { numRuns: 20_000 },
  );
});
