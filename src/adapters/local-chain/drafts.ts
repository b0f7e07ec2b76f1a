/** What each action on the chain comes to, as events. Pure but for randomness; nothing is changed here. */
import type { Output } from '@bitauth/libauth';
import type { Outpoint } from '../../bch/coins.js';
import { TreasuryError } from '../../errors.js';
import { checkTransaction, lockedCoin } from './acceptance.js';
import { MEDIAN_TIME_SPAN, mineBlock, nextBlockTime, type Block, type BlockPlan } from './blocks.js';
import { coinbaseOf, inOrder, tipBlock, type ChainEvent, type ChainState } from './chain-state.js';
import { FEE_LOCKING_BYTECODE, premineOutputs } from './faucet.js';
import { relativeLock, type LockedCoin } from './finality.js';

/** That many random bytes. */
export type Random = (length: number) => Uint8Array;

/** How far median time past may be behind the clock before empty blocks are mined. */
const LAG_SECONDS = 60;
/** Header times are 32-bit. */
const LATEST_TIME = 0xffffffff;
const NONCE_LENGTH = 8;
/** Most blocks of one call: a slip of the hand shall not fill the disk. */
const MOST_BLOCKS = 10_000;

const invalid = (path: string, message: string): TreasuryError =>
  new TreasuryError('invalid_input', { summary: `${path} ${message}`, issues: [{ path, message }] });

/** An output of nothing to nobody: a coinbase must have one. */
const NO_REWARD: Output = { lockingBytecode: Uint8Array.of(0x6a), valueSatoshis: 0n };

type Content = { readonly txids: readonly string[]; readonly fees: bigint };

const EMPTY: Content = { txids: [], fees: 0n };

/** A chain of blocks under construction, and the events of those that were mined upon it. */
type Branch = { readonly blocks: Block[]; readonly events: ChainEvent[] };

const branchFrom = (blocks: readonly Block[]): Branch => ({ blocks: [...blocks], events: [] });

const mineUpon = ({ blocks, events }: Branch, plan: BlockPlan): void => {
  const { coinbase, ...block } = mineBlock(blocks, plan);
  blocks.push(block);
  events.push({ type: 'block', header: block.header, coinbase, txids: block.txids.slice(1) });
};

/** Mines `count` blocks, the first with `content` and the others empty. */
const mineRun = (branch: Branch, count: number, clock: number, content: Content, random: Random): Branch => {
  for (let mined = 0; mined < count; mined += 1) {
    const { txids, fees } = mined === 0 ? content : EMPTY;
    const reward = fees > 0n ? { lockingBytecode: FEE_LOCKING_BYTECODE, valueSatoshis: fees } : NO_REWARD;
    mineUpon(branch, {
      time: nextBlockTime(branch.blocks, clock, count - mined),
      txids,
      coinbaseOutputs: [reward],
      nonce: random(NONCE_LENGTH),
    });
  }
  return branch;
};

/** The first blocks of a chain: the premine, and 11 more, which bring median time past to the clock. */
export const draftGenesis = (clock: number, random: Random): ChainEvent[] => {
  const branch = branchFrom([]);
  mineUpon(branch, {
    time: clock - MEDIAN_TIME_SPAN,
    txids: [],
    coinbaseOutputs: premineOutputs(),
    nonce: random(NONCE_LENGTH),
  });
  return mineRun(branch, MEDIAN_TIME_SPAN, clock, EMPTY, random).events;
};

/** Empty blocks for as long as median time past is more than a minute behind the clock; none when it is not. */
export const draftCatchUp = (state: ChainState, clock: number, random: Random): ChainEvent[] => {
  if (!isLagging(tipBlock(state), clock)) return [];
  const branch = branchFrom(state.blocks);
  while (isLagging(branch.blocks.at(-1) ?? tipBlock(state), clock)) mineRun(branch, 1, clock, EMPTY, random);
  return branch.events;
};

/** True when median time past is more than a minute behind the clock. */
export const isLagging = ({ medianTimePast }: Block, clock: number): boolean =>
  clock - medianTimePast > LAG_SECONDS;

/** The whole mempool as the content of a block. */
const mempoolContent = ({ mempool, transactions }: ChainState): Content => ({
  txids: [...mempool],
  fees: [...mempool].reduce((sum, txid) => sum + (transactions.get(txid)?.fee ?? 0n), 0n),
});

/**
 * `count` blocks, the first with what the mempool holds.
 * @throws invalid_input when `count` is not a whole number from 1 to 10,000
 */
