/** The line to a wallet of WizardConnect: its own messages alone are taken, each once, and none older than the last. */
import { getPublicKey } from 'nostr-tools/pure';
import { TreasuryError } from '../../errors.js';
import { z } from 'zod';
import type { RemoteSurroundings } from '../remote-wallet.js';
import { createJoiner, isLong, partsOf } from './chunks.js';
import { unwrap, wrap } from './gift-wrap.js';
import { openNostrRelay } from './nostr-relay.js';
import { inFives } from './uri.js';
import { WalletMessage, withSeen, type WizardState } from './state.js';

export type LinkSettings = Pick<RemoteSurroundings, 'random' | 'nowMs'> & {
  readonly name: string;
  readonly save: (state: WizardState) => Promise<void>;
  /** @param isKept true: it was sent before this line was there */
  readonly onMessage: (message: WalletMessage, from: string, isKept: boolean) => void;
};

export type Link = {
  readonly state: () => WizardState;
  readonly keep: (change: (state: WizardState) => WizardState) => Promise<void>;
  /** Sends a message to the wallet. @throws relay_unavailable, wallet_unsupported (it is too long for that wallet) */
  readonly send: (message: Readonly<Record<string, unknown>>) => Promise<void>;
  readonly trouble: () => TreasuryError | null;
  readonly close: () => void;
};

const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'));

/** True for the wallet of a session; before there is one, for whoever knows the secret. */
const isFrom = (state: WizardState, from: string, message: WalletMessage): boolean => {
  if (state.walletKey !== null) return from === state.walletKey;
  // A wallet that does not want to meet says so without a secret.
  if (message.action === 'disconnect') return true;
  return message.action === 'wallet_ready' && message.public_key === from && isSecret(state, message.secret);
};

/** Wallets write it as they have scanned it, or as hex. */
const isSecret = ({ secret }: WizardState, said: string): boolean =>
  [secret, inFives(bytes(secret))].includes(said.toLowerCase());

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

const isChunk = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'action' in value && value.action === 'chunk';

/** What was in the envelopes of an event, and whose seal it has. */
type Opened = { readonly id: string; readonly from: string; readonly value: unknown; readonly time: number };

const Named = z.looseObject({ id: z.string() });
const Timed = z.looseObject({ time: z.number() });

const idOf = (event: unknown): string => Named.safeParse(event).data?.id ?? '';

const openEvent = (event: unknown, privateKey: Uint8Array): Opened | null => {
  const opened = unwrap(event, privateKey);
  if (opened === null) return null;
  const value = parse(opened.content);
  return { id: opened.id, from: opened.from, value, time: Timed.safeParse(value).data?.time ?? 0 };
};

/** Opens the line of a session; what was kept for it has been taken when this resolves. @throws relay_unavailable */
export const openLink = async (first: WizardState, settings: LinkSettings): Promise<Link> => {
  const { random, nowMs, save, onMessage } = settings;
  const privateKey = bytes(first.privateKey);
  const join = createJoiner();
  let state = first;
  let saving: Promise<void> = Promise.resolve();
  const now = (): number => Math.floor(nowMs() / 1_000);
  const keep: Link['keep'] = (change) => {
    state = change(state);
    const next = state;
    saving = saving.then(() => save(next));
    return saving;
  };
  const take = ({ id, from, value }: Opened, isKept: boolean): void => {
    // A stranger's parts are never put together with the wallet's.
    if (state.seen.includes(id) || (state.walletKey !== null && from !== state.walletKey)) return;
    const whole = isChunk(value) ? parse(join(value, now()) ?? 'null') : value;
    const read = WalletMessage.safeParse(whole);
    if (!read.success || !isFrom(state, from, read.data) || read.data.time < state.mark) return;
    const { time } = read.data;
    void keep((current) => ({ ...withSeen(current, [id]), mark: time })).catch(() => undefined);
    onMessage(read.data, from, isKept);
  };
  const takeAll = (events: readonly unknown[], isKept: boolean): void => {
    const fresh = events.filter((event) => !state.seen.includes(idOf(event)));
    // Relays give what they keep in any order, and a message that is older than another is dropped.
    const opened = fresh.flatMap((event) => openEvent(event, privateKey) ?? []);
    for (const one of opened.toSorted((a, b) => a.time - b.time)) take(one, isKept);
    // Opening an event costs milliseconds, and relays keep them all.
    void keep((current) => withSeen(current, fresh.map(idOf))).catch(() => undefined);
  };
  const relay = await openNostrRelay({
    url: first.relayUrl,
    publicKey: getPublicKey(privateKey),
    onEvents: takeAll,
  });
  await saving;

  const publish = (text: string): Promise<void> =>
    relay.publish(wrap(text, { privateKey, peer: state.walletKey ?? '', now: now(), random }));
  return {
    state: () => state,
    keep,
    send: async (message) => {
      const time = Math.max(now(), state.lastTime);
      await keep((current) => ({ ...current, lastTime: time }));
      const text = JSON.stringify({ ...message, time });
      if (!isLong(text)) return publish(text);
      if (!state.takesParts)
        throw new TreasuryError('wallet_unsupported', {
          app: state.app,
          wallet: settings.name,
          reason: 'the transaction is longer than it takes',
        });
      const msgId = Buffer.from(random(16)).toString('hex');
      for (const part of partsOf(text, time, msgId)) await publish(JSON.stringify(part));
    },
    trouble: relay.trouble,
    close: relay.close,
  };
};
