/**
 * What the embedded chain knows: blocks, transactions, coins, and the indexes over them. Pure, no clock, no disk.
 *
 * The state is folded from events that were checked when they were written, so that folding checks nothing.
 */
import { outpointText, type Outpoint, type Output } from '../../bch/coins.js';
import { decodeTransaction, type Transaction } from '../../bch/transaction.js';
import { readBlock, type Block } from './blocks.js';

/** What happens to a chain. The journal holds these, and the chain is the fold of them. */
export type ChainEvent =
  /** The clock is that many seconds ahead of the wall clock. */
  | { readonly type: 'clock'; readonly advancedSeconds: number }
  /** A transaction entered the mempool. */
  | { readonly type: 'transaction'; readonly raw: string }
  /** A block was mined. `header` and `coinbase` are hex; `txids` are in block order, without the coinbase's. */
  | {
      readonly type: 'block';
      readonly header: string;
      readonly coinbase: string;
      readonly txids: readonly string[];
    }
  /** The last `depth` blocks were taken off. Their transactions are in the mempool again, but for `dropped`. */
  | { readonly type: 'reorg'; readonly depth: number; readonly dropped: readonly string[] };

export type KnownTransaction = {
  /** Hex. */
  readonly raw: string;
  readonly transaction: Transaction;
  readonly isCoinbase: boolean;
  /** Rises in the order of acceptance: a parent's is below its children's. */
  readonly order: number;
  /** What its inputs hold above its outputs, in satoshis; 0 for a coinbase. */
  readonly fee: bigint;
  /** Height of its block, or null while in the mempool. */
  height: number | null;
};

/** Changed only by {@link applyEvent}. */
export type ChainState = {
  blocks: Block[];
  /** By id: those of the chain and those of the mempool. */
  readonly transactions: Map<string, KnownTransaction>;
  /** Ids of those that wait for a block. */
  readonly mempool: Set<string>;
  /** By outpoint: the id of the transaction that spends it, mempool included. */
  readonly spenders: Map<string, string>;
  /** By locking bytecode, then by outpoint: what is unspent, mempool included. */
  readonly unspent: Map<string, Map<string, Outpoint>>;
  /** By locking bytecode: the ids of all that pay or spend it. */
  readonly scripts: Map<string, Set<string>>;
  coinCount: number;
  nextOrder: number;
  /** How far the chain's clock is ahead of the wall clock. */
  advancedSeconds: number;
};

/** What events have touched. */
export type Changes = { headers: boolean; readonly lockingBytecodes: Set<string> };

/** A chain without a block. */
export const emptyState = (): ChainState => ({
  blocks: [],
  transactions: new Map(),
  mempool: new Set(),
  spenders: new Map(),
  unspent: new Map(),
  scripts: new Map(),
  coinCount: 0,
  nextOrder: 0,
  advancedSeconds: 0,
});

export const noChanges = (): Changes => ({ headers: false, lockingBytecodes: new Set() });

const OP_RETURN = '6a';

/** False for outputs that no script can spend; they never become coins. */
const isSpendable = ({ lockingBytecode }: Output): boolean => !lockingBytecode.startsWith(OP_RETURN);

/** An output that the chain knows, spent or not; null when it knows none, or none that can be spent. */
export const findOutput = (state: ChainState, { txid, vout }: Outpoint): Output | null => {
  const output = state.transactions.get(txid)?.transaction.outputs[vout];
  return output !== undefined && isSpendable(output) ? output : null;
};

const addTo = <K, V>(index: Map<K, Set<V>>, key: K, value: V): void => {
  const found = index.get(key);
  if (found === undefined) index.set(key, new Set([value]));
  else found.add(value);
};

const addCoin = (state: ChainState, outpoint: Outpoint, { lockingBytecode }: Output): void => {
  const coins = state.unspent.get(lockingBytecode) ?? new Map<string, Outpoint>();
  state.unspent.set(lockingBytecode, coins.set(outpointText(outpoint), outpoint));
  state.coinCount += 1;
};

const removeCoin = (state: ChainState, outpoint: Outpoint, { lockingBytecode }: Output): void => {
  const coins = state.unspent.get(lockingBytecode);
  if (coins?.delete(outpointText(outpoint)) === true) state.coinCount -= 1;
  if (coins?.size === 0) state.unspent.delete(lockingBytecode);
};

/** The locking bytecodes that a transaction pays and spends. */
const scriptsOf = (state: ChainState, { transaction }: KnownTransaction): string[] =>
  [
    ...transaction.outputs.filter(isSpendable),
    ...transaction.inputs.flatMap((input) => findOutput(state, input) ?? []),
  ].map(({ lockingBytecode }) => lockingBytecode);

const touch = (state: ChainState, known: KnownTransaction, changes: Changes): void => {
  for (const script of scriptsOf(state, known)) changes.lockingBytecodes.add(script);
};

