/** The embedded chain: the network `local`, without a server, kept in a folder that processes share. */
import { randomBytes } from 'node:crypto';
import { scriptStatus } from '../../bch/script-status.js';
import { decodeTransaction } from '../../bch/transaction.js';
import { noting } from '../../storage-failure.js';
import type { LocalChainPort, Tip } from '../../operation/ports/chain.js';
import { blockAt, findCoins, findHistory, findSpendable, findTransaction, tipOf } from './chain-queries.js';
import { tipBlock, type ChainEvent, type ChainState } from './chain-state.js';
import {
  draftAdvance,
  draftCatchUp,
  draftGenesis,
  draftMine,
  draftReorg,
  draftTransaction,
  isLagging,
  type Random,
} from './drafts.js';
import { buildFaucetPayment, FAUCET_LOCKING_BYTECODE } from './faucet.js';
import {
  openLateState,
  openSharedState,
  createWatchers,
  listenerFor,
  type Commit,
  type SharedState,
  type ChainListener,
  type Watchers,
} from './shared-state.js';

export type LocalChainOptions = {
  /** The data folder; made when missing. */
  readonly folder: string;
  /** The wall clock, unix seconds. */
  readonly now: () => number;
  /** Mines a block for every broadcast (default). Otherwise transactions wait in the mempool for `mine`. */
  readonly automine?: boolean;
  /** Default: the system's. Blocks of two branches differ by it. */
  readonly random?: Random;
};

/** The embedded chain with what only its tests and its Electrum server need. */
export type LocalChain = Omit<LocalChainPort, 'reorg'> & {
  /**
   * {@link LocalChainPort.reorg}; the transactions named in `drop`, and what descends from them, do not return, so
   * that their coins can be spent otherwise on the new branch.
   * @throws invalid_input when `depth` is not from 1 to the height of the chain
   */
  readonly reorg: (depth: number, options?: { readonly drop?: readonly string[] }) => Promise<Tip>;
  /** Unspent outputs of a locking bytecode (hex), those that are not mature included. */
  readonly unspent: LocalChainPort['coins'];
  /** Raw hex of a transaction of the chain or the mempool, or null. */
  readonly rawTransaction: (txid: string) => Promise<string | null>;
  /** The 80-byte header (hex) at a height, or null above the tip. */
  readonly header: (height: number) => Promise<string | null>;
  /** Transaction ids of the block at a height, in block order, or null above the tip. */
  readonly blockTxids: (height: number) => Promise<readonly string[] | null>;
  /**
   * The chain as an indexer shows it that learns of everything that many milliseconds after its node, which takes what
   * is broadcast at once. What asks the node itself is asked of this chain. Closed by itself, before this chain.
   */
  readonly behind: (delayMs: number) => LocalChain;
  /** Calls the listener after every change, whoever made it; returns how to stop. */
  readonly subscribe: (listener: ChainListener) => () => void;
};

/** What the methods of an open chain stand on. */
type Engine = {
  readonly shared: SharedState;
  readonly wall: () => number;
  readonly automine: boolean;
  readonly random: Random;
};

/** Wall clock plus what was advanced, unix seconds; never behind the header of the tip. */
const clockOf = ({ wall }: Engine, state: ChainState): number =>
  Math.max(Math.floor(wall()) + state.advancedSeconds, state.blocks.at(-1)?.time ?? 0);

const catchUp = (engine: Engine, state: ChainState, { append }: Commit): Promise<void> =>
  append(draftCatchUp(state, clockOf(engine, state), engine.random));

/** The newest state, its median time past within a minute of the clock. */
const readInTime = async (engine: Engine): Promise<ChainState> => {
  const state = engine.shared.read();
  if (isLagging(tipBlock(state), clockOf(engine, state))) {
    // A chain that cannot be written stands still, and is read as it is.
    await noting(engine.shared.change((newest, commit) => catchUp(engine, newest, commit)));
  }
  return state;
};

/** Accepts the transaction that `build` makes of the newest state, unless it is known; returns its id. */
const accept = (engine: Engine, build: (state: ChainState) => string): Promise<string> =>
  engine.shared.change(async (state, commit) => {
    await catchUp(engine, state, commit);
    const raw = build(state);
    const { txid } = decodeTransaction(raw);
    if (!state.transactions.has(txid)) {
      const { automine, random } = engine;
      await commit.append(draftTransaction(state, raw, automine, clockOf(engine, state), random));
    }
    return txid;
  });

