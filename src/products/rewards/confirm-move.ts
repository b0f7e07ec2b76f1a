/** Confirming a move of the creator's: what pause and cancel share. */
import type { z } from 'zod';
import type { ConfirmReply } from '../../offer/confirm.js';
import { confirmedMove, confirmMove } from '../../offer/confirm-move.js';
import type { RunContext } from '../../operation/define.js';
import type { EventType } from '../../record/events.js';
import { findCampaign, followCampaign } from './records.js';
import { checkCreator } from './rules.js';

type CampaignConfirmation = {
  readonly id: string;
  readonly txHash: string;
  readonly type: EventType;
  /** The move in words, with its article. */
  readonly expected: string;
};

/**
 * Follows the campaign and answers for the move that a transaction made.
 *
 * @throws reward_not_found, not_creator, tx_not_indexed, tx_mismatch, chain_unavailable
 */
export const confirmCreatorMove = async (
  { id, txHash, type, expected }: CampaignConfirmation,
  context: RunContext<'bearer'>,
): Promise<z.output<typeof ConfirmReply>> => {
  checkCreator(await findCampaign(context.store, id), context.caller.text);
  const move = await confirmMove(
    {
      txHash,
      type,
      follow: (transaction) => followCampaign(id, context, [transaction]),
      label: (campaign) => campaign.campaign_id,
      expected: () => expected,
    },
    context,
  );
  const { campaign_id: label, status } = move.record;
  return confirmedMove(`${label} is ${status.toLowerCase()}`, txHash, move);
};
