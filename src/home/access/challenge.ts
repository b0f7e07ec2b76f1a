/** The first half of proving an address: a text to be signed. */
import { z } from 'zod';
import { AddressField } from '../../bch/fields.js';
import { TreasuryError } from '../../errors.js';
import { defineOperation } from '../../operation/define.js';

export const challenge = defineOperation({
  id: 'auth.challenge',
  summary: 'Ask for a challenge: a text that the wallet of an address signs to get an access token',
  http: { method: 'POST', path: '/api/auth/challenge' },
  cli: false,
  auth: 'none',
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
