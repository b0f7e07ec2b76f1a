/** Transactions on their way: inspected, signed, joined, broadcast. */
import type { Offer } from '../../operation/define.js';
import { broadcastFile, broadcastRaw } from './broadcast.js';
import { combine } from './combine.js';
import { inspect } from './inspect.js';
import { sign } from './sign.js';

export const operations: readonly Offer[] = [inspect, sign, combine, broadcastFile, broadcastRaw];
