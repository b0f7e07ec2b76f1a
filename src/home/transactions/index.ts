/** Transactions on their way: inspected, verified, signed, joined, broadcast. */
import type { Offer } from '../../operation/define.js';
import { broadcastFile, broadcastRaw } from './broadcast.js';
import { checkAnswer } from './check.js';
import { combine } from './combine.js';
import { inspect } from './inspect.js';
import { sign } from './sign.js';
import { verify } from './verify/verify.js';

export const operations: readonly Offer[] = [
  inspect,
  verify,
  sign,
  checkAnswer,
  combine,
  broadcastFile,
  broadcastRaw,
];
