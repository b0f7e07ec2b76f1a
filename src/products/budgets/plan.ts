/** The record of a budget plan, its statuses and its moves. */
import { z } from 'zod';
import { Hex32, RecordId, TokenType, Units } from '../../bch/fields.js';
import { defineCollection } from '../../operation/ports/store.js';
import type { MoveRule } from '../../record/move-checks.js';
import { PoolFields, poolIndexes } from '../../record/pool-record.js';

export const PLAN_STATUSES = ['PENDING', 'ACTIVE', 'PAUSED', 'CANCELLED', 'COMPLETED'] as const;
export type PlanStatus = (typeof PLAN_STATUSES)[number];

/** Who makes a move, and from which statuses. What had elapsed at a pause can be released while it lasts. */
export const PLAN_MOVES = {
  fund: { by: 'controller', from: ['PENDING'] },
  release: { by: 'recipient', from: ['ACTIVE', 'PAUSED'] },
  push: { by: 'anybody', from: ['ACTIVE'] },
  pause: { by: 'controller', from: ['ACTIVE'], onlyCancelable: true },
  resume: { by: 'controller', from: ['PAUSED'] },
  cancel: { by: 'controller', from: ['ACTIVE', 'PAUSED'], onlyCancelable: true },
} as const satisfies Record<string, MoveRule & { readonly from: readonly PlanStatus[] }>;

/** A vault by its id or its on-chain id. */
export const VaultId = RecordId.describe('Vault id, label such as VAULT-0001, or its 64 hex digits on chain');

/** The list is a constructor parameter, and the script that holds it must stay small. Source: contracts/budgets/budget-plan.cash. */
export const MAXIMUM_MILESTONES = 30;

/** One part of the budget. */
export const Milestone = z.object({
  amount: Units,
  durationSeconds: z.int().min(1).describe('From when the milestone before it fell due'),
  description: z.string(),
});
export type Milestone = z.output<typeof Milestone>;

/** Amounts are in the smallest unit; times in unix seconds; addresses in their `q`/`p` form. */
export const PlanRecord = z.object({
  id: z.string(),
  /** `#BUDGET-0001`. */
  budget_id: z.string().describe('Label'),
  /** The 32 bytes that make this deployment distinct. */
  on_chain_budget_id: Hex32,
  vault_id: z.string(),
  /** Who funds, pauses, resumes and cancels. */
  creator: z.string().describe('The controller'),
  recipient: z.string(),
  recipientName: z.string().nullable(),
  tokenType: TokenType,
  tokenCategory: Hex32.nullable(),
  cancelable: z.boolean(),
  /** The least that a push pays, the last push apart; 0: nobody can push it. */
  push_minimum: Units.default(0n).describe('The least that a push pays, display units; 0: no push'),
  milestones: z.array(Milestone).min(1).max(MAXIMUM_MILESTONES),
  total_amount: Units,
  startDate: z.int(),

  /** From here on: the fold of the chain. */
  status: z.enum(PLAN_STATUSES),
  current_milestone: z.int().describe('Milestones released so far'),
  released_amount: Units,
  /** When milestone `current_milestone` fell due; at first the start date. A resume moves it on. */
  anchor: z.int(),
  /** Null unless it is paused. */
  paused_at: z.int().nullable(),
  ...PoolFields,
});
export type PlanRecord = z.output<typeof PlanRecord>;

export const planCollection = defineCollection({
  name: 'budget_plans',
  schema: PlanRecord,
  indexes: {
    label: (plan) => plan.budget_id,
    creator: (plan) => plan.creator,
    recipient: (plan) => plan.recipient,
    vault: (plan) => plan.vault_id,
    ...poolIndexes,
    contract: (plan) => plan.contract_address,
    status: (plan) => plan.status,
  },
  unique: ['label'],
});

/** One milestone that was paid to the recipient. */
export const ReleaseRecord = z.object({
  id: z.string(),
  budget_id: z.string().describe("The plan's id"),
  milestone_index: z.int().describe('From 1'),
  amount: Units,
  decimals: z.int(),
  tx_hash: Hex32,
  released_at: z.int().describe('Unix seconds'),
});
export type ReleaseRecord = z.output<typeof ReleaseRecord>;

export const releaseCollection = defineCollection({
  name: 'budget_releases',
  schema: ReleaseRecord,
  indexes: { budget: (release) => release.budget_id, transaction: (release) => release.tx_hash },
});

/** What the event of a release or a cancellation tells: the milestones that it paid. */
export const PaidMilestones = z.object({ firstMilestone: z.int(), lastMilestone: z.int() });
export type PaidMilestones = z.output<typeof PaidMilestones>;

/** A cancellation tells beside them what they sum to, in the smallest unit. */
export const Cancelled = PaidMilestones.extend({ vestedAmount: Units });