const createQueries = (engine: Engine) => {
  const answer = <T>(query: (state: ChainState) => T): Promise<T> =>
    Promise.resolve().then(() => query(engine.shared.read()));
  return {
    coins: (lockingBytecode: string) => answer((state) => findSpendable(state, lockingBytecode)),
    unspent: (lockingBytecode: string) => answer((state) => findCoins(state, lockingBytecode)),
    // Nothing is in the chain that was not run when it came in.
    faultOf: () => Promise.resolve(null),
    askNode: () => Promise.resolve(),
    transaction: (txid: string) => answer((state) => findTransaction(state, txid)),
    history: (lockingBytecode: string) => answer((state) => findHistory(state, lockingBytecode)),
    rawTransaction: (txid: string) => answer((state) => state.transactions.get(txid)?.raw ?? null),
    header: (height: number) => answer((state) => state.blocks[height]?.header ?? null),
    blockTxids: (height: number) => answer((state) => state.blocks[height]?.txids ?? null),
    now: () => clockOf(engine, engine.shared.read()),
    block: (height: number) => answer((state) => blockAt(state, height)),
    tip: async () => tipOf(await readInTime(engine)),
    recentTip: async () => tipOf(await readInTime(engine)),
    status: async () => {
      const state = await readInTime(engine);
      return {
        ...tipOf(state),
        coins: state.coinCount,
        mempool: state.mempool.size,
        automine: engine.automine,
        now: clockOf(engine, state),
      };
    },
  };
};

const createActions = (engine: Engine) => {
  const { shared, random, wall } = engine;
  const extend = (draft: (state: ChainState, clock: number) => ChainEvent[]): Promise<Tip> =>
    shared.change(async (state, { append }) => {
      await append(draft(state, clockOf(engine, state)));
      return tipOf(state);
    });
  return {
    broadcast: (rawTransaction: string) => accept(engine, () => rawTransaction.toLowerCase()),
    faucet: (lockingBytecode: string, satoshis: bigint) =>
      accept(engine, (state) =>
        buildFaucetPayment(findCoins(state, FAUCET_LOCKING_BYTECODE), lockingBytecode, satoshis),
      ),
    mine: (count: number) => extend((state, clock) => draftMine(state, count, clock, random)),
    advance: (seconds: number) =>
      extend((state, clock) => draftAdvance(state, seconds, clock, Math.floor(wall()), random)),
    reorg: (depth: number, { drop = [] }: { readonly drop?: readonly string[] } = {}) =>
      extend((state, clock) => draftReorg(state, depth, drop, clock, random)),
    reset: () =>
      shared.change(async (state, { replace }) => {
        await replace(draftGenesis(Math.floor(wall()), random));
        return tipOf(state);
      }),
  };
};

/** How a chain tells of its changes, and how that ends. */
const listening = (
  watchers: Watchers,
  shared: Pick<SharedState, 'read' | 'close'>,
): Pick<LocalChain, 'subscribe' | 'watch' | 'close'> => ({
  subscribe: watchers.subscribe,
  watch: async (target, onChange) => {
    const stop = watchers.subscribe(listenerFor(target, onChange));
    if (!('headers' in target) && target.known !== undefined) {
      const state = shared.read();
      const statuses = target.lockingBytecodes.map((lock) =>
        scriptStatus(findHistory(state, lock).map(({ txid, height }) => ({ txid, height: height ?? 0 }))),
      );
      if (statuses.some((status) => status !== target.known)) onChange();
    }
    return Promise.resolve(stop);
  },
  close: async () => {
    watchers.close();
    await shared.close();
  },
});

/**
 * Opens the chain kept in a folder, and begins one when there is none.
 *
 * @throws store_damaged when its journal is, store_locked when another process does not let go of it
 */
export const openLocalChain = async (options: LocalChainOptions): Promise<LocalChain> => {
  const { folder, now: wall, automine = true, random = randomBytes } = options;
  const watchers = createWatchers(() => shared.read());
  const shared: SharedState = openSharedState(folder, watchers.tell);
  const engine: Engine = { shared, wall, automine, random };

  // A chain that is there is not touched: it may be on a disk that can only be read.
  if (shared.read().blocks.length === 0) {
    await shared.change(async (state, { append }) => {
      if (state.blocks.length === 0) await append(draftGenesis(clockOf(engine, state), random));
    });
  }

  const chain: LocalChain = {
    ...createQueries(engine),
    ...createActions(engine),
    ...listening(watchers, shared),
    behind: (delayMs) => {
      const lateWatchers = createWatchers(() => late.read());
      const late = openLateState(folder, delayMs, lateWatchers.tell);
      // Told of every change, so that its time is counted from there.
      const stop = watchers.subscribe(() => late.read());
      const { close, ...listen } = listening(lateWatchers, late);
      return {
        ...chain,
        ...createQueries({ ...engine, shared: { ...shared, read: late.read } }),
        ...listen,
        close: () => {
          stop();
          return close();
        },
      };
    },
  };
  return chain;
};
