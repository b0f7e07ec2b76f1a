/**
 * A move of a record: the pair of operations that builds it and confirms it, made of what a product says of it. A move
 * that differs in more than this is written out in its product.
 */
import { z } from 'zod';
import { WalletTransactionField } from '../bch/fields.js';
import { decodeTransaction } from '../bch/transaction.js';
import type { WalletTransaction } from '../bch/wallet-transaction.js';
import type { UnsignedTransaction } from '../covenant/spend.js';
import type { Witness } from '../covenant/ticket.js';
import { TreasuryError, type ErrorCode } from '../errors.js';
import type { Caller, Context } from '../operation/context.js';
import {
  defineAction,
  defineOperation,
  OFFER_ERRORS,
  VAULT_ERRORS,
  WITNESS_ERRORS,
  type Action,
  type AnyOperation,
  type CommandFace,
  type Each,
  type ForKeys,
} from '../operation/define.js';
import type { PoolProduct, PoolRecord } from '../record/covenant-product.js';
import type { MoveRule } from '../record/move-checks.js';
import { confirmOf, type Confirmation } from './confirm-move.js';
import { spendOf, type MoveSpend } from './gather-spend.js';
import { handOut } from './hand-out.js';
import { offerWitnessed, type WitnessedMove } from './witness/offer.js';

type Told<Fields extends z.ZodRawShape> = z.output<z.ZodObject<Fields>>;

/** What was asked for, by whom. `locktime` is that of the transaction, which may have been handed out some minutes ago. */
type Offered<Asked extends z.ZodRawShape> = {
  readonly asked: Told<Asked>;
  readonly caller: Caller;
  readonly locktime: number;
};

/** A transaction, and where it was worked out for it: the wallet's prompt, and what the answer tells. */
type Built<Fields extends z.ZodRawShape> = UnsignedTransaction & {
  readonly prompt?: string;
  readonly told?: Told<Fields>;
};

export type MoveDeclaration<
  R,
  Asked extends z.ZodRawShape,
  Fields extends z.ZodRawShape,
  ConfirmAsked extends z.ZodRawShape,
  ConfirmFields extends z.ZodRawShape,
> = {
  readonly summary: string;
  readonly description?: string;
  readonly cli?: CommandFace;
  /** Default `address`. `optional`: whoever may read it asks for whose move it is, who alone can sign it. */
  readonly auth?: 'address' | 'bearer' | 'optional';
  /** The field of a request that says who makes the move, whoever asks for it. */
  readonly callerField?: keyof Asked & string;
  /** See {@link ForKeys}. */
  readonly forKeys?: ForKeys;
  /** The whole step in the command's help. */
  readonly step: string;
  /** Taken with `--all` for all that this finds. */
  readonly each?: Each;
  /** See {@link Action}. */
  readonly rebuilds?: true;
  readonly rows?: Action['rows'];
  /** What a request has beside the id. */
  readonly input?: Asked;
  /** Other names of its fields. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** The codes of what is said here, beside those of every move. */
  readonly errors?: readonly ErrorCode[];
  /** Checks what a request says of who signs. */
  readonly checkSigner?: (record: R, asked: Told<Asked>) => void;
  /** Checks what comes before the status: whether such a record knows the move at all. */
  readonly check?: (record: R) => unknown;
  /** In the words of the wallet's prompt; default `Pause #BUDGET-0001`. */
  readonly prompt?: (record: R) => string;
  /** Left out: the answer has none. */
  readonly nextStatus?: string;
  /** True where the pool does not move. */
  readonly closed?: (record: R) => boolean;
  /** What the answer has beside label, next status and transaction. */
  readonly fields?: Fields;
  readonly answer?: (record: R, offered: Offered<Asked>) => Told<Fields>;
  /** Or the operation, where it takes more than the transaction id. */
  readonly confirm: Confirmation<R, ConfirmAsked, ConfirmFields> | AnyOperation;
} & (
  | {
      readonly build: (
        spend: MoveSpend<R>,
        asked: Told<Asked>,
        context: Context,
      ) => Built<Fields> | Promise<Built<Fields>>;
    }
  /** Co-signed by the authority as time witness, good for ten minutes. */
  | {
      readonly buildWitnessed: (spend: MoveSpend<R>, witness: Witness) => UnsignedTransaction;
    }
);

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

type AnyProduct = PoolProduct<PoolRecord, string>;
type Any = z.ZodRawShape;
type AnyDeclaration = MoveDeclaration<PoolRecord, Any, Any, Any, Any>;

