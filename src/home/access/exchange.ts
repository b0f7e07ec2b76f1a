/** The second half of proving an address: the signed challenge for an access token. */
import { z } from 'zod';
import { AddressField } from '../../bch/fields.js';
import { verifyMessage } from '../../bch/signed-message.js';
import { TreasuryError } from '../../errors.js';
import { defineOperation } from '../../operation/define.js';
import { AccessTokenReply, issueToken } from './access-token.js';
import { useChallenge } from './used-challenges.js';

export const exchange = defineOperation({
  id: 'auth.exchange',
  summary: 'Exchange a signed challenge for an access token',
  http: { method: 'POST', path: '/api/auth/token' },
  cli: false,
  auth: 'none',
  input: z.object({
    address: AddressField,
    challenge: z.string().min(1).max(4_000).describe('As POST /api/auth/challenge gave it; it works once'),
    signature: z.string().min(1).max(200).describe('Bitcoin signed message, base64 (bch_signMessage)'),
  }),
  output: AccessTokenReply,
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
    return issueToken(address.text, access);
  },
});
