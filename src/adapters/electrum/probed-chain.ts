/** The chain behind those servers that answer: no question waits for one that is known to be silent. */
import type { ChainPort } from '../../operation/ports/chain.js';
import type { ServerFacts, Surroundings } from '../../operation/ports/surroundings.js';
import { openHeadersFile } from './home-headers.js';
import { openElectrumChain, type ElectrumChain, type ElectrumChainOptions } from './electrum-chain.js';
import { probeServers } from './probe-servers.js';
import { unavailable } from './server-choice.js';
import { serversOf } from './server-url.js';

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
    chain: {
      coins: async (...asked) => (await open()).coins(...asked),
      transaction: async (...asked) => (await open()).transaction(...asked),
      history: async (...asked) => (await open()).history(...asked),
      faultOf: async (found) => (await open()).faultOf(found),
      broadcast: async (rawTransaction) => (await open()).broadcast(rawTransaction),
      tip: async (look) => (await open()).tip(look),
      askNode: async () => (await open()).askNode(),
      block: async (...asked) => (await open()).block(...asked),
      watch: async (target, onChange) => (await open()).watch(target, onChange),
      close: async () => opened?.close(),
    },
  };
};
