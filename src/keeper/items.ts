/** One thing that a rule may do: now, or at a moment that is known. */
import type { TaskName } from './tasks.js';

export type Item = {
  readonly task: TaskName;
  /** What its record is called. */
  readonly label: string;
  /** Of the operation that builds it, raw. */
  readonly input: Readonly<Record<string, unknown>>;
  /** As far as it is known before it is built, smallest unit; null: it is about no amount, or not known. */
  readonly amount: { readonly category: string | null; readonly units: bigint } | null;
  /** Unix seconds of chain time; null: now. */
  readonly at: number | null;
  /** Of a push: the cash address of the record's recipient, who alone is paid. */
  readonly recipient?: string;
  /** Of a vault's spend: the vault, by which its rule names it. */
  readonly group?: string;
};

/** What an item is remembered under: its back-off, and its acts. */
export const itemKey = ({ task, label }: Pick<Item, 'task' | 'label'>, wallet: string): string =>
  `${task} ${label} ${wallet}`;

/**
 * What brings most first: anybody can make things that bring a little, and the fees of a day must not be used up by them.
 * Tokens come first, since their rule names them.
 */
export const byWorth = (one: Item, other: Item): number => {
  const [mine, yours] = [one.amount, other.amount];
  const isBch = (item: Item): boolean => item.amount?.category == null;
  if (isBch(one) !== isBch(other)) return isBch(one) ? 1 : -1;
  return isBch(one) ? Number((yours?.units ?? 0n) - (mine?.units ?? 0n)) : 0;
};
