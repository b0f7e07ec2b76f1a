/** Transactions on their way: inspected, signed, broadcast. */
import type { Offer } from '../../operation/define.js';
import { broadcastFile, broadcastRaw } from './broadcast.js';
import { inspect } from './inspect.js';
import { sign } from './sign.js';

export const operations: readonly Offer[] = [inspect, sign, broadcastFile, broadcastRaw];
