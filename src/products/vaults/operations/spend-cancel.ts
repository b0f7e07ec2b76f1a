/** Cancelling a spend: its coins are free again. What was signed is only forgotten: see the README. */
import { z } from 'zod';
import { defineOperation, FOLLOW_ERRORS, VAULT_ERRORS } from '../../../operation/define.js';
import { openSpend, SPEND_PLACE, SpendPath } from '../open-spend.js';
import { findSpend } from '../records.js';
import { spendCollection } from '../spend.js';
import { showSpend, SpendReply } from '../reply.js';
import { checkSpendStatus } from '../rules.js';
import { viewSpend } from '../view.js';

export const spendCancel = defineOperation({
  id: 'vaults.spend-cancel',
  summary: 'Drop a spend that is not on chain, and free its coins',
  description:
    'Whoever holds a transaction with both signatures can still send it, until one of its coins is spent.',
  http: { method: 'POST', path: '/api/vaults/:id/spends/:spendId/cancel' },
  cli: { verb: 'spend cancel', ...SPEND_PLACE },
  auth: 'address',
  input: SpendPath,
  output: z.object({ message: z.string(), ...SpendReply.shape, warning: z.string().optional() }),
  errors: [...VAULT_ERRORS, 'not_vault_signer', 'spend_not_found', 'wrong_state', ...FOLLOW_ERRORS],
  run: async (path, context) => {
    const { spend: opened } = await openSpend(path, context);
    const wasReady = opened.status === 'READY';
    const spend = await context.store.transaction(async (writer) => {
      const current = await findSpend(writer, opened.id);
      checkSpendStatus(current, 'cancel');
      const cancelled = { ...current, status: 'CANCELLED' as const, updated_at: context.clock.now() };
      writer.put(spendCollection, cancelled);
      return cancelled;
    });
    const warning = `${spend.label} has both signatures: whoever holds it can still send it, until one of its coins is spent`;
    return {
      message: `${spend.label} is cancelled, and its coins are free`,
      ...(await showSpend(spend, context.store, context.network)),
      ...(wasReady ? { warning } : {}),
    };
  },
  view: viewSpend,
});
