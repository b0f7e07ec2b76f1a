/** A server that contradicts what is known for sure: more than trouble, since asking it again will not help. */
import { TreasuryError } from '../../errors.js';

/** What a server answered cannot be true. The message continues the server's name: `shows ...`. */
export class Contradiction extends Error {
  override readonly name = 'Contradiction';
}

/** `server_disagrees`, in words that begin with a server's name. */
export const disagreement = (reason: string): TreasuryError =>
  new TreasuryError('server_disagrees', { reason });
