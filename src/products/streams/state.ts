/** The commitment of a stream's thread. Source: contracts/streams/stream.cash. */
import { bytes, commitment, type CommitmentState } from '../../bch/commitment.js';

/** `status u8 | released u64 | start u40 | pausedAt u40 | recipient 20 | flags u8`, 40 bytes. */
export const streamState = commitment({
  status: 'u8',
  released: 'u64',
  start: 'u40',
  pausedAt: 'u40',
  recipient: bytes(20),
  flags: 'u8',
});

/** Times in unix seconds, `released` in the smallest unit, `recipient` a public key hash. */
export type StreamState = CommitmentState<typeof streamState.layout>;

/** The values of `status`. */
export const CHAIN_STATUS = { active: 0, paused: 1 } as const;

/** The bits of `flags`. */
export const FLAGS = { cancelable: 1, transferable: 2 } as const;

/** The bits that a stream's terms set. */
export const flagsOf = (terms: { readonly cancelable: boolean; readonly transferable: boolean }): number =>
  (terms.cancelable ? FLAGS.cancelable : 0) | (terms.transferable ? FLAGS.transferable : 0);

/** The state that a thread carries. */
export const readState = streamState.read;
