/** Which addresses only this machine reaches. */

/** The names of this machine for itself, as a pattern. */
export const loopbackName = String.raw`localhost|127(?:\.\d{1,3}){3}|\[::1\]`;
const loopbackHost = new RegExp(`^(?:${loopbackName}|::1)$`, 'i');

/** True for an address to bind to that only this machine reaches. */
export const isLoopback = (host: string): boolean => loopbackHost.test(host);
