/** Nostr as far as WizardConnect has it: events (NIP-01), encryption (NIP-44, version 2) and gift wraps (NIP-59). */
import { randomBytes, randomInt } from 'node:crypto';
import { chacha20 } from '@noble/ciphers/chacha.js';
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js';
import { expand, extract } from '@noble/hashes/hkdf.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { fromHex, toHex } from './envelope.js';

const text = new TextEncoder();
const TWO_DAYS = 172_800;

export type NostrEvent = {
  readonly id: string;
  /** x-only, hex. */
  readonly pubkey: string;
  readonly created_at: number;
  readonly kind: number;
  readonly tags: readonly (readonly string[])[];
  readonly content: string;
  readonly sig: string;
};
type Template = Omit<NostrEvent, 'id' | 'pubkey' | 'sig'>;
/** An event that nobody signed. */
export type Rumor = Omit<NostrEvent, 'sig'>;

export const RUMOR = 14;
export const SEAL = 13;
export const WRAP = 1059;

export const randomKey = (): Uint8Array => schnorr.utils.randomSecretKey();
/** The x-only public key, hex. */
export const nostrKeyOf = (privateKey: Uint8Array): string => toHex(schnorr.getPublicKey(privateKey));

const idOf = ({ pubkey, created_at, kind, tags, content }: Omit<Rumor, 'id'>): string =>
  toHex(sha256(text.encode(JSON.stringify([0, pubkey, created_at, kind, tags, content]))));

const rumorOf = (template: Template, pubkey: string): Rumor => {
  const event = { ...template, pubkey };
  return { ...event, id: idOf(event) };
};

export const signEvent = (template: Template, privateKey: Uint8Array): NostrEvent => {
  const rumor = rumorOf(template, nostrKeyOf(privateKey));
  return { ...rumor, sig: toHex(schnorr.sign(fromHex(rumor.id), privateKey)) };
};

/** What is wrong with an event; null: nothing. */
export const faultOf = (event: NostrEvent): string | null => {
  if (idOf(event) !== event.id) return 'invalid: bad event id';
  try {
    const isSigned = schnorr.verify(fromHex(event.sig), fromHex(event.id), fromHex(event.pubkey));
    return isSigned ? null : 'invalid: bad signature';
  } catch {
    return 'invalid: bad signature';
  }
};

// NIP-44.

/** The key that two Nostr keys share. */
export const conversationKey = (privateKey: Uint8Array, peer: string): Uint8Array => {
  const shared = secp256k1.getSharedSecret(privateKey, fromHex(`02${peer}`)).subarray(1, 33);
  return extract(sha256, shared, text.encode('nip44-v2'));
};

/** To which length a text of so many bytes is padded. */
export const paddedLength = (length: number): number => {
  if (length <= 32) return 32;
  const next = 2 ** (Math.floor(Math.log2(length - 1)) + 1);
  const chunk = next <= 256 ? 32 : next / 8;
  return chunk * (Math.floor((length - 1) / chunk) + 1);
};

const keysOf = (
  key: Uint8Array,
  nonce: Uint8Array,
): { cipher: Uint8Array; iv: Uint8Array; mac: Uint8Array } => {
  const bytes = expand(sha256, key, nonce, 76);
  return { cipher: bytes.subarray(0, 32), iv: bytes.subarray(32, 44), mac: bytes.subarray(44) };
};

/** Text to payload, base64. @throws Error when it is empty or longer than 65,535 bytes */
export const encrypt44 = (
  plain: string,
  key: Uint8Array,
  nonce: Uint8Array = new Uint8Array(randomBytes(32)),
): string => {
  const bytes = text.encode(plain);
  if (bytes.length < 1 || bytes.length > 65_535) throw new Error(`${bytes.length} bytes cannot be encrypted`);
  const padded = new Uint8Array(2 + paddedLength(bytes.length));
  padded.set([bytes.length >> 8, bytes.length & 0xff]);
  padded.set(bytes, 2);
  const { cipher, iv, mac } = keysOf(key, nonce);
  const ciphertext = chacha20(cipher, iv, padded);
  const tag = hmac(sha256, mac, Buffer.concat([nonce, ciphertext]));
  return Buffer.concat([Uint8Array.of(2), nonce, ciphertext, tag]).toString('base64');
};

/** @throws Error when it is not of this version, not whole, or not under this key */
export const decrypt44 = (payload: string, key: Uint8Array): string => {
  const bytes = new Uint8Array(Buffer.from(payload, 'base64'));
  if (bytes[0] !== 2) throw new Error(`version ${bytes[0]}`);
  if (bytes.length < 99) throw new Error('too short a payload');
  const [nonce, ciphertext, tag] = [bytes.subarray(1, 33), bytes.subarray(33, -32), bytes.subarray(-32)];
  const { cipher, iv, mac } = keysOf(key, nonce);
  if (toHex(hmac(sha256, mac, Buffer.concat([nonce, ciphertext]))) !== toHex(tag)) throw new Error('bad MAC');
  const padded = chacha20(cipher, iv, ciphertext);
  const length = ((padded[0] ?? 0) << 8) | (padded[1] ?? 0);
  if (length === 0 || padded.length !== 2 + paddedLength(length)) throw new Error('bad padding');
  return new TextDecoder('utf-8', { fatal: true }).decode(padded.subarray(2, 2 + length));
};

