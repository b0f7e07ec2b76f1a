/** What a push of a stream pays. */
import { pushableAmount, type Due } from '../../covenant/push.js';
import { figuresOf, kindOf } from './kinds.js';
import type { StreamRecord } from './stream.js';

export const pushRules = {
  contract: (stream: StreamRecord) => ({
    name: kindOf(stream).artifact,
    pinned: stream.artifact_fingerprint,
  }),
  dueAt: (stream: StreamRecord, now: number): Due => {
    const { vested, claimable } = figuresOf(stream, now);
    return { due: claimable, isLast: kindOf(stream).isAllVested(stream, vested) };
  },
};

/** What a push would pay at a moment of chain time, smallest unit. */
export const pushableOf = (stream: StreamRecord, now: number): bigint =>
  pushableAmount(pushRules, stream, now);
