/** The chain behind Electrum servers: every network but `local`. */
import { setTimeout } from 'node:timers/promises';
import type { Network } from '../../bch/network.js';
import { decodeTransaction, type Transaction } from '../../bch/transaction.js';
import { TreasuryError } from '../../errors.js';
import type { Log } from '../../operation/context.js';
import type { ChainPort } from '../../operation/ports/chain.js';
import type { Block } from '../local-chain/blocks.js';
import { createFailOver, type FailOver } from './fail-over.js';
import { createFaults } from './faults.js';
import { matureCoins } from './mature-coins.js';
import { nodeWords, refusalKind, type RefusalKind } from './node-words.js';
import { explainRefusal, type DetailSource } from './refusals.js';
import {
  lastBlock,
  medianSpan,
  readCoins,
  readHeader,
  readHeaderAt,
  readHeaders,
  readHistory,
  readNode,
  readPlace,
  readRaw,
  readRelayFee,
  timeOf,
  tipOf,
  NODE_QUESTION,
  type ReadReply,
} from './replies.js';
import { scriptHashOf } from './script-hash.js';
import type { Limits } from './server-choice.js';
import { parseServerUrl, serversOf } from './server-url.js';
import { createSubscriptions } from './subscriptions.js';

export type ElectrumChainOptions = Partial<Limits> & {
  readonly network: Network;
  /** In the order in which they are tried; when there are none, the network's own. See `server-url.ts`. */
  readonly servers: readonly string[];
  readonly log: Log;
  /** Wall clock, unix seconds. Default: the system's. */
  readonly now?: () => number;
};

/** A chain behind servers. */
export type ElectrumChain = ChainPort & {
  /** The URL of the server that questions go to now; null before the first. */
  readonly inUse: () => string | null;
};

const HOUR = 3_600;

/** Blocks come every ten minutes; chains for tests are slower at times, and a regtest chain is mined by hand. */
const staleSecondsOf = (network: Network): number | null => {
  if (network === 'regtest' || network === 'local') return null;
  return network === 'mainnet' ? 4 * HOUR : 24 * HOUR;
};

const LIMITS = {
  connectMs: 4_000,
  requestMs: 8_000,
  totalMs: 12_000,
  restMs: 60_000,
  shownMs: 10_000,
} as const;

/** Transactions that are kept: an id names its bytes for ever. */
const MOST_KEPT = 5_000;
/** Attempts to read a tip and its headers as of one moment. */
const TIP_ATTEMPTS = 3;

const createTransactionCache = () => {
  const kept = new Map<string, Transaction>();
  return {
    get: (txid: string): Transaction | undefined => kept.get(txid),
    keep: (transaction: Transaction): Transaction => {
      const [oldest] = kept.keys();
      if (kept.size >= MOST_KEPT && oldest !== undefined) kept.delete(oldest);
      kept.set(transaction.txid, transaction);
      return transaction;
    },
  };
};

/** A block with its median time past, from one batch of headers; null when the server has it not. */
const readBlockAt = async (ask: FailOver['ask'], height: number): Promise<Block | null> => {
  const [start, count] = medianSpan(height);
  const headers = await ask('blockchain.block.headers', [start, count], readHeaders);
  return headers.length === count ? lastBlock(start, headers) : null;
};

const createTip = (ask: FailOver['ask']): (() => Promise<Block>) => {
  let last: Block | null = null;
  return async () => {
    for (let attempt = 0; attempt < TIP_ATTEMPTS; attempt += 1) {
      const shown = await ask('blockchain.headers.get_tip', [], readHeaderAt);
      if (last?.header === shown.hex) return last;
      const block = await readBlockAt(ask, shown.height);
      // Between the two questions the chain may have moved on or been reorganised.
      if (block?.header !== shown.hex) continue;
      last = block;
      return block;
    }
    throw new TreasuryError('chain_unavailable', { reason: 'the tip does not stand still' });
  };
};

const createQueries = ({ ask, session, inUse, distrust }: FailOver, log: Log) => {
  const cache = createTransactionCache();
  const tip = createTip(ask);

  const rawTransaction = async (txid: string): Promise<Transaction | null> => {
    const kept = cache.get(txid);
    if (kept !== undefined) return kept;
    const read: ReadReply<Transaction | null> = (reply) => {
      const raw = readRaw(reply);
      if (raw === null) return null;
      const transaction = decodeTransaction(raw);
      if (transaction.txid !== txid) throw new Error('answered with another transaction');
      return transaction;
    };
    const transaction = await ask('blockchain.transaction.get', [txid], read);
    return transaction === null ? null : cache.keep(transaction);
  };

  const transaction: ChainPort['transaction'] = async (txid) => {
    const place = await ask('blockchain.transaction.get_height', [txid], readPlace);
    if (place === null) return null;
    const { height } = place;
    const [found, header] = await Promise.all([
      rawTransaction(txid),
      height === null ? null : ask('blockchain.block.header', [height], readHeader),
    ]);
    return found === null
      ? null
      : { transaction: found, height, blockTime: header === null ? null : timeOf(header) };
  };

  const tipHeight = async (): Promise<number> => (await session()).tip().height;

  return {
    tip,
    transaction,
    faultOf: createFaults({ transaction: rawTransaction, server: inUse, distrust, log }),
    askNode: () => ask(...NODE_QUESTION, readNode),
    coins: async (lockingBytecode: string) => {
      const coins = await ask(
        'blockchain.scripthash.listunspent',
        [scriptHashOf(lockingBytecode), 'include_tokens'],
        readCoins(lockingBytecode),
      );
      return matureCoins(coins, { tipHeight, transaction: rawTransaction });
    },
    history: (lockingBytecode: string) =>
      ask('blockchain.scripthash.get_history', [scriptHashOf(lockingBytecode)], readHistory),
    blockAt: (height: number) => readBlockAt(ask, height),
    relayFee: () => ask('blockchain.relayfee', [], readRelayFee),
    block: async (height?: number): Promise<Block> => {
      const block = height === undefined ? await tip() : await readBlockAt(ask, height);
      if (block !== null) return block;
      throw new TreasuryError('chain_unavailable', { reason: `no server has block ${height ?? ''}` });
    },
  };
};

