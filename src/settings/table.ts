/**
 * The table of settings: name, flag, default, and what a usable value is, read from a text (flag, environment) or from JSON
 * (file). The variable of a setting is made of its name: `corsOrigins` is `TREASURY_CORS_ORIGINS`.
 *
 * The reader (`settings.ts`), `treasury config list` and the README's table derive from it.
 */
import { isNetwork, networkNames, type Network } from '../bch/network.js';
import {
  isElectrumUrl,
  isWebOrigin,
  readBlockName,
  readDatabaseText,
  readInteger,
  readList,
  readOriginOrNone,
  readSocketHost,
  readSocketUrl,
  readSwitch,
  readText,
  readUrlOrNone,
} from './values.js';

/** Folders of the platform, as `env-paths` names them. */
export type PlatformFolders = { readonly data: string; readonly config: string };

/** One setting of the table. */
export type Declaration<Value> = {
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
  /** It may hold a password: never shown, and in no file of settings. */
  readonly isSecret?: true;
};

/** A setting without a flag, whose default reads as it stands; `more` says what is otherwise. */
const declare = <Value>(
  description: string,
  fallback: Value,
  more: Pick<Declaration<Value>, 'expected' | 'parse'> & Partial<Declaration<Value>>,
): Declaration<Value> => ({
  flag: null,
  description,
  fallback: () => fallback,
  fallbackText: fallback === null ? 'none' : String(fallback),
  ...more,
});

/** From the most to the least that is said. */
const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
/** How much the daemon logs. */
export type LogLevel = (typeof LOG_LEVELS)[number];

const text = (expected: string) => ({ expected, parse: readText });
const integer = (least: number, most: number) => ({
  expected: `an integer from ${least} to ${most}`,
  parse: readInteger(least, most),
});
const WEB_SOCKET = { expected: 'a URL such as wss://relay.example.org', parse: readSocketUrl };
const SWITCH = { expected: 'true or false', parse: readSwitch };
const URL_OR_NONE = { expected: 'an http or https URL, or none', parse: readUrlOrNone };
const ORIGIN = { expected: 'such as https://treasury.example.org, or none', parse: readOriginOrNone };
/** The key of the oracle for BCH in USD. Source: docs/design/api.md. */
const ORACLE_KEY = '02d09db08af1ff4e8453919cc866a4be427d7bfe18f2c05e5444c196fcf6fd2818';

