/** Electrum servers: how they are written, and which are known for each network. */
import type { Network } from '../../bch/network.js';
import { TreasuryError } from '../../errors.js';

/** A server as it is connected to. */
export type ServerUrl = {
  /** As it was written. */
  readonly text: string;
  readonly host: string;
  readonly port: number;
  readonly scheme: 'tcp' | 'tcp_tls' | 'ws' | 'wss';
  /** SHA-256 of the certificate that it must show, 64 hex digits; null when none is pinned. TLS only. */
  readonly fingerprint: string | null;
};

/** Source: Electrum Cash protocol, usual ports. */
const SCHEMES = {
  tcp: { scheme: 'tcp', port: 50_001 },
  tls: { scheme: 'tcp_tls', port: 50_002 },
  ws: { scheme: 'ws', port: 50_003 },
  wss: { scheme: 'wss', port: 50_004 },
} as const;

/** Public servers in the order in which they are tried. WSS alone, since its certificates are verified. */
export const DEFAULT_SERVERS: Readonly<Record<Network, readonly string[]>> = {
  local: [],
  regtest: [],
  chipnet: ['wss://chipnet.bch.ninja:50004', 'wss://chipnet.imaginary.cash:50004'],
  testnet3: ['wss://testnet.imaginary.cash:50004'],
  testnet4: ['wss://testnet4.imaginary.cash:50004'],
  mainnet: [
    'wss://bch.imaginary.cash:50004',
    'wss://electrum.imaginary.cash:50004',
    'wss://blackie.c3-soft.com:50004',
  ],
};

/** The servers that are configured, or those known for the network when none is. */
export const serversOf = (network: Network, given: readonly string[]): readonly string[] =>
  given.length > 0 ? given : DEFAULT_SERVERS[network];

// A URL object drops the ports that are usual on the web (80 of ws), so the port is read from the text.
const pattern =
  /^(tcp|tls|wss?):\/\/(\[[0-9a-f:]+\]|[^\s:/?#@[\]]+)(?::(\d{1,5}))?\/?(?:\?fingerprint=([^#]*))?$/i;

const EXPECTED =
  'tcp://, tls://, ws:// or wss:// with a host and perhaps a port; a tls:// URL may end with ?fingerprint= ' +
  'and the SHA-256 of its certificate';

/**
 * The server that a URL names: `wss://host:50004`, or `tls://host:50002?fingerprint=<64 hex digits>`. Without a port,
 * the usual one of its kind.
 *
 * @throws invalid_setting
 */
export const parseServerUrl = (text: string): ServerUrl => {
  const refuse = () =>
    new TreasuryError('invalid_setting', { setting: 'electrum', value: text, expected: EXPECTED });
  const match = pattern.exec(text.trim());
  if (match === null) throw refuse();
  const [, name = '', host = '', portText, pin] = match;
  const { scheme, port: usualPort } = SCHEMES[name.toLowerCase() as keyof typeof SCHEMES];
  const port = portText === undefined ? usualPort : Number(portText);
  const fingerprint = pin === undefined ? null : pin.replaceAll(':', '').toLowerCase();
  const isPinned = fingerprint === null || (scheme === 'tcp_tls' && /^[0-9a-f]{64}$/.test(fingerprint));
  if (port < 1 || port > 65_535 || !isPinned) throw refuse();
  // electrum-cash puts a WebSocket's host into a URL, where IPv6 wants its brackets, and hands others to a socket.
  const isWeb = scheme === 'ws' || scheme === 'wss';
  return { text: text.trim(), host: isWeb ? host : host.replace(/^\[|\]$/g, ''), port, scheme, fingerprint };
};