const feeOf = (state: ChainState, { inputs, outputs }: Transaction): bigint => {
  const paid = inputs.reduce((sum, input) => sum + (findOutput(state, input)?.satoshis ?? 0n), 0n);
  return outputs.reduce((rest, { satoshis }) => rest - satoshis, paid);
};

/** Adds a transaction to the mempool or, when `height` is given, a coinbase to its block; returns its id. */
const addTransaction = (state: ChainState, raw: string, height: number | null, changes: Changes): string => {
  const transaction = decodeTransaction(raw);
  const { txid, inputs, outputs } = transaction;
  // Only a coinbase comes into being with its block.
  const isCoinbase = height !== null;
  const fee = isCoinbase ? 0n : feeOf(state, transaction);
  const known = { raw, transaction, isCoinbase, order: state.nextOrder, fee, height };
  state.nextOrder += 1;
  state.transactions.set(txid, known);
  if (!isCoinbase) {
    state.mempool.add(txid);
    for (const input of inputs) {
      const spent = findOutput(state, input);
      if (spent !== null) removeCoin(state, input, spent);
      state.spenders.set(outpointText(input), txid);
    }
  }
  for (const [vout, output] of outputs.entries()) {
    if (isSpendable(output)) addCoin(state, { txid, vout }, output);
  }
  for (const script of scriptsOf(state, known)) addTo(state.scripts, script, txid);
  touch(state, known, changes);
  return txid;
};

/** Forgets a transaction none of whose outputs is spent. */
const removeTransaction = (state: ChainState, txid: string, changes: Changes): void => {
  const known = state.transactions.get(txid);
  if (known === undefined) return;
  touch(state, known, changes);
  for (const script of scriptsOf(state, known)) {
    const txids = state.scripts.get(script);
    txids?.delete(txid);
    if (txids?.size === 0) state.scripts.delete(script);
  }
  for (const [vout, output] of known.transaction.outputs.entries()) removeCoin(state, { txid, vout }, output);
  for (const { txid: sourceTxid, vout } of known.isCoinbase ? [] : known.transaction.inputs) {
    const outpoint = { txid: sourceTxid, vout };
    state.spenders.delete(outpointText(outpoint));
    const source = findOutput(state, outpoint);
    if (source !== null) addCoin(state, outpoint, source);
  }
  state.transactions.delete(txid);
  state.mempool.delete(txid);
};

const addBlock = (
  state: ChainState,
  { header, coinbase, txids }: Extract<ChainEvent, { type: 'block' }>,
  changes: Changes,
): void => {
  const height = state.blocks.length;
  const coinbaseTxid = addTransaction(state, coinbase, height, changes);
  for (const txid of txids) {
    const known = state.transactions.get(txid);
    if (known === undefined) continue;
    known.height = height;
    state.mempool.delete(txid);
    touch(state, known, changes);
  }
  state.blocks.push(readBlock(state.blocks, header, [coinbaseTxid, ...txids]));
  changes.headers = true;
};

const takeBlocksOff = (
  state: ChainState,
  { depth, dropped }: Extract<ChainEvent, { type: 'reorg' }>,
  changes: Changes,
): void => {
  const undone = state.blocks.splice(-depth);
  for (const txid of undone.flatMap(({ txids }) => txids)) {
    const known = state.transactions.get(txid);
    if (known === undefined) continue;
    known.height = null;
    state.mempool.add(txid);
    touch(state, known, changes);
  }
  const gone = [...dropped, ...undone.map(coinbaseOf)];
  // Children before their parents, so that each gives back coins that exist.
  for (const txid of inOrder(state, gone).reverse()) removeTransaction(state, txid, changes);
  changes.headers = true;
};

/** Makes the state that of a chain without a block, and notes in `changes` what it knew. */
export const forgetAll = (state: ChainState, changes: Changes): void => {
  for (const script of state.scripts.keys()) changes.lockingBytecodes.add(script);
  Object.assign(state, emptyState());
  changes.headers = true;
};

/** Folds one event into the state and notes in `changes` what it touched. */
export const applyEvent = (state: ChainState, event: ChainEvent, changes: Changes): void => {
  switch (event.type) {
    case 'clock':
      state.advancedSeconds = event.advancedSeconds;
      return;
    case 'transaction':
      addTransaction(state, event.raw, null, changes);
      return;
    case 'block':
      addBlock(state, event, changes);
      return;
    case 'reorg':
      takeBlocksOff(state, event, changes);
  }
};

/** Transaction ids in order of acceptance: parents before their children. */
export const inOrder = (state: ChainState, txids: Iterable<string>): string[] =>
  [...txids].sort(
    (a, b) => (state.transactions.get(a)?.order ?? 0) - (state.transactions.get(b)?.order ?? 0),
  );

/** The id of a block's coinbase. */
export const coinbaseOf = ({ txids }: Block): string => txids[0] ?? '';

/** The last block. A chain that was opened has one. */
export const tipBlock = (state: ChainState): Block => {
  const tip = state.blocks.at(-1);
  if (tip === undefined) throw new Error('The embedded chain has no block.');
  return tip;
};
