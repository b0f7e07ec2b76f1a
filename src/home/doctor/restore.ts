/** `doctor --restore`: a damaged store is made again of its own files, and every record is read anew from the chain. */
import { isTreasuryError, type TreasuryError } from '../../errors.js';
import type { Context } from '../../operation/context.js';
import { damageOf } from '../../record/damaged.js';
import type { StoreReader } from '../../operation/ports/store.js';
import type { Restoration, Surroundings } from '../../operation/ports/surroundings.js';
import { eachRecord, type KnownRecord } from '../../record/known-record.js';
import { mendLog } from '../../record/check-log.js';
import { tellAllUntold } from '../../record/untold.js';
import { isChanged, rebuildRecords } from '../../record/rebuild.js';
import { countText, listText, ok, problem, warning, type Scope, type Finding } from './check.js';

/** A home whose store was made again, and what that came to. */
export type Restored = {
  readonly context: Context;
  readonly surroundings: Surroundings;
  readonly findings: readonly Finding[];
  readonly close: () => Promise<void>;
};

/** Why a record is damaged; null when it is sound. */
export const recordDamage = (
  { deployable, record }: KnownRecord,
  { network }: Pick<Context, 'network'>,
): TreasuryError | null =>
  damageOf(record, (one) => deployable.contract(one, network), deployable.label(record));

const damagedIn = async (
  reader: StoreReader,
  { deployables }: Scope,
  context: Pick<Context, 'network'>,
): Promise<readonly string[]> =>
  (await eachRecord(deployables, reader))
    .filter((known) => recordDamage(known, context) !== null)
    .map(({ deployable, record }) => deployable.label(record));

const lossFindings = ({ lostLines, lostEntries }: Restoration): readonly Finding[] => [
  lostLines === 0
    ? ok('no commit is lost')
    : warning(
        `${countText(lostLines, 'line')} of the journal could not be read: what they said, and is not on chain, is lost`,
        'compare the newest records, notes and contacts with what you remember, and make again what is missing',
      ),
  ...(lostEntries === 0
    ? []
    : [
        warning(
          `${lostEntries === 1 ? '1 entry' : `${lostEntries} entries`} of the event log could not be read: what it told is not told again`,
          'whoever listens to events looks at the records themselves, once: what they say is read anew from the chain',
        ),
      ]),
];

/** Every sound record as the chain has it, before anybody signs anything that rests on it. */
const followFindings = async (scope: Scope, context: Context): Promise<readonly Finding[]> => {
  const known = await eachRecord(scope.deployables, context.store);
  const damaged = known.filter((one) => recordDamage(one, context) !== null);
  const sound = known.filter((one) => !damaged.includes(one)).toReversed();
  const { rebuilt, failures } = await rebuildRecords(sound, context);
  const changed = rebuilt.filter(isChanged).map(({ label }) => label);
  return [
    ok(
      `${countText(rebuilt.length, 'record')} read anew from the chain` +
        (changed.length === 0 ? '; none has changed' : `; changed: ${listText(changed)}`),
    ),
    ...failures.map(({ label, error }) =>
      problem(`${label} cannot be read from the chain: ${error}`, `treasury sync ${label}`),
    ),
    ...damaged.map(({ deployable, record }) =>
      problem(`${deployable.label(record)} is damaged still`, 'put the folder back from a backup'),
    ),
  ];
};

/**
 * Makes the store of a home again when it is damaged, or a record in it is; null when nothing is.
 *
 * @throws chain_unavailable before anything is touched; store_damaged when nothing here is better; and whatever else
 *   keeps the store from being opened
 */
export const restoreHome = async (
  context: Context,
  surroundings: Surroundings,
  scope: Scope,
): Promise<Restored | null> => {
  // Check: what is damaged, and a chain that can be asked.
  const failure = surroundings.failures.store as Error | null;
  const chainFailure = surroundings.failures.chain as Error | null;
  if (failure !== null && !(isTreasuryError(failure) && failure.code === 'store_damaged')) throw failure;
  if (failure === null && (await damagedIn(context.store, scope, context)).length === 0) return null;
  if (chainFailure !== null) throw chainFailure;
  await context.chain.tip();

  // Record: the files, then every record as the chain has it.
  const { restoration, store } = await surroundings.restoreStore((reader) =>
    damagedIn(reader, scope, context),
  );
  const restored = { ...context, store };
  const { kept, source, replayed } = restoration;
  const findings = [
    ok(`the store is made again of ${source} and ${countText(replayed, 'commit')} since it`),
    ok(`the files that were there are kept: ${listText(kept)}`),
    ...lossFindings(restoration),
    ...(await followFindings(scope, restored)),
  ];
  // Of what is lost and is not on chain the log has told.
  await mendLog(restored);
  await tellAllUntold(restored, scope.deployables);
  return {
    context: restored,
    surroundings: { ...surroundings, failures: { ...surroundings.failures, store: null } },
    findings,
    close: store.close,
  };
};
