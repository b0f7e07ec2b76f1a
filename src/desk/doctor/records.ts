/** Records that disagree with the chain. Each is followed as a copy: nothing is written. */
import { compareWithChain } from '../../covenant/compare.js';
import type { Context } from '../../operation/context.js';
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
    const isAway = isTreasuryError(error) && AWAY.includes(error.code);
    if (isAway) throw error;
    return problem(`the chain's moves of ${label} cannot be read: ${reasonOf(error)}`, advice);
  }
};

/** Codes that say nothing of a record. */
const AWAY: readonly string[] = ['chain_unavailable', 'server_disagrees'];

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
    return [ok(`${agreeing} of ${known.length} records agree with the chain`), ...findings];
  },
};
