/** A collection for the tests of the store: notes with an amount that JSON cannot carry, and indexes of every sort. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { ExecutionContext } from 'ava';
import { z } from 'zod';
import {
  openJsonStore,
  type JsonStore,
  type JsonStoreOptions,
} from '../../../src/adapters/store/json-store.js';
import { defineCollection } from '../../../src/operation/ports/store.js';

const Satoshis = z.codec(z.string().regex(/^\d+$/), z.bigint(), { decode: BigInt, encode: String });

export const notes = defineCollection({
  name: 'notes',
  schema: z.object({
    id: z.string(),
    status: z.enum(['OPEN', 'DONE']),
    amount: Satoshis,
    owner: z.string().optional(),
    tags: z.array(z.string()).default([]),
    label: z.string().optional(),
  }),
  indexes: {
    status: ({ status }) => status,
    owner: ({ owner }) => owner ?? null,
    tag: ({ tags }) => tags,
    label: ({ label }) => label ?? null,
  },
  unique: ['label'],
  many: ['tag'],
});

export type Note = z.output<(typeof notes)['schema']>;

/** A note with what a test does not care about filled in. */
export const note = (id: string, fields: Partial<Note> = {}): Note => ({
  id,
  status: 'OPEN',
  amount: 1n,
  tags: [],
  ...fields,
});

/** A folder that goes when the test is over. */
export const makeFolder = (t: ExecutionContext): string => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'treasury-'));
  t.teardown(() => {
    fs.rmSync(folder, { recursive: true, force: true });
  });
  return folder;
};

/** The store of a folder, closed when the test is over. */
export const openNotes = async (
  t: ExecutionContext,
  folder: string,
  options: Partial<JsonStoreOptions> = {},
): Promise<JsonStore> => {
  const store = await openJsonStore({ folder, collections: [notes], ...options });
  t.teardown(() => store.close());
  return store;
};

/** Ids of a query's page, in its order. */
export const idsOf = ({ items }: { readonly items: readonly { readonly id: string }[] }): string[] =>
  items.map(({ id }) => id);
