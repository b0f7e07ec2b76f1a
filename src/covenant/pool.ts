/**
 * The pool: what a covenant pays from. BCH sits in the thread's own output, tokens in the thread's reserve.
 *
 * The builder of a move and its observer take the outputs it promises from here, so they cannot drift.
 */
import type { FunctionArgument } from 'cashscript';
import type { Address } from '../bch/address.js';
import { most } from '../bch/amount.js';
import type { Coin, Output } from '../bch/coins.js';
import type { Network } from '../bch/network.js';
import { dustOf } from '../bch/transaction.js';
import type { CovenantContract } from './covenant-contract.js';
import type { GenesisMember } from './genesis.js';
import { reserveContract, reserveOutput, TOKEN_PAYOUT_DUST } from './reserve.js';
import { buildSpend, type SpendInput, type SpendPlan, type UnsignedTransaction } from './spend.js';
import { threadOutput } from './thread.js';
import type { Witness } from './ticket.js';

/** A funded covenant and what its pool is counted in. */
export type Pool = {
  readonly network: Network;
  readonly contract: CovenantContract;
  readonly threadCategory: string;
  /** Null: the pool is BCH. */
  readonly tokenCategory: string | null;
};

/** The coins that a spend of a pool opens. */
export type PoolCoins = {
  /** The pinned thread. */
  readonly thread: Coin;
  /** Coins of the reserve; none in BCH, and none where the reserve stays closed. */
  readonly reserve: readonly Coin[];
};

/**
 * The one thread that funding mints at a covenant, with its whole pool in the smallest unit.
 *
 * @example
 * const inBch = { network: 'local', contract, tokenCategory: null };
 * poolGenesis(inBch, '00', 5n); // { lockingBytecode: contract.lockingBytecode, commitment: '00', pool: 5n, token: null }
 */
export const poolGenesis = (
  {
    network,
    contract: { lockingBytecode },
    tokenCategory,
  }: Pick<Pool, 'network' | 'tokenCategory'> & {
    readonly contract: Pick<CovenantContract, 'lockingBytecode'>;
  },
  commitment: string,
  pool: bigint,
): GenesisMember => ({
  lockingBytecode,
  commitment,
  pool,
  token:
    tokenCategory === null
      ? null
      : {
          category: tokenCategory,
          reserveLock: (thread) => reserveContract(thread, lockingBytecode, network).lockingBytecode,
        },
});

/**
 * How a covenant goes on: output 0, and output 1 when the pool is tokens and some remain.
 *
 * @returns the outputs, and the index at which the covenant looks for a payout
 * @example
 * const pool = recurringPool(terms, thread.category, 'local');
 * continuingOutputs(pool, thread.commitment, 5n).payoutIndex; // 1
 */
export const continuingOutputs = (
  { network, contract, threadCategory, tokenCategory }: Pool,
  commitment: string,
  remaining: bigint,
): { readonly outputs: readonly Output[]; readonly payoutIndex: number } => {
  const { lockingBytecode } = contract;
  if (tokenCategory === null) {
    return {
      outputs: [threadOutput(lockingBytecode, threadCategory, commitment, remaining)],
      payoutIndex: 1,
    };
  }
  const thread = threadOutput(lockingBytecode, threadCategory, commitment, 0n);
  if (remaining === 0n) return { outputs: [thread], payoutIndex: 1 };
  const reserve = reserveContract(threadCategory, lockingBytecode, network);
  return { outputs: [thread, reserveOutput(reserve, tokenCategory, remaining)], payoutIndex: 2 };
};

/**
 * An amount of the pool's asset for somebody.
 *
 * @example
 * payoutOutput(category, '6a', 5n).token; // { category, amount: 5n }
 */
export const payoutOutput = (tokenCategory: string | null, lockingBytecode: string, amount: bigint): Output =>
  tokenCategory === null
    ? { lockingBytecode, satoshis: amount }
    : { lockingBytecode, satoshis: TOKEN_PAYOUT_DUST, token: { category: tokenCategory, amount } };

/**
 * What the end of a covenant owes somebody: no output when nothing is owed, and an amount too small for an output of
 * its own raised to dust by the signer. Source: docs/design/covenants.md, rules 3 and 13.
 *
 * @example
 * owedOutputs(null, bob.address.lockingBytecode, 0n); // []
 * owedOutputs(null, bob.address.lockingBytecode, 5n)[0].satoshis; // 546n
 */
