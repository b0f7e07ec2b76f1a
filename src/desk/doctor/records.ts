/** Records that disagree with the chain. Each is followed as a copy: nothing is written. */
import { compareWithChain } from '../../covenant/compare.js';
import { follow } from '../../covenant/follow.js';
import type { Context } from '../../operation/context.js';
import { tellUnexpected, unexpectedFunding } from '../../operation/unexpected-funding.js';
import type { Check } from './check.js';
import { recordDamage } from './restore.js';
import { eachRecord, type KnownRecord } from './each-record.js';
import { isTreasuryError, ok, problem, reasonOf, shellWord, warning, type Finding } from './finding.js';

/** Records that are followed at once. */
const AT_ONCE = 8;

/** True for a covenant that lives in a thread: what else there is (a vote) keeps its own account of the chain. */
const hasThread = ({ deployable, record }: KnownRecord, context: Context): boolean => {
  try {
    return deployable.genesis(record, context).length > 0;
  } catch {
    // Terms of which no genesis can be made: following it says why.
    return true;
  }
};

/** What is wrong with a record; null when nothing is. @throws chain_unavailable */
const recordFinding = async (known: KnownRecord, context: Context): Promise<Finding | null> => {
  const { deployable, record } = known;
  const label = deployable.label(record);
  const advice = `treasury sync ${shellWord(label)}`;
  const damage = recordDamage(known, context);
  if (damage !== null) return problem(damage.message, 'treasury doctor --restore');
  try {
    const { followed } = deployable.following(context);
    const { differing, behind } = await compareWithChain(record, followed, context.chain);
    if (differing.length > 0) {
      return problem(
        `${label} is not what the chain makes of it: it differs in ${differing.join(', ')}`,
        advice,
      );
    }
    return behind.length === 0
      ? null
      : warning(`${label} is behind the chain in ${behind.join(', ')}`, advice);
  } catch (error) {
    if (isTreasuryError(error) && error.code === 'chain_unavailable') throw error;
    return problem(`the chain's moves of ${label} cannot be read: ${reasonOf(error)}`, advice);
  }
};

/** Unexpected funding told in full for one record; the rest is in `show`. */
const MAXIMUM_TOLD = 5;

/**
 * Money at a record's address that it does not follow: a warning each. Anybody can send some there, so it is no defect
 * of the record.
 *
 * @throws chain_unavailable
 */
const unexpectedOf = async (
  { deployable, record }: KnownRecord,
  context: Context,
): Promise<readonly Finding[]> => {
  const { strays } = deployable;
  if (strays === null) return [];
  const label = deployable.label(record);
  const { followed } = deployable.following(context);
  // The record as the chain has it now: a thread that has moved on is no stray.
  const present = await follow(record, followed, context.chain).catch((error: unknown) => {
    if (isTreasuryError(error) && error.code === 'chain_unavailable') throw error;
    return { record };
  });
  const found = await unexpectedFunding(present.record, strays, followed, context);
  const more = found.length > MAXIMUM_TOLD ? [`and ${found.length - MAXIMUM_TOLD} more`] : [];
  return [...found.slice(0, MAXIMUM_TOLD).map(tellUnexpected), ...more].map((text) =>
    warning(
      `unexpected_funding at ${label}: ${text}`,
      found.some(({ recoverable }) => recoverable)
        ? `treasury ${strays.noun} recover ${shellWord(label)}`
        : `treasury ${strays.noun} show ${shellWord(label)}`,
    ),
  );
};

const unexpectedFindings = async (
  known: readonly KnownRecord[],
  context: Context,
): Promise<readonly Finding[]> => {
  const findings: Finding[] = [];
  for (let start = 0; start < known.length; start += AT_ONCE) {
    const part = known.slice(start, start + AT_ONCE);
    findings.push(...(await Promise.all(part.map((one) => unexpectedOf(one, context)))).flat());
  }
  return findings;
};

export const records: Check = {
  name: 'records',
  needs: ['folder', 'store', 'chain'],
  isSlow: true,
  look: async ({ context, practice }) => {
    const known = eachRecord(practice.deployables, context.store).filter((one) => hasThread(one, context));
    const findings: Finding[] = [];
    for (let start = 0; start < known.length; start += AT_ONCE) {
      const part = known.slice(start, start + AT_ONCE);
      const found = await Promise.all(part.map((one) => recordFinding(one, context)));
      findings.push(...found.filter((finding) => finding !== null));
    }
    const agreeing = known.length - findings.length;
    const unexpected = await unexpectedFindings(known, context);
    return [ok(`${agreeing} of ${known.length} records agree with the chain`), ...findings, ...unexpected];
  },
};
