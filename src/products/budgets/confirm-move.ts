/** Confirming a move of a plan: what pause, resume and cancel share. */
import { z } from 'zod';
import { TxHash } from '../../bch/fields.js';
import { ConfirmReply } from '../../offer/confirm.js';
import { confirmedMove, confirmMove } from '../../offer/confirm-move.js';
import { defineOperation } from '../../operation/define.js';
import type { EventType } from '../../record/events.js';
import { PlanId } from './fields.js';
import { followPlan } from './records.js';

type Confirmed = {
  readonly verb: 'pause' | 'resume' | 'cancel';
  readonly type: EventType;
  /** The move in words, with its article. */
  readonly expected: string;
};

/** The operation that confirms a move of the controller's: the chain is the evidence, so nobody need log in. */
export const confirmControllerMove = ({ verb, type, expected }: Confirmed) =>
  defineOperation({
    id: `budgets.confirm-${verb}`,
    summary: `Confirm ${expected} on chain`,
    http: { method: 'POST', path: `/api/budget-plans/:id/confirm-${verb}` },
    cli: { positional: ['id', 'txHash'] },
    auth: 'none',
    input: z.object({ id: PlanId, txHash: TxHash }),
    output: ConfirmReply,
    errors: ['budget_not_found', 'tx_not_indexed', 'tx_mismatch', 'store_conflict', 'chain_unavailable'],
    run: async ({ id, txHash }, context) => {
      const move = await confirmMove(
        {
          txHash,
          type,
          follow: (transaction) => followPlan(id, context, [transaction]),
          label: (plan) => plan.budget_id,
          expected: () => expected,
        },
        context,
      );
      return confirmedMove(`${move.record.budget_id} is ${type}`, txHash, move);
    },
  });
