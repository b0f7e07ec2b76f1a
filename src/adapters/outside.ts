/** What a home has to do with the world beside its chain: prices, pages that the status report probes, messages to webhooks. */
import { NETWORKS, type Network } from '../bch/network.js';
import type { Log } from '../operation/context.js';
import type { MessengerPort } from '../operation/ports/messenger.js';
import type { Settings } from '../settings/settings.js';
import { latePort } from './late-port.js';
import type { MessengerSettings } from './messenger/messenger.js';

/** The settings that name something outside. */
export type OutsideSettings = Pick<
  Settings,
  | 'electrum'
  | 'checkpoint'
  | 'priceOracleUrl'
  | 'priceOraclePubkey'
  | 'priceFallbackUrl'
  | 'priceLimitMs'
  | 'frontendUrl'
  | 'docsUrl'
  | 'explorerUrl'
  | 'indexerStatusUrl'
  | 'probeLimitMs'
> &
  Partial<Pick<Settings, 'webhooksAllowPrivate' | 'tokenSecretFile' | 'webhookSecretFile'>>;

type OutsideOptions = {
  /** Null: nothing outside is known. */
  readonly outside: OutsideSettings | null;
  /** Wall clock in unix seconds; for tests. */
  readonly wall?: (() => number) | undefined;
  readonly log: Log;
  readonly messages: Omit<MessengerSettings, 'allowPrivate'>;
};

/** The ports to what lies outside. Without settings there is nothing to ask. */
export const openOutside = async (network: Network, { outside, wall, log, messages }: OutsideOptions) => {
  const { openProbes } = await import('./probes/probes.js');
  const limit = outside?.probeLimitMs ?? 4_000;
  const oracleUrl = outside?.priceOracleUrl ?? null;
  const price = latePort({ reading: true, latest: true, close: true }, async () => {
    const { openPriceSources } = await import('./price-sources/price-sources.js');
    return openPriceSources({
      oracle:
        outside === null || oracleUrl === null
          ? null
          : { url: oracleUrl, publicKey: outside.priceOraclePubkey },
      fallbackUrl: outside?.priceFallbackUrl ?? null,
      limitMilliseconds: outside?.priceLimitMs ?? 5_000,
      // On the embedded chain no money is real: a price is fetched only when it is asked for.
      isEager: NETWORKS[network].servedBy !== 'embedded',
      now: wall === undefined ? Date.now : () => wall() * 1000,
      log,
    });
  });
  const messenger = latePort<MessengerPort>(
    { checkUrl: true, makeSecret: true, secretsOf: true, sendSigned: true },
    async () => {
      const { openMessenger } = await import('./messenger/messenger.js');
      return openMessenger({
        ...messages,
        allowPrivate: outside?.webhooksAllowPrivate ?? false,
        secretFile: outside?.webhookSecretFile ?? null,
      });
    },
  );
  return {
    price,
    messenger,
    probes: openProbes({
      pages: {
        frontend: outside?.frontendUrl ?? null,
        docs: outside?.docsUrl ?? null,
        explorer: outside?.explorerUrl ?? null,
      },
      indexerUrl: outside?.indexerStatusUrl ?? null,
      limits: { page: limit, indexer: limit, chain: limit, database: limit },
    }),
  };
};
