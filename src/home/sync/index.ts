/** Records read anew from the chain. It receives the covenant products as a list, and imports none of them. */
import type { Offer } from '../../operation/define.js';
import type { Deployable } from '../../record/deployable.js';
import { defineSync } from './sync.js';

/** The one operation over the covenant products. */
export const syncOf = (deployables: readonly Deployable[]): { readonly operations: readonly Offer[] } => ({
  operations: [defineSync(deployables)],
});
