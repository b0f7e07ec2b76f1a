/** Creating a record: its label, the covenant of its terms, its first event, and the answer, in one commit. */
import { z } from 'zod';
import { displayNumber } from '../bch/amount.js';
import type { Context } from '../operation/context.js';
import { commitAnswer } from '../operation/commit-answer.js';
import type { Awaitable, StoreReader, StoreWriter } from '../operation/ports/store.js';
import type { PoolProduct, PoolRecord } from '../record/covenant-product.js';
import { writeNote, type EventSubject } from '../record/events.js';
import { nextLabel } from '../record/labels.js';

/** A record without its label, and what its first event tells: an amount in the smallest unit. */
type Drafted<R> = { readonly draft: R; readonly amount: bigint };

/** Writes a new record down, with its label, its first event and the rows of that; returns it as it stands. */
export const writeCreated = async <R extends PoolRecord, Move extends string>(
  product: PoolProduct<R, Move>,
  { draft, amount }: Drafted<R>,
  writer: StoreWriter,
  at: Pick<EventSubject, 'network' | 'price' | 'now'>,
): Promise<R> => {
  const record: R = { ...draft, [product.labelField]: await nextLabel(writer, product.labelKind) };
  writer.put(product.collection, record);
  const { entityType, funder, party, rows } = product;
  const about = { entityType, entityId: record.id, decimals: record.decimals };
  const subject = { ...about, topic: product.topic(record) };
  const note = { type: 'created' as const, actor: party(record, funder).text, amount };
  const event = await writeNote(writer, { ...subject, ...at }, note);
  for (const { collection, of } of rows) for (const row of of(record, event)) writer.put(collection, row);
  return record;
};

/**
 * Keeps a drafted record at the address of its covenant, and answers for it.
 *
 * @throws as `transaction` of the store
 */
export const createRecord = async <
  R extends PoolRecord,
  Move extends string,
  Answer extends Readonly<Record<string, unknown>>,
>(
  product: PoolProduct<R, Move>,
  { draft, amount }: Drafted<R>,
  answer: (record: R, store: StoreReader) => Awaitable<Answer>,
  context: Context,
): Promise<Answer> => {
  // Build: the covenant of these terms.
  const { address, constructorParams } = product.contract(draft, context.network);
  const addressed: R = {
    ...draft,
    contract_address: address.text,
    constructor_params: [...constructorParams],
  };
  const { network, clock } = context;
  const at = { network, price: await context.price.reading(), now: clock.now() };

  // Record: it and its first event, with the answer.
  const make = (writer: StoreWriter) => writeCreated(product, { draft: addressed, amount }, writer, at);
  return commitAnswer(context, make, answer);
};

/** What funding a record takes, for a payer who builds it elsewhere. */
export const FundingRequired = z.object({
  toAddress: z.string().describe('The contract address'),
  toTokenAddress: z.string().describe('Its token-aware form'),
  amount: z.number(),
  amountOnChain: z.string(),
  tokenType: z.string(),
  withNFT: z.object({ commitment: z.string(), capability: z.literal('mutable') }),
});

/** For the schema, see {@link FundingRequired}. */
export const fundingRequired = <R extends PoolRecord>(
  product: PoolProduct<R>,
  record: R,
  { network }: Pick<Context, 'network'>,
): z.output<typeof FundingRequired> => {
  const { address } = product.contract(record, network);
  const { commitment, pool } = product.genesis(record, network);
  return {
    toAddress: address.text,
    toTokenAddress: address.tokenText,
    amount: displayNumber(pool, record.decimals),
    amountOnChain: pool.toString(),
    tokenType: product.tokenCategory(record) === null ? 'BCH' : 'FUNGIBLE_TOKEN',
    withNFT: { commitment, capability: 'mutable' },
  };
};
