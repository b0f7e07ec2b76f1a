/** Confirming a move: the record follows the chain, and the event that the transaction made is compared with the claim. */
import { z } from 'zod';
import { formatUnits } from '../bch/amount.js';
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
import type { ErrorCode } from '../errors.js';
import { follow as foldMoves } from '../covenant/follow.js';
import type { Context } from '../operation/context.js';
import {
  CONFIRM_ERRORS,
  defineOperation,
  type AnyOperation,
  type Auth,
  type RunContext,
} from '../operation/define.js';
import type { PoolProduct, PoolRecord } from '../record/covenant-product.js';
import type { MoveRule, Role } from '../record/move-checks.js';
import { eventOfTransaction, type EventRecord, type EventType } from '../record/events.js';

/** What a request says of a move beyond its type: in words, and what is wrong where the event differs from it. */
export type Claimed = {
  /** With its article: `a claim of 0.5`. */
  readonly expected: string;
  readonly difference: (event: Pick<EventRecord, 'amount' | 'details'>) => string | null;
};

/** `a claim` of an amount, smallest unit. */
export const claimedAmount = (expected: string, claimed: bigint, decimals: number): Claimed => {
  const show = (units: bigint) => `${expected} of ${formatUnits(units, decimals)}`;
  return {
    expected: show(claimed),
    difference: ({ amount }) => (amount === claimed ? null : show(amount)),
  };
};

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
  const event = await eventOfTransaction(context.store, record.id, txHash, type);
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
export type ConfirmedMove<R> = Awaited<ReturnType<typeof confirmMove<R & { readonly id: string }>>> & {
  /** The amount of its event with its unit: `0.1 BCH`. */
  readonly amount: string;
};

/** What an operation that confirms something of a record says of itself. */
type Face<Asked extends z.ZodRawShape, Fields extends z.ZodRawShape> = {
  /** Default: `Confirm a pause on chain`. */
  readonly summary?: string;
  /** Default `none`: the chain is the evidence. */
  readonly auth?: Auth;
  /** What a request has beside the id and the transaction. */
  readonly input?: Asked;
  readonly aliases?: Readonly<Record<string, string>>;
  /** The codes of what is said here, beside those of every confirmation. */
  readonly errors?: readonly ErrorCode[];
  /** What the answer has beside {@link ConfirmReply}. */
  readonly fields?: Fields;
};

type AnyFace = Face<z.ZodRawShape, z.ZodRawShape>;
type Asked = { readonly id: string; readonly txHash: string };

/**
 * The operation `<noun>.confirm-<what>` of a product.
 *
 * @param face.by whose it is to ask, where somebody signs in for it; left out: it is not looked at
 */
export const confirmOperation = (
  { noun, route, id, notFound, find, checkRole, assetOf }: PoolProduct,
  what: string,
  face: AnyFace & { readonly summary: string; readonly by?: Role | undefined },
  run: (asked: Asked, context: RunContext) => Promise<z.output<typeof ConfirmReply>>,
): AnyOperation => {
  const { summary, auth = 'none', by, input, aliases, errors = [], fields = {} } = face;
  return defineOperation({
    id: `${noun}.confirm-${what}`,
    summary,
    http: { method: 'POST', path: `${route}/:id/confirm-${what}` },
    cli: { positional: ['id', 'txHash'], assetOf },
    auth,
    forKeys: 'measured',
    ...(aliases === undefined ? {} : { aliases }),
    input: z.object({ id, ...input, txHash: TxHash }),
    output: ConfirmReply.extend(fields) as typeof ConfirmReply,
    errors: [notFound, ...(by === undefined ? [] : [`not_${by}` as const]), ...errors, ...CONFIRM_ERRORS],
    run: async (asked, context) => {
      if (by !== undefined) checkRole(await find(context.store, asked.id), by, context.caller?.text ?? '');
      return run(asked, context);
    },
    view: viewConfirmed,
  });
};

/** What confirming a move says. Where somebody signs in for it, it is who may make the move. */
export type Confirmation<
  R,
  Asked extends z.ZodRawShape = z.ZodRawShape,
  Fields extends z.ZodRawShape = z.ZodRawShape,
> = Face<Asked, Fields> & {
  readonly event: EventType;
  /** The move in words, with its article: `a pause`. */
  readonly expected: string;
  /** True: who signs in for it need not be who may make the move. */
  readonly byAnybody?: true;
  /** What the request says of the move; null: nothing. It is read before the chain is asked. */
  readonly claims?: (record: R, asked: z.output<z.ZodObject<Asked>>) => Claimed | null;
  /** True: of a move that differs from what the request says nothing is stored. */
  readonly comparesFirst?: true;
  readonly message: (move: ConfirmedMove<R>) => string;
  readonly answer?: (move: ConfirmedMove<R>) => z.output<z.ZodObject<Fields>>;
};

/** The operation `<noun>.confirm-<move>` of a product. */
export const confirmOf = (
  product: PoolProduct<PoolRecord, string>,
  move: string,
  confirming: Confirmation<PoolRecord>,
): AnyOperation => {
  const { label, find, follow, followed } = product;
  const { event: type, expected, answer, byAnybody = false, claims, comparesFirst = false } = confirming;
  const { auth = 'none', summary = `Confirm ${expected} on chain` } = confirming;
  const { by: mover } = product.moves[move] as MoveRule;
  const by = auth === 'none' || byAnybody || mover === 'anybody' ? undefined : mover;
  return confirmOperation(product, move, { ...confirming, summary, by }, async (asked, context) => {
    const { id, txHash } = asked;
    const before = claims === undefined ? null : await find(context.store, id);
    const claimed = before === null ? null : (claims?.(before, asked) ?? null);
    const claim: MoveClaim<PoolRecord> = {
      txHash,
      type,
      label,
      expected: () => claimed?.expected ?? expected,
      difference: (_record, event) => claimed?.difference(event) ?? null,
      follow: async (transaction) => {
        if (comparesFirst && before !== null && claimed !== null) {
          const { moves } = await foldMoves(before, followed(context.network), context.chain, [transaction]);
          const made = moves.find((one) => one.txHash === txHash && one.type === type);
          const found = made === undefined ? null : claimed.difference(made);
          if (found !== null) throw mismatch(txHash, `${claimed.expected} from ${label(before)}`, found);
        }
        return follow(id, context, [transaction]);
      },
    };
    const confirmedNow = await confirmMove<PoolRecord>(claim, context);
    const { record, event } = confirmedNow;
    const unit = await product.unitOf(record, context.store);
    const found = { ...confirmedNow, amount: `${formatUnits(event.amount, record.decimals)} ${unit}` };
    return { ...confirmedMove(confirming.message(found), txHash, found), ...answer?.(found) };
  });
};
