/** Push: paying without the payee. Signed by nobody, so that whoever pays the fee can do nothing else with it. */
import {
  ends,
  FLOOR,
  goesOn,
  holdsBch,
  holdsTokens,
  isInBch,
  keepsReserve,
  reserveLockOf,
} from './covenant.js';
import { categoryOf, inputAt, numberOf, sizeOf, type Hex, type Law } from './vocabulary.js';

const MOST_INPUTS = 3;
const PAYEE_LOCK_SIZE = 25;

export type Pushed = {
  /** The recipient's lock. */
  readonly recipient: Hex;
  /** All that is due. */
  readonly amount: bigint;
  /** What the pool owes afterwards. */
  readonly remaining: bigint;
  /** The state afterwards; null: this pays the last of it. */
  readonly next: Hex | null;
};

/** Behind the thread and the reserve come coins of ordinary people, who pay the fee. */
const feeCoinsFrom = ({ call, must }: Law, from: number): void => {
  const { inputs } = call.transaction;
  must(inputs.length <= MOST_INPUTS, 'at most three inputs');
  for (const { coin } of inputs.slice(from)) {
    must(sizeOf(coin.lock) === PAYEE_LOCK_SIZE, 'a fee coin has a lock of 25 bytes');
    must(categoryOf(coin) === '', 'a fee coin carries no token');
  }
};

const pushedBch = (law: Law, { recipient, amount, next }: Pushed): void => {
  feeCoinsFrom(law, 1);
  if (next === null) {
    ends(law);
    const { satoshis } = inputAt(law.call, 0);
    holdsBch(law, 0, 'payout', { to: recipient, satoshis, isExact: false });
    return;
  }
  goesOn(law, next, amount);
  holdsBch(law, 1, 'payout', { to: recipient, satoshis: amount, isExact: true });
};

const pushedTokens = (law: Law, { recipient, amount, remaining, next }: Pushed): void => {
  const { call, must } = law;
  const [thread, reserve] = [inputAt(call, 0), inputAt(call, 1)];
  must(reserve.lock === reserveLockOf(thread), 'input 1 is the reserve');
  feeCoinsFrom(law, 2);
  if (next === null) {
    ends(law);
    const satoshis = thread.satoshis + reserve.satoshis;
    holdsTokens(law, 0, 'payout', { to: recipient, amount, satoshis });
    return;
  }
  goesOn(law, next, 0n);
  const kept = reserve.satoshis > FLOOR ? reserve.satoshis : FLOOR;
  const at = keepsReserve(law, remaining, kept);
  // A reserve that is emptied leaves its satoshis to the payout in its place.
  holdsTokens(law, at, 'payout', { to: recipient, amount, satoshis: at === 1 ? kept : FLOOR });
};

/** Who pays pays exactly what is due, to the recipient, and no less at once than the terms say but at the end. */
export const pushed = (law: Law, push: Pushed): void => {
  const least = numberOf(law.terms, 'pushMinimum');
  law.must(least > 0n, 'the terms allow a push');
  law.must(push.amount > 0n, 'something is due');
  law.must(push.next === null || push.amount >= least, 'the push is not below the minimum');
  if (isInBch(law)) pushedBch(law, push);
  else pushedTokens(law, push);
};
