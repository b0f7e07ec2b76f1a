/** What this service is. */
import { z } from 'zod';
import { defineOperation } from '../../operation/define.js';

export const about = defineOperation({
  id: 'service.about',
  summary: 'Name and version of the service, and its network',
  http: { method: 'GET', path: '/api' },
  cli: false,
  auth: 'none',
  input: z.object({}),
  output: z.object({ name: z.string(), version: z.string(), network: z.string() }),
  errors: [],
  run: (_, { program, network }) => Promise.resolve({ ...program, network }),
});
