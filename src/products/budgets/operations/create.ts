/** Creating a budget plan: terms in, read row by row, a PENDING record and its deployment out. */
import { inAsset } from '../view.js';
import { binToHex } from '@bitauth/libauth';
import { z } from 'zod';
import { withOwnWords } from '../../../record/own-words.js';
import { toPositiveUnits, type WrittenAmount } from '../../../bch/amount.js';
import {
  AddressField,
  AmountField,
  Title,
  TokenCategoryField,
  TokenTypeField,
  DURATION_FORMAT,
  UnixSeconds,
} from '../../../bch/fields.js';
import { TreasuryError, type Issue } from '../../../errors.js';
import { createRecord } from '../../../offer/create.js';
import { checkPayable } from '../../../offer/payees.js';
import { PushMinimumField, pushMinimumOf } from '../../../offer/push-minimum.js';
import { chainNow } from '../../../operation/chain-now.js';
import { CREATE_ERRORS, defineOperation, type RunContext } from '../../../operation/define.js';
import { invalidInput } from '../../../operation/read-input.js';
import { requestedAsset, type Asset } from '../../../record/assets.js';
import { shellLabel } from '../../../record/labels.js';
import { newPoolFields, requireTerms } from '../../../record/pool-record.js';
import { readableVault } from '../../vaults/index.js';
import { checkPlanTerms } from '../contract.js';
import { previewPlan, planGuide } from '../guide.js';
import { MAXIMUM_MILESTONES, VaultId, type Milestone, type PlanRecord } from '../plan.js';
import { plans } from '../product.js';
import { PlanReply, showPlan } from '../reply.js';
import { checkMilestoneDust } from '../rules.js';
import { initialState } from '../transactions.js';
import { drawTimeLine } from '../view.js';

const MAXIMUM_SECONDS = 4_000_000_000;
const Seconds = z
  .int('expected a whole number of seconds')
  .min(1, 'expected at least 1 second')
  .max(MAXIMUM_SECONDS, 'expected seconds (are these milliseconds?)')
  .meta({ format: DURATION_FORMAT });

const MilestoneField = z.object({
  amount: AmountField.describe('Display units, above 0'),
  durationSeconds: Seconds.describe('From when the milestone before it falls due'),
  description: z.string().max(500).default(''),
});

/** The milestone body, or the legacy interval body. */
const PlanRequest = z.object({
  vaultId: VaultId,
  recipient: AddressField,
  recipientName: Title.optional(),
  tokenType: TokenTypeField.default('BCH'),
  tokenCategory: TokenCategoryField,
  cancelable: z
    .boolean()
    .default(true)
    .describe('False: the controller can neither pause nor cancel, for good'),
  pushMinimum: PushMinimumField,
  milestones: z
    .array(MilestoneField)
    .min(1, 'expected at least one milestone')
    .max(MAXIMUM_MILESTONES, `expected at most ${MAXIMUM_MILESTONES} milestones`)
    .optional()
    .describe('Rows of { amount, durationSeconds, description }, 1 to 30'),
  totalAmount: AmountField.optional().describe('In place of milestones: the whole budget'),
  amountPerInterval: AmountField.optional().describe('In place of milestones: paid per interval'),
  intervalSeconds: Seconds.optional().describe('In place of milestones: seconds between two payments'),
  startDate: UnixSeconds.optional().describe('Unix seconds; default now'),
});
type PlanRequest = z.output<typeof PlanRequest>;

/** The amount of a row, its problem collected instead of thrown. */
const readAmount = (amount: WrittenAmount, asset: Asset, path: string, issues: Issue[]): bigint => {
  try {
    return toPositiveUnits(amount, asset.decimals, path, asset.maximum);
  } catch (error) {
    if (!(error instanceof TreasuryError) || error.code !== 'invalid_amount') throw error;
    issues.push({ path, message: `"${amount.decimal}": expected ${String(error.details['expected'])}` });
    return 0n;
  }
};

const readRows = (rows: NonNullable<PlanRequest['milestones']>, asset: Asset): Milestone[] => {
  const issues: Issue[] = [];
  const milestones = rows.map(({ amount, ...row }, index) => ({
    ...row,
    amount: readAmount(amount, asset, `milestones.${index}.amount`, issues),
  }));
  if (issues.length > 0) throw invalidInput(issues);
  return milestones;
};

/** Equal parts, the last one what remains. Source: docs/design/api.md. */
const splitIntervals = (total: bigint, perInterval: bigint, durationSeconds: number): Milestone[] => {
  const count = (total + perInterval - 1n) / perInterval;
  if (count > MAXIMUM_MILESTONES) {
    const message = `${count} intervals are more than the ${MAXIMUM_MILESTONES} that a plan holds`;
    throw invalidInput([{ path: 'amountPerInterval', message }]);
  }
  return Array.from({ length: Number(count) }, (_, index) => {
    const rest = total - perInterval * BigInt(index);
    return { amount: rest < perInterval ? rest : perInterval, durationSeconds, description: '' };
  });
};

