/** Confirming a move of a stream that has nothing of its own to compare. */
import type { z } from 'zod';
import type { ConfirmReply } from '../../offer/confirm.js';
import { confirmedMove, confirmMove } from '../../offer/confirm-move.js';
import type { Context } from '../../operation/context.js';
import type { EventType } from '../../record/events.js';
import { followStream } from './records.js';

type StreamConfirmation = {
  readonly id: string;
  readonly txHash: string;
  readonly type: EventType;
  /** The move in words, with its article. */
  readonly expected: string;
  /** What was done, as it follows the label: `is paused`. */
  readonly done: string;
};

/**
 * Follows the stream and answers for the move that a transaction made.
 *
 * @throws stream_not_found, tx_not_indexed, tx_mismatch, chain_unavailable
 */
export const confirmStreamMove = async (
  { id, txHash, type, expected, done }: StreamConfirmation,
  context: Context,
): Promise<z.output<typeof ConfirmReply>> => {
  const move = await confirmMove(
    {
      txHash,
      type,
      follow: (transaction) => followStream(id, context, [transaction]),
      label: (stream) => stream.stream_id,
      expected: () => expected,
    },
    context,
  );
  return confirmedMove(`${move.record.stream_id} ${done}`, txHash, move);
};
