/** What a recurring thread allows that its record does not follow, by its own state. */
import { hexToBin } from '@bitauth/libauth';
import { addressOfHash } from '../../bch/address.js';
import type { Network } from '../../bch/network.js';
import type { StrayThread } from '../stray.js';
import { TreasuryError } from '../../errors.js';
import { checkReserve, type StraySpend, type StrayTerms } from '../stray-terms.js';
import type { RecurringTerms } from './contract.js';
import { nextUnlock, settledPeriods, type RecurringBalance } from './rules.js';
import { FLAGS, readRecurringState } from './state.js';
import { buildRecurringCancel, buildRecurringClaim, type RecurringSpend } from './transactions.js';

/** What is shown of the record. */
export type RecurringNames = Pick<StrayTerms, 'label' | 'decimals'>;

/**
 * The terms of a stray recurring thread.
 *
 * @example
 * const stray = recurringStray(terms, { label: 'PAY-0001', decimals: 8 }, strayInBch(threadCoin, thread), 'local');
 * stray.owedAt(spend.locktime); // 20_000_000n
 */
export const recurringStray = (
  terms: RecurringTerms,
  names: RecurringNames,
  stray: StrayThread,
  network: Network,
): StrayTerms => {
  const { thread, held } = stray;
  const state = readRecurringState(thread.commitment);
  const pool = terms.tokenCategory === null ? held : state.pool;
  const balance: RecurringBalance = { ...state, pool };
  const spendOf = (spend: StraySpend): RecurringSpend => ({ ...spend, terms, network, thread });
  return {
    ...names,
    sender: terms.sender,
    recipient: addressOfHash(hexToBin(state.recipient), network).text,
    isCancelable: (state.flags & FLAGS.cancelable) !== 0,
    owedAt: (now) => BigInt(settledPeriods(terms, balance, now)) * terms.amountPerPeriod,
    buildCancel: (spend, witness) => buildRecurringCancel(spendOf(spend), witness),
    buildClaim: (spend) => {
      const { label } = names;
      const periods = settledPeriods(terms, balance, spend.locktime);
      if (periods === 0)
        throw new TreasuryError('nothing_claimable', {
          label,
          nextUnlock: nextUnlock(terms, balance, spend.locktime),
        });
      checkReserve(stray, names, pool, network);
      return {
        unsigned: buildRecurringClaim(spendOf(spend), { periods }),
        amount: BigInt(periods) * terms.amountPerPeriod,
      };
    },
  };
};