/** The transaction of a move, as far as the caller's wallet has to sign it, and what was told with it. */
const offerMove = async (
  product: AnyProduct,
  order: {
    readonly record: PoolRecord;
    readonly move: string;
    readonly asked: Told<Any>;
    readonly declared: AnyDeclaration;
  },
  context: Context & { readonly caller: Caller },
): Promise<{ readonly wcTransaction: WalletTransaction; readonly told?: Told<Any> }> => {
  const { record, move, asked, declared } = order;
  const { caller } = context;
  const label = product.label(record);
  const userPrompt = declared.prompt?.(record) ?? `${capital(move)} ${label}`;
  const closed = declared.closed?.(record) ?? false;
  const gather = () => spendOf(product, { record, payer: caller, closed }, context);
  if ('build' in declared) {
    const {
      prompt = userPrompt,
      told = {},
      ...unsigned
    } = await declared.build(await gather(), asked, context);
    return { wcTransaction: await handOut(unsigned, caller, prompt, context), told };
  }
  const { id, thread, authority_pubkey: authorityPublicKey = '' } = record;
  if (thread === null) throw new TreasuryError('store_conflict', { label });
  const wcTransaction = await offerWitnessed(
    {
      subject: { entityType: product.entityType, id, label },
      thread,
      authorityPublicKey,
      move: move as WitnessedMove,
      signer: caller,
      userPrompt,
      build: async (witness) => declared.buildWitnessed(await gather(), witness),
    },
    context,
  );
  return { wcTransaction };
};

const buildOf = (product: AnyProduct, move: string, declared: AnyDeclaration): AnyOperation => {
  const { noun, route, id, notFound, moves, label: labelOf } = product;
  const { by, onlyCancelable } = moves[move] as MoveRule;
  const { answer, aliases, auth = 'address', callerField, cli, summary, description, nextStatus } = declared;
  const { forKeys } = declared;
  // Where it need not be a party who asks, it is whoever may read the record.
  const asksReader = auth === 'optional' || by === 'anybody';
  return defineOperation({
    id: `${noun}.${move}`,
    summary,
    ...(description === undefined ? {} : { description }),
    http: { method: 'POST', path: `${route}/:id/${move}` },
    cli: { ...cli, assetOf: product.assetOf },
    auth,
    ...(callerField === undefined ? {} : { callerField }),
    ...(forKeys === undefined ? {} : { forKeys }),
    input: z.object({ id, ...declared.input }),
    ...(aliases === undefined ? {} : { aliases }),
    output: z.object({
      label: z.string(),
      ...(nextStatus === undefined ? {} : { nextStatus: z.literal(nextStatus) }),
      ...declared.fields,
      wcTransaction: WalletTransactionField,
    }),
    errors: [
      notFound,
      ...(asksReader ? VAULT_ERRORS : []),
      ...(by === 'anybody' ? [] : [`not_${by}` as const]),
      'wrong_state',
      ...(onlyCancelable === true ? (['not_cancelable'] as const) : []),
      ...(declared.errors ?? []),
      ...('build' in declared ? OFFER_ERRORS : WITNESS_ERRORS),
    ],
    run: async ({ id: name, ...asked }, context) => {
      // Check: who asks and signs, the status, and that it may be stopped.
      const { store } = context;
      if (asksReader) await product.checkReader(await product.find(store, name), context.caller, store);
      const record = await product.follow(name, context);
      const named =
        callerField === undefined ? context.caller : (asked as Readonly<Record<string, Caller>>)[callerField];
      const caller = named ?? (by === 'anybody' ? null : product.party(record, by));
      if (caller === null) throw new Error(`${noun}.${move} is asked for by somebody`);
      if (by !== 'anybody') product.checkRole(record, by, caller.text);
      declared.checkSigner?.(record, asked);
      declared.check?.(record);
      product.checkMove(record, move, caller.text);

      // Build: at chain now.
      const order = { record, move, asked, declared };
      const { wcTransaction, told } = await offerMove(product, order, { ...context, caller });
      const { locktime } = decodeTransaction(wcTransaction.transaction);
      const label = labelOf(record);
      const status = nextStatus === undefined ? {} : { nextStatus };
      return { label, ...status, ...told, ...answer?.(record, { asked, caller, locktime }), wcTransaction };
    },
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
  Asked extends z.ZodRawShape = z.ZodRawShape,
  Fields extends z.ZodRawShape = z.ZodRawShape,
  ConfirmAsked extends z.ZodRawShape = z.ZodRawShape,
  ConfirmFields extends z.ZodRawShape = z.ZodRawShape,
>(
  product: PoolProduct<R, Move>,
  move: NoInfer<Move>,
  declared: MoveDeclaration<R, Asked, Fields, ConfirmAsked, ConfirmFields>,
): Action => {
  // What a product declares was checked here; the operations need its types no more.
  const any = product as unknown as AnyProduct;
  const said = declared as unknown as AnyDeclaration;
  const { confirm, each, rebuilds, rows } = said;
  return defineAction({
    build: buildOf(any, move, said),
    confirm: 'run' in confirm ? confirm : confirmOf(any, move, confirm),
    record: product.find,
    verb: move,
    summary: declared.step,
    ...(each === undefined ? {} : { each }),
    ...(rebuilds === undefined ? {} : { rebuilds }),
    ...(rows === undefined ? {} : { rows }),
  });
};
