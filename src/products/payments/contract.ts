/** The terms of a recurring payment as constructor parameters, and the address they give. */
import { binToHex, hash160, hexToBin } from '@bitauth/libauth';
import { parseAddress } from '../../bch/address.js';
import { MAXIMUM_TOKEN_AMOUNT } from '../../bch/amount.js';
import type { Network } from '../../bch/network.js';
import { bindContract, scriptCategory, type CovenantContract } from '../../covenant/covenant-contract.js';
import type { Finding } from '../../covenant/genesis.js';
import type { Permissions } from './state.js';

/** The terms that the address binds. A record of any product gives them. */
export type RecurringTerms = {
  /** The version of the contract; null: the first. */
  readonly artifactFingerprint: string | null;
  /** The 32 bytes that make this deployment distinct, hex. */
  readonly onChainId: string;
  /** Cash address of who funds, pauses and cancels. */
  readonly sender: string;
  /** The authority key that this deployment knows, 33 bytes as hex. */
  readonly authorityPublicKey: string;
  /** Null: the pool is BCH. */
  readonly tokenCategory: string | null;
  /** Smallest unit. */
  readonly amountPerPeriod: bigint;
  readonly intervalSeconds: number;
  /** How many are paid in all; 0: open-ended. */
  readonly periods: number;
};

/** What the first state adds to the terms. */
export type RecurringStart = Permissions & {
  /** Cash address. */
  readonly recipient: string;
  /** Unix seconds at which the first period falls due. */
  readonly firstDue: number;
  /** Periods that funding puts in. */
  readonly funded: number;
};

/** The contract of some terms. Constructor: paymentId, senderHash, authorityHash, tokenCategory, amountPerPeriod, interval, periods. */
export const recurringContract = (terms: RecurringTerms, network: Network): CovenantContract =>
  bindContract(
    { name: 'recurring-payment', pinned: terms.artifactFingerprint },
    [
      hexToBin(terms.onChainId),
      hexToBin(parseAddress(terms.sender).hash),
      hash160(hexToBin(terms.authorityPublicKey)),
      scriptCategory(terms.tokenCategory),
      terms.amountPerPeriod,
      BigInt(terms.intervalSeconds),
      BigInt(terms.periods),
    ],
    network,
  );

const EARLIEST = 500_000_000;
const LATEST = 4_000_000_000;
const LONGEST_INTERVAL = 2 ** 31;

const partyFindings = (terms: RecurringTerms, start: RecurringStart): readonly Finding[] => {
  const authority = binToHex(hash160(hexToBin(terms.authorityPublicKey)));
  return (['sender', 'recipient'] as const).flatMap((role): readonly Finding[] => {
    const text = role === 'sender' ? terms.sender : start.recipient;
    const { kind, hash } = parseAddress(text);
    return [
      { check: role, ok: kind === 'p2pkh', detail: `${text} must be the address of one key, since it signs` },
      { check: role, ok: hash !== authority, detail: `the ${role} must not be the claim authority itself` },
    ];
  });
};

const scheduleFindings = (
  terms: RecurringTerms,
  { firstDue, cancelable }: RecurringStart,
): readonly Finding[] => {
  const { intervalSeconds, periods } = terms;
  const lastDue = firstDue + Math.max(periods - 1, 0) * intervalSeconds;
  return [
    {
      check: 'interval',
      ok: intervalSeconds >= 1 && intervalSeconds < LONGEST_INTERVAL,
      detail: `${intervalSeconds} seconds must be at least 1 and below ${LONGEST_INTERVAL}`,
    },
    {
      check: 'startDate',
      ok: firstDue >= EARLIEST && firstDue <= LATEST,
      detail: `the first payment at ${firstDue} must lie between ${EARLIEST} and ${LATEST}`,
    },
    {
      check: 'endDate',
      ok: Number.isSafeInteger(periods) && periods >= 0 && lastDue <= LATEST,
      detail: `the last payment at ${lastDue} must not be later than ${LATEST}`,
    },
    {
      check: 'cancelable',
      ok: periods > 0 || cancelable,
      detail: 'an open-ended payment must be cancelable, else it could never end: give an endDate',
    },
  ];
};

const amountFindings = (terms: RecurringTerms, { funded }: RecurringStart): readonly Finding[] => {
  const { amountPerPeriod, periods, tokenCategory } = terms;
  const total = amountPerPeriod * BigInt(periods === 0 ? funded : periods);
  return [
    {
      check: 'amountPerPeriod',
      ok: amountPerPeriod > 0n && total <= MAXIMUM_TOKEN_AMOUNT,
      detail: `${amountPerPeriod} must be above 0, and all periods together at most ${MAXIMUM_TOKEN_AMOUNT}`,
    },
    {
      check: 'tokenCategory',
      ok: tokenCategory === null || !/^0+$/.test(tokenCategory),
      detail: 'a token category is not all zeros',
    },
    {
      check: 'funded',
      ok: funded >= 1 && (periods === 0 || funded <= periods),
      detail: `${funded} periods must be at least 1 and at most those of the term`,
    },
  ];
};

/** Checks that the parameters are within their ranges. Source: covenants rule 16. */
export const checkRecurringTerms = (terms: RecurringTerms, start: RecurringStart): readonly Finding[] => [
  ...partyFindings(terms, start),
  ...scheduleFindings(terms, start),
  ...amountFindings(terms, start),
];
