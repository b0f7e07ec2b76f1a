/** The chain behind Electrum servers: every network but `local`. */
import { setTimeout } from 'node:timers/promises';
import { DIFFICULTY_RULES, type DifficultyRule } from '../../bch/difficulty.js';
import type { Network } from '../../bch/network.js';
import { decodeTransaction } from '../../bch/transaction.js';
import { TreasuryError } from '../../errors.js';
import type { Log } from '../../operation/context.js';
import type { ChainPort, Look } from '../../operation/ports/chain.js';
import type { CheckpointFacts } from '../../operation/ports/surroundings.js';
import { showBlock, type Block } from '../local-chain/blocks.js';
import type { BlockName } from './checkpoint.js';
import { openConnection, type Connect } from './connection.js';
import { createFailOver, type FailOver } from './fail-over.js';
import { createFaults } from './faults.js';
import { createHeaders, type Headers } from './headers.js';
import { openHeadersFile } from './home-headers.js';
import { matureCoins, createScripts } from './scripts.js';
import { nodeWords, refusalKind, type RefusalKind } from './node-words.js';
import { explainRefusal, type DetailSource } from './refusals.js';
import { NODE_QUESTION, readNode, readPlace, readRaw, readRelayFee, type ReadReply } from './replies.js';
import type { Limits } from './server-choice.js';
import { parseServerUrl, serversOf, type ServerUrl } from './server-url.js';
import { createSubscriptions } from './subscriptions.js';
import { createBytes, createTransactions } from './transactions.js';

export type ElectrumChainOptions = Partial<Limits> & {
  readonly network: Network;
  /** In the order in which they are tried; when there are none, the network's own. See `server-url.ts`. */
  readonly servers: readonly string[];
  readonly log: Log;
  /** Wall clock, unix seconds. Default: the system's. */
  readonly now?: () => number;
  /** A block that the operator trusts; without it, two servers agree on one, or a home has one already. */
  readonly checkpoint?: BlockName | null;
  /** The folder of the home that keeps headers; without it, they are kept in memory. */
  readonly folder?: string | null;
  /** True: nothing is written there. */
  readonly isReadOnly?: boolean;
  /** Default: that of the network. Null where blocks cost nothing. */
  readonly difficulty?: DifficultyRule | null;
  /** How servers are reached. Default: over sockets. */
  readonly connect?: Connect;
};

/** A chain behind servers. */
export type ElectrumChain = ChainPort & {
  /** The URL of the server that questions go to now; null before the first. */
  readonly inUse: () => string | null;
  /** What the home trusts; null in a home that has not yet looked at the chain. */
  readonly checkpoint: () => CheckpointFacts | null;
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

/** What is asked of the chain in one look, from what was checked. */
const createQueries = (failOver: FailOver, headers: Headers, bytes: ReturnType<typeof createBytes>) => {
  const { transaction, ...transactions } = createTransactions(failOver, headers, bytes);
  const scripts = createScripts(failOver, headers, { transaction, ...transactions });
  const tipHeight = async (): Promise<number> => (await failOver.session()).tip().height;
  return {
    coins: async (lockingBytecode: string) =>
      matureCoins(await scripts.coins(lockingBytecode), { tipHeight, transaction: bytes.raw }),
    history: scripts.history,
    transaction,
    block: async (height?: number): Promise<Block> => {
      const found = await headers.block(height);
      if (found !== null) return found;
      throw new TreasuryError('chain_unavailable', { reason: `no server has block ${height ?? ''}` });
    },
    blockOrNull: headers.block,
    relayFee: () => failOver.ask('blockchain.relayfee', [], readRelayFee),
  };
};

/** The queries of each look; without one, each question looks for itself. */
const createLooks = (failOver: FailOver, headers: Headers, bytes: ReturnType<typeof createBytes>) => {
  const now = createQueries(failOver, headers, bytes);
  const looks = new WeakMap<Look, typeof now>();
  return (look?: Look): typeof now => {
    if (look === undefined) return now;
    const queries = looks.get(look) ?? createQueries(failOver, headers.oneLook(), bytes);
    looks.set(look, queries);
    return queries;
  };
};

const showOrNull = (block: Block | null) => (block === null ? null : showBlock(block));

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
  ({ ask, inUse }: FailOver, chain: DetailSource, limits: Limits): ChainPort['broadcast'] =>
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
    throw await explainRefusal(chain, { ...verdict, raw, server: inUse() ?? 'the server' });
  };

/** @throws invalid_setting when there is no server or a URL is none */
const usableServers = (network: Network, given: readonly string[]): ServerUrl[] => {
  const servers = serversOf(network, given).map(parseServerUrl);
  if (servers.length === 0) {
    throw new TreasuryError('invalid_setting', {
      setting: 'electrum',
      value: '',
      expected: `the URL of an Electrum server, since none is known for ${network}`,
    });
  }
  return servers;
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
  checkpoint = null,
  folder = null,
  isReadOnly = false,
  difficulty,
  connect = openConnection,
  ...limitsGiven
}: ElectrumChainOptions): Promise<ElectrumChain> => {
  const servers = usableServers(network, given);
  const limits: Limits = { ...LIMITS, staleSeconds: staleSecondsOf(network), ...limitsGiven };
  const subscriptions = createSubscriptions({
    session: () => failOver.session(),
    requestMs: limits.requestMs,
    log,
  });
  const { onNotification, onOpened, onLost } = subscriptions;
  const choice = { network, servers, limits, log, now, connect };
  const failOver = createFailOver({ ...choice, onNotification, onOpened, onLost });
  const onTrouble = (message: string): void => {
    log.warn({}, message);
  };
  const headers = createHeaders(failOver, {
    network,
    now,
    log,
    named: checkpoint,
    difficulty: difficulty === undefined ? DIFFICULTY_RULES[network] : difficulty,
    file: openHeadersFile({ folder, network, isReadOnly, onTrouble }),
  });
  const bytes = createBytes(failOver);
  const { inUse, distrust } = failOver;
  const within = createLooks(failOver, headers, bytes);
  return Promise.resolve({
    coins: (lockingBytecode, look) => within(look).coins(lockingBytecode),
    transaction: (txid, look) => within(look).transaction(txid),
    history: (lockingBytecode, look) => within(look).history(lockingBytecode),
    faultOf: createFaults({ transaction: bytes.raw, server: inUse, distrust, log }),
    askNode: () => failOver.ask(...NODE_QUESTION, readNode),
    tip: async (look) => showBlock(await within(look).block()),
    recentTip: async () => showOrNull(await headers.recent()),
    block: async (height, look) => showOrNull(await within(look).blockOrNull(height)),
    broadcast: createBroadcast(failOver, within(), limits),
    watch: subscriptions.watch,
    inUse,
    checkpoint: headers.checkpoint,
    close: () => {
      subscriptions.close();
      headers.close();
      failOver.close();
      return Promise.resolve();
    },
  });
};
