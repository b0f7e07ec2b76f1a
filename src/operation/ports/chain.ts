/** The chain as the operations see it. Two adapters serve it: the embedded chain and Electrum servers. */
import type { Coin } from '../../bch/coins.js';
import type { ChainTransaction } from '../../bch/transaction.js';

/** The tip of the best chain. */
export type Tip = {
  readonly height: number;
  /** 64 hex digits. */
  readonly hash: string;
  /** Unix seconds of the tip's own header. */
  readonly time: number;
  /** Median of the last 11 header times, unix seconds. Source: BIP113. */
  readonly medianTimePast: number;
};

/** One line of a script's history, oldest first; transactions of the mempool come last with height null. */
export type HistoryEntry = { readonly txid: string; readonly height: number | null };

/**
 * One look at the chain: questions of the same look may be answered as of one tip, which is asked for once. Without it,
 * each is answered as of now. An object stands for nothing but itself.
 */
export type Look = object;

/** What to be told about. */
export type WatchTarget =
  | {
      readonly lockingBytecodes: readonly string[];
      /**
       * The status that each of them has as far as the caller knows (`bch/script-status.ts`; null: no history). Where the
       * chain has another the caller is called back too; left out, the first look tells nothing.
       */
      readonly known?: string | null;
    }
  | { readonly headers: true };

/**
 * Behind servers, what is told was checked. `server_disagrees` stands for an answer that cannot be true, or that two
 * servers give differently: whoever was wrong is asked last from then on, so that asking again may help.
 */
export type ChainPort = {
  /**
   * Unspent outputs (mempool included) of a locking bytecode (hex) that can be spent: coins of a coinbase come with
   * their 100th confirmation. Their heights are what a server says.
   * @throws chain_unavailable, server_disagrees
   */
  readonly coins: (lockingBytecode: string, look?: Look) => Promise<Coin[]>;
  /**
   * A transaction of the chain or the mempool, or null when the chain does not know it. It has a height only when that
   * was proven.
   * @throws chain_unavailable, server_disagrees
   */
  readonly transaction: (txid: string, look?: Look) => Promise<ChainTransaction | null>;
  /**
   * Every transaction that pays or spends a locking bytecode (hex). Heights are what a server says.
   * @throws chain_unavailable, server_disagrees
   */
  readonly history: (lockingBytecode: string, look?: Look) => Promise<HistoryEntry[]>;
  /**
   * What the consensus rules say against a transaction that this chain shows, run with the outputs that its inputs spend,
   * and who shows it; null: nothing. Nothing that has a fault may move a record. The embedded chain has run whatever it
   * shows already; a server is not believed.
   * @throws chain_unavailable, also when the server does not show what the transaction spends
   */
  readonly faultOf: (found: ChainTransaction) => Promise<string | null>;
  /**
   * Hands a raw transaction (hex) to the network and returns its id, once the chain shows it or after ten seconds:
   * an indexer learns of it later than its node. One that is known already is a success.
   * @throws {@link BROADCAST_ERRORS}
   */
  readonly broadcast: (rawTransaction: string) => Promise<string>;
  /** @throws chain_unavailable, server_disagrees */
  readonly tip: (look?: Look) => Promise<Tip>;
  /**
   * The tip as it was last followed, for what is only shown: less than a minute ago, of a server that has told of no other
   * since. Nothing is asked for it. Null: `tip` has to be. What money is moved by is asked anew.
   */
  readonly recentTip?: () => Promise<Tip | null>;
  /**
   * Asks what only a node can answer: an indexer goes on answering from what it has when its node is dead.
   * @throws chain_unavailable when no server's node answers
   */
  readonly askNode: () => Promise<void>;
  /**
   * The block at a height of the best chain, or null above its tip.
   * @throws chain_unavailable, server_disagrees
   */
  readonly block: (height: number, look?: Look) => Promise<Tip | null>;
  /**
   * Calls back whenever one of the targets changes; returns how to stop. Where a server does not let a client subscribe to
   * as much, the rest is asked for now and then.
   */
  readonly watch: (target: WatchTarget, onChange: () => void) => Promise<() => void>;
  readonly close: () => Promise<void>;
};

/** What only the embedded chain can do. Behind `treasury chain`. */
export type LocalChainPort = ChainPort & {
  /** The chain's own clock: wall clock plus what was advanced, unix seconds. */
  readonly now: () => number;
  /** Pays new coins to a locking bytecode (hex), as output 0 of a transaction; returns its id. */
  readonly faucet: (lockingBytecode: string, satoshis: bigint) => Promise<string>;
  /** Mines `count` blocks with what the mempool holds; returns the new tip. */
  readonly mine: (count: number) => Promise<Tip>;
  /** Moves the clock on and mines 11 blocks, so that median time past has moved too. */
  readonly advance: (seconds: number) => Promise<Tip>;
  /** Takes the last `depth` blocks off, returns their transactions to the mempool, and mines `depth` + 1 others empty. */
  readonly reorg: (depth: number) => Promise<Tip>;
  readonly status: () => Promise<LocalChainStatus>;
  /** Forgets everything and starts at the genesis block again. */
  readonly reset: () => Promise<Tip>;
};

export type LocalChainStatus = Tip & {
  /** Coins in the UTXO set, mempool included. */
  readonly coins: number;
  readonly mempool: number;
  readonly automine: boolean;
  /** The chain's clock, unix seconds. */
  readonly now: number;
};

/** Every method of a chain, for one that is opened late. */
export const CHAIN_METHODS = {
  coins: true,
  transaction: true,
  history: true,
  faultOf: true,
  broadcast: true,
  tip: true,
  recentTip: true,
  askNode: true,
  block: true,
  watch: true,
  close: true,
} as const satisfies Record<keyof ChainPort, true>;
