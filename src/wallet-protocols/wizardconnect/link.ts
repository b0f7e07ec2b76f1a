/** The line to a wallet: its messages are taken once, in their order, and kept before anything is done that follows of them. */
import { hexBytes, hexText } from '../bytes.js';
import { WalletFailure } from '../failure.js';
import type { RemoteSurroundings } from '../remote-wallet.js';
import { isLong, partsOf } from './chunks.js';
import { wrap } from './gift-wrap.js';
import { createHearing } from './hearing.js';
import { nostrKeyOf } from './nostr-keys.js';
import { openNostrRelays } from './nostr-relays.js';
import { withHeard, withSeen, type Heard, type WalletMessage, type WizardState } from './state.js';

export type LinkSettings = Pick<RemoteSurroundings, 'random' | 'nowMs' | 'openSocket'> & {
  readonly name: string;
  readonly save: (state: WizardState) => Promise<void>;
};

export type Link = {
  readonly state: () => WizardState;
  readonly keep: (change: (state: WizardState) => WizardState) => Promise<void>;
  /** Sends a message to the wallet. @throws relay_unavailable, wallet_unsupported (it is too long for that wallet) */
  readonly send: (message: Readonly<Record<string, unknown>>) => Promise<void>;
  /** Takes what the wallet says from now on, once it is kept; returns how to stop. */
  readonly listen: (listener: (message: WalletMessage) => void) => () => void;
  /** When the wallet was heard last, unix milliseconds; 0: not on this line. */
  readonly heardAt: () => number;
  /** Why the last one was refused who has answered the code; null: there was none. */
  readonly refused: () => string | null;
  readonly trouble: () => WalletFailure | null;
  readonly close: () => void;
};

/** The state of a session, and how it is kept: one change after the other. */
const createKeeper = (first: WizardState, save: LinkSettings['save']) => {
  let state = first;
  let saving: Promise<void> = Promise.resolve();
  return {
    state: () => state,
    keep: (change: (state: WizardState) => WizardState): Promise<void> => {
      const next = change(state);
      if (next === state) return saving;
      state = next;
      saving = saving.then(() => save(next));
      return saving;
    },
  };
};

/** What is heard, handed on once it is kept. What was sent before the line was there is kept alone: it is no sign of life. */
const createEar = ({ state, keep }: ReturnType<typeof createKeeper>, nowMs: () => number) => {
  const { hear, refused, passedBy } = createHearing(state, () => Math.floor(nowMs() / 1_000));
  const listeners = new Set<(message: WalletMessage) => void>();
  let heardAt = 0;
  const take = async (heard: Heard, isKept: boolean): Promise<void> => {
    const before = state();
    const taken = keep((current) => withHeard(current, heard));
    const isNew = state() !== before;
    await taken;
    if (!isNew || isKept) return;
    heardAt = nowMs();
    for (const listener of [...listeners]) listener(heard.message);
  };
  return {
    refused,
    heardAt: () => heardAt,
    listen: (listener: (message: WalletMessage) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    takeOne: (event: unknown, isKept: boolean): void => {
      const heard = hear(event);
      if (heard !== null) take(heard, isKept).catch(() => undefined);
    },
    /** Relays hand out what they keep in any order, and wraps are dated at random: what is inside says when it was said. */
    takeKept: async (events: readonly unknown[]): Promise<void> => {
      const heard = events.flatMap((event) => hear(event) ?? []);
      heard.sort((a, b) => a.message.time - b.message.time);
      for (const one of heard) await take(one, true);
      const old = heard.map(({ id }) => id);
      await keep((current) => withSeen(current, [...passedBy(), ...old]));
    },
  };
};

/** Opens the line of a session; what was kept for it has been taken in when this resolves. @throws relay_unavailable */
export const openLink = async (
  first: WizardState,
  { random, nowMs, save, name, openSocket }: LinkSettings,
): Promise<Link> => {
  const privateKey = hexBytes(first.privateKey);
  const keeper = createKeeper(first, save);
  const { state, keep } = keeper;
  const { takeOne, takeKept, ...ear } = createEar(keeper, nowMs);
  const now = (): number => Math.floor(nowMs() / 1_000);
  const relays = await openNostrRelays({
    urls: first.relayUrls,
    publicKey: nostrKeyOf(privateKey),
    onEvent: takeOne,
    onKept: takeKept,
    openSocket,
  });
  const publish = (text: string): Promise<void> =>
    relays.publish(wrap(text, { privateKey, peer: state().walletKey ?? '', now: now(), random }));
  return {
    state,
    keep,
    ...ear,
    send: async (message) => {
      const time = Math.max(now(), state().lastTime);
      await keep((current) => ({ ...current, lastTime: time }));
      const text = JSON.stringify({ ...message, time });
      if (!isLong(text)) return publish(text);
      const { app, takesParts } = state();
      const reason = 'the transaction is longer than it takes';
      if (!takesParts) throw new WalletFailure('wallet_unsupported', { app, wallet: name, reason });
      for (const part of partsOf(text, time, hexText(random(16)))) await publish(JSON.stringify(part));
    },
    trouble: relays.trouble,
    close: relays.close,
  };
};
