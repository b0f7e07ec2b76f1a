/**
 * A move of a record: the pair of operations that builds it and confirms it, made of what a product says of it. A move
 * that needs more than this (an input of its own) is written out in its product.
 */
import { z } from 'zod';
import { TxHash, WalletTransactionField } from '../bch/fields.js';
import { decodeTransaction, type ChainTransaction } from '../bch/transaction.js';
import type { WalletTransaction } from '../bch/wallet-transaction.js';
import type { UnsignedTransaction } from '../covenant/spend.js';
import type { Witness } from '../covenant/ticket.js';
import { TreasuryError } from '../errors.js';
import type { Caller, Context } from '../operation/context.js';
import {
  CONFIRM_ERRORS,
  defineAction,
  defineOperation,
  OFFER_ERRORS,
  WITNESS_ERRORS,
  type Action,
  type AnyOperation,
  type Auth,
  type CommandFace,
} from '../operation/define.js';
import type { MoveRule, PoolProduct, PoolRecord } from '../record/covenant-product.js';
import type { EventType } from '../record/events.js';
import { ConfirmReply, viewConfirmed } from './confirm.js';
import { confirmedMove, confirmMove } from './confirm-move.js';
import { spendOf, type MoveSpend } from './gather-spend.js';
import { handOut } from './hand-out.js';
import { offerWitnessed, type WitnessedMove } from './witness/offer.js';

/** The record after a move, and its event. */
export type ConfirmedMove<R> = Awaited<ReturnType<typeof confirmMove<R & { readonly id: string }>>>;

type Named = {
  readonly summary: string;
  readonly description?: string;
};

/** What confirming a move says. */
type Confirmation<R, Fields extends z.ZodRawShape> = {
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

export type MoveDeclaration<R, Fields extends z.ZodRawShape, ConfirmFields extends z.ZodRawShape> = Named & {
  readonly cli?: CommandFace;
  readonly auth?: 'address' | 'bearer';
  /** The whole step in the command's help. */
  readonly step: string;
  readonly nextStatus: string;
  /** In the words of the wallet's prompt; default `Pause #BUDGET-0001`. */
  readonly prompt?: (record: R) => string;
  /** True where the pool does not move. */
  readonly closed?: (record: R) => boolean;
  /** What the answer has beside label, next status and transaction. */
  readonly fields?: Fields;
  /** `locktime` is that of the transaction, which may have been handed out some minutes ago. */
  readonly answer?: (
    record: R,
    at: { readonly locktime: number; readonly caller: Caller },
  ) => z.output<z.ZodObject<Fields>>;
  readonly confirm: Confirmation<R, ConfirmFields>;
} & (
    | { readonly build: (spend: MoveSpend<R>) => UnsignedTransaction }
    /** Co-signed by the authority as time witness, good for ten minutes. */
    | { readonly buildWitnessed: (spend: MoveSpend<R>, witness: Witness) => UnsignedTransaction }
  );

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

type AnyProduct = PoolProduct<PoolRecord, string>;
type AnyDeclaration = MoveDeclaration<PoolRecord, z.ZodRawShape, z.ZodRawShape>;

/** The transaction of a move, as far as the caller's wallet has to sign it. */
const offerMove = async (
  product: AnyProduct,
  order: {
    readonly record: PoolRecord;
    readonly move: string;
    readonly userPrompt: string;
    readonly declared: AnyDeclaration;
  },
  context: Context & { readonly caller: Caller },
): Promise<WalletTransaction> => {
  const { record, move, userPrompt, declared } = order;
  const { caller } = context;
  const label = product.label(record);
  const spend = { record, payer: caller, closed: declared.closed?.(record) ?? false };
  if ('build' in declared)
    return handOut(declared.build(await spendOf(product, spend, context)), caller, userPrompt, context);
  const { id, thread, authority_pubkey: authorityPublicKey = '' } = record;
  if (thread === null) throw new TreasuryError('store_conflict', { label });
  return offerWitnessed(
    {
      subject: { entityType: product.entityType, id, label },
      thread,
      authorityPublicKey,
      move: move as WitnessedMove,
      signer: caller,
      userPrompt,
      build: async (witness) => declared.buildWitnessed(await spendOf(product, spend, context), witness),
    },
    context,
  );
};

const buildOf = (product: AnyProduct, move: string, declared: AnyDeclaration): AnyOperation => {
  const { noun, route, id, notFound, moves, label: labelOf } = product;
  const { by, onlyCancelable } = moves[move] as MoveRule;
  const { answer, cli, summary, description, nextStatus } = declared;
  return defineOperation({
    id: `${noun}.${move}`,
    summary,
    ...(description === undefined ? {} : { description }),
    http: { method: 'POST', path: `${route}/:id/${move}` },
    ...(cli === undefined ? {} : { cli }),
    auth: declared.auth ?? 'address',
    input: z.object({ id }),
    output: z.object({
      label: z.string(),
      nextStatus: z.literal(nextStatus),
      ...declared.fields,
      wcTransaction: WalletTransactionField,
    }),
    errors: [
      notFound,
      `not_${by}`,
      'wrong_state',
      ...(onlyCancelable === true ? (['not_cancelable'] as const) : []),
      ...('build' in declared ? OFFER_ERRORS : WITNESS_ERRORS),
    ],
    run: async (input, context) => {
      // Check: who asks, the status, and that it may be stopped.
      const { caller } = context;
      const record = await product.follow(input.id, context);
      product.checkMove(record, move, caller.text);

      // Build: at chain now.
      const label = labelOf(record);
      const userPrompt = declared.prompt?.(record) ?? `${capital(move)} ${label}`;
      const wcTransaction = await offerMove(product, { record, move, userPrompt, declared }, context);
      const { locktime } = decodeTransaction(wcTransaction.transaction);
      return { label, nextStatus, ...answer?.(record, { locktime, caller }), wcTransaction };
    },
  });
};

const confirmOf = (
  product: AnyProduct,
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

/**
 * The operations `<noun>.<move>` and `<noun>.confirm-<move>`, and the whole step of the command line.
 *
 * @param move a move of the product's table: who may make it, and from which statuses
 */
export const defineMove = <
  R extends PoolRecord,
  Move extends string,
  Fields extends z.ZodRawShape = z.ZodRawShape,
  ConfirmFields extends z.ZodRawShape = z.ZodRawShape,
>(
  product: PoolProduct<R, Move>,
  move: NoInfer<Move>,
  declared: MoveDeclaration<R, Fields, ConfirmFields>,
): Action => {
  // What a product declares was checked here; the operations need its types no more.
  const any = product as unknown as AnyProduct;
  const said = declared as unknown as AnyDeclaration;
  return defineAction({
    build: buildOf(any, move, said),
    confirm: confirmOf(any, move, said.confirm),
    record: product.find,
    verb: move,
    summary: declared.step,
  });
};
