/** Confirming a move: the record follows the chain, and the event that the transaction made is compared with the claim. */
import type { z } from 'zod';
import { confirmationsOf, confirmed, indexedTransaction, mismatch, type ConfirmReply } from './confirm.js';
import type { ChainTransaction } from '../bch/transaction.js';
import type { Context } from '../operation/context.js';
import { eventOfTransaction, type EventRecord, type EventType } from '../record/events.js';

export type MoveClaim<R> = {
  readonly txHash: string;
  /** Takes the transaction into the record and returns it as the chain has it. */
  readonly follow: (transaction: ChainTransaction) => Promise<R>;
  readonly label: (record: R) => string;
  readonly type: EventType;
  /** The move in words, with its article: `a pause`. */
  readonly expected: (record: R) => string;
  /** What the request says of the move beyond its type; a text when the event differs from it. */
  readonly difference?: (record: R, event: EventRecord) => string | null;
};

/**
 * The record and the event of a move that a transaction made.
 *
 * Repeating it, or confirming what was followed already, finds the same event and changes nothing.
 *
 * @throws tx_not_indexed, tx_mismatch, chain_unavailable
 */
export const confirmMove = async <R extends { readonly id: string }>(
  { txHash, follow, label, type, expected, difference }: MoveClaim<R>,
  context: Context,
): Promise<{ readonly record: R; readonly event: EventRecord; readonly confirmations: number }> => {
  const transaction = await indexedTransaction(txHash, context);
  const record = await follow(transaction);
  const event = await eventOfTransaction(context.store, record.id, txHash);
  const claimed = `${expected(record)} of ${label(record)}`;
  if (event === null) throw mismatch(txHash, claimed, `a transaction that does not move ${label(record)}`);
  if (event.event_type !== type)
    throw mismatch(txHash, claimed, `an event "${event.event_type}" of ${label(record)}`);
  const found = difference?.(record, event) ?? null;
  if (found !== null) throw mismatch(txHash, claimed, found);
  return { record, event, confirmations: await confirmationsOf(txHash, context) };
};

/** The answer to a confirmed move. */
export const confirmedMove = (
  message: string,
  txHash: string,
  { record, confirmations }: { readonly record: { readonly status: string }; readonly confirmations: number },
): z.output<typeof ConfirmReply> => confirmed(message, txHash, record.status, confirmations);
