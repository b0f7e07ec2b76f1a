/** Access: proving an address to the HTTP API. */
import type { Offer } from '../../operation/define.js';
import { challenge } from './challenge.js';
import { exchange } from './exchange.js';
import { revoke } from './revoke.js';
import { token } from './token.js';

export const operations: readonly Offer[] = [challenge, exchange, token, revoke];

export { usedChallengeCollection } from './used-challenges.js';
