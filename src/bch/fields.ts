/**
 * The fields that requests, records and replies are made of, as zod schemas.
 *
 * A codec's input side is what stands in JSON; its output side is what the program works with.
 * Rules that leave no trace in a JSON Schema are repeated in `.describe`.
 */
import { z } from 'zod';
import { TreasuryError, type ErrorCode } from '../errors.js';
import { parseAddress, type Address } from './address.js';
import { readAmount, type WrittenAmount } from './amount.js';
import type { Network } from './network.js';

/**
 * Lower-case hex of any even length.
 *
 * @example
 * Hex.parse('00ff'); // '00ff'
 */
export const Hex = z.string().regex(/^(?:[0-9a-f]{2})*$/, 'expected lower-case hex');

/**
 * 32 bytes as lower-case hex.
 *
 * @example
 * Hex32.safeParse('00ff').success; // false
 */
export const Hex32 = z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 lower-case hex digits');

/**
 * A transaction id. Upper-case hex is accepted and lowered.
 *
 * @example
 * TxHash.parse('AB'.repeat(32)); // 'ab'.repeat(32)
 */
export const TxHash = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, 'expected a transaction id of 64 hex digits')
  .overwrite((text) => text.toLowerCase())
  .describe('Transaction id, 64 hex digits');

/** What JSON Schemas call unix seconds. The command line takes a date in their place. */
export const DATE_FORMAT = 'unix-seconds';

/**
 * Unix seconds, as a JSON number.
 *
 * @example
 * UnixSeconds.safeParse(Date.UTC(2026, 5)).success; // false
 */
export const UnixSeconds = z
  .int()
  .min(0)
  .max(4_000_000_000, 'expected unix seconds, at most 4000000000 (are these milliseconds?)')
  .meta({ format: DATE_FORMAT, description: 'Unix seconds' });

/** What JSON Schemas call unix seconds that a span ends with. On the command line a day is its last second. */
export const LAST_SECOND_FORMAT = 'last-unix-second';

/**
 * {@link UnixSeconds} that a span ends with.
 *
 * @example
 * LastSecond.parse(1_800_000_000); // 1_800_000_000
 */
export const LastSecond = UnixSeconds.meta({ format: LAST_SECOND_FORMAT });

/** What JSON Schemas call a number of seconds. The command line takes a duration in its place. */
export const DURATION_FORMAT = 'seconds';

/**
 * A length of time in seconds, as a JSON number.
 *
 * @example
 * Seconds.parse(86_400); // 86_400
 */
export const Seconds = z.int().min(0).meta({ format: DURATION_FORMAT, description: 'Seconds' });

/**
 * bigint in the program, decimal string in JSON.
 *
 * @example
 * Units.parse('25'); // 25n
 * Units.encode(25n); // '25'
 */
export const Units = z.codec(z.string().regex(/^\d+$/), z.bigint(), {
  decode: (text) => BigInt(text),
  encode: (units) => units.toString(),
});

/** The code a custom issue stands for, so that a request with that one problem gets that code. */
export type IssueParams = { readonly code: ErrorCode; readonly expected: string };

/** Refuses a value that is read: `what` it is none of, and what was expected. */
const refuse = (context: z.core.ParsePayload, input: unknown, what: string, params: IssueParams) => {
  const message = `"${String(input)}" is not a usable ${what}: expected ${params.expected}`;
  context.issues.push({ code: 'custom', input, message, params });
  return z.NEVER;
};

// The network of the request that is being read: reading is synchronous, so there is never more than one.
let readNetwork: Network | undefined;

/**
 * Runs a synchronous read in which every {@link AddressField} must belong to `network`.
 *
 * @example
 * readOn('local', () => AddressField.parse(alice.address.text)); // alice.address
 */
export const readOn = <T>(network: Network, read: () => T): T => {
  readNetwork = network;
  try {
    return read();
  } finally {
    readNetwork = undefined;
  }
};

/** What JSON Schemas call a cash address. The command line takes the name of a contact in its place. */
export const ADDRESS_FORMAT = 'cash-address';

/**
 * A cash address of any form; inside {@link readOn} it must belong to that network.
 *
 * @example
 * AddressField.parse(alice.address.tokenText).text; // alice.address.text
 */
export const AddressField = z
  .codec(z.string(), z.custom<Address>(), {
    decode: (text, context) => {
      try {
        return parseAddress(text, readNetwork);
      } catch (error) {
        if (!(error instanceof TreasuryError)) throw error;
        const expected = String(error.details['expected']);
        return refuse(context, text, 'address', { code: 'invalid_address', expected });
      }
    },
    encode: (address) => address.text,
  })
  .meta({ format: ADDRESS_FORMAT, description: 'Cash address of this network, with its prefix' });

const amountExpected = 'a non-negative decimal such as 0.3 or "0.3", without sign, comma or exponent';

/** The wire side: infinity (`1e400` in JSON) and what is neither number nor text are refused by name too. */
const AmountText = z.union([z.number(), z.string()], {
  error: ({ input }) =>
    input === undefined ? undefined : `is not a usable amount: expected ${amountExpected}`,
});

