/**
 * The transactions of a recurring payment: coins and state in, an unsigned transaction out.
 *
 * They know the terms and the thread only, so that every product with a recurring covenant builds on them.
 * `observe.ts` reads the same states back.
 */
import { hexToBin } from '@bitauth/libauth';
import { placeholderP2PKHUnlocker } from 'cashscript';
import { addressOfHash, parseAddress, type Address } from '../../bch/address.js';
import { fungibleCoins, selectFungible, sumTokens, type Coin, type Output } from '../../bch/coins.js';
import { least } from '../../bch/amount.js';
import type { Network } from '../../bch/network.js';
import { TOKEN_CHANGE_SATOSHIS } from '../../bch/payment.js';
import { THREAD_DUST } from '../../bch/transaction.js';
import { TreasuryError } from '../../errors.js';
import { signedCall, witnessedCall } from '../call.js';
import type { GenesisMember } from '../genesis.js';
import {
  buildPoolSpend,
  continuingOutputs,
  payoutOutput,
  poolGenesis,
  restated,
  shareOut,
  type Pool,
  type PoolSpend,
} from '../pool.js';
import { buildPush } from '../push.js';
import { isInsufficient, type UnsignedTransaction } from '../spend.js';
import type { ThreadPointer } from '../thread.js';
import type { Witness } from '../ticket.js';
import { recurringContract, type RecurringStart, type RecurringTerms } from './contract.js';
import { afterPeriods, settledPeriods } from './rules.js';
import {
  CHAIN_STATUS,
  encodeFlags,
  readRecurringState,
  recurringState,
  type RecurringState,
} from './state.js';

/** What every spend of a recurring covenant starts from, gathered from the chain. */
export type RecurringSpend = {
  readonly terms: RecurringTerms;
  readonly network: Network;
  /** The pinned thread. */
  readonly thread: ThreadPointer;
} & Pick<PoolSpend, 'coins' | 'payerCoins' | 'locktime'>;

/**
 * A recurring covenant's pool.
 *
 * @example
 * recurringPool(terms, thread.category, 'local').tokenCategory; // null
 */
export const recurringPool = (terms: RecurringTerms, threadCategory: string, network: Network): Pool => ({
  network,
  contract: recurringContract(terms, network),
  threadCategory,
  tokenCategory: terms.tokenCategory,
});

/**
 * What is left in the pool of a thread, smallest unit: tokens by the state, BCH by the value of its coin.
 *
 * @example
 * poolLeft(terms, readRecurringState(thread.commitment), threadCoin.satoshis); // 30_000_000n
 */
export const poolLeft = (
  { tokenCategory }: Pick<RecurringTerms, 'tokenCategory'>,
  state: RecurringState,
  threadSatoshis: bigint,
): bigint => (tokenCategory === null ? threadSatoshis - THREAD_DUST : state.pool);

/** The commitment of a state whose `pool` is what is left in either asset. */
const encodeState = ({ tokenCategory }: RecurringTerms, state: RecurringState): string =>
  recurringState.encode(tokenCategory === null ? { ...state, pool: 0n } : state);

/**
 * The one thread that funding mints, with its pool of `start.funded` periods.
 *
 * @example
 * recurringGenesis(terms, start, 'local').pool; // 30_000_000n
 */
export const recurringGenesis = (
  terms: RecurringTerms,
  start: RecurringStart,
  network: Network,
): GenesisMember => {
  const pool = BigInt(start.funded) * terms.amountPerPeriod;
  const commitment = encodeState(terms, {
    status: CHAIN_STATUS.active,
    nextDue: start.firstDue,
    paid: 0,
    pool,
    recipient: parseAddress(start.recipient).hash,
    flags: encodeFlags(start),
  });
  return poolGenesis(recurringPool(terms, '', network), commitment, pool);
};

/** The state of the thread with `pool` as what is left in either asset. */
const stateOf = ({ terms, thread, coins }: RecurringSpend): RecurringState => {
  const state = readRecurringState(thread.commitment);
  return { ...state, pool: poolLeft(terms, state, coins.thread.satoshis) };
};

