/** Building a covenant spend: the covenant's inputs and outputs come first, then the signer pays the fee. */
import { encodeTransaction, type Transaction as LibauthTransaction } from '@bitauth/libauth';
import { TransactionBuilder, placeholderP2PKHUnlocker, type Unlocker, type WcSourceOutput } from 'cashscript';
import type { Address } from '../bch/address.js';
import { insufficientSatoshis, plainCoins, sumSatoshis, type Coin, type Output } from '../bch/coins.js';
import type { Network } from '../bch/network.js';
import { P2PKH_INPUT_SIZE, P2PKH_UNLOCKING_SIZE, tokenChange } from '../bch/payment.js';
import { dustOf, feeFor, outputSize, toLibauthOutput } from '../bch/transaction.js';
import { TreasuryError } from '../errors.js';
import { offline } from './covenant-contract.js';

/** Not final, so that the locktime counts; without BIP68 meaning. */
export const SPEND_SEQUENCE = 0xfffffffe;
/** What the builder writes. Source: CashScript. */
export const SPEND_VERSION = 2;

export type SpendInput = { readonly coin: Coin; readonly unlocker: Unlocker };

export type SpendPlan = {
  readonly network: Network;
  /** The covenant's inputs: the thread first. */
  readonly inputs: readonly SpendInput[];
  /** What the covenant promises, in its order. Change comes after. */
  readonly outputs: readonly Output[];
  /** Who signs, pays the fee and gets the change. */
  readonly payer: Address;
  /** Coins of the payer; only those without tokens are used. */
  readonly payerCoins: readonly Coin[];
  /** Who gets the change; default the payer. With a covenant that pays its signer, this is where the payout goes. */
  readonly changeTo?: Address;
  /** Inputs of others that are signed already (a ticket), behind the covenant's. */
  readonly extraInputs?: readonly SpendInput[];
  /** The covenant allows no more fee coins than this. */
  readonly maximumFeeCoins?: number;
  /** Unix seconds: chain now. */
  readonly locktime: number;
};

/** A transaction that waits for its wallet's signatures. */
export type UnsignedTransaction = {
  readonly transaction: LibauthTransaction;
  readonly sourceOutputs: readonly WcSourceOutput[];
  readonly inputs: readonly Coin[];
  readonly outputs: readonly Output[];
  /** Satoshis. */
  readonly fee: bigint;
};

const toUtxo = ({ txid, vout, satoshis, token }: Coin) => ({
  txid,
  vout,
  satoshis,
  ...(token === undefined ? {} : { token }),
});

const fixedInputs = ({ inputs, extraInputs = [] }: SpendPlan): readonly SpendInput[] => [
  ...inputs,
  ...extraInputs,
];

const builderOf = (
  plan: SpendPlan,
  feeCoins: readonly Coin[],
  outputs: readonly Output[],
): TransactionBuilder => {
  const builder = new TransactionBuilder({ provider: offline(plan.network) });
  for (const { coin, unlocker } of fixedInputs(plan))
    builder.addInput(toUtxo(coin), unlocker, { sequence: SPEND_SEQUENCE });
  const payerUnlocker = placeholderP2PKHUnlocker(plan.payer.text);
  for (const coin of feeCoins) builder.addInput(toUtxo(coin), payerUnlocker, { sequence: SPEND_SEQUENCE });
  for (const output of outputs) {
    const { lockingBytecode } = toLibauthOutput(output);
    builder.addOutput({
      to: lockingBytecode,
      amount: output.satoshis,
      ...(output.token === undefined ? {} : { token: output.token }),
    });
  }
  return builder.setLocktime(plan.locktime);
};

/** Inputs whose unlocking bytecode the payer's wallet will add: fee coins, and coins of the payer among the fixed ones. */
const unsignedInputs = (plan: SpendPlan, feeCoins: readonly Coin[]): number =>
  feeCoins.length + fixedInputs(plan).filter(({ unlocker }) => 'placeholder' in unlocker).length;

