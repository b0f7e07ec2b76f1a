/** Why a node refused a transaction, with the details that its words leave out. */
import { outpointText, sumSatoshis, type Coin, type Outpoint, type Output } from '../../bch/coins.js';
import {
  decodeRaw,
  dustOf,
  FEE_SATS_PER_BYTE,
  fromLibauthTransaction,
  isCoinbase,
  MAXIMUM_STANDARD_SIZE,
  type ChainTransaction,
  type Transaction,
} from '../../bch/transaction.js';
import { requireNoDust } from '../../bch/virtual-machine.js';
import { isTreasuryError, TreasuryError } from '../../errors.js';
import type { HistoryEntry } from '../../operation/ports/chain.js';
import type { Block } from '../local-chain/blocks.js';
import {
  absoluteLock,
  maturityLock,
  relativeLock,
  type LockedCoin,
  type Wait,
} from '../local-chain/finality.js';
import type { RefusalKind } from './node-words.js';

/** What is asked of the chain to fill in the details. */
export type DetailSource = {
  readonly transaction: (txid: string) => Promise<ChainTransaction | null>;
  readonly coins: (lockingBytecode: string) => Promise<Coin[]>;
  readonly history: (lockingBytecode: string) => Promise<HistoryEntry[]>;
  /** A block by height, the tip without one; with its median time past. */
  readonly block: (height?: number) => Promise<Block>;
  /** Satoshis a kilobyte. */
  readonly relayFee: () => Promise<number>;
};

/** A transaction that was refused. */
export type RefusedTransaction = {
  readonly kind: RefusalKind;
  /** The node's own words. */
  readonly words: string;
  /** Hex. */
  readonly raw: string;
  /** The URL of the server that says so. */
  readonly server: string;
};

/** Transactions of a history that are looked through for the one that spends a coin. */
const MOST_LOOKED_THROUGH = 50;

const sourceOutput = async (chain: DetailSource, { txid, vout }: Outpoint): Promise<Output | null> =>
  (await chain.transaction(txid))?.transaction.outputs[vout] ?? null;

const spends = ({ inputs }: Transaction, outpoint: Outpoint): boolean =>
  inputs.some((input) => outpointText(input) === outpointText(outpoint));

/** The transaction that spends an outpoint of a script, looked for from the newest on; null when it is not found. */
const findSpender = async (
  chain: DetailSource,
  { lockingBytecode }: Output,
  outpoint: Outpoint,
): Promise<string | null> => {
  const history = await chain.history(lockingBytecode);
  for (const { txid } of history.slice(-MOST_LOOKED_THROUGH).reverse()) {
    const known = await chain.transaction(txid);
    if (known !== null && spends(known.transaction, outpoint)) return txid;
  }
  return null;
};

/** A node does not tell a coin that is spent from one that never was. */
const explainInputs = async (chain: DetailSource, { inputs }: Transaction): Promise<TreasuryError> => {
  for (const input of inputs) {
    const outpoint = outpointText(input);
    const output = await sourceOutput(chain, input);
    if (output === null) return new TreasuryError('tx_missing_inputs', { outpoint });
    const coins = await chain.coins(output.lockingBytecode);
    if (coins.some((coin) => outpointText(coin) === outpoint)) continue;
    const spender = (await findSpender(chain, output, input)) ?? 'another transaction';
    return new TreasuryError('tx_conflict', { outpoint, spender });
  }
  // Each of them is on the chain, so one was spent, and the index does not show it yet.
  return unexplainedInputs(true);
};

const unexplainedInputs = (isConflict: boolean): TreasuryError =>
  isConflict
    ? new TreasuryError('tx_conflict', { outpoint: 'a coin', spender: 'another transaction' })
    : new TreasuryError('tx_missing_inputs', { outpoint: 'a coin' });

/** The blocks that locks look at: a list with holes, as long as the chain. */
const blocksForLocks = async (chain: DetailSource, coins: readonly LockedCoin[]): Promise<Block[]> => {
  const blocks: Block[] = [];
  for (const { height } of coins) {
    const before = Math.max(0, (height ?? 0) - 1);
    if (height !== null) blocks[before] ??= await chain.block(before);
  }
  const tip = await chain.block();
  blocks[tip.height] = tip;
  return blocks;
};

