/** How streams are kept open, and how many of them. */
import { TreasuryError } from '../errors.js';

export type StreamSettings = {
  /** Streams that are open at once. */
  readonly most: number;
  /** Of those, of one caller: a proven address, or an IP. */
  readonly mostOfOne: number;
  /** A comment is sent, and the access looked at, when nothing was sent for so long, milliseconds. */
  readonly heartbeatMs: number;
  /** How long a client may leave unread what does not fit its buffers, milliseconds. */
  readonly stallMs: number;
  /** How often what other processes have written is looked for, milliseconds. */
  readonly lookMs: number;
};

export const STREAM_SETTINGS: StreamSettings = {
  most: 1_000,
  mostOfOne: 20,
  heartbeatMs: 15_000,
  stallMs: 30_000,
  lookMs: 500,
};

/** Seconds after which it is worth asking for a stream again. */
const RETRY_AFTER = 30;

/** Counts the streams that are open, of each caller and in all. */
export const createPlaces = ({ most, mostOfOne }: StreamSettings) => {
  const taken = new Map<string, number>();
  let all = 0;
  return {
    /** @returns how to give the place back. @throws too_many_streams */
    take: (caller: string): (() => void) => {
      const own = taken.get(caller) ?? 0;
      const reason =
        own >= mostOfOne
          ? `${mostOfOne} of one caller are the most`
          : all >= most
            ? `${most} are the most that this service keeps open`
            : null;
      if (reason !== null) throw new TreasuryError('too_many_streams', { reason, retryAfter: RETRY_AFTER });
      taken.set(caller, own + 1);
      all += 1;
      return () => {
        all -= 1;
        const left = (taken.get(caller) ?? 1) - 1;
        if (left === 0) taken.delete(caller);
        else taken.set(caller, left);
      };
    },
    size: () => all,
  };
};
