/**
 * An answer in the words of the command line, for whoever draws it elsewhere: with `x-treasury-view: blocks` it has `view` beside
 * its data. It is made of the answer alone, and of the symbols that the registry has for its tokens.
 */
import { cut, TreasuryError } from '../errors.js';
import { toColumn } from '../operation/columns.js';
import type { Log } from '../operation/context.js';
import type { AnyOperation, ViewBlock } from '../operation/define.js';
import type { StoreReader } from '../operation/ports/store.js';
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

/** The answer with its view, where the operation brings one. What was done stays done when it cannot be drawn: then it has none. */
export const withView = async (
  answer: Answer,
  { id, view }: AnyOperation,
  { store, log }: { readonly store: StoreReader; readonly log: Log },
): Promise<Answer> => {
  if (view === undefined) return answer;
  try {
    const blocks = await nameTokens(view(answer.body), store);
    return { ...answer, body: { ...answer.body, view: blocks.flatMap(toJson) } };
  } catch (error) {
    log.error({ err: error, operation: id }, 'an answer could not be shown in blocks');
    return answer;
  }
};
