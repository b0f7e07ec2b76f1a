/**
 * Servers asked one by one, each with a limit of its own, and the chain behind those that answer: no question waits for
 * one that is known to be silent.
 */
import { hashHeader } from '../../bch/block-header.js';
import type { Network } from '../../bch/network.js';
import { messageOf } from '../../errors.js';
import { CHAIN_METHODS, type ChainPort } from '../../operation/ports/chain.js';
import type { ServerFacts, Surroundings } from '../../operation/ports/surroundings.js';
import { withTimeLimit } from '../../operation/time-limit.js';
import { latePort } from '../late-port.js';
import { LAG_BLOCKS } from './agreement.js';
import type { BlockName } from './checkpoint.js';
import { openElectrumChain, type ElectrumChain, type ElectrumChainOptions } from './electrum-chain.js';
import { openHeadersFile } from './home-headers.js';
import { NODE_QUESTION, readHeader, readNode } from './replies.js';
import { unavailable } from './server-choice.js';
import { parseServerUrl, serversOf } from './server-url.js';
import { askGenesis, isGenesisOf, networksOf, openSession, type ServerSession } from './session.js';

export type ProbeOptions = {
  readonly network: Network;
  readonly servers: readonly string[];
  /** For all that is asked of one server, milliseconds; comparing them takes another. */
  readonly limitMs: number;
  /** The block that the home trusts; null where there is none yet. */
  readonly checkpoint?: BlockName | null;
};

/** A server that answered is left open, to be compared with the others. */
type Probed = { readonly facts: ServerFacts; readonly session: ServerSession | null };

const ignore = (): void => undefined;

/** Hash of the block at a height; null when the server does not say. */
const hashAt = async (session: ServerSession, height: number, limitMs: number): Promise<string | null> => {
  try {
    return hashHeader(readHeader(await session.request('blockchain.block.header', [height], limitMs)));
  } catch {
    return null;
  }
};

const probe = async (
  url: string,
  { network, limitMs, checkpoint = null }: Omit<ProbeOptions, 'servers'>,
  signal: AbortSignal,
): Promise<Probed> => {
  const session = await openSession(parseServerUrl(url), {
    network: null,
    limitMs,
    signal,
    onNotification: ignore,
    onLost: ignore,
    onWarning: ignore,
  });
  const from = performance.now();
  const genesis = await askGenesis(session, limitMs);
  const latencyMs = Math.round(performance.now() - from);
  const shown = checkpoint === null ? null : await hashAt(session, checkpoint.height, limitMs);
  const { height, time } = session.tip();
  const networks = networksOf(genesis);
  const nodeFailure = await session
    .request(...NODE_QUESTION, limitMs)
    .then(readNode)
    .then(() => null, messageOf);
  const facts: ServerFacts = {
    url,
    kind: 'answered',
    protocol: session.version,
    height,
    tipTime: time,
    latencyMs,
    nodeFailure,
    serves: networks.length === 0 ? null : networks,
    isOurs: isGenesisOf(genesis, network),
    hasCheckpoint: shown === null ? null : shown === checkpoint?.hash,
    compared: null,
  };
  return { facts, session };
};

/** The block that all servers must have: below the lowest tip by what servers may be apart. */
const commonHeight = (all: readonly Probed[]): number | null => {
  const heights = all.flatMap(({ facts }) =>
    facts.kind === 'answered' && facts.isOurs ? [facts.height] : [],
  );
  return heights.length < 2 ? null : Math.max(0, Math.min(...heights) - LAG_BLOCKS);
};

const compare = async (
  { facts, session }: Probed,
  height: number | null,
  limitMs: number,
): Promise<ServerFacts> => {
  if (session === null || height === null || facts.kind !== 'answered' || !facts.isOurs) return facts;
  const hash = await hashAt(session, height, limitMs);
  return { ...facts, compared: hash === null ? null : { height, hash } };
};

/**
 * What every server answers, in their order; all are asked at once, and then for a block that all must have. Takes no
 * longer than two limits. Never throws.
 */
export const probeServers = async ({
  servers,
  ...options
}: ProbeOptions): Promise<readonly ServerFacts[]> => {
  const { limitMs } = options;
  const ending = new AbortController();
  const late = `did not answer within ${limitMs} ms`;
  const probeOne = async (url: string): Promise<Probed> => {
    const own = new AbortController();
    try {
      const signal = AbortSignal.any([ending.signal, own.signal]);
      return await withTimeLimit(probe(url, options, signal), limitMs, late);
    } catch (error) {
      own.abort();
      return { facts: { url, kind: 'failed', reason: messageOf(error) }, session: null };
    }
  };
  try {
    const all = await Promise.all(servers.map(probeOne));
    const height = commonHeight(all);
    return await Promise.all(all.map((one) => compare(one, height, limitMs)));
  } finally {
    ending.abort();
  }
};

export type ProbedChain = {
  readonly chain: ChainPort;
  readonly servers: NonNullable<Surroundings['servers']>;
};

/** Limits for somebody who waits for a report: with what came before, it is there within 15 seconds. */
const PROBE_MS = 4_000;
const LIMITS = { connectMs: 3_000, requestMs: 4_000, totalMs: 6_000 } as const;

const reasonOf = (facts: ServerFacts): string =>
  `${facts.url} ${facts.kind === 'failed' ? facts.reason : 'serves another network'}`;

const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | null = null;
  return () => (made ??= make());
};

/**
 * A chain behind servers that are all asked first, at the first question.
 *
 * Every method of the chain throws chain_unavailable when none of them answers, and invalid_setting when there is none.
 */
export const openProbedChain = (options: ElectrumChainOptions): ProbedChain => {
  const urls = serversOf(options.network, options.servers);
  // What the home trusts can be told before any server is asked.
  const home = openHeadersFile({
    folder: options.folder ?? null,
    network: options.network,
    isReadOnly: true,
    onTrouble: () => undefined,
  }).read();
  const trusted = options.checkpoint ?? home?.checkpoint ?? null;
  const ask = once(() =>
    probeServers({ network: options.network, servers: urls, limitMs: PROBE_MS, checkpoint: trusted }),
  );
  let opened: ElectrumChain | null = null;
  const open = once(async (): Promise<ElectrumChain> => {
    const all = await ask();
    const usable = all.filter((facts) => facts.kind === 'answered' && facts.isOurs);
    if (all.length > 0 && usable.length === 0) throw unavailable(all.map(reasonOf));
    const servers = usable.map(({ url }) => url);
    opened = await openElectrumChain({ ...LIMITS, ...options, servers });
    return opened;
  });
  return {
    servers: { ask, inUse: () => opened?.inUse() ?? null, checkpoint: () => opened?.checkpoint() ?? null },
    chain: latePort<ChainPort>(CHAIN_METHODS, open),
  };
};
