/** Cancelling a spend: its coins are free again. What was signed is only forgotten: see the README. */
import { z } from 'zod';
import { defineOperation } from '../../../operation/define.js';
import { openSpend, SIGNER_ERRORS, SPEND_PLACE, SpendPath } from '../open-spend.js';
import { findSpend } from '../records.js';
import { SaidSpendReply, showSpend } from '../reply.js';
import { checkSpendStatus } from '../rules.js';
import { spendCollection } from '../spend.js';
import { tellSpend } from '../tell-spend.js';
import { viewSpend } from '../view.js';

// Its coins are free again. What was signed is only forgotten: see the README.
export const spendCancel = defineOperation({
  id: 'vaults.spend-cancel',
  summary: 'Drop a spend that is not on chain, and free its coins',
  description:
    'Whoever holds a transaction with both signatures can still send it, until one of its coins is spent.',
  http: { method: 'POST', path: '/api/vaults/:id/spends/:spendId/cancel' },
  cli: { verb: 'spend cancel', ...SPEND_PLACE },
  auth: 'address',
  forKeys: 'measured',
  input: SpendPath,
  output: SaidSpendReply.extend({ warning: z.string().optional() }),
  errors: [...SIGNER_ERRORS, 'wrong_state'],
  run: async (path, context) => {
    const { spend: opened } = await openSpend(path, context);
    const now = context.clock.now();
    const spend = await context.store.transaction(async (writer) => {
      const current = await findSpend(writer, opened.id);
      checkSpendStatus(current, 'cancel');
      const cancelled = { ...current, status: 'CANCELLED' as const, updated_at: now };
      writer.put(spendCollection, cancelled);
      await tellSpend(writer, cancelled, { done: 'cancelled', actor: context.caller.text });
      return cancelled;
    });
    const warning = `${spend.label} has both signatures: whoever holds it can still send it, until one of its coins is spent`;
    return {
      message: `${spend.label} is cancelled, and its coins are free`,
      ...(await showSpend(spend, context)),
      ...(opened.status === 'READY' ? { warning } : {}),
    };
  },
  view: viewSpend,
});
