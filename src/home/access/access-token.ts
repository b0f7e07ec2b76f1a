/** An access token as answers show it. */
import { z } from 'zod';
import type { AccessPort } from '../../operation/ports/access.js';

export const AccessTokenReply = z.object({
  accessToken: z.string().describe('Send it as "Authorization: Bearer <accessToken>"'),
  tokenType: z.literal('Bearer'),
  expiresAt: z.number().describe('Unix seconds'),
});

/** A new token that speaks for an address (its `q` form). */
export const issueToken = async (
  address: string,
  access: AccessPort,
): Promise<z.output<typeof AccessTokenReply>> => ({
  ...(await access.issue(address)),
  tokenType: 'Bearer',
});
