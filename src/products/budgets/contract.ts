/** A plan's terms as constructor parameters, and the address they give. */
import { hash160, hexToBin } from '@bitauth/libauth';
import { parseAddress } from '../../bch/address.js';
import { formatUnits, MAXIMUM_TOKEN_AMOUNT } from '../../bch/amount.js';
import { commitment } from '../../bch/commitment.js';
import type { Network } from '../../bch/network.js';
import { checkCategory, checkDate, checkParty } from '../../covenant/checks.js';
import { bindContract, scriptCategory, type CovenantContract } from '../../covenant/covenant-contract.js';
import type { Finding } from '../../covenant/genesis.js';
import { checkPushMinimum, pushParameter } from '../../covenant/push.js';
import { MAXIMUM_MILESTONES, type PlanRecord } from './plan.js';
import { reachedAt } from './rules.js';

/** The terms that the address binds. */
export type PlanTerms = Pick<
  PlanRecord,
  | 'artifact_fingerprint'
  | 'on_chain_budget_id'
  | 'creator'
  | 'authority_pubkey'
  | 'tokenCategory'
  | 'milestones'
  | 'push_minimum'
>;

/** One milestone as the contract reads it: from the start, and up to and with it. */
const packedMilestone = commitment({ seconds: 'u40', amount: 'u64' });

/** The packed list of milestones: 13 bytes each. */
const packMilestones = (milestones: PlanTerms['milestones']): Uint8Array =>
  hexToBin(reachedAt(milestones).slice(1).map(packedMilestone.encode).join(''));

/** The milestones of a packed list (hex): from the start, and up to and with each. For the reverse, see `packMilestones`. */
export const unpackMilestones = (packed: string): readonly ReturnType<typeof packedMilestone.read>[] => {
  const digits = packedMilestone.size * 2;
  return Array.from({ length: packed.length / digits }, (_, index) =>
    packedMilestone.read(packed.slice(index * digits, (index + 1) * digits)),
  );
};

const versionOf = ({ artifact_fingerprint: pinned }: Pick<PlanTerms, 'artifact_fingerprint'>) =>
  ({ name: 'budget-plan', pinned }) as const;

/**
 * The contract of a plan. Constructor: budgetId, controllerHash, authorityHash, tokenCategory, milestones, and since
 * version 0.3.0 pushMinimum.
 */
export const planContract = (terms: PlanTerms, network: Network): CovenantContract =>
  bindContract(
    versionOf(terms),
    [
      hexToBin(terms.on_chain_budget_id),
      hexToBin(parseAddress(terms.creator).hash),
      hash160(hexToBin(terms.authority_pubkey)),
      scriptCategory(terms.tokenCategory),
      packMilestones(terms.milestones),
      ...pushParameter(versionOf(terms), terms.push_minimum),
    ],
    network,
  );

type CheckedTerms = PlanTerms &
  Pick<PlanRecord, 'recipient' | 'total_amount' | 'startDate' | 'thread' | 'decimals'>;

const checkSchedule = ({ milestones, total_amount: total, startDate, decimals }: CheckedTerms): Finding[] => {
  const show = (amount: bigint): string => formatUnits(amount, decimals);
  const list = reachedAt(milestones);
  const last = list.at(-1) ?? { seconds: 0, amount: 0n };
  return [
    {
      check: 'milestones',
      ok: milestones.length >= 1 && milestones.length <= MAXIMUM_MILESTONES,
      detail: `there must be 1 to ${MAXIMUM_MILESTONES} milestones, not ${milestones.length}`,
    },
    ...milestones.flatMap(({ amount, durationSeconds }, row) => [
      {
        check: `milestones.${row}.amount`,
        ok: amount > 0n,
        detail: `${show(amount)} must be above 0`,
      },
      {
        check: `milestones.${row}.durationSeconds`,
        ok: Number.isInteger(durationSeconds) && durationSeconds >= 1,
        detail: `${durationSeconds} must be a whole number of seconds, at least 1`,
      },
    ]),
    {
      check: 'totalAmount',
      ok: total > 0n && total <= MAXIMUM_TOKEN_AMOUNT && total === last.amount,
      detail: `${show(total)} must be the sum of the milestones (${show(last.amount)}), above 0 and at most ${show(MAXIMUM_TOKEN_AMOUNT)}`,
    },
    checkDate('startDate', startDate),
    checkDate(`milestones.${milestones.length - 1}`, startDate + last.seconds),
  ];
};

/** Checks that the parameters are within their ranges. Source: docs/design/covenants.md, rule 16. */
export const checkPlanTerms = (terms: CheckedTerms): readonly Finding[] => [
  ...checkParty('controller', terms.creator, terms.authority_pubkey),
  ...checkParty('recipient', terms.recipient, terms.authority_pubkey),
  ...checkSchedule(terms),
  checkCategory(terms.tokenCategory, terms.thread),
  checkPushMinimum({
    pushMinimum: terms.push_minimum,
    contract: versionOf(terms),
    tokenCategory: terms.tokenCategory,
    total: terms.total_amount,
  }),
];