const recipientOf = (state: RecurringState, network: Network): Address =>
  addressOfHash(hexToBin(state.recipient), network);

/** The outputs with which the thread goes on in a state. */
const goingOn = ({ terms, thread, network }: RecurringSpend, state: RecurringState): readonly Output[] =>
  continuingOutputs(recurringPool(terms, thread.category, network), encodeState(terms, state), state.pool)
    .outputs;

const spendRecurring = (
  { terms, network, thread, ...gathered }: RecurringSpend,
  spend: Pick<PoolSpend, 'call' | 'outputs' | 'payer'> & Partial<PoolSpend>,
): UnsignedTransaction =>
  buildPoolSpend(recurringPool(terms, thread.category, network), { ...gathered, ...spend });

/**
 * Pays `periods` to the recipient, who signs. The fee comes from the recipient's own coins; where these do not
 * suffice and the payout is BCH, it comes out of the payout. The last period of a fixed term ends the thread.
 *
 * @param to - who gets the money; default the recipient
 * @throws insufficient_funds when neither can pay the fee
 * @example
 * const { outputs, fee } = buildRecurringClaim({ ...spend, payerCoins: [] }, { periods: 2 });
 * outputsOf({ outputs }); // [10_001_000n, 20_000_000n - fee]
 */
export const buildRecurringClaim = (
  spend: RecurringSpend,
  { periods, to }: { readonly periods: number; readonly to?: Address },
): UnsignedTransaction => {
  const { terms, network } = spend;
  const state = stateOf(spend);
  const payer = recipientOf(state, network);
  const after = afterPeriods(terms, state, periods);
  const continuing = after.paid === terms.periods ? [] : goingOn(spend, after);
  const payee = to ?? payer;
  const payout = payoutOutput(terms.tokenCategory, payee.lockingBytecode, state.pool - after.pool);
  const call = signedCall('claim', BigInt(periods));
  try {
    return spendRecurring(spend, { call, payer, outputs: [...continuing, payout] });
  } catch (error) {
    if (terms.tokenCategory !== null || !isInsufficient(error)) throw error;
    return spendRecurring(spend, { call, payer, outputs: continuing, changeTo: payee });
  }
};

/**
 * Pays all periods that are due and funded to the recipient, who does not sign. The payer pays the fee; the last period of
 * a fixed term ends the thread.
 *
 * @throws insufficient_funds
 * @example
 * const newest = { ...terms, artifactFingerprint: newestFingerprint('recurring-payment') };
 * const { outputs } = buildRecurringPush({ ...spend, terms: newest, payerCoins: [coin] }, alice.address);
 * outputsOf({ outputs }).slice(0, 2); // [10_001_000n, 20_000_000n]
 */
export const buildRecurringPush = (spend: RecurringSpend, payer: Address): UnsignedTransaction => {
  const { terms, network, thread, coins, payerCoins, locktime } = spend;
  const state = stateOf(spend);
  const after = afterPeriods(terms, state, settledPeriods(terms, state, locktime));
  return buildPush(
    recurringPool(terms, thread.category, network),
    { coins, payerCoins, payer, locktime },
    {
      args: [],
      next: after.paid === terms.periods ? null : encodeState(terms, after),
      remaining: after.pool,
      amount: state.pool - after.pool,
      recipient: recipientOf(state, network).lockingBytecode,
    },
  );
};

/**
 * The fewest coins of the owner that hold `amount` of a token, as inputs, and the output that takes back what is left.
 *
 * @throws insufficient_funds in the token
 */
const takeTokens = (owner: Address, coins: readonly Coin[], category: string, amount: bigint) => {
  const chosen = selectFungible(coins, category, amount);
  if (chosen === null) {
    throw new TreasuryError('insufficient_funds', {
      address: owner.text,
      asset: `units of the token ${category}`,
      available: sumTokens(fungibleCoins(coins, category), category).toString(),
      needed: amount.toString(),
    });
  }
  const unlocker = placeholderP2PKHUnlocker(owner.text);
  const left = sumTokens(chosen, category) - amount;
  const { lockingBytecode } = owner;
  const change = { lockingBytecode, satoshis: TOKEN_CHANGE_SATOSHIS, token: { category, amount: left } };
  return { inputs: chosen.map((coin) => ({ coin, unlocker })), change: left > 0n ? [change] : [] };
};

