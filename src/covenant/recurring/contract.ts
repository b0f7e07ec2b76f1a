/** The terms of a recurring payment as constructor parameters, and the address they give. */
import { hash160, hexToBin } from '@bitauth/libauth';
import { parseAddress } from '../../bch/address.js';
import { MAXIMUM_TOKEN_AMOUNT } from '../../bch/amount.js';
import type { Network } from '../../bch/network.js';
import { checkCategory, checkDate, checkInterval, checkParty } from '../checks.js';
import { bindContract, scriptCategory, type CovenantContract } from '../covenant-contract.js';
import type { Finding } from '../genesis.js';
import { checkPushMinimum, pushParameter } from '../push.js';
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
  /** The least that a push pays, the last push apart; 0: no push. */
  readonly pushMinimum: bigint;
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

const versionOf = ({ artifactFingerprint: pinned }: RecurringTerms) =>
  ({ name: 'recurring-payment', pinned }) as const;

/**
 * The contract of some terms. Constructor: paymentId, senderHash, authorityHash, tokenCategory, amountPerPeriod,
 * interval, periods, and since version 0.3.0 pushMinimum.
 *
 * @example
 * recurringContract(terms, 'local').constructorParams[4]; // '10000000'
 */
export const recurringContract = (terms: RecurringTerms, network: Network): CovenantContract =>
  bindContract(
    versionOf(terms),
    [
      hexToBin(terms.onChainId),
      hexToBin(parseAddress(terms.sender).hash),
      hash160(hexToBin(terms.authorityPublicKey)),
      scriptCategory(terms.tokenCategory),
      terms.amountPerPeriod,
      BigInt(terms.intervalSeconds),
      BigInt(terms.periods),
      ...pushParameter(versionOf(terms), terms.pushMinimum),
    ],
    network,
  );

/** Periods are counted in 4 bytes with the top bit clear. */
const PERIODS_LIMIT = 2 ** 31;

/**
 * Checks that the parameters are within their ranges. Source: docs/design/covenants.md, rule 16.
 *
 * @example
 * checkRecurringTerms(terms, start).every(({ ok }) => ok); // true
 */
export const checkRecurringTerms = (terms: RecurringTerms, start: RecurringStart): readonly Finding[] => {
  const { authorityPublicKey, tokenCategory, amountPerPeriod, intervalSeconds, periods } = terms;
  const { firstDue, funded, cancelable } = start;
  const total = amountPerPeriod * BigInt(periods === 0 ? funded : periods);
  return [
    ...checkParty('sender', terms.sender, authorityPublicKey),
    ...checkParty('recipient', start.recipient, authorityPublicKey),
    checkInterval('interval', intervalSeconds),
    checkDate('startDate', firstDue),
    {
      check: 'endDate',
      ok: Number.isInteger(periods) && periods >= 0 && periods < PERIODS_LIMIT,
      detail: `${periods} periods must be at least 0 and below ${PERIODS_LIMIT}`,
    },
    checkDate('endDate', firstDue + Math.max(periods - 1, 0) * intervalSeconds),
    {
      check: 'cancelable',
      ok: periods > 0 || cancelable,
      detail: 'an open-ended payment must be cancelable, else it could never end: give an endDate',
    },
    {
      check: 'amountPerPeriod',
      ok: amountPerPeriod > 0n && total <= MAXIMUM_TOKEN_AMOUNT,
      detail: `${amountPerPeriod} must be above 0, and all periods together at most ${MAXIMUM_TOKEN_AMOUNT}`,
    },
    checkCategory(tokenCategory, null),
    checkPushMinimum({
      pushMinimum: terms.pushMinimum,
      contract: versionOf(terms),
      tokenCategory,
      total: periods === 0 ? null : total,
    }),
    {
      check: 'funded',
      ok: funded >= 1 && (periods === 0 || funded <= periods),
      detail: `${funded} periods must be at least 1 and at most those of the term`,
    },
  ];
};
