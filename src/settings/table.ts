/**
 * The table of settings: name, variable, flag, default, and what a usable value is.
 *
 * The reader (`settings.ts`), `treasury config list` and the README's table derive from it.
 */
import { isNetwork, networkNames, type Network } from '../bch/network.js';
import {
  isElectrumUrl,
  isWebOrigin,
  readBlockName,
  readInteger,
  readList,
  readSwitch,
  readText,
  readUrlOrNone,
} from './values.js';

/** Folders of the platform, as `env-paths` names them. */
export type PlatformFolders = { readonly data: string; readonly config: string };

/** One setting of the table. */
export type Declaration<Value> = {
  readonly env: `TREASURY_${string}`;
  /** The flag of the commands that take it; null when no command does. */
  readonly flag: string | null;
  readonly description: string;
  /** What a usable value is, for messages. */
  readonly expected: string;
  /** The value of a text (flag, environment) or of JSON (file); undefined when it is not usable. */
  readonly parse: (value: unknown) => Value | undefined;
  readonly fallback: (folders: PlatformFolders) => Value;
  readonly fallbackText: string;
  /** A path in a file is relative to that file. */
  readonly isPath?: true;
};

const declare = <Value>(declaration: Declaration<Value>): Declaration<Value> => declaration;

/** From the most to the least that is said. */
const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
/** How much the daemon logs. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Every setting, in README order. A file's key is the setting's name. */
export const SETTINGS = {
  home: declare<string>({
    env: 'TREASURY_HOME',
    flag: '--home',
    description: 'Data folder; each network keeps its data in a folder of its name below it',
    expected: 'the path of a folder',
    parse: readText,
    fallback: ({ data }) => data,
    fallbackText: "the platform's data folder",
    isPath: true,
  }),
  network: declare<Network>({
    env: 'TREASURY_NETWORK',
    flag: '--network',
    description: 'Network to work on',
    expected: `one of ${networkNames.join(', ')}`,
    parse: (value) => (typeof value === 'string' && isNetwork(value) ? value : undefined),
    fallback: () => 'local',
    fallbackText: 'local',
  }),
  wallet: declare<string | null>({
    env: 'TREASURY_WALLET',
    flag: '--wallet',
    description: 'Wallet that signs',
    expected: 'the name of a wallet',
    parse: readText,
    fallback: () => null,
    fallbackText: 'the default wallet',
  }),
  as: declare<string | null>({
    env: 'TREASURY_AS',
    flag: '--as',
    description: 'Who is asking: the name of a wallet, a cash address, or @name of a contact',
    expected: 'the name of a wallet or a cash address',
    parse: readText,
    fallback: () => null,
    fallbackText: 'the wallet that signs',
  }),
  passphraseFile: declare<string | null>({
    env: 'TREASURY_PASSPHRASE_FILE',
    flag: null,
    description: 'File that holds the passphrase of encrypted wallets; otherwise it is asked for',
    expected: 'the path of a file',
    parse: readText,
    fallback: () => null,
    fallbackText: 'none',
    isPath: true,
  }),
  host: declare<string>({
    env: 'TREASURY_HOST',
    flag: '--host',
    description: 'Address that the daemon listens on',
    expected: 'a host name or an IP address',
    parse: readText,
    fallback: () => '127.0.0.1',
    fallbackText: '127.0.0.1',
  }),
  port: declare<number>({
    env: 'TREASURY_PORT',
    flag: '--port',
    description: 'Port that the daemon listens on; 0 takes a free one',
    expected: 'an integer from 0 to 65535',
    parse: readInteger(0, 65_535),
    fallback: () => 4280,
    fallbackText: '4280',
  }),
  corsOrigins: declare<readonly string[]>({
    env: 'TREASURY_CORS_ORIGINS',
    flag: '--cors-origin',
    description: 'Web origins that may call the daemon, separated by commas',
    expected: 'origins such as https://treasury.example.org, without a path',
    parse: readList(isWebOrigin),
    fallback: () => [],
    fallbackText: 'none',
  }),
  ratePerMinute: declare<number | null>({
    env: 'TREASURY_RATE_PER_MINUTE',
    flag: '--rate-per-minute',
    description: 'Requests a minute that one address or IP may send to the daemon; 0 is no limit',
    expected: 'an integer from 0 to 1000000',
    parse: readInteger(0, 1_000_000),
    fallback: () => null,
    fallbackText: '300, and no limit on loopback',
  }),
  trustAddressHeader: declare<boolean>({
    env: 'TREASURY_TRUST_ADDRESS_HEADER',
    flag: '--trust-address-header',
    description: 'Take x-user-address on its word off loopback too, because a gateway has checked it',
    expected: 'true or false',
    parse: readSwitch,
    fallback: () => false,
    fallbackText: 'false',
  }),
  logLevel: declare<LogLevel>({
    env: 'TREASURY_LOG_LEVEL',
    flag: '--log-level',
    description: 'How much the daemon logs',
    expected: `one of ${LOG_LEVELS.join(', ')}`,
    parse: (value) => LOG_LEVELS.find((level) => level === value),
    fallback: () => 'info',
    fallbackText: 'info',
  }),
  metrics: declare<boolean>({
    env: 'TREASURY_METRICS',
    flag: '--metrics',
    description: 'Let the daemon measure itself, and show it to Prometheus at /metrics',
    expected: 'true or false',
    parse: readSwitch,
    fallback: () => false,
    fallbackText: 'false',
  }),
  electrum: declare<readonly string[]>({
    env: 'TREASURY_ELECTRUM',
    flag: null,
    description: 'Electrum servers of the network, in order, separated by commas',
    expected: 'URLs such as wss://host:50004 (wss, ws, tls or tcp)',
    parse: readList(isElectrumUrl),
    fallback: () => [],
    fallbackText: 'the servers known for the network',
  }),
  checkpoint: declare<string | null>({
    env: 'TREASURY_CHECKPOINT',
    flag: '--checkpoint',
    description: 'Block that you trust, as HEIGHT:HASH; needed once where there is a single Electrum server',
    expected: 'HEIGHT:HASH of a block, the hash of 64 hex digits as explorers show it',
    parse: readBlockName,
    fallback: () => null,
    fallbackText: 'a recent block that two servers agree on, once for a home',
  }),
  priceOracleUrl: declare<string | null>({
    env: 'TREASURY_PRICE_ORACLE_URL',
    flag: null,
    description: 'Relay of the price oracle, whose messages are signed',
    expected: 'an http or https URL, or none',
    parse: readUrlOrNone,
    fallback: () => 'https://oracles.generalprotocols.com',
    fallbackText: 'https://oracles.generalprotocols.com',
  }),
  priceOraclePubkey: declare<string>({
    env: 'TREASURY_PRICE_ORACLE_PUBKEY',
    flag: null,
    description: 'Public key that the oracle signs with',
    expected: 'a compressed public key of 66 hex digits',
    parse: (value) => (/^0[23][0-9a-f]{64}$/i.test(String(value)) ? String(value).toLowerCase() : undefined),
    fallback: () => '02d09db08af1ff4e8453919cc866a4be427d7bfe18f2c05e5444c196fcf6fd2818',
    fallbackText: '02d09db08af1ff4e8453919cc866a4be427d7bfe18f2c05e5444c196fcf6fd2818',
  }),
  priceFallbackUrl: declare<string | null>({
    env: 'TREASURY_PRICE_FALLBACK_URL',
    flag: null,
    description: 'Public price API that is asked when the oracle does not answer, with its query',
    expected: 'an http or https URL, or none',
    parse: readUrlOrNone,
    fallback: () => 'https://api.coingecko.com/api/v3/simple/price?ids=bitcoin-cash&vs_currencies=usd',
    fallbackText: 'https://api.coingecko.com/api/v3/simple/price?ids=bitcoin-cash&vs_currencies=usd',
  }),
  priceLimitMs: declare<number>({
    env: 'TREASURY_PRICE_LIMIT_MS',
    flag: null,
    description: 'How long each price source may take, milliseconds',
    expected: 'an integer from 100 to 60000',
    parse: readInteger(100, 60_000),
    fallback: () => 5_000,
    fallbackText: '5000',
  }),
  frontendUrl: declare<string | null>({
    env: 'TREASURY_FRONTEND_URL',
    flag: null,
    description: 'Web application that the status report probes',
    expected: 'an http or https URL, or none',
    parse: readUrlOrNone,
    fallback: () => null,
    fallbackText: 'none',
  }),
  docsUrl: declare<string | null>({
    env: 'TREASURY_DOCS_URL',
    flag: null,
    description: 'Documentation site that the status report probes',
    expected: 'an http or https URL, or none',
    parse: readUrlOrNone,
    fallback: () => null,
    fallbackText: 'none',
  }),
  explorerUrl: declare<string | null>({
    env: 'TREASURY_EXPLORER_URL',
    flag: null,
    description: 'Block explorer: probed by the status report, and linked to as <url>/address/<address>',
    expected: 'an http or https URL, or none',
    parse: readUrlOrNone,
    fallback: () => null,
    fallbackText: 'none',
  }),
  indexerStatusUrl: declare<string | null>({
    env: 'TREASURY_INDEXER_STATUS_URL',
    flag: null,
    description: 'Status address of the indexer: JSON with a field status',
    expected: 'an http or https URL, or none',
    parse: readUrlOrNone,
    fallback: () => null,
    fallbackText: 'none',
  }),
  probeLimitMs: declare<number>({
    env: 'TREASURY_PROBE_LIMIT_MS',
    flag: null,
    description: 'How long each probe of the status report may take, milliseconds',
    expected: 'an integer from 100 to 60000',
    parse: readInteger(100, 60_000),
    fallback: () => 4_000,
    fallbackText: '4000',
  }),
} as const;