/** Signed size: what stands there now, and the unlocking bytecode that the wallet will add. */
const signedSize = (plan: SpendPlan, feeCoins: readonly Coin[], outputs: readonly Output[]): number =>
  encodeTransaction(builderOf(plan, feeCoins, outputs).buildLibauthTransaction()).length +
  unsignedInputs(plan, feeCoins) * P2PKH_UNLOCKING_SIZE;

/** The outputs with change at the end, or null when the coins do not suffice. */
const balance = (
  plan: SpendPlan,
  feeCoins: readonly Coin[],
): { outputs: readonly Output[] } | { needed: bigint } => {
  const available = sumSatoshis(fixedInputs(plan).map(({ coin }) => coin)) + sumSatoshis(feeCoins);
  const { lockingBytecode } = plan.changeTo ?? plan.payer;
  const change: Output = { lockingBytecode, satoshis: 0n };
  const withChange = [...plan.outputs, change];
  const size = signedSize(plan, feeCoins, withChange);
  const rest = available - sumSatoshis(plan.outputs) - feeFor(size);
  if (rest >= dustOf(change)) return { outputs: [...plan.outputs, { ...change, satoshis: rest }] };
  // A transaction has outputs: with none promised, the change is wanted.
  if (plan.outputs.length === 0) return { needed: dustOf(change) - rest };
  const changeSize = outputSize(change);
  const shortfall = sumSatoshis(plan.outputs) + feeFor(size - changeSize) - available;
  return shortfall <= 0n ? { outputs: plan.outputs } : { needed: shortfall };
};

/**
 * True when the signer's coins do not suffice for a spend.
 *
 * @example
 * isInsufficient(insufficientSatoshis(alice.address.text, 1n, 2n)); // true
 */
export const isInsufficient = (error: unknown): boolean =>
  error instanceof TreasuryError && error.code === 'insufficient_funds';

/**
 * Completes a spend with as few fee coins as needed, change, and the exact fee.
 *
 * @throws insufficient_funds
 * @example
 * const inputs = [{ coin: threadCoin, unlocker: contract.unlock('refill', alice.publicKey, new Uint8Array(65)) }];
 * const plan = { network: 'local', inputs, outputs: [], payer: alice.address, payerCoins: [], locktime: monday };
 * buildSpend(plan).outputs.length; // 1
 */
export const buildSpend = (given: SpendPlan): UnsignedTransaction => {
  const fixed = fixedInputs(given).map(({ coin }) => coin);
  const { lockingBytecode } = given.changeTo ?? given.payer;
  // Tokens above the promise (somebody sent them to a reserve) are a gift to the signer.
  const gifts = tokenChange(fixed, given.outputs, lockingBytecode);
  const plan = { ...given, outputs: [...given.outputs, ...gifts] };
  const candidates = plainCoins(plan.payerCoins).slice(0, plan.maximumFeeCoins ?? plan.payerCoins.length);
  for (let count = 0; ; count += 1) {
    const feeCoins = candidates.slice(0, count);
    const result = balance(plan, feeCoins);
    if ('outputs' in result) return completeSpend(plan, feeCoins, result.outputs);
    if (count < candidates.length) continue;
    const available = sumSatoshis(candidates);
    // Without any coin, the first one will cost its own bytes too.
    const firstCoin = candidates.length === 0 ? feeFor(P2PKH_INPUT_SIZE) : 0n;
    throw insufficientSatoshis(plan.payer.text, available, available + result.needed + firstCoin);
  }
};

const completeSpend = (
  plan: SpendPlan,
  feeCoins: readonly Coin[],
  outputs: readonly Output[],
): UnsignedTransaction => {
  const inputs = [...fixedInputs(plan).map(({ coin }) => coin), ...feeCoins];
  const { transaction, sourceOutputs } = builderOf(plan, feeCoins, outputs).generateWcTransactionObject();
  return {
    transaction: transaction,
    sourceOutputs,
    inputs,
    outputs,
    fee: sumSatoshis(inputs) - sumSatoshis(outputs),
  };
};
