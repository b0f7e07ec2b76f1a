/** Exports for other programs. They receive the covenant products as a list, and import none of them. */
import type { Offer } from '../../operation/define.js';
import type { Deployable } from '../../record/deployable.js';
import { defineLedger } from './ledger.js';

/** The exports over the covenant products. */
export const exportsOf = (deployables: readonly Deployable[]): { readonly operations: readonly Offer[] } => ({
  operations: [defineLedger(deployables)],
});
