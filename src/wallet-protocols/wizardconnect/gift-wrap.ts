/**
 * Messages in two envelopes: a seal, signed by whoever sends it, inside a wrap of a key that is used once, so that the relay
 * knows neither who writes nor when. Source: NIP-59, NIP-44.
 */
import { uint32 } from '../bytes.js';
import { fields, hex, list, orElse, text, whole } from '../shape.js';
import {
  conversationKey,
  hideText,
  idOf,
  isSigned,
  nostrKeyOf,
  showText,
  signEvent,
  type SignedEvent,
} from './nostr-keys.js';

const RUMOR = 14;
const SEAL = 13;
export const WRAP = 1059;
/** Seals and wraps are dated back by as much, seconds. */
const OLDEST_SECONDS = 172_800;

const SAID = {
  pubkey: hex(32),
  created_at: whole,
  kind: whole,
  tags: list(list(text)),
  content: text,
};
const Event = fields({ ...SAID, id: text, sig: text });
const Rumor = fields({ ...SAID, id: orElse<string | null>(text, null) });

export type Wrapping = {
  /** 32 bytes. */
  readonly privateKey: Uint8Array;
  /** Of whom it is for: 32 bytes as hex. */
  readonly peer: string;
  /** Unix seconds. */
  readonly now: number;
  readonly random: (length: number) => Uint8Array;
};

/** The event that carries a text. */
export const wrap = (content: string, { privateKey, peer, now, random }: Wrapping): SignedEvent => {
  const before = (): number => now - (uint32(random(4)) % OLDEST_SECONDS);
  const tags = [['p', peer]];
  const rumor = { kind: RUMOR, pubkey: nostrKeyOf(privateKey), created_at: now, tags, content };
  const sealed = hideText(
    JSON.stringify({ id: idOf(rumor), ...rumor }),
    conversationKey(privateKey, peer),
    random(32),
  );
  const seal = signEvent(
    { kind: SEAL, created_at: before(), tags: [], content: sealed },
    privateKey,
    random(32),
  );
  const once = random(32);
  const wrapped = hideText(JSON.stringify(seal), conversationKey(once, peer), random(32));
  return signEvent({ kind: WRAP, created_at: before(), tags, content: wrapped }, once, random(32));
};

const open = (content: string, privateKey: Uint8Array, from: string): unknown =>
  JSON.parse(showText(content, conversationKey(privateKey, from)));

/** The text in an event for a key, and who has signed it; null where it is not for that key, or not what it says. */
export const unwrap = (
  value: unknown,
  privateKey: Uint8Array,
): { readonly id: string; readonly from: string; readonly content: string } | null => {
  try {
    const outer = Event(value, '');
    if (outer.kind !== WRAP || !isSigned(outer)) return null;
    const seal = Event(open(outer.content, privateKey, outer.pubkey), '');
    if (seal.kind !== SEAL || !isSigned(seal)) return null;
    const rumor = Rumor(open(seal.content, privateKey, seal.pubkey), '');
    const isOwn = rumor.kind === RUMOR && rumor.pubkey === seal.pubkey;
    const isWhole = rumor.id === null || rumor.id === idOf(rumor);
    return isOwn && isWhole ? { id: outer.id, from: seal.pubkey, content: rumor.content } : null;
  } catch {
    return null;
  }
};
