/** All checks of the doctor, run side by side. */
import { NETWORKS } from '../../bch/network.js';
import type { Context } from '../../operation/context.js';
import type { Surroundings } from '../../operation/ports/surroundings.js';
import type { Check, Need, Subject, Scope } from './check.js';
import { events } from './events.js';
import { ok, problemOf, warning, type Finding } from './finding.js';
import { home } from './home.js';
import { keys, pins } from './keys.js';
import { knownSettings } from './known-settings.js';
import { permissions } from './permissions.js';
import { records } from './records.js';
import { embeddedChain, servers } from './servers.js';
import { steps } from './steps.js';
import { store } from './store.js';
import { machineClock, tipAge } from './time.js';
import { timeWitness } from './time-witness.js';

/** A finding under the name of its check. */
export type NamedFinding = Finding & { readonly check: string };

/** What the doctor found. */
export type Examination = {
  readonly findings: readonly NamedFinding[];
  /** False when there are servers to be asked, and none lets the chain be read or has a node that answers. */
  readonly isChainReached: boolean;
};

const AGAIN = 'mend that first, then run `treasury doctor` again';

/** Why each need is not met. */
const UNMET: Readonly<Record<Need, string>> = {
  folder: 'this home is not set up',
  store: 'the store cannot be opened',
  chain: 'the chain cannot be reached',
};

/** The checks in the order in which they are shown. */
const checksFor = (network: Context['network']): readonly Check[] => [
  home,
  permissions,
  store,
  keys,
  pins,
  NETWORKS[network].servedBy === 'embedded' ? embeddedChain : servers,
  tipAge,
  machineClock,
  timeWitness,
  records,
  steps,
  events,
  knownSettings,
];

const isMet = (need: Need, { surroundings, chainFailure }: Subject): boolean => {
  if (need === 'folder') return surroundings.home.isFolderThere;
  return need === 'store' ? surroundings.failures.store === null : chainFailure === null;
};

const perform = async (check: Check, subject: Subject, isQuick: boolean): Promise<readonly Finding[]> => {
  const unmet = check.needs.find((need) => !isMet(need, subject));
  // The keys are looked at in two checks: of them, one says that there is nothing to look at.
  if (unmet !== undefined)
    return check === pins ? [] : [warning(`not looked at, since ${UNMET[unmet]}`, AGAIN)];
  if (isQuick && check.isSlow === true) return [ok('not looked at, to be quick')];
  try {
    return await check.look(subject);
  } catch (error) {
    return [problemOf(error)];
  }
};

/** What the chain throws; null when it answers. */
const chainFailureOf = async ({ chain }: Context, { failures }: Surroundings): Promise<unknown> => {
  if (failures.chain !== null) return failures.chain;
  try {
    await chain.tip();
    return null;
  } catch (error) {
    return error;
  }
};

/** True when the node behind the servers answers too: without it nothing can be sent. */
const isNodeAnswering = ({ chain }: Context): Promise<boolean> =>
  chain.askNode().then(
    () => true,
    () => false,
  );

/** Looks at everything. Never throws: a check that does is a problem of its own. */
export const examine = async (
  context: Context,
  surroundings: Surroundings,
  scope: Scope,
  isQuick: boolean,
): Promise<Examination> => {
  const chainFailure = await chainFailureOf(context, surroundings);
  const isReached = chainFailure === null && (await isNodeAnswering(context));
  const subject: Subject = { context, surroundings, scope, chainFailure };
  const found = await Promise.all(
    checksFor(context.network).map(async (check) =>
      (await perform(check, subject, isQuick)).map((finding) => ({ check: check.name, ...finding })),
    ),
  );
  return {
    findings: found.flat(),
    isChainReached: isReached || NETWORKS[context.network].servedBy === 'embedded',
  };
};