const explainWait = async (chain: DetailSource, transaction: Transaction): Promise<Wait | null> => {
  const coins = new Map<string, LockedCoin>();
  for (const { txid } of transaction.inputs) {
    const source = await chain.transaction(txid);
    if (source === null) continue;
    coins.set(txid, { height: source.height, isCoinbase: isCoinbase(source.transaction) });
  }
  const blocks = await blocksForLocks(chain, [...coins.values()]);
  const tip = blocks.at(-1);
  if (tip === undefined) return null;
  const waits = [
    absoluteLock(transaction, tip),
    ...[...coins.values()].map((coin) => maturityLock(coin, blocks.length)),
    relativeLock(transaction, ({ txid }) => coins.get(txid) ?? null, blocks),
  ];
  return waits.find((wait) => wait !== null) ?? null;
};

/** Time is left over even when nothing is found: a block is what may have come in between. */
const UNKNOWN_WAIT: Wait = { secondsLeft: 600 };

const explainFee = async (
  chain: DetailSource,
  { inputs, outputs }: Transaction,
  size: number,
): Promise<TreasuryError> => {
  const sources = await Promise.all(inputs.map((input) => sourceOutput(chain, input)));
  const paid = sumSatoshis(sources.filter((source) => source !== null)) - sumSatoshis(outputs);
  const perKilobyte = Math.max(await chain.relayFee(), Number(FEE_SATS_PER_BYTE) * 1_000);
  return new TreasuryError('tx_fee_too_low', {
    fee: Number(paid),
    size,
    minimum: Math.ceil((size * perKilobyte) / 1_000),
  });
};

/** The output that holds least above what it needs, when the node wants more than we compute. */
const explainDust = (outputs: readonly Output[]): TreasuryError => {
  const margins = outputs.map((output) => output.satoshis - dustOf(output));
  const least = margins.reduce(
    (best, margin, index) => (margin < (margins[best] ?? margin) ? index : best),
    0,
  );
  const satoshis = Number(outputs[least]?.satoshis ?? 0n);
  return new TreasuryError('tx_dust', { output: least, satoshis, minimum: `more than ${satoshis}` });
};

/** What the chain tells of a refusal. @throws chain_unavailable, tx_dust */
const explain = async (
  chain: DetailSource,
  { kind, words, raw }: RefusedTransaction,
): Promise<TreasuryError> => {
  const decoded = decodeRaw(raw);
  const transaction = fromLibauthTransaction(decoded);
  const size = raw.length / 2;
  switch (kind) {
    case 'conflict':
    case 'missing':
      return explainInputs(chain, transaction);
    case 'notFinal':
      return new TreasuryError('tx_not_final', {
        ...((await explainWait(chain, transaction)) ?? UNKNOWN_WAIT),
      });
    case 'dust':
      requireNoDust(decoded.outputs);
      return explainDust(transaction.outputs);
    case 'fee':
      return explainFee(chain, transaction, size);
    case 'token':
      return new TreasuryError('tx_token_rule', { reason: words });
    case 'script':
      return new TreasuryError('tx_script_failed', { reason: words });
    case 'size':
      return new TreasuryError('tx_too_large', { size, limit: MAXIMUM_STANDARD_SIZE });
    case 'malformed':
      return new TreasuryError('tx_malformed', { reason: words });
    default:
      return new TreasuryError('tx_not_standard', { reason: words });
  }
};

/** What is said when the chain cannot be asked: the node's verdict stands. */
const unexplained = ({ kind, words, raw }: RefusedTransaction): TreasuryError => {
  const size = raw.length / 2;
  if (kind === 'notFinal') return new TreasuryError('tx_not_final', { ...UNKNOWN_WAIT });
  if (kind === 'fee') {
    return new TreasuryError('tx_fee_too_low', { fee: 'too few', size, minimum: `more (${words})` });
  }
  return unexplainedInputs(kind === 'conflict');
};

const explainOrNot = async (chain: DetailSource, refused: RefusedTransaction): Promise<TreasuryError> => {
  try {
    return await explain(chain, refused);
  } catch (error) {
    if (!isTreasuryError(error)) throw error;
    const isAway = error.code === 'chain_unavailable' || error.code === 'server_disagrees';
    return isAway ? unexplained(refused) : error;
  }
};

/** The error that a refused transaction is answered with; its cause says which server refuses it, in the node's words. */
export const explainRefusal = async (
  chain: DetailSource,
  refused: RefusedTransaction,
): Promise<TreasuryError> => {
  const error = await explainOrNot(chain, refused);
  error.cause = new Error(`${refused.server} refuses it: ${refused.words}`);
  return error;
};
