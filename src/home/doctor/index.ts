/** The doctor. It receives the products, the collections and the commands as lists, and imports none of them. */
import type { Offer } from '../../operation/define.js';
import type { Scope } from './check.js';
import { defineDoctor } from './doctor.js';

/** The doctor of a scope. */
export const doctorOf = (scope: Scope): { readonly operations: readonly Offer[] } => ({
  operations: [defineDoctor(scope)],
});
