/** Checks of constructor parameters and amounts that several contracts share. Source: docs/design/covenants.md, rule 16. */
import { momentText } from '../bch/show-date.js';
import { binToHex, hash160, hexToBin } from '@bitauth/libauth';
import { parseAddress } from '../bch/address.js';
import { BCH_DECIMALS, formatUnits, MAXIMUM_TOKEN_AMOUNT } from '../bch/amount.js';
import { PAYOUT_DUST } from '../bch/transaction.js';
import { TreasuryError } from '../errors.js';
import type { Finding } from './genesis.js';
import type { ThreadPointer } from './thread.js';

/** The dates that a locktime can reach and a contract is given, unix seconds. From 2^32 on no transaction is final. */
const EARLIEST = 500_000_000;
const LATEST = 4_000_000_000;
/** Seconds; a contract reads an interval as 4 bytes with the top bit clear. */
export const INTERVAL_LIMIT = 2 ** 31;

/**
 * A date lies where locktimes do: a date that none reaches locks its money up for good.
 *
 * @example
 * checkDate('startDate', monday).ok; // true
 */
export const checkDate = (check: string, value: number): Finding => ({
  check,
  ok: Number.isInteger(value) && value >= EARLIEST && value <= LATEST,
  detail: `${momentText(value)} must lie between ${momentText(EARLIEST)} and ${momentText(LATEST)}`,
});

/**
 * An interval is at least a second, and fits its field.
 *
 * @example
 * checkInterval('interval', 0).ok; // false
 */
export const checkInterval = (check: string, seconds: number): Finding => ({
  check,
  ok: Number.isInteger(seconds) && seconds >= 1 && seconds < INTERVAL_LIMIT,
  detail: `${seconds} seconds must be at least 1 and below ${INTERVAL_LIMIT}`,
});

/**
 * A party signs with one key.
 *
 * @example
 * checkOneKey('recipient', contract.address.text).ok; // false
 */
export const checkOneKey = (check: string, text: string): Finding => ({
  check,
  ok: parseAddress(text).kind === 'p2pkh',
  detail: `${text} must be the address of one key, since it signs`,
});

/**
 * A party signs with one key, and that is not the authority's (33 bytes, hex).
 *
 * @example
 * checkParty('sender', authority.address.text, terms.authorityPublicKey).map(({ ok }) => ok); // [true, false]
 */
export const checkParty = (check: string, text: string, authorityPublicKey: string): readonly Finding[] => [
  checkOneKey(check, text),
  {
    check,
    ok: parseAddress(text).hash !== binToHex(hash160(hexToBin(authorityPublicKey))),
    detail: `the ${check} must not be the claim authority itself`,
  },
];

/**
 * What is promised in all is something, and fits a token amount.
 *
 * @example
 * checkTotal('totalPool', 0n).ok; // false
 */
export const checkTotal = (check: string, total: bigint): Finding => ({
  check,
  ok: total > 0n && total <= MAXIMUM_TOKEN_AMOUNT,
  detail: `${total} must be above 0 and at most ${MAXIMUM_TOKEN_AMOUNT}`,
});

/**
 * A token category (null: BCH) is one, and not that of the covenant's own thread.
 *
 * @example
 * checkCategory(thread.category, thread).ok; // false
 */
export const checkCategory = (category: string | null, thread: ThreadPointer | null): Finding => ({
  check: 'tokenCategory',
  ok: category === null || (!/^0+$/.test(category) && category !== thread?.category),
  detail: "a token category is not all zeros and not the thread's own",
});

/**
 * `amount_below_dust`: an amount of BCH is too small for an output of its own. Source: docs/design/covenants.md, rule
 * 13.
 *
 * @example
 * belowDust('amount', 545n).code; // 'amount_below_dust'
 */
export const belowDust = (field: string, amount: bigint, minimum = PAYOUT_DUST): TreasuryError =>
  new TreasuryError('amount_below_dust', {
    field,
    amount: formatUnits(amount, BCH_DECIMALS),
    minimum: formatUnits(minimum, BCH_DECIMALS),
  });

/**
 * Checks that an amount of BCH can be an output of its own.
 *
 * @throws amount_below_dust
 * @example
 * checkPayoutDust('FUNGIBLE_TOKEN', 1n, 'amount'); // undefined
 * checkPayoutDust('BCH', 545n, 'amount'); // throws amount_below_dust
 */
export const checkPayoutDust = (tokenType: 'BCH' | 'FUNGIBLE_TOKEN', amount: bigint, field: string): void => {
  if (tokenType === 'BCH' && amount < PAYOUT_DUST) throw belowDust(field, amount);
};
