/** What became of a coin, as the chain tells it. */
import { sameOutpoint, type Coin, type Outpoint } from '../bch/coins.js';
import { toLibauthOutput, toLibauthTransaction, type Transaction } from '../bch/transaction.js';
import { inputRefusal } from '../bch/virtual-machine.js';
import type { Context } from '../operation/context.js';
import { certaintyOf } from '../record/events.js';

/**
 * One that waits is spent, and by no block yet: it may come back. So may one whose spend a block has, until that is as deep
 * as what is called safe.
 */
export type Fate = 'unspent' | 'waiting' | 'mined' | 'safe';

/** A coin of a locking bytecode (hex) while it is unspent. @throws chain_unavailable */
export const findCoin = async (
  lockingBytecode: string,
  outpoint: Outpoint,
  { chain }: Pick<Context, 'chain'>,
): Promise<Coin | undefined> =>
  (await chain.coins(lockingBytecode)).find((coin) => sameOutpoint(coin, outpoint));

const minedFate = async (height: number, { chain }: Pick<Context, 'chain'>): Promise<Fate> =>
  certaintyOf(height, (await chain.tip()).height) === 'safe' ? 'safe' : 'mined';

/** True when a block has the spend of a coin. */
export const isMined = (fate: Fate): boolean => fate === 'mined' || fate === 'safe';

/** What became of a coin of a locking bytecode (hex). @throws chain_unavailable */
export const fateOf = async (
  lockingBytecode: string,
  outpoint: Outpoint,
  { chain }: Pick<Context, 'chain'>,
): Promise<Fate> => {
  if ((await findCoin(lockingBytecode, outpoint, { chain })) !== undefined) return 'unspent';
  // What spends it is among the last.
  for (const { txid, height } of [...(await chain.history(lockingBytecode))].reverse()) {
    const found = await chain.transaction(txid);
    if (found?.transaction.inputs.some((input) => sameOutpoint(input, outpoint)) === true)
      return height === null ? 'waiting' : await minedFate(height, { chain });
  }
  return 'waiting';
};

/** True when a block has another spend of what a transaction spends: it can never be mined. @throws chain_unavailable */
export const hasMinedRival = async (
  { inputs }: Pick<Transaction, 'inputs'>,
  { chain }: Pick<Context, 'chain'>,
): Promise<boolean> => {
  for (const input of inputs) {
    const source = (await chain.transaction(input.txid))?.transaction.outputs[input.vout];
    // What it would spend is gone itself; it may come back.
    if (source === undefined) continue;
    if (isMined(await fateOf(source.lockingBytecode, input, { chain }))) return true;
  }
  return false;
};

/** Transactions of a history that are looked through for a rival. */
const MOST_LOOKED_THROUGH = 50;

/** True when the scripts take an input of a transaction, by what the chain says that all its inputs spend. */
const isTaken = async (
  transaction: Transaction,
  inputIndex: number,
  { chain }: Pick<Context, 'chain'>,
): Promise<boolean> => {
  const sourceOutputs = [];
  for (const { txid, vout } of transaction.inputs) {
    const source = (await chain.transaction(txid))?.transaction.outputs[vout];
    if (source === undefined) return false;
    sourceOutputs.push(toLibauthOutput(source));
  }
  return inputRefusal({ transaction: toLibauthTransaction(transaction), sourceOutputs }, inputIndex) === null;
};

/**
 * True when the chain shows another transaction that spends a coin of this one, and whose signature for it is good: so
 * nobody says so who only keeps this one to himself.
 *
 * @throws chain_unavailable
 */
export const hasRival = async (
  { txid: own, inputs }: Pick<Transaction, 'txid' | 'inputs'>,
  context: Pick<Context, 'chain'>,
): Promise<boolean> => {
  const { chain } = context;
  for (const input of inputs) {
    const source = (await chain.transaction(input.txid))?.transaction.outputs[input.vout];
    if (source === undefined) continue;
    const history = await chain.history(source.lockingBytecode);
    for (const { txid } of history.slice(-MOST_LOOKED_THROUGH).reverse()) {
      const other = txid === own ? undefined : (await chain.transaction(txid))?.transaction;
      const at = other?.inputs.findIndex((one) => sameOutpoint(one, input)) ?? -1;
      if (other !== undefined && other.txid !== own && at !== -1 && (await isTaken(other, at, context)))
        return true;
    }
  }
  return false;
};
