/** Access: proving an address to the HTTP API, and the tokens that such a proof gives. */
import { z } from 'zod';
import { AddressField } from '../bch/fields.js';
import { hexOf } from '../bch/hex.js';
import { recoverSigner, verifyMessage } from '../bch/signed-message.js';
import { TreasuryError } from '../errors.js';
import { defineOperation, SIGN_ERRORS, type Offer } from '../operation/define.js';
import type { AccessPort } from '../operation/ports/access.js';
import { defineCollection, type StoreWriter } from '../operation/ports/store.js';
import { proveHolder } from './wallets/prove.js';

const AccessTokenReply = z.object({
  accessToken: z.string().describe('Send it as "Authorization: Bearer <accessToken>"'),
  tokenType: z.literal('Bearer'),
  expiresAt: z.number().describe('Unix seconds'),
});

/** A new token that speaks for an address (its `q` form). */
const issueToken = async (
  address: string,
  access: AccessPort,
): Promise<z.output<typeof AccessTokenReply>> => ({
  ...(await access.issue(address)),
  tokenType: 'Bearer',
});

const UsedChallenge = z.object({
  /** The nonce. */
  id: z.string().min(1),
  /** Unix seconds, wall clock. */
  expires_at: z.int(),
});

/** A challenge works once: the nonces of those that were used, kept until they have expired by anybody's clock. */
export const usedChallengeCollection = defineCollection({
  name: 'used_challenges',
  schema: UsedChallenge,
  indexes: {},
});

/** How many of the oldest are looked at for each that is added: more than one, so that none pile up. */
const PRUNE_COUNT = 20;
/** How far the clocks of daemons may be apart, seconds: one that is fast forgets nothing that another still takes. */
const CLOCKS_APART = 3_600;

/** Marks a challenge as used, and forgets old ones. @throws challenge_used */
const useChallenge = async (
  writer: StoreWriter,
  { nonce, expiresAt }: { readonly nonce: string; readonly expiresAt: number },
  wallNow: number,
): Promise<void> => {
  if ((await writer.get(usedChallengeCollection, nonce)) !== null) throw new TreasuryError('challenge_used');
  const { items } = await writer.find(usedChallengeCollection, {
    order: 'oldest',
    limit: PRUNE_COUNT,
    isCounted: false,
  });
  for (const { id, expires_at } of items) {
    if (expires_at + CLOCKS_APART < wallNow) writer.remove(usedChallengeCollection, id);
  }
  writer.put(usedChallengeCollection, { id: nonce, expires_at: expiresAt });
};

export const challenge = defineOperation({
  id: 'auth.challenge',
  summary: 'Ask for a challenge: a text that the wallet of an address signs to get an access token',
  http: { method: 'POST', path: '/api/auth/challenge' },
  cli: false,
  auth: 'none',
  forKeys: 'never',
  input: z.object({ address: AddressField }),
  output: z.object({
    challenge: z.string().describe('Sign it as it stands (bch_signMessage)'),
    expiresAt: z.number().describe('Unix seconds'),
  }),
  errors: ['invalid_address'],
  run: async ({ address }, { access }) => {
    if (address.kind !== 'p2pkh') {
      throw new TreasuryError('invalid_address', {
        field: 'address',
        value: address.text,
        expected: 'the address of a key (P2PKH), since a contract cannot sign',
      });
    }
    return access.challenge(address.text);
  },
});

export const exchange = defineOperation({
  id: 'auth.exchange',
  summary: 'Exchange a signed challenge for an access token',
  http: { method: 'POST', path: '/api/auth/token' },
  cli: false,
  auth: 'none',
  forKeys: 'never',
  input: z.object({
    address: AddressField,
    challenge: z.string().min(1).max(4_000).describe('As POST /api/auth/challenge gave it; it works once'),
    signature: z.string().min(1).max(200).describe('Bitcoin signed message, base64 (bch_signMessage)'),
  }),
  output: AccessTokenReply.extend({
    publicKey: z
      .string()
      .nullable()
      .describe('The key that has signed: 33 bytes, hex; null: it is one that is written in full'),
  }),
  errors: [
    'invalid_address',
    'invalid_challenge',
    'challenge_expired',
    'challenge_used',
    'invalid_signature',
  ],
  run: async ({ address, challenge, signature }, { access, store, clock }) => {
    // Check: ours, for that address, in time, and signed by its key.
    const used = await access.checkChallenge(challenge, address.text);
    if (!verifyMessage(challenge, signature, address)) {
      throw new TreasuryError('invalid_signature', { address: address.text });
    }

    // Record: used, before the token leaves.
    await store.transaction(async (writer) => {
      await useChallenge(writer, used, clock.wall());
    });
    const key = recoverSigner(challenge, signature);
    return {
      ...(await issueToken(address.text, access)),
      publicKey: key === null ? null : hexOf(key),
    };
  },
});

export const token = defineOperation({
  id: 'auth.token',
  summary: 'Make an access token for scripts that speaks for a wallet of this home',
  cli: { example: 'auth token --wallet main' },
  auth: 'address',
  forKeys: 'never',
  input: z.object({}),
  output: z.object({ address: z.string(), ...AccessTokenReply.shape }),
  errors: SIGN_ERRORS,
  run: async (_, context) => {
    // Check: whoever asks can use the key, just as if they had signed a challenge.
    const { address } = await proveHolder(context.caller, context);
    return { address: address.text, ...(await issueToken(address.text, context.access)) };
  },
  view: ({ accessToken }) => [{ kind: 'text', text: accessToken }],
});

export const revoke = defineOperation({
  id: 'auth.revoke',
  summary: 'Void every access token and challenge given so far',
  auth: 'none',
  forKeys: 'never',
  input: z.object({}),
  output: z.object({ message: z.string() }),
  errors: [],
  run: async (_, { access }) => {
    await access.revokeAll();
    return { message: 'Every access token and challenge given so far is void.' };
  },
  view: ({ message }) => [{ kind: 'text', text: message }],
});

export const operations: readonly Offer[] = [challenge, exchange, token, revoke];
