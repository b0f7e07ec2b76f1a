/**
 * Which requests are answered at all: what their first line, Host and Origin must say.
 *
 * A web page can point a name of its own at 127.0.0.1 (DNS rebinding) and would then pass as same-origin. The browser
 * still sends that name as Host, so a daemon bound to loopback answers to loopback names only.
 */
import type { IncomingMessage } from 'node:http';
import { TreasuryError } from '../errors.js';

const loopbackName = String.raw`localhost|127(?:\.\d{1,3}){3}|\[::1\]`;
const loopbackHost = new RegExp(`^(?:${loopbackName}|::1)$`, 'i');
const loopbackAuthority = new RegExp(`^(?:${loopbackName})(?::\\d{1,5})?$`, 'i');

/** True for an address to bind to that only this machine reaches. */
export const isLoopback = (host: string): boolean => loopbackHost.test(host);

/**
 * Checks the Host header of a request to a loopback daemon; any port is allowed, since a tunnel may change it.
 *
 * @throws host_not_allowed
 */
export const checkHost = (header: string | undefined): void => {
  if (header !== undefined && loopbackAuthority.test(header)) return;
  throw new TreasuryError('host_not_allowed', { host: header ?? '' });
};

/**
 * Checks what every request must say in one way only: the target is a path (no proxy, and no `*`, is asked here), and
 * there is one Host. Of two, this program and a gateway before it might take one each.
 *
 * @throws invalid_request
 */
export const checkRequestLine = ({ url = '', headersDistinct }: IncomingMessage): void => {
  if (!url.startsWith('/'))
    throw new TreasuryError('invalid_request', { reason: 'its target must be a path that begins with /' });
  if ((headersDistinct['host']?.length ?? 0) > 1)
    throw new TreasuryError('invalid_request', { reason: 'it has more than one Host header' });
};

/** True for the Origin that a page of this daemon itself has. */
const isOwnOrigin = (origin: string, host: string | undefined): boolean => {
  const url = URL.canParse(origin) ? new URL(origin) : null;
  return url !== null && url.host === host?.toLowerCase();
};

/**
 * Checks that what may change something is not asked for by a page of another origin: a browser sends such a request,
 * body or not, even where the page may not read the answer.
 *
 * @param allowed origins that browsers may call from; `*` is any
 * @throws origin_not_allowed
 */
export const checkOrigin = ({ method = '', headers }: IncomingMessage, allowed: readonly string[]): void => {
  const { origin, host } = headers;
  if (origin === undefined || ['GET', 'HEAD', 'OPTIONS'].includes(method)) return;
  if (allowed.includes('*') || allowed.includes(origin) || isOwnOrigin(origin, host)) return;
  const remedy = URL.canParse(origin)
    ? `start the daemon with --cors-origin ${origin} to allow it`
    : 'serve the page from an origin of its own, such as https://app.example, which --cors-origin can name';
  throw new TreasuryError('origin_not_allowed', { origin, remedy });
};
