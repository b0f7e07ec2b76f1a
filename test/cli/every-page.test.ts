/** `--all`: page by page where there are pages. */
import test from 'ava';
import { z } from 'zod';
import { everyPage } from '../../src/cli/every-page.js';
import { defineOperation } from '../../src/operation/define.js';

const operationOf = (input: z.ZodObject) =>
  defineOperation({
    id: 'things.list',
    summary: 'Things',
    auth: 'none',
    input,
    output: z.object({}),
    errors: [],
    run: () => Promise.resolve({}),
  });

/** Asks for everything; what it asked for and what came of it. */
const askAll = async (input: z.ZodObject, replies: readonly Record<string, unknown>[]) => {
  const asked: unknown[] = [];
  const reply = await everyPage((more) => {
    asked.push(more);
    return Promise.resolve(replies[asked.length - 1] ?? {});
  }, operationOf(input));
  return { asked, reply };
};

test('--all › given an operation without pages › it is asked once, for no page, and its reply stands as it is', async (t) => {
  const { asked, reply } = await askAll(z.object({ all: z.boolean().default(false) }), [{ records: [1] }]);
  t.deepEqual(asked, [{}]);
  t.deepEqual(reply, { records: [1] });
});

test('--all › given a list of two pages › both are asked for, with what is usually left out', async (t) => {
  const input = z.object({ page: z.int().default(1), limit: z.int().default(5), showEnded: z.boolean() });
  const { asked, reply } = await askAll(input, [
    { things: [1, 2], total: 3, hasNextPage: true },
    { things: [3], total: 3, hasNextPage: false },
  ]);
  t.like(asked, [
    { page: 1, showEnded: true },
    { page: 2, showEnded: true },
  ]);
  t.like(reply, { things: [1, 2, 3], total: 3, hasNextPage: false });
});
