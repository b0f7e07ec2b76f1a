/** Servers asked one by one, each with a limit of its own: what the chain behind them never tells. */
import type { Network } from '../../bch/network.js';
import type { ServerFacts } from '../../operation/ports/surroundings.js';
import { NODE_QUESTION, readNode } from './replies.js';
import { messageOf } from './server-choice.js';
import { parseServerUrl } from './server-url.js';
import { askGenesis, isGenesisOf, networksOf, openSession } from './session.js';
import { withTimeLimit } from './time-limit.js';

export type ProbeOptions = {
  readonly network: Network;
  readonly servers: readonly string[];
  /** For all that is asked of one server, milliseconds. */
  readonly limitMs: number;
};

const ignore = (): void => undefined;

const probe = async (
  url: string,
  { network, limitMs }: Pick<ProbeOptions, 'network' | 'limitMs'>,
  signal: AbortSignal,
): Promise<ServerFacts> => {
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
  const { height, time } = session.tip();
  const networks = networksOf(genesis);
  const nodeFailure = await session
    .request(...NODE_QUESTION, limitMs)
    .then(readNode)
    .then(() => null, messageOf);
  return {
    url,
    kind: 'answered',
    protocol: session.version,
    height,
    tipTime: time,
    latencyMs,
    nodeFailure,
    serves: networks.length === 0 ? null : networks,
    isOurs: isGenesisOf(genesis, network),
  };
};

/** What every server answers, in their order; all are asked at once. Takes no longer than the limit. Never throws. */
export const probeServers = ({ network, servers, limitMs }: ProbeOptions): Promise<readonly ServerFacts[]> =>
  Promise.all(
    servers.map(async (url): Promise<ServerFacts> => {
      const ending = new AbortController();
      const late = `did not answer within ${limitMs} ms`;
      try {
        return await withTimeLimit(probe(url, { network, limitMs }, ending.signal), limitMs, late);
      } catch (error) {
        return { url, kind: 'failed', reason: messageOf(error) };
      } finally {
        ending.abort();
      }
    }),
  );
