/** The health of the service, for everybody. */
import { z } from 'zod';
import { defineOperation } from '../../../operation/define.js';
import { Snapshot, SNAPSHOT_SECONDS, takeSnapshot } from '../snapshot.js';
import { viewSnapshot } from '../view.js';

export const show = defineOperation({
  id: 'status.show',
  summary: 'Show the health of the service, component by component',
  description: 'A report is at most ten seconds old. It says nothing of hosts, keys or queues.',
  http: {
    method: 'GET',
    path: '/api/status',
    headers: { 'cache-control': `public, max-age=${SNAPSHOT_SECONDS}` },
  },
  cli: { verb: 'status' },
  auth: 'none',
  input: z.object({}),
  output: Snapshot,
  errors: [],
  run: (_, context) => takeSnapshot(context),
  view: viewSnapshot,
});
