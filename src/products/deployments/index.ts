/** The deployment registry: it receives the covenant products as a list, and imports none of them. */
import type { Offer } from '../../operation/define.js';
import type { Registered } from './deployments.js';
import { defineExport } from './operations/export.js';
import { defineImport } from './operations/import.js';
import { defineList } from './operations/list.js';
import { defineVerify, defineVerifyRoute } from './operations/verify.js';

export type { Registered } from './deployments.js';
export { DeploymentsFile, storeOfFile } from './file.js';

/** The operations of the registry over the covenant products, in README order. */
export const registryOf = (registered: Registered): { readonly operations: readonly Offer[] } => ({
  operations: [
    defineList(registered),
    defineVerify(registered),
    defineVerifyRoute(registered),
    defineExport(registered),
    defineImport(registered),
  ],
});
