/**
 * The plain payment: coins of one P2PKH wallet in, promised outputs and all the change out.
 *
 * Coins that carry tokens are spent only to send that token, and what is left of it comes back: nothing is burned.
 */
import {
  encodeTransaction,
  hexToBin,
  type Input as LibauthInput,
  type Transaction as LibauthTransaction,
} from '@bitauth/libauth';
import { TreasuryError } from '../errors.js';
import type { Address } from './address.js';
import {
  categoriesOf,
  fungibleCoins,
  insufficientSatoshis,
  plainCoins,
  sameOutpoint,
  selectFungible,
  sumSatoshis,
  sumTokens,
  type Coin,
  type Output,
} from './coins.js';
import { dustOf, feeFor, MAXIMUM_STANDARD_SIZE, toLibauthOutput } from './transaction.js';

/** `<signature> <public key>` of a P2PKH input as the wallet fills it in: 66 + 34 bytes. */
export const P2PKH_UNLOCKING_SIZE = 100;
/** A P2PKH input as signed: outpoint, sequence, length and unlocking bytecode. */
export const P2PKH_INPUT_SIZE = 41 + P2PKH_UNLOCKING_SIZE;
/** Coins of a wallet that one standard transaction spends at most, a few outputs beside them. */
export const MAXIMUM_COINS = Math.floor((MAXIMUM_STANDARD_SIZE - 1_000) / P2PKH_INPUT_SIZE);
const FINAL_SEQUENCE = 0xffffffff;
/** Satoshis on an output of token change: some room above its dust, as wallets give it. */
export const TOKEN_CHANGE_SATOSHIS = 1_000n;

/** What is to be paid. */
export type PaymentPlan = {
  /** Who signs every input. */
  readonly payer: Address;
  /** What the payer has. */
  readonly coins: readonly Coin[];
  /** What is promised, in this order. May be empty: then everything chosen becomes change. */
  readonly outputs: readonly Output[];
  /** Coins that must be spent: they are the first inputs. None may hold an NFT. */
  readonly requiredCoins?: readonly Coin[];
  /** Where the satoshis left over stand among the outputs. Default `last`. */
  readonly changePosition?: 'last' | 'first';
  /** Who gets the satoshis left over. Default the payer. */
  readonly changeTo?: Address;
};

/** A payment that waits for its wallet's signatures. */
export type Payment = {
  /** Every unlocking bytecode is empty: the wallet fills them in. */
  readonly transaction: LibauthTransaction;
  /** What each input spends, beside the input itself, as wcTransactions have it. */
  readonly sourceOutputs: readonly (LibauthInput & ReturnType<typeof toLibauthOutput>)[];
  /** Satoshis. */
  readonly fee: bigint;
  readonly inputs: readonly Coin[];
  readonly outputs: readonly Output[];
  /** Where the satoshis left over stand; null when they were too few for an output and went to the fee. */
  readonly changeIndex: number | null;
};

/**
 * `insufficient_funds` in a token for an address.
 *
 * @example
 * insufficientTokens(alice.address.text, category, 1n, 2n).code; // 'insufficient_funds'
 */
export const insufficientTokens = (address: string, category: string, available: bigint, needed: bigint) =>
  new TreasuryError('insufficient_funds', {
    address,
    asset: `units of the token ${category}`,
    available: available.toString(),
    needed: needed.toString(),
  });

/** Categories that the outputs need from coins: not those that a required coin of index 0 mints here. */
const categoriesSent = (outputs: readonly Output[], requiredCoins: readonly Coin[]): string[] => {
  const minted = requiredCoins.filter(({ vout }) => vout === 0).map(({ txid }) => txid);
  return categoriesOf(outputs).filter((category) => !minted.includes(category));
};

/** The fewest token coins that hold what the required coins lack. @throws insufficient_funds */
const chooseTokenCoins = (
  { payer, outputs, requiredCoins = [] }: PaymentPlan,
  free: readonly Coin[],
): Coin[] =>
  categoriesSent(outputs, requiredCoins).flatMap((category) => {
    const needed = sumTokens(outputs, category);
    const held = sumTokens(requiredCoins, category);
    const chosen = selectFungible(free, category, needed > held ? needed - held : 0n);
    if (chosen !== null) return chosen;
    const available = held + sumTokens(fungibleCoins(free, category), category);
    throw insufficientTokens(payer.text, category, available, needed);
  });

/**
 * One output for what inputs hold of each token above what is promised.
 *
 * @example
 * tokenChange([tokenCoin], [], alice.address.lockingBytecode)[0].token; // { category, amount: 500n }
 */
