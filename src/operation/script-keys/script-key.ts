/**
 * A key for scripts: what it may do for the address that made it. Its text is shown once; what is kept of it is a hash,
 * by which it is looked up, so that no comparison takes longer for a guess that is nearly right.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { Hex32, Units } from '../../bch/fields.js';
import { defineCollection } from '../ports/store.js';

/** What all keys begin with: whoever finds one in a log or a repository knows what it is. */
export const KEY_MARK = 'tk_';
/** Characters after the mark: 131 bits. */
const KEY_LENGTH = 22;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Bytes from here on would make the first letters likelier than the last. */
const FAIR_BYTES = 256 - (256 % ALPHABET.length);
/** Characters after the mark that are shown of a key, and at its end. */
const SHOWN_LENGTH = 4;

const keyText = /^tk_[0-9A-Za-z]{22}$/;

/** True for what would be a key, whether it is one or was misspelled: it is no access token. */
export const isKeyToken = (token: string): boolean => token.startsWith(KEY_MARK);

/** True for a text that has the form of a key. */
export const isKeyText = (text: string): boolean => keyText.test(text);

/** A text without the keys in it: for logs. */
export const withoutKeys = (text: string): string => text.replaceAll(/tk_[0-9A-Za-z]{4,}/g, 'tk_…');

/** A new key. @param random that many random bytes */
export const newKeyText = (random: (length: number) => Uint8Array): string => {
  let text = '';
  while (text.length < KEY_LENGTH)
    for (const byte of random(KEY_LENGTH))
      if (byte < FAIR_BYTES && text.length < KEY_LENGTH) text += ALPHABET.charAt(byte % ALPHABET.length);
  return `${KEY_MARK}${text}`;
};

/** What is kept of a key in the place of its text: SHA-256, hex. */
export const hashOfKey = (text: string): string => createHash('sha256').update(text).digest('hex');

/** What is shown of a key: `tk_Ab3d` and `x9Zk`. */
export const shownOf = (text: string): { readonly prefix: string; readonly last_four: string } => ({
  prefix: text.slice(0, KEY_MARK.length + SHOWN_LENGTH),
  last_four: text.slice(-SHOWN_LENGTH),
});

/** The most of one asset that a key may move in a period. */
export const KeyMaximum = z.object({
  /** 64 hex digits; null for BCH. */
  category: Hex32.nullable(),
  /** As they were when the key was made. */
  symbol: z.string(),
  decimals: z.int().min(0).max(18),
  amount: Units,
  seconds: z.int().min(1),
});
export type KeyMaximum = z.output<typeof KeyMaximum>;

export const ScriptKeyRecord = z.object({
  id: z.string().min(1),
  /** `#KEY-0001`. */
  label: z.string(),
  name: z.string(),
  /** Cash address: who made it, and for whom it acts. */
  address: z.string(),
  hash: Hex32,
  prefix: z.string(),
  last_four: z.string(),
  /** `streams:claim`, `streams:read`, `streams:*`, `*:read`. */
  allow: z.array(z.string()),
  /** Every record with all that it is called; null: all records. */
  records: z.array(z.object({ id: z.string(), name: z.string() })).nullable(),
  maximums: z.array(KeyMaximum),
  /** CIDR; none: from anywhere. */
  networks: z.array(z.string()),
  /** Unix seconds, wall clock, like all times here. */
  expires_at: z.int(),
  created_at: z.int(),
  revoked_at: z.int().nullable(),
  last_used_at: z.int().nullable(),
  last_refused_at: z.int().nullable(),
});
export type ScriptKeyRecord = z.output<typeof ScriptKeyRecord>;

export const scriptKeyCollection = defineCollection({
  name: 'script_keys',
  schema: ScriptKeyRecord,
  indexes: { hash: ({ hash }) => hash, address: ({ address }) => address, label: ({ label }) => label },
  unique: ['hash'],
});

/** An amount of an asset, smallest unit; category null for BCH. */
export const MovedAmount = z.object({ category: Hex32.nullable(), amount: Units });
export type MovedAmount = z.output<typeof MovedAmount>;

/**
 * What a key has built that spends one coin: of all of these one can happen, so they count once, by the largest.
 * Kept for keys that have a maximum.
 */
export const KeyBuildRecord = z.object({
  /** The key's id and the outpoint. */
  id: z.string(),
  key: z.string(),
  /** A coin that all of them spend. */
  coin: z.object({ txid: Hex32, vout: z.int().min(0), lock: z.string() }),
  builds: z.array(z.object({ hash: Hex32, amounts: z.array(MovedAmount), built_at: z.int() })),
  /** The largest of those that were too many to keep. */
  older: z.array(MovedAmount),
  /** What became of the coin: it was spent by one of these, which was built then. */
  moved: z.object({ amounts: z.array(MovedAmount), built_at: z.int() }).nullable(),
});
export type KeyBuildRecord = z.output<typeof KeyBuildRecord>;

export const keyBuildCollection = defineCollection({
  name: 'key_builds',
  schema: KeyBuildRecord,
  indexes: { key: ({ key }) => key },
});

/** A key in messages: its name, and as much of it as is shown. */
export const keyInWords = ({
  name,
  prefix,
  last_four,
}: Pick<ScriptKeyRecord, 'name' | 'prefix' | 'last_four'>): string => `${name} (${prefix}…${last_four})`;
