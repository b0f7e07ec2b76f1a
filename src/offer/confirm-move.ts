/** Confirming a move: the record follows the chain, and the event that the transaction made is compared with the claim. */
import { z } from 'zod';
import { TxHash } from '../bch/fields.js';
import {
  confirmationsOf,
  confirmed,
  ConfirmReply,
  indexedTransaction,
  mismatch,
  viewConfirmed,
} from './confirm.js';
import type { ChainTransaction } from '../bch/transaction.js';
import type { Context } from '../operation/context.js';
import { CONFIRM_ERRORS, defineOperation, type AnyOperation, type Auth } from '../operation/define.js';
import type { MoveRule, PoolProduct, PoolRecord } from '../record/covenant-product.js';
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

/** The record after a move, and its event. */
export type ConfirmedMove<R> = Awaited<ReturnType<typeof confirmMove<R & { readonly id: string }>>>;

/** What confirming a move says. */
export type Confirmation<R, Fields extends z.ZodRawShape> = {
  readonly event: EventType;
  /** The move in words, with its article: `a pause`. */
  readonly expected: string;
  /** Default: `Confirm a pause on chain`. */
  readonly summary?: string;
  /** Default `none`: the chain is the evidence. Else whoever may make the move. */
  readonly auth?: Auth;
  readonly message: (move: ConfirmedMove<R>) => string;
  /** What the answer has beside {@link ConfirmReply}. */
  readonly fields?: Fields;
  readonly answer?: (move: ConfirmedMove<R>) => z.output<z.ZodObject<Fields>>;
};

/** The operation `<noun>.confirm-<move>` of a product. */
export const confirmOf = (
  product: PoolProduct<PoolRecord, string>,
  move: string,
  confirming: Confirmation<PoolRecord, z.ZodRawShape>,
): AnyOperation => {
  const { noun, route, id, notFound, moves, label } = product;
  const { by } = moves[move] as MoveRule;
  const { auth = 'none', event: type, expected, summary, fields = {}, answer } = confirming;
  return defineOperation({
    id: `${noun}.confirm-${move}`,
    summary: summary ?? `Confirm ${expected} on chain`,
    http: { method: 'POST', path: `${route}/:id/confirm-${move}` },
    cli: { positional: ['id', 'txHash'] },
    auth,
    input: z.object({ id, txHash: TxHash }),
    output: ConfirmReply.extend(fields) as typeof ConfirmReply,
    errors: [notFound, ...(auth === 'none' ? [] : [`not_${by}` as const]), ...CONFIRM_ERRORS],
    run: async (input, context) => {
      // Check: who asks, where that is asked, and that the chain knows the move.
      if (auth !== 'none')
        product.checkRole(await product.find(context.store, input.id), by, context.caller?.text ?? '');
      const { txHash } = input;
      const follow = (transaction: ChainTransaction) => product.follow(input.id, context, [transaction]);
      const claim = { txHash, type, follow, label, expected: () => expected };
      const found = await confirmMove<PoolRecord>(claim, context);
      return { ...confirmedMove(confirming.message(found), txHash, found), ...answer?.(found) };
    },
    view: viewConfirmed,
  });
};