export const tokenChange = (
  inputs: readonly Coin[],
  promised: readonly Output[],
  lockingBytecode: string,
): Output[] =>
  categoriesOf(inputs).flatMap((category) => {
    const amount = sumTokens(inputs, category) - sumTokens(promised, category);
    const token = { category, amount };
    return amount <= 0n ? [] : [{ lockingBytecode, satoshis: TOKEN_CHANGE_SATOSHIS, token }];
  });

const toInput = ({ txid, vout }: Coin): LibauthInput => ({
  outpointTransactionHash: hexToBin(txid),
  outpointIndex: vout,
  sequenceNumber: FINAL_SEQUENCE,
  unlockingBytecode: Uint8Array.of(),
});

const toTransaction = (inputs: readonly Coin[], outputs: readonly Output[]): LibauthTransaction => ({
  version: 2,
  inputs: inputs.map(toInput),
  outputs: outputs.map(toLibauthOutput),
  locktime: 0,
});

/** The fee of a transaction once its P2PKH inputs are signed, satoshis. */
const feeOnceSigned = (inputs: readonly Coin[], outputs: readonly Output[]): bigint =>
  feeFor(encodeTransaction(toTransaction(inputs, outputs)).length + inputs.length * P2PKH_UNLOCKING_SIZE);

type Balanced = Pick<Payment, 'outputs' | 'changeIndex'>;

/** The outputs with their change, or what the inputs would have to hold. */
const balance = (inputs: readonly Coin[], plan: PaymentPlan): Balanced | { readonly needed: bigint } => {
  const available = sumSatoshis(inputs);
  const fixed = [...plan.outputs, ...tokenChange(inputs, plan.outputs, plan.payer.lockingBytecode)];
  const { lockingBytecode } = plan.changeTo ?? plan.payer;
  const place = (satoshis: bigint): Output[] => {
    const change = { lockingBytecode, satoshis };
    return plan.changePosition === 'first' ? [change, ...fixed] : [...fixed, change];
  };

  const leastChange = dustOf({ lockingBytecode, satoshis: 0n });
  const neededWithChange = sumSatoshis(fixed) + feeOnceSigned(inputs, place(0n));
  const rest = available - neededWithChange;
  if (rest >= leastChange) {
    return { outputs: place(rest), changeIndex: plan.changePosition === 'first' ? 0 : fixed.length };
  }

  // A transaction has outputs: with none promised, the change is what is wanted.
  if (fixed.length === 0) return { needed: neededWithChange + leastChange };
  const needed = sumSatoshis(fixed) + feeOnceSigned(inputs, fixed);
  return available >= needed ? { outputs: fixed, changeIndex: null } : { needed };
};

const complete = (inputs: readonly Coin[], { outputs, changeIndex }: Balanced): Payment => {
  const transaction = toTransaction(inputs, outputs);
  return {
    transaction,
    sourceOutputs: inputs.map((coin) => ({ ...toInput(coin), ...toLibauthOutput(coin) })),
    fee: sumSatoshis(inputs) - sumSatoshis(outputs),
    inputs,
    outputs,
    changeIndex,
  };
};

/**
 * Builds a payment of as few coins as suffice: the required ones, then those of the tokens that are sent, then the
 * largest plain ones. Change below dust goes to the fee, which is otherwise that of {@link feeFor}.
 *
 * @throws insufficient_funds, in BCH or in a token
 * @example
 * const outputs = [{ lockingBytecode: bob.address.lockingBytecode, satoshis: 25_000_000n }];
 * const { fee, changeIndex } = buildPayment({ payer: alice.address, coins: [coin, tokenCoin], outputs });
 * [fee, changeIndex]; // [224n, 1]
 * buildPayment({ payer: alice.address, coins: [], outputs }); // throws insufficient_funds
 */
export const buildPayment = (plan: PaymentPlan): Payment => {
  const { payer, coins, requiredCoins = [] } = plan;
  if (requiredCoins.some(({ token }) => token?.nft !== undefined)) {
    throw new Error('a required coin holds an NFT, which a plain payment would burn');
  }
  const free = coins.filter((coin) => !requiredCoins.some((required) => sameOutpoint(required, coin)));
  const chosen = [...requiredCoins, ...chooseTokenCoins(plan, free)];
  const candidates = plainCoins(free);

  for (let count = 0; ; count += 1) {
    const inputs = [...chosen, ...candidates.slice(0, count)];
    const result = balance(inputs, plan);
    if ('outputs' in result) return complete(inputs, result);
    if (count < candidates.length) continue;
    // Without any coin, the first one will cost its own bytes too.
    const firstCoin = inputs.length === 0 ? feeFor(P2PKH_INPUT_SIZE) : 0n;
    throw insufficientSatoshis(payer.text, sumSatoshis(inputs), result.needed + firstCoin);
  }
};
