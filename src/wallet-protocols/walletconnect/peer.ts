/** What is said on a topic: requests that are sent and answered, under its key. */
import { openEnvelope, sealEnvelope } from './envelope.js';
import {
  answerText,
  METHODS,
  readMessage,
  requestText,
  type Incoming,
  type Method,
  type PeerError,
} from './messages.js';
import type { Relay } from './relay.js';

export type PeerSettings = {
  readonly relay: Relay;
  readonly topic: string;
  /** 32 bytes. */
  readonly symKey: Uint8Array;
  readonly random: (length: number) => Uint8Array;
};

export type Peer = {
  /** @param ttl seconds that the relay keeps it. Default: the method's own */
  readonly send: (id: number, method: Method, params: unknown, ttl?: number) => Promise<void>;
  readonly answer: (
    id: string,
    method: Method,
    answer: { readonly result: true } | { readonly error: PeerError },
  ) => Promise<void>;
  /** Takes whatever can be read of this topic from now on. */
  readonly listen: (take: (message: Incoming) => void) => Promise<void>;
};

const NONCE_BYTES = 12;

export const openPeer = ({ relay, topic, symKey, random }: PeerSettings): Peer => {
  const seal = (text: string): string => sealEnvelope(symKey, text, random(NONCE_BYTES));
  return {
    send: (id, method, params, ttl) => {
      const { answerTag: _, ...how } = METHODS[method];
      const text = requestText(String(id), method, params);
      return relay.publish(topic, seal(text), ttl === undefined ? how : { ...how, ttl });
    },
    answer: (id, method, answer) => {
      const { answerTag, ttl } = METHODS[method];
      return relay.publish(topic, seal(answerText(id, answer)), { tag: answerTag, ttl });
    },
    listen: (take) =>
      relay.subscribe(topic, (message) => {
        const text = openEnvelope(symKey, message);
        const read = text === null ? null : readMessage(text);
        if (read !== null) take(read);
      }),
  };
};