/** Every setting, in README order. A file's key is the setting's name. */
export const SETTINGS = {
  home: declare<string>('Data folder; each network keeps its data in a folder of its name below it', '', {
    ...text('the path of a folder'),
    flag: '--home',
    fallback: ({ data }) => data,
    fallbackText: "the platform's data folder",
    isPath: true,
  }),
  network: declare<Network>('Network to work on', 'local', {
    flag: '--network',
    expected: `one of ${networkNames.join(', ')}`,
    parse: (value) => (typeof value === 'string' && isNetwork(value) ? value : undefined),
  }),
  databaseUrl: declare<string | null>(
    'PostgreSQL database that holds the records, as postgres://user:password@host:5432/name',
    null,
    {
      expected: 'a URL such as postgres://user:password@host:5432/treasury',
      parse: readDatabaseText,
      flag: '--database-url',
      fallbackText: 'none: the records are files of the data folder',
      isSecret: true,
    },
  ),
  databaseUrlFile: declare<string | null>('File that holds the databaseUrl, with its password', null, {
    ...text('the path of a file'),
    isPath: true,
  }),
  databaseConnections: declare<number>(
    'Connections to the database that one daemon or command has at most',
    10,
    integer(2, 200),
  ),
  wallet: declare<string | null>('Wallet that signs', null, {
    ...text('the name of a wallet'),
    flag: '--wallet',
    fallbackText: 'the default wallet',
  }),
  as: declare<string | null>(
    'Who is asking: the name of a wallet, a cash address, or @name of a contact',
    null,
    {
      ...text('the name of a wallet or a cash address'),
      flag: '--as',
      fallbackText: 'the wallet that signs',
    },
  ),
  passphraseFile: declare<string | null>(
    'File that holds the passphrase of encrypted wallets; otherwise it is asked for',
    null,
    { ...text('the path of a file'), isPath: true },
  ),
  walletWait: declare<number>('How long to wait for an answer of a wallet on a phone, seconds', 300, {
    ...integer(1, 86_400),
    flag: '--wait',
  }),
  walletconnectRelayUrl: declare<string>(
    'Relay of WalletConnect, over which wallets on phones are asked',
    'wss://relay.walletconnect.org',
    WEB_SOCKET,
  ),
  walletconnectProjectId: declare<string | null>(
    'Project id that the relay of WalletConnect asks for: your own, from https://dashboard.reown.com',
    null,
    { ...text('the id of a project'), fallbackText: 'none: needed to ask a wallet over WalletConnect' },
  ),
  wizardconnectRelayUrl: declare<string | null>(
    'Nostr relay of WizardConnect, where those that wallets use are not wanted',
    null,
    {
      expected: 'a URL such as wss://relay.example.org, without a path',
      parse: readSocketHost,
      fallbackText: 'wss://relay.riften.net:443 and wss://relay.cauldron.quest:443',
    },
  ),
  tokenSecretFile: declare<string | null>(
    'File of the secret of access tokens and challenges, the same for all daemons on one store; otherwise the home keeps one',
    null,
    { ...text('the path of a file'), isPath: true },
  ),
  webhookSecretFile: declare<string | null>(
    'File of the secret that those of webhooks are made of, the same for all daemons on one store; otherwise the home keeps one',
    null,
    { ...text('the path of a file'), isPath: true },
  ),
  host: declare<string>('Address that the daemon listens on', '127.0.0.1', {
    ...text('a host name or an IP address'),
    flag: '--host',
  }),
  port: declare<number>('Port that the daemon listens on; 0 takes a free one', 4280, {
    ...integer(0, 65_535),
    flag: '--port',
  }),
  corsOrigins: declare<readonly string[]>('Web origins that may call the daemon, separated by commas', [], {
    flag: '--cors-origin',
    expected: 'origins such as https://treasury.example.org, without a path',
    parse: readList(isWebOrigin),
    fallbackText: 'none',
  }),
  ratePerMinute: declare<number | null>(
    'Requests a minute that one address or IP may send to the daemon; 0 is no limit',
    null,
    {
      ...integer(0, 1_000_000),
      flag: '--rate-per-minute',
      fallbackText: '300, and no limit on loopback',
    },
  ),
  trustAddressHeader: declare<boolean>(
    'Take x-user-address on its word off loopback too, because a gateway has checked it',
    false,
    { ...SWITCH, flag: '--trust-address-header' },
  ),
  requireKeys: declare<boolean>(
    'Take keys for scripts and nothing else: no address header, no access token, nobody without one',
    false,
    { ...SWITCH, flag: '--require-keys' },
  ),
  page: declare<boolean | null>('Serve the page for browsers at /app/', null, {
    ...SWITCH,
    flag: '--page',
    fallbackText: 'true on loopback, false elsewhere',
  }),
  pageUrl: declare<string | null>(
    'Origin at which a gateway hands others on to the daemon: links lead there, and x-user-address proves nothing',
    null,
    { ...ORIGIN, fallbackText: 'the daemon of this home, while it runs on loopback' },
  ),
  webhooksAllowPrivate: declare<boolean>(
    'Let every webhook, whoever makes it, go to private addresses and to this machine',
    false,
    SWITCH,
  ),
  logLevel: declare<LogLevel>('How much the daemon logs', 'info', {
    flag: '--log-level',
    expected: `one of ${LOG_LEVELS.join(', ')}`,
    parse: (value) => LOG_LEVELS.find((level) => level === value),
  }),
  metrics: declare<boolean>('Let the daemon measure itself, and show it to Prometheus at /metrics', false, {
    ...SWITCH,
    flag: '--metrics',
  }),
  electrum: declare<readonly string[]>('Electrum servers of the network, in order, separated by commas', [], {
    expected: 'URLs such as wss://host:50004 (wss, ws, tls or tcp)',
    parse: readList(isElectrumUrl),
    fallbackText: 'the servers known for the network',
  }),
  checkpoint: declare<string | null>(
    'Block that you trust, as HEIGHT:HASH; needed once where there is a single Electrum server',
    null,
    {
      flag: '--checkpoint',
      expected: 'HEIGHT:HASH of a block, the hash of 64 hex digits as explorers show it',
      parse: readBlockName,
      fallbackText: 'a recent block that two servers agree on, once for a home',
    },
  ),
  priceOracleUrl: declare<string | null>(
    'Relay of the price oracle, whose messages are signed',
    'https://oracles.generalprotocols.com',
    URL_OR_NONE,
  ),
  priceOraclePubkey: declare<string>('Public key that the oracle signs with', ORACLE_KEY, {
    expected: 'a compressed public key of 66 hex digits',
    parse: (value) => (/^0[23][0-9a-f]{64}$/i.test(String(value)) ? String(value).toLowerCase() : undefined),
  }),
  priceFallbackUrl: declare<string | null>(
    'Public price API that is asked when the oracle does not answer, with its query',
    'https://api.coingecko.com/api/v3/simple/price?ids=bitcoin-cash&vs_currencies=usd',
    URL_OR_NONE,
  ),
  priceLimitMs: declare<number>('Limit of each price source, milliseconds', 5_000, integer(100, 60_000)),
  frontendUrl: declare<string | null>('Web application that the status report probes', null, URL_OR_NONE),
  docsUrl: declare<string | null>('Documentation site that the status report probes', null, URL_OR_NONE),
  explorerUrl: declare<string | null>(
    'Block explorer: probed by the status report, and linked to as <url>/address/<address>',
    null,
    URL_OR_NONE,
  ),
  explorerLinks: declare<boolean>(
    'Link addresses and transactions on terminals that show links: to explorerUrl, else to an explorer of the network',
    true,
    SWITCH,
  ),
  indexerStatusUrl: declare<string | null>(
    'Status address of the indexer: JSON with a field status',
    null,
    URL_OR_NONE,
  ),
  probeLimitMs: declare<number>(
    'How long each probe of the status report may take, milliseconds',
    4_000,
    integer(100, 60_000),
  ),
} as const;
