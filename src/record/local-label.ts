/**
 * Labels of records that began without one: vaults and proposals. Records of an earlier version, and those that come from
 * another home, get theirs when they are first read, and keep it.
 */
import { z } from 'zod';
import type { Collection, RecordSchema, StorePort, StoreWriter } from '../operation/ports/store.js';
import { noting } from '../storage-failure.js';
import { nextLabel } from './labels.js';

/** The label of a record that may have none yet: of an earlier version, or from another home, where it had another one. */
export const LocalLabel = z
  .string()
  .nullable()
  .default(null)
  .describe('Label, such as #VAULT-0001; of this home');

/** What a record with a {@link LocalLabel} is found by. */
export const labelIndexes = {
  label: ({ label }: LocallyLabelled) => label,
  unlabelled: ({ label }: LocallyLabelled) => (label === null ? 'yes' : null),
};

type LocallyLabelled = { readonly label: string | null };
type Labelled = LocallyLabelled & { readonly id: string; readonly created_at: number };
type LabelledCollection<R extends Labelled> = Collection<RecordSchema & z.ZodType<R>, 'label' | 'unlabelled'>;

const isUnlabelled = { where: { unlabelled: 'yes' } } as const;

/**
 * Gives the records of a kind that have no label the next ones, the oldest first. Whoever makes a new record does that
 * before, so that labels follow the order in which records were made.
 */
export const giveLabels = async <R extends Labelled>(
  writer: StoreWriter,
  collection: LabelledCollection<R>,
  kind: string,
): Promise<void> => {
  const { items } = await writer.find(collection, isUnlabelled);
  const byAge = [...items].sort((a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1));
  for (const record of byAge) writer.put(collection, { ...record, label: await nextLabel(writer, kind) });
};

/** {@link giveLabels} where there is one without a label. On a disk that refuses it stays without. */
export const ensureLabels = async <R extends Labelled>(
  store: StorePort,
  collection: LabelledCollection<R>,
  kind: string,
): Promise<void> => {
  if ((await store.find(collection, { ...isUnlabelled, limit: 1, isCounted: false })).items.length === 0)
    return;
  await noting(store.transaction((writer) => giveLabels(writer, collection, kind)));
};
