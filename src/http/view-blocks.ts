/**
 * An answer in the words of the command line, for whoever draws it elsewhere: with `x-treasury-view: blocks` it has `view` beside
 * its data. It is made of the answer alone, and of the symbols that the registry has for its tokens.
 */
import type { Address } from '../bch/address.js';
import { cut, TreasuryError } from '../errors.js';
import { summariseStep } from '../offer/step-summary.js';
import { toColumn } from '../operation/columns.js';
import type { Context } from '../operation/context.js';
import type { AnyOperation, View, ViewBlock } from '../operation/define.js';
import type { Reply } from '../operation/execute.js';
import { nameTokens } from '../record/name-tokens.js';
import type { Answer, FaceRequest } from './exchange.js';

/** The header that asks for it. */
export const VIEW_HEADER = 'x-treasury-view';
const BLOCKS = 'blocks';

/** Blocks as JSON holds them: columns whole, and no drawing, which is a function. */
const toJson = (block: ViewBlock): readonly ViewBlock[] => {
  if (block.kind === 'drawing') return [];
  return [block.kind === 'table' ? { ...block, head: block.head.map(toColumn) } : block];
};

/** True where a request asks for blocks. @throws invalid_request where it asks for what there is not */
export const wantsBlocks = ({ headers }: Pick<FaceRequest, 'headers'>): boolean => {
  const asked = headers[VIEW_HEADER];
  if (asked !== undefined && asked !== BLOCKS)
    throw new TreasuryError('invalid_request', {
      reason: `its header ${VIEW_HEADER} is "${cut(String(asked))}": expected ${BLOCKS}, or no such header`,
    });
  return asked === BLOCKS;
};

/** What a reply hands out to be signed: the transaction, or the one that has to come before it; null: nothing. */
const handedOut = ({ wcTransaction, preparationTransaction }: Reply): unknown =>
  wcTransaction ?? preparationTransaction ?? null;

/** For whom an answer is shown. */
type Viewing = Pick<Context, 'network' | 'store' | 'log'> & { readonly caller: Address | null };

/** What signing it means, as the terminal shows it; without the names that the operator has for people. */
const viewOfStep = (transaction: unknown, reply: Reply, viewing: Viewing): Promise<View> =>
  summariseStep(transaction, reply, { ...viewing, nameOf: () => Promise.resolve(null) });

/**
 * The answer with its view: the operation's own, and that of what is to be signed. What was done stays done when it cannot
 * be drawn: then it has none.
 */
export const withView = async (
  answer: Answer,
  { id, view }: AnyOperation,
  viewing: Viewing,
): Promise<Answer> => {
  const { body } = answer;
  const transaction = handedOut(body);
  if (view === undefined && transaction === null) return answer;
  try {
    const own: View = view === undefined ? [] : await nameTokens(view(body), viewing.store);
    const step: View = transaction === null ? [] : await viewOfStep(transaction, body, viewing);
    return { ...answer, body: { ...body, view: [...own, ...step].flatMap(toJson) } };
  } catch (error) {
    viewing.log.error({ err: error, operation: id }, 'an answer could not be shown in blocks');
    return answer;
  }
};