/**
 * The milestones of either body.
 *
 * @throws invalid_input, invalid_amount
 */
const readMilestones = (request: PlanRequest, asset: Asset): Milestone[] => {
  const { milestones, totalAmount, amountPerInterval, intervalSeconds } = request;
  const legacy = Object.entries({ totalAmount, amountPerInterval, intervalSeconds });
  if (milestones !== undefined) {
    const extra = legacy.filter(([, value]) => value !== undefined);
    if (extra.length === 0) return readRows(milestones, asset);
    throw invalidInput(
      extra.map(([path]) => ({ path, message: 'is only for the interval form, without milestones' })),
    );
  }
  if (totalAmount === undefined || amountPerInterval === undefined || intervalSeconds === undefined) {
    const missing = legacy.filter(([, value]) => value === undefined).map(([path]) => path);
    if (missing.length === legacy.length) missing.unshift('milestones');
    throw invalidInput([
      {
        path: missing[0] ?? 'milestones',
        message: 'give milestones, or totalAmount, amountPerInterval and intervalSeconds',
      },
    ]);
  }
  return splitIntervals(
    toPositiveUnits(totalAmount, asset.decimals, 'totalAmount', asset.maximum),
    toPositiveUnits(amountPerInterval, asset.decimals, 'amountPerInterval', asset.maximum),
    intervalSeconds,
  );
};

/** The record that a request asks for, without its label and address. */
const draftPlan = async (
  request: PlanRequest,
  vaultId: string,
  context: RunContext<'address'>,
): Promise<PlanRecord> => {
  await checkPayable(request.recipient, 'recipient', context);
  const asset = await requestedAsset(request, context.store);
  const milestones = readMilestones(request, asset);
  const startDate = request.startDate ?? (await chainNow(context));
  const plan: PlanRecord = {
    ...(await newPoolFields('budget-plan', context)),
    budget_id: '',
    on_chain_budget_id: binToHex(context.random(32)),
    vault_id: vaultId,
    creator: context.caller.text,
    recipient: request.recipient.text,
    recipientName: request.recipientName ?? null,
    tokenType: asset.tokenType,
    tokenCategory: asset.category,
    decimals: asset.decimals,
    cancelable: request.cancelable,
    push_minimum: pushMinimumOf(request, asset),
    milestones,
    total_amount: milestones.reduce((sum, { amount }) => sum + amount, 0n),
    startDate,
    current_milestone: 0,
    released_amount: 0n,
    anchor: startDate,
    paused_at: null,
  };
  const message = `their sum is more than there can be of ${asset.symbol}`;
  requireTerms(
    checkPlanTerms(plan),
    plan.total_amount > asset.maximum ? [{ path: 'milestones', message }] : [],
  );
  checkMilestoneDust(plan);
  return plan;
};

const DeploymentReply = z.object({
  contractAddress: z.string(),
  budgetId: z.string().describe('64 hex digits'),
  fundingRequired: z.boolean(),
  nftCommitment: z.string(),
});

export const create = withOwnWords(
  defineOperation({
    id: 'budgets.create',
    summary: 'Create a budget plan in a vault',
    description:
      'The plan is PENDING until its funding is confirmed. The caller is its controller: anyone in a public vault, members only in a private one. Amounts and dates are those of the milestones exactly; a late release pushes no later milestone back.',
    http: {
      method: 'POST',
      path: '/api/vaults/:vaultId/budget-plans',
      status: 201,
      creates: true,
      // Each of 30 milestones has a description.
      bodyLimit: 131_072,
    },
    cli: {
      example: 'budgets create <vault> --recipient <address> --milestones milestones.json',
      guide: planGuide,
      preview: previewPlan,
    },
    auth: 'address',
    forKeys: 'measured',
    input: PlanRequest,
    output: z.object({ plan: PlanReply, deployment: DeploymentReply }),
    errors: CREATE_ERRORS,
    run: async (request, context) => {
      // Check: the vault, then everything that the covenant will bind.
      const vault = await readableVault(request.vaultId, context);
      const draft = await draftPlan(request, vault.id, context);

      // Record: it and its first event, with the answer.
      const now = await chainNow(context);
      return createRecord(
        plans,
        { draft, amount: draft.total_amount },
        async (plan, store) => ({
          plan: await showPlan(plan, store, now),
          deployment: {
            contractAddress: plan.contract_address,
            budgetId: plan.on_chain_budget_id,
            fundingRequired: true,
            nftCommitment: initialState(plan),
          },
        }),
        context,
      );
    },
    view: ({ plan }) => [
      { kind: 'text', text: `${plan.budget_id} is created.` },
      { kind: 'drawing', draw: (columns) => drawTimeLine(plan, null, columns) },
      {
        kind: 'facts',
        rows: [
          ['Budget', inAsset(plan)(plan.total_amountOnChain)],
          ['Recipient', plan.recipient],
          ['Contract', plan.contract_address],
        ],
      },
      {
        kind: 'next',
        command: `treasury budgets fund ${shellLabel(plan.budget_id)}`,
        why: 'to put the budget in',
      },
    ],
  }),
);
