/** Runs an operation that throws a code which it does not declare, and prints what comes of it. */
import { z } from 'zod';
import { TreasuryError } from '../../../src/errors.js';
import { defineOperation } from '../../../src/operation/define.js';
import { execute } from '../../../src/operation/execute.js';
import { fakeContext } from '../fake-context.js';

const operation = defineOperation({
  id: 'things.break',
  summary: 'Break something',
  auth: 'none',
  input: z.object({}),
  output: z.object({}),
  errors: ['price_unavailable'],
  run: () => Promise.reject(new TreasuryError('voting_ended', { votingEndsAt: 'noon' })),
});

const warnings: unknown[] = [];
const { log } = fakeContext();
const context = fakeContext({ log: { ...log, warn: (fields) => warnings.push(fields) } });
try {
  await execute(operation, {}, context, { kind: 'operator', address: null });
} catch (error) {
  const { code } = error as TreasuryError;
  process.stdout.write(JSON.stringify({ code, warnings }));
}
