/** The feed of incidents. None are kept yet. */
import { z } from 'zod';
import { defineOperation } from '../../../operation/define.js';

const MAXIMUM_AGE_SECONDS = 60;

export const incidents = defineOperation({
  id: 'status.incidents',
  summary: 'List recent incidents; none are kept yet',
  http: {
    method: 'GET',
    path: '/api/status/incidents',
    headers: { 'cache-control': `public, max-age=${MAXIMUM_AGE_SECONDS}` },
  },
  auth: 'none',
  input: z.object({}),
  output: z.object({ incidents: z.array(z.unknown()), total: z.number() }),
  errors: [],
  run: () => Promise.resolve({ incidents: [], total: 0 }),
});