/**
 * Puts `periods` more into the pool out of the sender's coins.
 *
 * @throws insufficient_funds, in BCH or in the token
 * @example
 * outputsOf(buildRecurringRefill(spend, { periods: 7 }))[0]; // 100_001_000n
 */
export const buildRecurringRefill = (
  spend: RecurringSpend,
  { periods }: { readonly periods: number },
): UnsignedTransaction => {
  const { tokenCategory, sender, amountPerPeriod } = spend.terms;
  const payer = parseAddress(sender);
  const state = stateOf(spend);
  const added = BigInt(periods) * amountPerPeriod;
  const taken = tokenCategory === null ? null : takeTokens(payer, spend.payerCoins, tokenCategory, added);
  return spendRecurring(spend, {
    call: signedCall('refill'),
    payer,
    outputs: [...goingOn(spend, { ...state, pool: state.pool + added }), ...(taken?.change ?? [])],
    extraInputs: taken?.inputs ?? [],
  });
};

/**
 * Pauses, and pays the recipient what is settled at the locktime.
 *
 * @throws insufficient_funds
 * @example
 * outputsOf(buildRecurringPause(spend, witness)).slice(0, 3); // [10_001_000n, 20_000_000n, 10_000n]
 */
export const buildRecurringPause = (spend: RecurringSpend, witness: Witness): UnsignedTransaction => {
  const { terms, network } = spend;
  const state = stateOf(spend);
  const settled = settledPeriods(terms, state, spend.locktime);
  const after = { ...afterPeriods(terms, state, settled), status: CHAIN_STATUS.paused };
  const { lockingBytecode } = recipientOf(state, network);
  const payout =
    settled === 0 ? [] : [payoutOutput(terms.tokenCategory, lockingBytecode, state.pool - after.pool)];
  return spendRecurring(spend, {
    call: witnessedCall('pause', witness),
    payer: parseAddress(terms.sender),
    outputs: [...goingOn(spend, after), ...payout, witness.ticketOutput],
    extraInputs: [witness.ticket],
  });
};

/**
 * Resumes: the next period falls due an interval after the locktime, and the pool does not move.
 *
 * @throws insufficient_funds
 * @example
 * outputsOf(buildRecurringResume(spend))[0]; // threadCoin.satoshis
 */
export const buildRecurringResume = (spend: RecurringSpend): UnsignedTransaction => {
  const { terms, coins, thread, locktime } = spend;
  const nextDue = locktime + terms.intervalSeconds;
  const after = { ...stateOf(spend), status: CHAIN_STATUS.active, nextDue };
  return spendRecurring(spend, {
    ...restated(coins, thread.category, encodeState(terms, after)),
    call: signedCall('resume'),
    payer: parseAddress(terms.sender),
  });
};

/**
 * Cancels: what is settled goes to the recipient, the rest to the sender, and the thread is burned.
 *
 * @throws insufficient_funds
 * @example
 * outputsOf(buildRecurringCancel(spend, witness)).slice(0, 2); // [20_000_000n, 10_000n]
 */
export const buildRecurringCancel = (spend: RecurringSpend, witness: Witness): UnsignedTransaction => {
  const { terms, network } = spend;
  const state = stateOf(spend);
  const amount = BigInt(settledPeriods(terms, state, spend.locktime)) * terms.amountPerPeriod;
  // A funding with a wrong sum may hold less tokens than its state says.
  const held = sumTokens(spend.coins.reserve, terms.tokenCategory ?? '');
  const owed = { to: recipientOf(state, network), amount };
  const rest = { to: parseAddress(terms.sender), amount: least(state.pool, held) - amount };
  return spendRecurring(spend, {
    ...shareOut(terms.tokenCategory, owed, rest, witness),
    call: witnessedCall('cancel', witness),
  });
};
