/**
 * A reply in the words of the command line, for whoever draws it elsewhere: with `x-treasury-view: blocks` an answer has `view` beside
 * its data.
 */
import type { Address } from '../bch/address.js';
import { summariseStep } from '../offer/step-summary.js';
import { toColumn } from '../operation/columns.js';
import type { Context } from '../operation/context.js';
import type { AnyOperation, View, ViewBlock } from '../operation/define.js';
import type { Reply } from '../operation/execute.js';
import { nameTokens } from '../record/name-tokens.js';
import type { FaceRequest } from './exchange.js';

const HEADER = 'x-treasury-view';

/** Blocks as JSON holds them: columns whole, and no drawing, which is a function. */
const toJson = (block: ViewBlock): readonly ViewBlock[] => {
  if (block.kind === 'drawing') return [];
  return [block.kind === 'table' ? { ...block, head: block.head.map(toColumn) } : block];
};

/** What a reply hands out to be signed: the transaction, or the one that has to come before it; null: nothing. */
const handedOut = ({ wcTransaction, preparationTransaction }: Reply): unknown =>
  wcTransaction ?? preparationTransaction ?? null;

/** What signing it means, as the terminal shows it; without the names that the operator has for people. */
const viewOfStep = (transaction: unknown, reply: Reply, context: Viewing): Promise<View> =>
  summariseStep(transaction, reply, { ...context, nameOf: () => Promise.resolve(null) });

type Viewing = Pick<Context, 'network' | 'store'> & { readonly caller: Address | null };

/** The reply, with its view where that is asked for: the operation's own, or that of what is to be signed. */
export const withView = async (
  reply: Reply,
  { view }: AnyOperation,
  { headers }: Pick<FaceRequest, 'headers'>,
  context: Viewing,
): Promise<Reply> => {
  if (headers[HEADER] !== 'blocks') return reply;
  const transaction = handedOut(reply);
  if (view === undefined && transaction === null) return reply;
  const own: View = view === undefined ? [] : await nameTokens(view(reply), context.store);
  const step: View = transaction === null ? [] : await viewOfStep(transaction, reply, context);
  return { ...reply, view: [...own, ...step].flatMap(toJson) };
};
