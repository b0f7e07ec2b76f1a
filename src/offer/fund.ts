/** Funding a record: what mints its thread and puts its pool in, and the confirmation of that. */
import { z } from 'zod';
import type { ChainTransaction } from '../bch/transaction.js';
import {
  defineAction,
  defineOperation,
  OFFER_ERRORS,
  VAULT_ERRORS,
  type Action,
  type AnyOperation,
  type Auth,
  type RunContext,
} from '../operation/define.js';
import type { Context } from '../operation/context.js';
import type { StoreReader } from '../operation/ports/store.js';
import type { PoolProduct, PoolRecord } from '../record/covenant-product.js';
import { confirmationsOf, confirmed, indexedTransaction, mismatch } from './confirm.js';
import { confirmOperation } from './confirm-move.js';
import type { PinSubject } from './funding-pins.js';
import { answerFunding, fundingReply } from './funding.js';

type FundDeclaration<R, Fields extends z.ZodRawShape, ConfirmFields extends z.ZodRawShape> = {
  /** Of the building operation, before what is said of the preparation. */
  readonly description?: string;
  /** `optional` (default): whoever may read it. `address`: who funds it. */
  readonly auth?: 'optional' | 'address';
  /** The whole step in the command's help. */
  readonly step: string;
  /** What its funding does: `mint its thread with the whole pool from the creator’s coins`. */
  readonly funding: string;
  /** What a product adds to `fundingInfo`. */
  readonly fields: Fields;
  readonly info: (together: readonly R[]) => z.output<z.ZodObject<Fields>>;
  /** What the genesis coin is pinned for; default the record alone. */
  readonly subject?: (together: readonly R[]) => PinSubject;
  /** What a step under way is told apart by; default the record. */
  readonly finds?: (store: StoreReader, id: string) => Promise<{ readonly id: string }>;
  readonly confirm?: {
    readonly auth?: Auth;
    readonly fields?: ConfirmFields;
    /** Checks what else must hold, and records what else follows; returns what the answer adds. */
    readonly answer: (
      record: R,
      transaction: ChainTransaction,
      context: RunContext,
    ) => Promise<z.output<z.ZodObject<ConfirmFields>>> | z.output<z.ZodObject<ConfirmFields>>;
  };
};

type AnyProduct = PoolProduct<PoolRecord, 'fund'>;
type AnyDeclaration = FundDeclaration<PoolRecord, z.ZodRawShape, z.ZodRawShape>;

const buildOf = (product: AnyProduct, declared: AnyDeclaration): AnyOperation => {
  const { noun, route, id, notFound, words, funder, collection } = product;
  const { auth = 'optional' } = declared;
  const preparation = `When the ${funder} has no coin at output index 0, the answer is the preparation form: sign and broadcast that first.`;
  return defineOperation({
    id: `${noun}.funding-info`,
    summary: `Build the transaction that funds a ${words[0]}`,
    description: [declared.description, preparation].filter((text) => text !== undefined).join(' '),
    http: { method: 'GET', path: `${route}/:id/funding-info` },
    auth,
    input: z.object({ id }),
    output: fundingReply(declared.fields),
    errors: [
      notFound,
      ...(auth === 'address' ? ([`not_${funder}`] as const) : VAULT_ERRORS),
      'wrong_state',
      ...OFFER_ERRORS,
    ],
    run: async (input, context) => {
      // Check: who may ask, and that it waits for its funding, also when the chain is asked.
      const { caller, store, network } = context;
      if (auth === 'optional') await product.checkReader(await product.find(store, input.id), caller, store);
      const record = await product.follow(input.id, context);
      if (auth === 'address') product.checkRole(record, funder, caller?.text ?? '');
      product.checkStatus(record, 'fund');

      // Build: the threads, their pools, and the payer's change; or the preparation.
      const together = (await product.fundedTogether?.(record, context)) ?? [record];
      const label = product.label(record);
      return answerFunding(
        {
          label,
          what: together.length === 1 ? label : `${label} and ${together.length - 1} more of its batch`,
          payer: product.party(record, funder),
          members: together.map((one) => product.genesis(one, network)),
          contracts: together.map(product.contractTerms),
          collection: collection.name,
          id: record.id,
          ...(declared.subject === undefined ? {} : { subject: declared.subject(together) }),
          contractAddress: record.contract_address,
          tokenType: product.tokenCategory(record) === null ? 'BCH' : 'FUNGIBLE_TOKEN',
          decimals: record.decimals,
        },
        declared.info(together),
        context,
      );
    },
  });
};

export type FundingClaim<R> = {
  readonly txHash: string;
  /** Takes the transaction into the record and returns it as the chain has it. */
  readonly follow: (transaction: ChainTransaction) => Promise<R>;
  readonly label: (record: R) => string;
  /** What its funding does: `mint its thread with the whole pool from the creator’s coins`. */
  readonly funding: string;
};

/**
 * The record that a transaction funded.
 *
 * Repeating it, or confirming what was followed already, changes nothing.
 *
 * @throws tx_not_indexed, tx_mismatch, chain_unavailable
 */
export const confirmFunding = async <R extends { readonly status: string; readonly tx_hash: string | null }>(
  { txHash, follow, label: labelOf, funding }: FundingClaim<R>,
  context: Pick<Context, 'chain'>,
) => {
  const transaction = await indexedTransaction(txHash, context);
  const record = await follow(transaction);
  const label = labelOf(record);
  if (record.tx_hash !== txHash) {
    const found =
      record.tx_hash === null
        ? `a transaction that does not ${funding}`
        : `a transaction that did not fund it: ${label} was funded by another`;
    throw mismatch(txHash, `the funding of ${label}`, found);
  }
  const confirmations = await confirmationsOf(txHash, context);
  const reply = confirmed(`${label} is funded`, txHash, record.status, confirmations);
  return { record, transaction, reply };
};

const confirmOf = (product: AnyProduct, { confirm, funding }: AnyDeclaration): AnyOperation => {
  const face = { ...confirm, summary: `Confirm the funding of a ${product.words[0]} on chain` };
  return confirmOperation(product, 'funding', face, async ({ id, txHash }, context) => {
    const follow = (found: ChainTransaction) => product.follow(id, context, [found]);
    const claim = { txHash, follow, label: product.label, funding };
    const { record, transaction, reply } = await confirmFunding(claim, context);
    return { ...reply, ...(await confirm?.answer(record, transaction, context)) };
  });
};

/**
 * The operations `<noun>.funding-info` and `<noun>.confirm-funding`, and the whole step `<noun> fund`. The product's
 * moves say from which status: `fund`.
 */
export const defineFunding = <
  R extends PoolRecord,
  Move extends string,
  Fields extends z.ZodRawShape,
  ConfirmFields extends z.ZodRawShape = z.ZodRawShape,
>(
  product: PoolProduct<R, Move | 'fund'>,
  declared: FundDeclaration<R, Fields, ConfirmFields>,
): Action => {
  // What a product declares was checked here; the operations need its types no more.
  const any = product as unknown as AnyProduct;
  const said = declared as unknown as AnyDeclaration;
  return defineAction({
    build: buildOf(any, said),
    confirm: confirmOf(any, said),
    record: declared.finds ?? product.find,
    verb: 'fund',
    summary: declared.step,
  });
};
