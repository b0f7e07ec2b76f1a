/**
 * Which names a loopback daemon answers to.
 *
 * A web page can point a name of its own at 127.0.0.1 (DNS rebinding) and would then pass as same-origin. The browser
 * still sends that name as Host, so a daemon bound to loopback answers to loopback names only.
 */
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
