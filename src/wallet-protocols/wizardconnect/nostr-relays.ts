/** The relays of a session as one: what is published counts when one has taken it, and one that is away is done without. */
import type { WalletFailure } from '../failure.js';
import type { OpenSocket } from '../socket.js';
import { pause } from '../waiting.js';
import { openNostrRelay, type NostrRelay } from './nostr-relay.js';

/** How long the others are waited for when the first is there, milliseconds. */
const OTHERS_MS = 1_000;

export type RelaysSettings = {
  /** At least one. */
  readonly urls: readonly string[];
  /** Whose messages are taken: 32 bytes as hex. */
  readonly publicKey: string;
  /** All that was there before, at once, whichever relay had it; the opening waits for it. */
  readonly onKept: (events: readonly unknown[]) => Promise<void>;
  /** @param isKept true: it was there before */
  readonly onEvent: (event: unknown, isKept: boolean) => void;
  readonly openSocket: OpenSocket;
};

/** The first that succeeds. @throws what the first one of them throws */
const anyOf = <T>(attempts: readonly Promise<T>[]): Promise<T> =>
  Promise.any(attempts).catch((error: unknown) => {
    throw error instanceof AggregateError ? error.errors[0] : error;
  });

/** Connects to at least one relay; what they have kept has been taken when this resolves. @throws relay_unavailable */
export const openNostrRelays = async ({
  urls,
  publicKey,
  onKept,
  onEvent,
  openSocket,
}: RelaysSettings): Promise<NostrRelay> => {
  const kept: unknown[] = [];
  const early: unknown[] = [];
  let isOpen = false;
  const take = (event: unknown, isKept: boolean): void => {
    if (isOpen) onEvent(event, isKept);
    else (isKept ? kept : early).push(event);
  };
  const relays = urls.map((url) => openNostrRelay({ url, publicKey, onEvent: take, openSocket }));
  const close = (): void => {
    for (const relay of relays) relay.close();
  };
  try {
    await anyOf(relays.map(({ isThere }) => isThere));
    const others = Promise.allSettled(relays.map(({ isThere }) => isThere));
    await Promise.race([others, pause(OTHERS_MS)]);
    await onKept(kept);
  } catch (error) {
    close();
    throw error;
  }
  isOpen = true;
  for (const event of early) onEvent(event, false);
  return {
    isThere: Promise.resolve(),
    publish: (event) => anyOf(relays.map((relay) => relay.publish(event))),
    trouble: (): WalletFailure | null => {
      const troubles = relays.map((relay) => relay.trouble());
      return troubles.includes(null) ? null : (troubles[0] ?? null);
    },
    close,
  };
};