export const draftMine = (state: ChainState, count: number, clock: number, random: Random): ChainEvent[] => {
  if (!Number.isSafeInteger(count) || count < 1 || count > MOST_BLOCKS) {
    throw invalid('count', `must be a whole number from 1 to ${MOST_BLOCKS}`);
  }
  return mineRun(branchFrom(state.blocks), count, clock, mempoolContent(state), random).events;
};

/**
 * A transaction that enters the mempool and, with `automine`, the block that takes it and the rest of the mempool.
 * @throws as {@link checkTransaction}
 */
export const draftTransaction = (
  state: ChainState,
  rawTransaction: string,
  automine: boolean,
  clock: number,
  random: Random,
): ChainEvent[] => {
  const { txid, fee } = checkTransaction(state, rawTransaction);
  const accepted: ChainEvent = { type: 'transaction', raw: rawTransaction };
  if (!automine) return [accepted];
  const { txids, fees } = mempoolContent(state);
  const content = { txids: [...txids, txid], fees: fees + fee };
  return [accepted, ...mineRun(branchFrom(state.blocks), 1, clock, content, random).events];
};

/**
 * The clock moved on by `seconds`, and 11 blocks, which bring median time past to the clock.
 * @param clock of the chain, unix seconds
 * @param wall the wall clock, unix seconds
 * @throws invalid_input when `seconds` is not a whole number of at least 1, or leads beyond 2106
 */
export const draftAdvance = (
  state: ChainState,
  seconds: number,
  clock: number,
  wall: number,
  random: Random,
): ChainEvent[] => {
  if (!Number.isSafeInteger(seconds) || seconds < 1) {
    throw invalid('seconds', 'must be a whole number of at least 1');
  }
  const advanced = clock + seconds;
  if (advanced > LATEST_TIME - MEDIAN_TIME_SPAN) {
    throw invalid('seconds', 'leads beyond the year 2106, where the times of blocks end');
  }
  const content = mempoolContent(state);
  const branch = mineRun(branchFrom(state.blocks), MEDIAN_TIME_SPAN, advanced, content, random);
  return [{ type: 'clock', advancedSeconds: advanced - wall }, ...branch.events];
};

/**
 * Which transactions a reorg leaves behind: those named in `drop`, what spends from an undone coinbase, what is held
 * back by a relative lock now that its coin is unconfirmed, and all that descends from these. Absolute locks need
 * no second look: the new branch is higher, and its median time past is not below the old one's.
 */
const findDropped = (
  state: ChainState,
  undone: readonly Block[],
  branch: readonly Block[],
  drop: readonly string[],
): string[] => {
  const firstUndone = state.blocks.length - undone.length;
  const gone = new Set([...undone.map(coinbaseOf), ...drop]);
  const coinOf = (outpoint: Outpoint): LockedCoin | null => {
    const coin = lockedCoin(state, outpoint);
    return coin?.height != null && coin.height >= firstUndone ? { ...coin, height: null } : coin;
  };
  const returning = [...undone.flatMap(({ txids }) => txids.slice(1)), ...state.mempool];
  return inOrder(state, returning).filter((txid) => {
    const transaction = state.transactions.get(txid)?.transaction;
    const stays =
      transaction !== undefined &&
      !gone.has(txid) &&
      !transaction.inputs.some((input) => gone.has(input.txid)) &&
      relativeLock(transaction, coinOf, branch) === null;
    if (!stays) gone.add(txid);
    return !stays;
  });
};

/**
 * The last `depth` blocks replaced by `depth` + 1 empty ones; their transactions return to the mempool.
 * @param drop ids of transactions that do not return
 * @throws invalid_input when `depth` is not a whole number from 1 to the height of the chain
 */
export const draftReorg = (
  state: ChainState,
  depth: number,
  drop: readonly string[],
  clock: number,
  random: Random,
): ChainEvent[] => {
  const { height } = tipBlock(state);
  if (!Number.isSafeInteger(depth) || depth < 1 || depth > height) {
    throw invalid('depth', `must be a whole number from 1 to ${height}, the height of the chain`);
  }
  const undone = state.blocks.slice(-depth);
  const branch = mineRun(branchFrom(state.blocks.slice(0, -depth)), depth + 1, clock, EMPTY, random);
  return [
    { type: 'reorg', depth, dropped: findDropped(state, undone, branch.blocks, drop) },
    ...branch.events,
  ];
};
