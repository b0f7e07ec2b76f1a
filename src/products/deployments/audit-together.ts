/**
 * The checks of what one transaction funds together. All threads of a batch are of one category, and a reserve opens
 * for any of them at its covenant: so a thread that is minted anywhere but at a covenant of the batch is a twin that can
 * be brought there. Every member is therefore derived anew from its terms. Source: docs/design/covenants.md, rules 11 and 16.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import type { Finding } from '../../covenant/genesis.js';
import type { Context } from '../../operation/context.js';
import type { CovenantRecord, Deployable } from '../../record/deployable.js';
import type { KnownRecord } from '../../record/known-record.js';
import { auditTerms } from './audit-terms.js';
import type { KnownAuthorities } from './authority.js';

/** Members that are derived before others have their turn. */
const TURN = 50;
/** As many failures as anybody reads. */
const SHOWN = 5;

const failureOf = (
  deployable: Deployable,
  record: CovenantRecord,
  { network }: Pick<Context, 'network'>,
  authorities: KnownAuthorities,
): string | null => {
  const failed = auditTerms({ deployable, record }, network, authorities).find(({ ok }) => !ok);
  return failed === undefined ? null : `${deployable.label(record)}: ${failed.check}: ${failed.detail}`;
};

/** Those whose contract address another member has too. */
const doubled = (members: readonly CovenantRecord[]): readonly CovenantRecord[] => {
  const seen = new Set<string>();
  return members.filter(({ contract_address: address }) => seen.size === seen.add(address).size);
};

/** The members of a batch; nothing to check for what is funded alone. */
export const auditTogether = async (
  { deployable, record }: KnownRecord,
  authorities: KnownAuthorities,
  context: Pick<Context, 'network' | 'store'>,
): Promise<readonly Finding[]> => {
  const members = await deployable.fundedTogether(record, context);
  const isMember = members.some(({ id }) => id === record.id);
  if (members.length === 1 && isMember) return [];
  const failures = isMember ? [] : ['the batch does not name it'];
  for (const member of doubled(members))
    failures.push(`${deployable.label(member)}: ${member.contract_address} is that of another member`);
  for (const [index, member] of members.entries()) {
    if (index % TURN === TURN - 1) await breathe();
    const failure = member.id === record.id ? null : failureOf(deployable, member, context, authorities);
    if (failure !== null) failures.push(failure);
  }
  const detail =
    failures.length === 0
      ? `${members.length} are funded together: the address of each was derived anew`
      : failures.slice(0, SHOWN).join('; ');
  return [{ check: 'funded together', ok: failures.length === 0, detail }];
};