/** What became of a broadcast: null when the transaction was taken. */
type Verdict = { readonly kind: RefusalKind; readonly words: string } | null;

const readVerdict =
  (txid: string): ReadReply<Verdict> =>
  (reply) => {
    if ('result' in reply) {
      if (reply.result !== txid) throw new Error('answered a broadcast with another transaction id');
      return null;
    }
    const kind = refusalKind(reply.refusal);
    if (kind === null) throw new Error(`could not broadcast: ${reply.refusal}`);
    return kind === 'known' ? null : { kind, words: nodeWords(reply.refusal) };
  };

/** Milliseconds between two looks for a transaction that was sent: indexers ask their node every half second to two. */
const LOOK_AGAIN_MS = 200;

/** Returns once the server's index shows a transaction, or when it does not in time. Never throws. */
const untilShown = async (
  txid: string,
  { ask }: Pick<FailOver, 'ask'>,
  { shownMs }: Pick<Limits, 'shownMs'>,
): Promise<void> => {
  const deadline = Date.now() + shownMs;
  const isShown = () =>
    ask('blockchain.transaction.get_height', [txid], readPlace).then(
      (place) => place !== null,
      () => true,
    );
  while (!(await isShown()) && Date.now() < deadline) await setTimeout(LOOK_AGAIN_MS);
};

const createBroadcast =
  ({ ask }: FailOver, chain: DetailSource, limits: Limits): ChainPort['broadcast'] =>
  async (rawTransaction) => {
    const raw = rawTransaction.toLowerCase();
    const { txid } = decodeTransaction(raw);
    // The node is asked for the bytes: its indexer may not have seen yet what it has.
    const isKnown = (): Promise<boolean> =>
      ask('blockchain.transaction.get', [txid], readRaw).then(
        (known) => known !== null,
        () => false,
      );
    const sent = async (): Promise<string> => {
      await untilShown(txid, { ask }, limits);
      return txid;
    };
    let verdict: Verdict;
    try {
      verdict = await ask('blockchain.transaction.broadcast', [raw], readVerdict(txid));
    } catch (error) {
      // It may have arrived though no answer did.
      if (await isKnown()) return sent();
      throw error;
    }
    if (verdict === null) return sent();
    // To a node, a transaction that a block holds already spends coins that are gone.
    if (['conflict', 'missing'].includes(verdict.kind) && (await isKnown())) return sent();
    throw await explainRefusal(chain, { ...verdict, raw });
  };

/**
 * The chain behind Electrum servers. Connects at the first question, not before.
 *
 * The servers of the list are tried in their order, and a server that fails, hangs or is behind is replaced by the
 * next. TLS: a certificate that nobody vouches for is accepted with a warning unless the URL pins its fingerprint;
 * WSS certificates are always verified.
 *
 * @throws invalid_setting when there is no server or a URL is none
 */
export const openElectrumChain = async ({
  network,
  servers: given,
  log,
  now = () => Date.now() / 1_000,
  ...limitsGiven
}: ElectrumChainOptions): Promise<ElectrumChain> => {
  const servers = serversOf(network, given).map(parseServerUrl);
  if (servers.length === 0) {
    throw new TreasuryError('invalid_setting', {
      setting: 'electrum',
      value: '',
      expected: `the URL of an Electrum server, since none is known for ${network}`,
    });
  }
  const limits: Limits = { ...LIMITS, staleSeconds: staleSecondsOf(network), ...limitsGiven };
  const subscriptions = createSubscriptions({
    session: () => failOver.session(),
    requestMs: limits.requestMs,
    log,
  });
  const { onNotification, onOpened, onLost } = subscriptions;
  const failOver = createFailOver({ network, servers, limits, log, now, onNotification, onOpened, onLost });
  const queries = createQueries(failOver, log);
  return Promise.resolve({
    coins: queries.coins,
    transaction: queries.transaction,
    history: queries.history,
    faultOf: queries.faultOf,
    askNode: queries.askNode,
    tip: async () => tipOf(await queries.tip()),
    block: async (height) => {
      const block = await queries.blockAt(height);
      return block === null ? null : tipOf(block);
    },
    broadcast: createBroadcast(failOver, queries, limits),
    watch: subscriptions.watch,
    inUse: failOver.inUse,
    close: () => {
      subscriptions.close();
      failOver.close();
      return Promise.resolve();
    },
  });
};
