/**
 * What a transaction moves, read from the transaction itself: what leaves those whose coins it spends, whoever they are.
 *
 * The covenants that it spends are one of them, since what goes from a thread into its reserve has not left; every wallet
 * is one of its own. The fee does not count where a wallet pays it, nor do the satoshis that a token or a state needs to
 * lie in.
 */
import { createHash } from 'node:crypto';
import type { Output } from '../../bch/coins.js';
import {
  fromLibauthOutput,
  fromLibauthTransaction,
  THREAD_DUST,
  type Transaction,
} from '../../bch/transaction.js';
import type { Measurable } from '../ports/spending.js';
import type { MovedAmount } from './script-key.js';

const WALLET_LOCK = /^76a914[0-9a-f]{40}88ac$/;
const COVENANTS = 'covenants';

/** Whose coin an output is; null: of nobody who spends here. */
const ownersOf = (spent: readonly Output[]): ((output: Output) => string | null) => {
  const locks = new Set(spent.map(({ lockingBytecode }) => lockingBytecode));
  return ({ lockingBytecode: lock }) => {
    if (!locks.has(lock)) return null;
    return WALLET_LOCK.test(lock) ? lock : COVENANTS;
  };
};

const positive = (amount: bigint): bigint => (amount > 0n ? amount : 0n);

/** What each owner has less of than before; nothing where they have more. */
const lossesOf = (
  spent: readonly Output[],
  made: readonly Output[],
  amountOf: (output: Output) => bigint,
): { readonly covenants: bigint; readonly wallets: bigint } => {
  const ownerOf = ownersOf(spent);
  const nets = new Map<string, bigint>();
  const add = (output: Output, amount: bigint): void => {
    const owner = ownerOf(output);
    if (owner !== null) nets.set(owner, (nets.get(owner) ?? 0n) + amount);
  };
  for (const output of spent) add(output, amountOf(output));
  for (const output of made) add(output, -amountOf(output));
  const covenants = positive(nets.get(COVENANTS) ?? 0n);
  nets.delete(COVENANTS);
  return { covenants, wallets: [...nets.values()].reduce((sum, net) => sum + positive(net), 0n) };
};

const sumOf = (outputs: readonly Output[], amountOf: (output: Output) => bigint): bigint =>
  outputs.reduce((sum, output) => sum + amountOf(output), 0n);

const satoshisIn = ({ satoshis }: Output): bigint => satoshis;
const tokensIn =
  (category: string) =>
  ({ token }: Output): bigint =>
    token?.category === category ? token.amount : 0n;

/** The satoshis that new tokens and states lie in, at most so many for each. */
const beddingOf = (spent: readonly Output[], made: readonly Output[]): bigint => {
  const ownerOf = ownersOf(spent);
  return sumOf(made, (output) => {
    if (output.token === undefined || ownerOf(output) !== null) return 0n;
    return output.satoshis < THREAD_DUST ? output.satoshis : THREAD_DUST;
  });
};

/** True when an NFT that was there goes to somebody who spent nothing: nobody can say what it is worth. */
const givesNftAway = (
  spent: readonly Output[],
  made: readonly Output[],
  origins: readonly string[],
): boolean => {
  const ownerOf = ownersOf(spent);
  return made.some(
    (output) =>
      output.token?.nft !== undefined && ownerOf(output) === null && !origins.includes(output.token.category),
  );
};

/** What a transaction moves, each asset in its smallest unit and none of which it moves nothing; null: it cannot be said. */
export const amountsMoved = ({ transaction, sourceOutputs }: Measurable): readonly MovedAmount[] | null => {
  if (sourceOutputs.length !== transaction.inputs.length) return null;
  const spent = sourceOutputs.map(fromLibauthOutput);
  const { outputs: made, inputs } = fromLibauthTransaction(transaction);
  const origins = inputs.filter(({ vout }) => vout === 0).map(({ txid }) => txid);
  if (givesNftAway(spent, made, origins)) return null;

  const { covenants, wallets } = lossesOf(spent, made, satoshisIn);
  const fee = sumOf(spent, satoshisIn) - sumOf(made, satoshisIn);
  const satoshis = positive(covenants + positive(wallets - fee) - beddingOf(spent, made));
  const categories = new Set(spent.flatMap(({ token }) => token?.category ?? []));
  const tokens = [...categories].map((category) => {
    const losses = lossesOf(spent, made, tokensIn(category));
    return { category, amount: losses.covenants + losses.wallets };
  });
  return [{ category: null, amount: satoshis }, ...tokens].filter(({ amount }) => amount > 0n);
};

/**
 * What a transaction is whoever has signed it: 64 hex digits of all but its signatures.
 */
export const unsignedHash = ({ version, locktime, inputs, outputs }: Transaction): string => {
  const spent = inputs.map(({ txid, vout, sequence }) => [txid, vout, sequence]);
  const made = outputs.map(({ lockingBytecode, satoshis, token }) => [
    lockingBytecode,
    String(satoshis),
    token === undefined
      ? null
      : [token.category, String(token.amount), token.nft?.capability ?? null, token.nft?.commitment ?? null],
  ]);
  return createHash('sha256')
    .update(JSON.stringify([version, locktime, spent, made]))
    .digest('hex');
};
