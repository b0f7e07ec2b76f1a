/** What is read from a view's facts: figures in the words that the daemon has for them. */
import type { Unit } from '../amounts.js';
import type { Block, Reply } from '../replies.js';

/** The value of a fact, by what it is called; undefined: the view has none of it. */
export const factOf = (blocks: readonly Block[], label: string): string | undefined =>
  blocks.flatMap((block) => (block.kind === 'facts' ? block.rows : [])).find(([name]) => name === label)?.[1];

/** The amount that a fact begins with: `0.05 BCH` of `0.05 BCH for 1 of 1 due`. */
export const amountOf = (fact: string): string => fact.split(' ').slice(0, 2).join(' ');

/** The asset of a record, as most answers have it. */
export type HasAsset = { readonly token_category: string | null; readonly decimals: number };

/**
 * What amounts of a record are in, and what the daemon calls that.
 *
 * @param fact what a fact is called that begins with an amount
 */
export const assetOf = (
  { view = [] }: Pick<Reply, 'view'>,
  { token_category: category, decimals }: HasAsset,
  fact: string,
): Unit & { readonly symbol: string } => ({
  category,
  decimals,
  symbol: (factOf(view, fact) ?? '').split(' ')[1] ?? '',
});
