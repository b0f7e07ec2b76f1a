/** What a check of the doctor is. Each is run by itself: one that throws stops no other. */
import type { Context } from '../../operation/context.js';
import type { Action } from '../../operation/define.js';
import type { Deployable } from '../../record/deployable.js';
import type { Collection } from '../../operation/ports/store.js';
import type { Surroundings } from '../../operation/ports/surroundings.js';
import type { Finding } from './finding.js';

/** What the doctor is made for. */
export type Scope = {
  readonly deployables: readonly Deployable[];
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly collections: readonly Collection<any>[];
  /** Every whole step of the command line, with its noun. */
  readonly actions: readonly (Action & { readonly noun: string })[];
};

/** What a check looks at. */
export type Subject = {
  readonly context: Context;
  readonly surroundings: Surroundings;
  readonly scope: Scope;
  /** Why the chain does not answer; null when it does. */
  readonly chainFailure: unknown;
};

/** What a check needs before it can look. */
export type Need = 'folder' | 'store' | 'chain';

export type Check = {
  readonly name: string;
  readonly needs: readonly Need[];
  /** True: left out when the doctor is to be quick. */
  readonly isSlow?: boolean;
  readonly look: (subject: Subject) => Promise<readonly Finding[]> | readonly Finding[];
};
