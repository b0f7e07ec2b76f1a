/** Records that disagree with the chain. Each is followed as a copy: nothing is written. */
import { isTreasuryError, messageOf } from '../../errors.js';
import { compareWithChain } from '../../covenant/compare.js';
import type { Context } from '../../operation/context.js';
import type { CovenantRecord } from '../../record/deployable.js';
import { eachRecord, type KnownRecord } from '../../record/known-record.js';
import { atOnce } from '../../operation/at-once.js';
import { tellUnexpected, unexpectedFunding } from '../../offer/unexpected-funding.js';
import { ok, problem, shellWord, warning, type Check, type Finding } from './check.js';
import { recordDamage } from './restore.js';

/** Records that are followed at once: what is asked for in one turn is one request. */
const AT_ONCE = 100;

/** True for a covenant that lives in a thread: what else there is (a vote) keeps its own account of the chain. */
const hasThread = async ({ deployable, record }: KnownRecord, context: Context): Promise<boolean> => {
  try {
    return (await deployable.genesis(record, context)).length > 0;
  } catch {
    // Terms of which no genesis can be made: following it says why.
    return true;
  }
};

/** Unexpected funding told in full for one record; the rest is in `show`. */
const MAXIMUM_TOLD = 5;

/**
 * Money at a record's address that it does not follow: a warning each. Anybody can send some there, so it is no defect
 * of the record.
 *
 * @param present the record as the chain has it now
 * @throws chain_unavailable
 */
const unexpectedFindings = async (
  { deployable }: KnownRecord,
  present: CovenantRecord,
  context: Context,
): Promise<readonly Finding[]> => {
  const found = await unexpectedFunding(deployable, present, context);
  const label = deployable.label(present);
  const verb = found.some(({ recoverable }) => recoverable) ? 'recover' : 'show';
  const more = found.length > MAXIMUM_TOLD ? [`and ${found.length - MAXIMUM_TOLD} more`] : [];
  return [...found.slice(0, MAXIMUM_TOLD).map(tellUnexpected), ...more].map((text) =>
    warning(
      `unexpected_funding at ${label}: ${text}`,
      `treasury ${deployable.module} ${verb} ${shellWord(label)}`,
    ),
  );
};

/** What the doctor has to say of a record. */
type Looked = {
  /** What is wrong with it; null when nothing is. */
  readonly complaint: Finding | null;
  readonly unexpected: readonly Finding[];
};

/** @throws chain_unavailable */
const lookAt = async (known: KnownRecord, context: Context): Promise<Looked> => {
  const { deployable, record } = known;
  const label = deployable.label(record);
  const advice = `treasury sync ${shellWord(label)}`;
  const damage = recordDamage(known, context);
  if (damage !== null)
    return { complaint: problem(damage.message, 'treasury doctor --restore'), unexpected: [] };
  try {
    const { followed } = deployable.following(context);
    const { present, differing, behind } = await compareWithChain(record, followed, context.chain);
    const unexpected = await unexpectedFindings(known, present, context);
    if (differing.length > 0) {
      const detail = `${label} is not what the chain makes of it: it differs in ${differing.join(', ')}`;
      return { complaint: problem(detail, advice), unexpected };
    }
    const isBehind = behind.length > 0;
    const detail = `${label} is behind the chain in ${behind.join(', ')}`;
    return { complaint: isBehind ? warning(detail, advice) : null, unexpected };
  } catch (error) {
    if (isTreasuryError(error) && AWAY.includes(error.code)) throw error;
    const detail = `the chain's moves of ${label} cannot be read: ${messageOf(error)}`;
    return { complaint: problem(detail, advice), unexpected: [] };
  }
};

/** Codes that say nothing of a record. */
const AWAY: readonly string[] = ['chain_unavailable', 'server_disagrees'];

export const records: Check = {
  name: 'records',
  needs: ['folder', 'store', 'chain'],
  isSlow: true,
  look: async ({ context, scope }) => {
    const all = await eachRecord(scope.deployables, context.store);
    const threaded = await Promise.all(all.map((one) => hasThread(one, context)));
    const known = all.filter((_, index) => threaded[index]);
    const looked = await atOnce(AT_ONCE, known, (one) => lookAt(one, context));
    const complaints = looked.flatMap(({ complaint }) => (complaint === null ? [] : [complaint]));
    const agreeing = known.length - complaints.length;
    return [
      ok(`${agreeing} of ${known.length} records agree with the chain`),
      ...complaints,
      ...looked.flatMap(({ unexpected }) => unexpected),
    ];
  },
};