/** What JSON Schemas call an amount. The command line takes one with its unit in its place. */
export const AMOUNT_FORMAT = 'amount';

/**
 * An amount in display units: a number, or a decimal string for exact large values.
 *
 * It is in the asset of the record that the request is about, or of the `tokenCategory` beside it. What is always in one
 * unit says so: {@link BchField}, {@link TokenAmountField}, {@link DecimalField}.
 *
 * @example
 * AmountField.parse('0.30'); // { decimal: '0.3', isNumber: false }
 */
export const AmountField = z
  .codec(AmountText, z.custom<WrittenAmount>(), {
    decode: (value, context) => {
      const params = { code: 'invalid_amount', expected: amountExpected } as const;
      return readAmount(value) ?? refuse(context, value, 'amount', params);
    },
    encode: (amount) => (amount.isNumber ? Number(amount.decimal) : amount.decimal),
  })
  .meta({ format: AMOUNT_FORMAT, description: 'Amount in display units: a number or a decimal string' });

/**
 * {@link AmountField}, always in BCH.
 *
 * @example
 * BchField.parse(0.25); // { decimal: '0.25', isNumber: true }
 */
export const BchField = AmountField.meta({ unit: 'BCH' });

/**
 * {@link AmountField}, always in a token.
 *
 * @example
 * TokenAmountField.parse('100'); // { decimal: '100', isNumber: false }
 */
export const TokenAmountField = AmountField.meta({ unit: 'token' });

/**
 * {@link AmountField} of no unit: a weight, a percentage.
 *
 * @example
 * DecimalField.safeParse('25 %').success; // false
 */
export const DecimalField = AmountField.meta({ unit: 'none' });

/**
 * `BCH` or a fungible CashToken.
 *
 * @example
 * TokenType.safeParse('CASHTOKENS').success; // false
 */
export const TokenType = z.enum(['BCH', 'FUNGIBLE_TOKEN']);

/**
 * {@link TokenType} in requests, where `CASHTOKENS` is another name of `FUNGIBLE_TOKEN`.
 *
 * @example
 * TokenTypeField.parse('CASHTOKENS'); // 'FUNGIBLE_TOKEN'
 */
export const TokenTypeField = z
  .codec(z.enum(['BCH', 'FUNGIBLE_TOKEN', 'CASHTOKENS']), TokenType, {
    decode: (name) => (name === 'CASHTOKENS' ? 'FUNGIBLE_TOKEN' : name),
    encode: (name) => name,
  })
  .describe('BCH or FUNGIBLE_TOKEN (CASHTOKENS is accepted for the latter)');

/** What JSON Schemas call a token category. The command line takes the symbol of a known token in its place. */
export const CATEGORY_FORMAT = 'token-category';

/**
 * A token category in requests; null and absent are the same.
 *
 * @example
 * TokenCategoryField.parse(category); // category
 */
export const TokenCategoryField = Hex32.meta({ format: CATEGORY_FORMAT })
  .nullish()
  .describe('Token category, 64 hex digits; required with FUNGIBLE_TOKEN');

/**
 * A record in requests, by its id or whatever else it is called.
 *
 * @example
 * RecordId.safeParse('').success; // false
 */
export const RecordId = z.string().min(1).max(100);

/**
 * One line of text for people.
 *
 * @example
 * Title.parse(' Salaries '); // 'Salaries'
 */
export const Title = z.string().trim().min(1).max(200);

/**
 * Longer text for people.
 *
 * @example
 * Description.safeParse('x'.repeat(5_001)).success; // false
 */
export const Description = z.string().max(5_000);

/**
 * A contract as documents name it: with its parameters anybody can build its address, so nothing of it is believed.
 *
 * @example
 * ContractTerms.safeParse({ contract: 'Stream', fingerprint: 'none', constructorParams: [] }).success; // false
 */
export const ContractTerms = z.object({
  contract: z.string().max(100).describe('Name of the contract: Stream'),
  fingerprint: Hex32.describe('Which version of it'),
  constructorParams: z
    .array(z.string().max(20_000))
    .max(20)
    .describe('In order: bytes as hex, integers as decimals'),
});
export type ContractTerms = z.output<typeof ContractTerms>;

/**
 * A wcTransaction. Source: wc2-bch-bcr, `bch_signTransaction`.
 *
 * @example
 * WalletTransactionField.parse(request).broadcast; // true
 */
export const WalletTransactionField = z
  .object({
    transaction: Hex.describe('Raw transaction, hex'),
    sourceOutputs: z.array(z.unknown()).describe('Inputs with the outputs they spend, in extended JSON'),
    broadcast: z.boolean(),
    userPrompt: z.string().optional(),
    digest: z
      .string()
      .exactOptional()
      .describe('What people compare before they sign: of the network, all inputs and all outputs'),
    contracts: z
      .array(ContractTerms)
      .readonly()
      .exactOptional()
      .describe('Contracts that it pays into and that no input shows'),
  })
  .describe('Pass it to bch_signTransaction unchanged');
