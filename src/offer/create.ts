/** Creating a record: its label, the covenant of its terms, its first event, and the answer, in one commit. */
import { z } from 'zod';
import { displayNumber } from '../bch/amount.js';
import type { Context } from '../operation/context.js';
import { commitAnswer } from '../operation/commit-answer.js';
import type { Awaitable, StoreReader, StoreWriter } from '../operation/ports/store.js';
import type { PoolProduct, PoolRecord } from '../record/covenant-product.js';
import { writeNote } from '../record/events.js';
import { nextLabel } from '../record/labels.js';

/**
 * Keeps a drafted record, and answers for it.
 *
 * @param draft the record without its label and its address
 * @param amount what its first event tells, smallest unit
 * @throws as `transaction` of the store
 */
export const createRecord = async <R extends PoolRecord, Answer extends Readonly<Record<string, unknown>>>(
  product: PoolProduct<R>,
  { draft, amount }: { readonly draft: R; readonly amount: bigint },
  answer: (record: R, store: StoreReader) => Awaitable<Answer>,
  context: Context,
): Promise<Answer> => {
  // Build: the covenant of these terms.
  const { network, clock } = context;
  const contract = product.contract(draft, network);
  const price = await context.price.reading();

  // Record: it and its first event, with the answer.
  const make = async (writer: StoreWriter): Promise<R> => {
    const record: R = {
      ...draft,
      [product.labelField]: await nextLabel(writer, product.labelKind),
      contract_address: contract.address.text,
      constructor_params: [...contract.constructorParams],
    };
    writer.put(product.collection, record);
    const subject = {
      entityType: product.entityType,
      entityId: record.id,
      decimals: product.decimals(record),
    };
    const actor = product.party(record, product.funder).text;
    writeNote(writer, { ...subject, network, price, now: clock.now() }, { type: 'created', actor, amount });
    return record;
  };
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
    amount: displayNumber(pool, product.decimals(record)),
    amountOnChain: pool.toString(),
    tokenType: product.tokenCategory(record) === null ? 'BCH' : 'FUNGIBLE_TOKEN',
    withNFT: { commitment, capability: 'mutable' },
  };
};