// NIP-59.

const now = (): number => Math.floor(Date.now() / 1000);
const anyTime = (): number => now() - randomInt(TWO_DAYS);

/** How a wrap is forged. What is left out is right. */
export type Forgery = {
  /** Who the rumor claims to be of. */
  readonly rumorKey?: string;
  readonly badSealSignature?: boolean;
  readonly sealKind?: number;
  readonly rumorKind?: number;
};

/** A message of `privateKey` to `peer`. */
export const wrap = (
  content: string,
  privateKey: Uint8Array,
  peer: string,
  forgery: Forgery = {},
): NostrEvent => {
  const { rumorKey = nostrKeyOf(privateKey), rumorKind = RUMOR, sealKind = SEAL } = forgery;
  const rumor = rumorOf({ kind: rumorKind, created_at: now(), tags: [['p', peer]], content }, rumorKey);
  const sealed = encrypt44(JSON.stringify(rumor), conversationKey(privateKey, peer));
  const honest = signEvent({ kind: sealKind, created_at: anyTime(), tags: [], content: sealed }, privateKey);
  const seal =
    forgery.badSealSignature === true
      ? { ...honest, sig: honest.sig.replace(/.{2}$/, (end) => (end === '00' ? '01' : '00')) }
      : honest;
  const once = randomKey();
  const wrapped = encrypt44(JSON.stringify(seal), conversationKey(once, peer));
  return signEvent({ kind: WRAP, created_at: anyTime(), tags: [['p', peer]], content: wrapped }, once);
};

/** @throws Error with what is wrong with it */
export const unwrap = (
  event: NostrEvent,
  privateKey: Uint8Array,
): { readonly from: string; readonly content: string } => {
  if (event.kind !== WRAP) throw new Error(`a wrap of kind ${event.kind}`);
  const seal = JSON.parse(decrypt44(event.content, conversationKey(privateKey, event.pubkey))) as NostrEvent;
  if (seal.kind !== SEAL || seal.tags.length > 0)
    throw new Error(`a seal of kind ${seal.kind} with ${seal.tags.length} tags`);
  const fault = faultOf(seal);
  if (fault !== null) throw new Error(`seal: ${fault}`);
  const rumor = JSON.parse(decrypt44(seal.content, conversationKey(privateKey, seal.pubkey))) as Rumor;
  if (rumor.kind !== RUMOR) throw new Error(`a rumor of kind ${rumor.kind}`);
  if (rumor.pubkey !== seal.pubkey) throw new Error('the rumor is of another key than the seal');
  if (rumor.id !== idOf(rumor)) throw new Error('the rumor has another id');
  if (!rumor.tags.some(([name, value]) => name === 'p' && value === nostrKeyOf(privateKey)))
    throw new Error('the rumor is for somebody else');
  return { from: seal.pubkey, content: rumor.content };
};

// The URI.

const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';

/** Groups of five bits, without a prefix and a checksum. */
export const fromGroups = (given: string, length: number): Uint8Array => {
  let bits = '';
  for (const character of given) {
    const value = ALPHABET.indexOf(character);
    if (value < 0) throw new Error(`not of the alphabet: ${character}`);
    bits += value.toString(2).padStart(5, '0');
  }
  if (given.length !== Math.ceil((length * 8) / 5))
    throw new Error(`${given.length} characters for ${length} bytes`);
  if (/1/.test(bits.slice(length * 8))) throw new Error('the padding is not zero');
  return Uint8Array.from({ length }, (_, index) => parseInt(bits.slice(index * 8, index * 8 + 8), 2));
};

export const toGroups = (bytes: Uint8Array): string => {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((group) => ALPHABET[parseInt(group.padEnd(5, '0'), 2)]).join('');
};

/** What a `wiz:` URI says; the secret as it stands there. */
export type WizUri = { readonly relay: string | null; readonly publicKey: string; readonly secret: string };

/** @throws Error with what is wrong with it */
export const readWizUri = (given: string): WizUri => {
  const plain = /^WIZ:/.test(given)
    ? given.replaceAll('%3F', '?').replaceAll('%3D', '=').replaceAll('%26', '&').toLowerCase()
    : given;
  const [, host = '', query] = /^wiz:\/\/([^/?]*)\?(.*)$/.exec(plain) ?? [];
  if (query === undefined) throw new Error(`not a wiz: URI: ${given}`);
  const fields = new Map(query.split('&').map((field) => field.split('=') as [string, string]));
  const [key, secret, protocol = 'wss'] = [fields.get('p') ?? '', fields.get('s') ?? '', fields.get('pr')];
  if (!['ws', 'wss'].includes(protocol)) throw new Error(`pr is ${protocol}`);
  fromGroups(secret, 8);
  const publicKey = toHex(fromGroups(key, 32));
  return { relay: host === '' ? null : `${protocol}://${host}`, publicKey, secret };
};
