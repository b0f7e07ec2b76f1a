/** The terms that a request asks for, read row by row. */
import { binToHex } from '@bitauth/libauth';
import { z } from 'zod';
import { toPositiveUnits, type WrittenAmount } from '../../bch/amount.js';
import {
  AddressField,
  AmountField,
  Title,
  TokenCategoryField,
  TokenTypeField,
  UnixSeconds,
} from '../../bch/fields.js';
import { newestFingerprint } from '../../covenant/artifact.js';
import { TreasuryError, type Issue } from '../../errors.js';
import { requestedAsset, type Asset } from '../../record/assets.js';
import { checkPayable } from '../../offer/payees.js';
import type { RunContext } from '../../operation/define.js';
import { chainNow } from '../../operation/chain-now.js';
import { invalidInput } from '../../operation/read-input.js';
import { checkPlanTerms } from './contract.js';
import { VaultId } from './fields.js';
import { MAXIMUM_MILESTONES, type Milestone, type PlanRecord } from './plan.js';
import { checkMilestoneDust } from './rules.js';

const MAXIMUM_SECONDS = 4_000_000_000;
const Seconds = z
  .int('expected a whole number of seconds')
  .min(1, 'expected at least 1 second')
  .max(MAXIMUM_SECONDS, 'expected seconds (are these milliseconds?)');

const MilestoneField = z.object({
  amount: AmountField.describe('Display units, above 0'),
  durationSeconds: Seconds.describe('From when the milestone before it falls due'),
  description: z.string().max(500).default(''),
});

/** The milestone body, or the legacy interval body. */
export const PlanRequest = z.object({
  vaultId: VaultId,
  recipient: AddressField,
  recipientName: Title.optional(),
  tokenType: TokenTypeField.default('BCH'),
  tokenCategory: TokenCategoryField,
  cancelable: z
    .boolean()
    .default(true)
    .describe('False: the controller can neither pause nor cancel, for good'),
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
export type PlanRequest = z.output<typeof PlanRequest>;

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

/** Equal parts, the last one what remains. Source: specification, legacy interval body. */
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
export const readMilestones = (request: PlanRequest, asset: Asset): Milestone[] => {
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

/** @throws invalid_input, amount_below_dust */
const checkTerms = (plan: PlanRecord, asset: Asset): PlanRecord => {
  const failed = checkPlanTerms(plan).filter(({ ok }) => !ok);
  const issues = failed.map(({ check, detail }) => ({ path: check, message: detail }));
  if (plan.total_amount > asset.maximum) {
    issues.push({
      path: 'milestones',
      message: `their sum is more than there can be of ${asset.symbol}`,
    });
  }
  if (issues.length > 0) throw invalidInput(issues);
  checkMilestoneDust(plan);
  return plan;
};

/**
 * The record that a request asks for, without its label and address.
 *
 * @throws not_payable, invalid_input, invalid_amount, amount_below_dust, authority_missing, chain_unavailable
 */
export const draftPlan = async (
  request: PlanRequest,
  vaultId: string,
  context: RunContext<'address'>,
): Promise<PlanRecord> => {
  await checkPayable(request.recipient, 'recipient', context);
  const asset = await requestedAsset(request, context.store);
  const milestones = readMilestones(request, asset);
  const startDate = request.startDate ?? (await chainNow(context));
  const plan: PlanRecord = {
    id: context.uuid(),
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
    milestones,
    total_amount: milestones.reduce((sum, { amount }) => sum + amount, 0n),
    startDate,
    contract_address: '',
    constructor_params: [],
    artifact_fingerprint: newestFingerprint('budget-plan'),
    authority_pubkey: await context.keys.authorityPublicKey(),
    status: 'PENDING',
    current_milestone: 0,
    released_amount: 0n,
    anchor: startDate,
    paused_at: null,
    tx_hash: null,
    last_tx_hash: null,
    thread: null,
    created_at: context.clock.now(),
    updated_at: context.clock.now(),
  };
  return checkTerms(plan, asset);
};