export const owedOutputs = (
  tokenCategory: string | null,
  lockingBytecode: string,
  amount: bigint,
): readonly Output[] => {
  if (amount === 0n) return [];
  const owed = payoutOutput(tokenCategory, lockingBytecode, amount);
  const dust = dustOf(owed);
  return [owed.satoshis < dust ? { ...owed, satoshis: dust } : owed];
};

/** At most two other inputs may stand beside the thread while the reserve stays closed (covenants rule 2). */
const PASSENGERS = 2;

/**
 * The part of a spend that gives the thread another state: the pool does not move. A ticket is one of the passengers.
 *
 * @example
 * restated(spend.coins, thread.category, '00').outputs[0].satoshis; // threadCoin.satoshis
 */
export const restated = (
  { thread }: PoolCoins,
  threadCategory: string,
  commitment: string,
  witness?: Witness,
): Pick<PoolSpend, 'coins' | 'outputs' | 'extraInputs' | 'maximumFeeCoins'> => {
  const output = threadOutput(thread.lockingBytecode, threadCategory, commitment, 0n);
  return {
    coins: { thread, reserve: [] },
    outputs: [
      { ...output, satoshis: thread.satoshis },
      ...(witness === undefined ? [] : [witness.ticketOutput]),
    ],
    extraInputs: witness === undefined ? [] : [witness.ticket],
    maximumFeeCoins: witness === undefined ? PASSENGERS : PASSENGERS - 1,
  };
};

/**
 * The part of a spend that ends the thread early: what is owed to the recipient, the rest to who ends it (in BCH as the
 * change), and the ticket of the witness.
 *
 * @example
 * const [owed, rest] = [{ to: bob.address, amount: 1_000n }, { to: alice.address, amount: 2_000n }];
 * outputsOf(shareOut(null, owed, rest, witness)); // [1_000n, 10_000n]
 */
export const shareOut = (
  tokenCategory: string | null,
  owed: { readonly to: Address; readonly amount: bigint },
  rest: { readonly to: Address; readonly amount: bigint },
  { ticket, ticketOutput }: Witness,
): Pick<PoolSpend, 'outputs' | 'payer' | 'extraInputs'> => ({
  payer: rest.to,
  outputs: [
    ...owedOutputs(tokenCategory, owed.to.lockingBytecode, owed.amount),
    ...(tokenCategory === null ? [] : owedOutputs(tokenCategory, rest.to.lockingBytecode, rest.amount)),
    ticketOutput,
  ],
  extraInputs: [ticket],
});

/** One call of the covenant, and what surrounds it. */
export type PoolSpend = {
  readonly coins: PoolCoins;
  readonly call: { readonly name: string; readonly args: readonly FunctionArgument[] };
  /** What the covenant promises, in its order. */
  readonly outputs: readonly Output[];
  /** Who signs, pays the fee and gets the change. */
  readonly payer: Address;
  readonly payerCoins: readonly Coin[];
} & Pick<SpendPlan, 'locktime' | 'maximumFeeCoins' | 'changeTo' | 'extraInputs'>;

/** What every spend of a record's pool starts from, gathered from the chain. `locktime` is chain now. */
export type RecordSpend<R> = Pick<PoolSpend, 'coins' | 'payerCoins' | 'locktime'> & {
  readonly record: R;
  readonly network: Network;
};

/**
 * Builds a spend of the thread at input 0, its reserve behind it, then the signer's fee coins.
 *
 * @throws insufficient_funds
 * @example
 * const pool = recurringPool(terms, thread.category, 'local');
 * const call = signedCall('refill');
 * buildPoolSpend(pool, { ...spend, call, outputs: [], payer: alice.address }).inputs[0]; // threadCoin
 */
export const buildPoolSpend = (pool: Pool, { coins, call, ...plan }: PoolSpend): UnsignedTransaction => {
  const { network, contract, threadCategory } = pool;
  const thread: SpendInput = { coin: coins.thread, unlocker: contract.unlock(call.name, ...call.args) };
  const reserve =
    coins.reserve.length === 0 ? null : reserveContract(threadCategory, contract.lockingBytecode, network);
  const reserves = coins.reserve.flatMap((coin) =>
    reserve === null ? [] : [{ coin, unlocker: reserve.unlock('spend') }],
  );
  // In token mode the thread keeps its satoshis, however many its funding gave it (covenants rule 2); one below its dust
  // is topped up by the signer where the covenant lets it.
  const outputs = plan.outputs.map((output, index) =>
    pool.tokenCategory !== null && index === 0 && output.lockingBytecode === contract.lockingBytecode
      ? { ...output, satoshis: most(output.satoshis, coins.thread.satoshis) }
      : output,
  );
  return buildSpend({ ...plan, outputs, network, inputs: [thread, ...reserves] });
};
