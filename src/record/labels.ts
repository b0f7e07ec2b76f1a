/** Labels: what people call a record. `#REWARD-0001`, counted in the store, accepted in any case and without `#`. */
import type { StoreWriter } from '../operation/ports/store.js';

const counterOf = (kind: string): string => `label-${kind}`;

/** The next label of a kind: of `REWARD`, say. */
export const nextLabel = async (writer: StoreWriter, kind: string): Promise<string> =>
  `#${kind}-${String(await writer.next(counterOf(kind))).padStart(4, '0')}`;

/** What labels of a store begin with: each product says its own. */
export type LabelKinds = ReadonlySet<string>;

/** A label's kind and number; null for a name that is not counted, such as a vault's. */
const readLabel = (label: string, kinds: LabelKinds): readonly [kind: string, number: number] | null => {
  const [, kind = '', digits] = /^#([A-Z]+)-(\d{4,12})$/.exec(label) ?? [];
  return kinds.has(kind) ? [kind, Number(digits)] : null;
};

/** True for a label that was counted, which names one record. */
export const isCounted = (label: string, kinds: LabelKinds): boolean => readLabel(label, kinds) !== null;

/** Moves the counters on, so that no new label is one of these. */
export const passLabels = async (
  writer: StoreWriter,
  labels: readonly string[],
  kinds: LabelKinds,
): Promise<void> => {
  const highest = new Map<string, number>();
  for (const [kind, number] of labels
    .map((label) => readLabel(label, kinds))
    .filter((label) => label !== null)) {
    if (number > (highest.get(kind) ?? 0)) highest.set(kind, number);
  }
  for (const [kind, number] of highest) await writer.next(counterOf(kind), number);
};

/** A label as it is written on records. */
export const normaliseLabel = (text: string): string => `#${text.trim().replace(/^#/, '').toUpperCase()}`;

/** A label as a shell takes it: without the `#` that would begin a comment. */
export const shellLabel = (label: string): string => label.replace(/^#/, '');
