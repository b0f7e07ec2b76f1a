/**
 * A reply in the words of the command line, for whoever draws it elsewhere: with `x-treasury-view: blocks` an answer has `view` beside
 * its data.
 */
import { toColumn } from '../operation/columns.js';
import type { AnyOperation, View, ViewBlock } from '../operation/define.js';
import type { Reply } from '../operation/execute.js';
import type { StoreReader } from '../operation/ports/store.js';
import { nameTokens } from '../record/name-tokens.js';
import type { FaceRequest } from './exchange.js';

const HEADER = 'x-treasury-view';

/** Blocks as JSON holds them: columns whole, and no drawing, which is a function. */
const toJson = (block: ViewBlock): readonly ViewBlock[] => {
  if (block.kind === 'drawing') return [];
  return [block.kind === 'table' ? { ...block, head: block.head.map(toColumn) } : block];
};

/** The reply, with its view where it is asked for and the operation brings one. */
export const withView = async (
  reply: Reply,
  { view }: AnyOperation,
  { headers }: Pick<FaceRequest, 'headers'>,
  store: StoreReader,
): Promise<Reply> => {
  if (headers[HEADER] !== 'blocks' || view === undefined) return reply;
  const blocks: View = await nameTokens(view(reply), store);
  return { ...reply, view: blocks.flatMap(toJson) };
};
