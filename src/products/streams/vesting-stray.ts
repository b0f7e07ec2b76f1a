/** What a vesting thread allows that its record does not follow, by its own state. */
import { hexToBin } from '@bitauth/libauth';
import { addressOfHash } from '../../bch/address.js';
import { least, most } from '../../bch/amount.js';
import type { Network } from '../../bch/network.js';
import type { StrayThread } from '../../covenant/stray.js';
import { TreasuryError } from '../../errors.js';
import { checkReserve, notRecoverable, type StrayTerms } from '../../covenant/stray-terms.js';
import { vestedInState, vestingFigures } from './rules.js';
import { scheduledTotal } from './schedule.js';
import { FLAGS, readState } from './state.js';
import type { StreamRecord } from './stream.js';
import { buildVestingCancel, buildVestingClaim } from './transactions.js';

/** The terms of a stray thread of a vesting stream. */
export const vestingStray = (stream: StreamRecord, stray: StrayThread, network: Network): StrayTerms => {
  const { stream_id: label, decimals, token_category: tokenCategory, schedule } = stream;
  const { held, thread } = stray;
  const state = readState(thread.commitment);
  const total = scheduledTotal(schedule);
  const recipient = addressOfHash(hexToBin(state.recipient), network);
  const vestedAt = (now: number) => vestedInState(schedule, state, now).amount;
  const owedAt = (now: number) => most(vestedAt(now) - state.released, 0n);
  // The stream as if it stood on this thread, its total such that the pool is what the thread holds.
  const standing = (poolTotal: bigint): StreamRecord => ({
    ...stream,
    thread,
    recipient: recipient.text,
    total_amount: poolTotal,
  });
  return {
    label,
    decimals,
    sender: stream.sender,
    recipient: recipient.text,
    isCancelable: (state.flags & FLAGS.cancelable) !== 0,
    owedAt,
    buildCancel: (spend, witness) => {
      const { locktime } = spend;
      const poolTotal = held - owedAt(locktime) + vestedAt(locktime);
      return buildVestingCancel({ ...spend, record: standing(poolTotal), network }, witness);
    },
    buildClaim: (spend) => {
      const due = owedAt(spend.locktime);
      if (due === 0n) {
        const { nextUnlock } = vestingFigures(stream, thread.commitment, spend.locktime);
        throw new TreasuryError('nothing_claimable', { label, nextUnlock });
      }
      if (tokenCategory !== null) checkReserve(stray, { label, decimals }, total - state.released, network);
      // A pool in BCH whose sum is wrong pays what it holds; the last claim takes all of it.
      const isLast = state.released + due === total;
      const amount = tokenCategory !== null || isLast ? due : least(due, held);
      if (amount === 0n) throw notRecoverable(label, stray, 'it holds nothing that a claim could pay');
      const poolTotal = tokenCategory === null ? held + state.released : total;
      const order = { amount, to: recipient };
      return {
        unsigned: buildVestingClaim({ ...spend, record: standing(poolTotal), network }, order),
        amount,
      };
    },
  };
};
