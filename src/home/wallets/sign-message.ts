/** Proving that one holds an address. */
import { z } from 'zod';
import { signMessage as signText } from '../../bch/signed-message.js';
import { defineOperation, UNLOCK_ERRORS } from '../../operation/define.js';
import { walletOfAddress } from './wallet.js';

export const signMessage = defineOperation({
  id: 'wallet.sign-message',
  summary: 'Sign a text with the key of a wallet (Bitcoin signed message)',
  cli: { positional: ['message'] },
  auth: 'address',
  input: z.object({ message: z.string().min(1).max(10_000).describe('The text, byte for byte') }),
  output: z.object({
    address: z.string(),
    message: z.string(),
    signature: z.string().describe('65 bytes, base64'),
  }),
  errors: UNLOCK_ERRORS,
  run: async ({ message }, context) => {
    const { name } = await walletOfAddress(context.caller, context);
    const signer = await context.keys.unlock(name);
    return { address: signer.address.text, message, signature: signText(message, signer.privateKey) };
  },
});
