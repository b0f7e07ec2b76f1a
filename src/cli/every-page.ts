/** `list --all`: every page of a list as one, with what it usually leaves out. */
import { inputSchema } from '../operation/coerce.js';
import type { AnyOperation } from '../operation/define.js';
import type { Reply } from '../operation/execute.js';
import { MAXIMUM_LIMIT } from '../operation/paging.js';

/** Switches by which a list shows what it usually leaves out. */
const isMore = (name: string): boolean => name.startsWith('show');

const merge = (pages: readonly Reply[]): Reply => {
  const [first = {}, ...others] = pages;
  const lists = Object.keys(first).filter((name) => name !== 'warnings' && Array.isArray(first[name]));
  const whole = Object.fromEntries(
    lists.map((name) => [name, [first, ...others].flatMap((page) => page[name] as readonly unknown[])]),
  );
  const total = Number(first['total']);
  return { ...first, ...whole, page: 1, limit: total, totalPages: 1, hasNextPage: false };
};

/** Asks page by page; what comes between two pages may move an element from one to the next, and is then there twice. */
export const everyPage = async (
  ask: (more: Readonly<Record<string, unknown>>) => Promise<Reply>,
  operation: AnyOperation,
): Promise<Reply> => {
  const names = Object.keys(inputSchema(operation).properties);
  const shown = Object.fromEntries(names.filter(isMore).map((name) => [name, true]));
  // Whatever else takes `--all` has no pages.
  if (!names.includes('page')) return ask(shown);
  const pages: Reply[] = [];
  for (let page = 1; ; page += 1) {
    const reply = await ask({ ...shown, page, limit: MAXIMUM_LIMIT });
    pages.push(reply);
    if (reply['hasNextPage'] !== true) return merge(pages);
  }
};
