/**
 * Where a message may go that somebody else names an address for: not to this machine and not to networks behind it,
 * which trust whoever asks from inside. Source: OWASP, Server-Side Request Forgery Prevention.
 */
import ipaddr from 'ipaddr.js';
import { TreasuryError } from '../errors.js';
import type { Reach } from './ports/messenger.js';

const MOST_CHARACTERS = 2_000;
/** Ports of web servers: behind others stand services that no message is meant for. */
const PORTS: readonly string[] = ['', '8443'];

/** Unicast addresses of IPv6 that are given out. Source: RFC 4291, 2.4, and IANA's registry. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

const KINDS: Readonly<Record<string, string>> = {
  loopback: 'is on this machine',
  private: 'is in a private network',
  uniqueLocal: 'is in a private network',
  linkLocal: 'is on the local link',
  carrierGradeNat: "is in a carrier's network",
  multicast: 'is a multicast address',
  broadcast: 'is a broadcast address',
  unspecified: 'stands for any address of this machine',
};

/** Addresses of IPv6 that stand for one of IPv4 are told by what they are, since a gateway would go there. */
const kindOf = (address: ipaddr.IPv4 | ipaddr.IPv6): string => {
  const range = address.range();
  if (address instanceof ipaddr.IPv6 && range === 'unicast' && !address.match(...GLOBAL_UNICAST))
    return 'reserved';
  return range;
};

/** Why no message may go to an IP address; null: it may. */
export const addressFault = (text: string): string | null => {
  if (!ipaddr.isValid(text)) return 'is no IP address';
  const kind = kindOf(ipaddr.parse(text));
  return kind === 'unicast' ? null : (KINDS[kind] ?? 'is in a reserved range');
};

/** Why no message may go to an IP address, private or not; null: it may. */
export const nobodysFault = (text: string): string | null => {
  if (!ipaddr.isValid(text)) return 'is no IP address';
  const kind = kindOf(ipaddr.process(text));
  return ['multicast', 'broadcast', 'unspecified'].includes(kind) ? (KINDS[kind] ?? null) : null;
};

/** True for an address of this machine. */
export const isLoopback = (text: string): boolean =>
  ipaddr.isValid(text) && ipaddr.process(text).range() === 'loopback';

/** The host of a URL without the brackets of IPv6. */
export const hostOf = ({ hostname }: Pick<URL, 'hostname'>): string => hostname.replace(/^\[(.*)\]$/, '$1');

const isLocalName = (host: string): boolean => /^(?:.+\.)?localhost\.?$/.test(host);

/** Control characters and blanks, which a URL silently loses. */
const UNSEEN = /[\p{Cc}\p{Z}\u2028\u2029]/u;

const faultOf = (text: string, url: URL, { allowPrivate }: Reach): string | null => {
  const host = hostOf(url);
  const isAddress = ipaddr.isValid(host);
  if (url.username !== '' || url.password !== '') return 'it has a name or a password in it: leave them out';
  if (url.hash !== '') return 'it has a #fragment, which is never sent: leave it out';
  // 0177.1, 2130706433 and 0x7f000001 are ways to write 127.0.0.1 that nobody needs.
  if (isAddress && !url.hostname.startsWith('[') && !text.includes(`//${host}`))
    return `its host is another way to write ${host}`;
  const isHere = isLocalName(host) || isLoopback(host);
  if (url.protocol === 'http:' && !isHere)
    return 'it is not https: http is for addresses of this machine alone';
  const fault = isAddress ? nobodysFault(host) : null;
  if (fault !== null) return `${host} ${fault}`;
  if (allowPrivate) return null;
  const inside = isAddress ? addressFault(host) : isLocalName(host) ? 'is on this machine' : null;
  if (inside !== null)
    return `${host} ${inside}: the operator can allow that, at the terminal with --allow-private`;
  if (!PORTS.includes(url.port))
    return `its port is ${url.port}: 443 and 8443 are those of web servers; the operator can allow others, at the terminal with --allow-private`;
  return null;
};

/**
 * The address that somebody gives for messages, as far as it can be judged without asking for its name.
 *
 * @throws invalid_url
 */
export const readDestination = (text: string, reach: Reach): URL => {
  const refuse = (reason: string): TreasuryError =>
    new TreasuryError('invalid_url', { value: withoutCredentials(text), reason });
  if (text.length > MOST_CHARACTERS) throw refuse(`it is longer than ${MOST_CHARACTERS} characters`);
  if (UNSEEN.test(text)) throw refuse('it has a blank or a control character in it');
  if (!/^https?:\/\/[^/\\]/i.test(text) || text.includes('\\') || !URL.canParse(text))
    throw refuse('expected an address such as https://example.org/hooks');
  const url = new URL(text);
  const reason = faultOf(text.toLowerCase(), url, reach);
  if (reason !== null) throw refuse(reason);
  return url;
};

/** An address as it may be shown and logged: without a password that somebody wrote into it. */
export const withoutCredentials = (text: string): string => text.replace(/\/\/[^/?#]*@/, '//');
