/**
 * A secret under a passphrase: scrypt makes the key, AES-256-GCM hides the text and ties it to what it belongs to.
 *
 * The cost of scrypt stands beside every secret, so it can be raised for new ones at any time.
 */
import { createCipheriv, createDecipheriv, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';
import { promisify } from 'node:util';
import { z } from 'zod';

const CIPHER = 'aes-256-gcm';
const SALT_BYTES = 16;
/** Source: NIST SP 800-38D, the length that needs no further hashing. */
const IV_BYTES = 12;
const KEY_BYTES = 32;

const hexOf = (bytes: number) => z.string().regex(new RegExp(`^[0-9a-f]{${bytes * 2}}$`));

/** The cost of scrypt. Bounded, so that a damaged file can neither weaken a key nor exhaust the memory. */
export const ScryptCost = z.object({
  N: z
    .int()
    .min(2 ** 14)
    .max(2 ** 20)
    .refine((N) => Number.isInteger(Math.log2(N))),
  r: z.int().min(8).max(16),
  p: z.int().min(1).max(4),
});
export type ScryptCost = z.output<typeof ScryptCost>;

/** What new secrets get: 128 MiB, about half a second. Source: OWASP password storage. */
export const SCRYPT_COST: ScryptCost = { N: 2 ** 17, r: 8, p: 1 };

export const SealedSecret = z.object({
  kind: z.literal('scrypt-aes-256-gcm'),
  cost: ScryptCost,
  salt: hexOf(SALT_BYTES),
  /** The other half of what scrypt gives: it tells a wrong passphrase from a damaged secret. */
  check: hexOf(KEY_BYTES),
  iv: hexOf(IV_BYTES),
  tag: hexOf(16),
  ciphertext: z.string().regex(/^(?:[0-9a-f]{2})+$/),
});
export type SealedSecret = z.output<typeof SealedSecret>;

const runScrypt = promisify<string, Uint8Array, number, ScryptOptions, Buffer>(scrypt);

/** Passphrases are normalised, so that the same one typed on another system stays the same. Source: NIST SP 800-63B. */
const deriveKey = async (passphrase: string, salt: Uint8Array, { N, r, p }: ScryptCost) => {
  // scrypt needs 128 * N * r bytes and a little more; Node's default limit is 32 MiB.
  const maxmem = 128 * N * r * 2;
  const bytes = await runScrypt(passphrase.normalize('NFKC'), salt, 2 * KEY_BYTES, { N, r, p, maxmem });
  return { key: bytes.subarray(0, KEY_BYTES), check: bytes.subarray(KEY_BYTES) };
};

export type SealSettings = {
  readonly passphrase: string;
  /** What the secret belongs to. It is not hidden, but the secret opens only together with it. */
  readonly boundTo: string;
  readonly cost: ScryptCost;
  readonly random: (length: number) => Uint8Array;
};

/** A text under a passphrase. For the reverse, see {@link openSecret}. */
export const sealSecret = async (text: string, settings: SealSettings): Promise<SealedSecret> => {
  const { passphrase, boundTo, cost, random } = settings;
  const [salt, iv] = [random(SALT_BYTES), random(IV_BYTES)];
  const { key, check } = await deriveKey(passphrase, salt, cost);
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(boundTo));
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return {
    kind: 'scrypt-aes-256-gcm',
    cost,
    salt: Buffer.from(salt).toString('hex'),
    check: check.toString('hex'),
    iv: Buffer.from(iv).toString('hex'),
    tag: cipher.getAuthTag().toString('hex'),
    ciphertext: ciphertext.toString('hex'),
  };
};

export type OpenedSecret =
  | { readonly state: 'open'; readonly text: string }
  | { readonly state: 'wrong_passphrase' }
  | { readonly state: 'damaged' };

/** The text of a sealed secret; or that the passphrase is wrong; or that secret or owner are not what was sealed. */
export const openSecret = async (
  sealed: SealedSecret,
  passphrase: string,
  boundTo: string,
): Promise<OpenedSecret> => {
  const { key, check } = await deriveKey(passphrase, Buffer.from(sealed.salt, 'hex'), sealed.cost);
  if (!timingSafeEqual(check, Buffer.from(sealed.check, 'hex'))) return { state: 'wrong_passphrase' };
  try {
    const decipher = createDecipheriv(CIPHER, key, Buffer.from(sealed.iv, 'hex'))
      .setAAD(Buffer.from(boundTo))
      .setAuthTag(Buffer.from(sealed.tag, 'hex'));
    const text = decipher.update(sealed.ciphertext, 'hex', 'utf8') + decipher.final('utf8');
    return { state: 'open', text };
  } catch {
    return { state: 'damaged' };
  }
};
