/** Whether the service is alive. */
import { z } from 'zod';
import { defineOperation } from '../../operation/define.js';

export const health = defineOperation({
  id: 'service.health',
  summary: 'Whether the service is alive',
  http: { method: 'GET', path: '/api/health' },
  cli: false,
  auth: 'none',
  input: z.object({}),
  output: z.object({ status: z.literal('alive') }),
  errors: [],
  run: () => Promise.resolve({ status: 'alive' as const }),
});
