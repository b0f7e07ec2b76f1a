/**
 * Messages in two envelopes: a seal, signed by whoever sends it, inside a wrap of a key that is used once, so that the relay
 * knows neither who writes nor when. Source: NIP-59, NIP-44.
 */
import { decrypt, encrypt, getConversationKey } from 'nostr-tools/nip44';
import { finalizeEvent, getEventHash, getPublicKey, verifyEvent, type VerifiedEvent } from 'nostr-tools/pure';
import { z } from 'zod';

const RUMOR = 14;
const SEAL = 13;
export const WRAP = 1059;
/** Seals and wraps are dated back by as much, seconds. */
const OLDEST_SECONDS = 172_800;

const Event = z.object({
  id: z.string(),
  pubkey: z.string().regex(/^[0-9a-f]{64}$/),
  created_at: z.int(),
  kind: z.int(),
  tags: z.array(z.array(z.string())),
  content: z.string(),
  sig: z.string(),
});
const Rumor = Event.omit({ sig: true, id: true }).extend({ id: z.string().optional() });

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
export const wrap = (content: string, { privateKey, peer, now, random }: Wrapping): VerifiedEvent => {
  const before = (): number => now - (Buffer.from(random(4)).readUInt32BE() % OLDEST_SECONDS);
  const tags = [['p', peer]];
  const rumor = { kind: RUMOR, pubkey: getPublicKey(privateKey), created_at: now, tags, content };
  const sealed = encrypt(
    JSON.stringify({ id: getEventHash(rumor), ...rumor }),
    getConversationKey(privateKey, peer),
  );
  const seal = finalizeEvent({ kind: SEAL, created_at: before(), tags: [], content: sealed }, privateKey);
  const once = random(32);
  const wrapped = encrypt(JSON.stringify(seal), getConversationKey(once, peer));
  return finalizeEvent({ kind: WRAP, created_at: before(), tags, content: wrapped }, once);
};

/** The text in an event for a key, and who has signed it; null where it is not for that key, or not what it says. */
export const unwrap = (
  value: unknown,
  privateKey: Uint8Array,
): { readonly id: string; readonly from: string; readonly content: string } | null => {
  try {
    const outer = Event.parse(value);
    if (outer.kind !== WRAP || !verifyEvent(outer)) return null;
    const seal = Event.parse(
      JSON.parse(decrypt(outer.content, getConversationKey(privateKey, outer.pubkey))),
    );
    if (seal.kind !== SEAL || !verifyEvent(seal)) return null;
    const rumor = Rumor.parse(JSON.parse(decrypt(seal.content, getConversationKey(privateKey, seal.pubkey))));
    const isOwn = rumor.kind === RUMOR && rumor.pubkey === seal.pubkey;
    const isWhole = rumor.id === undefined || rumor.id === getEventHash(rumor);
    return isOwn && isWhole ? { id: outer.id, from: seal.pubkey, content: rumor.content } : null;
  } catch {
    return null;
  }
};
