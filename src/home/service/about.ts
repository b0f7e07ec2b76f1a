/** What this service is. */
import { z } from 'zod';
import { defineOperation, KEYS_ERRORS } from '../../operation/define.js';

export const about = defineOperation({
  id: 'service.about',
  summary: 'Name and version of the service, its network and its claim authorities',
  http: { method: 'GET', path: '/api' },
  cli: false,
  auth: 'none',
  input: z.object({}),
  output: z.object({
    name: z.string(),
    version: z.string(),
    network: z.string(),
    authorities: z
      .array(z.string())
      .describe(
        'Public keys of its claim authorities, the newest last: compare them before you trust a deployment',
      ),
  }),
  errors: KEYS_ERRORS,
  run: async (_, { program, network, keys }) => {
    const authorities = (await keys.list()).filter(({ isAuthority }) => isAuthority);
    return { ...program, network, authorities: authorities.map(({ publicKey }) => publicKey) };
  },
});
