/** Labels: what people call a record. `#REWARD-0001`, counted in the store, accepted in any case and without `#`. */
import type { StoreWriter } from './ports/store.js';

export type LabelKind = 'REWARD' | 'BUDGET' | 'STREAM' | 'PAY' | 'SPEND';

/** The next label of a kind. */
export const nextLabel = (writer: StoreWriter, kind: LabelKind): string =>
  `#${kind}-${String(writer.next(`label-${kind}`)).padStart(4, '0')}`;

/** A label as it is written on records. */
export const normaliseLabel = (text: string): string => `#${text.trim().replace(/^#/, '').toUpperCase()}`;

/** A label as a shell takes it: without the `#` that would begin a comment. */
export const shellLabel = (label: string): string => label.replace(/^#/, '');
