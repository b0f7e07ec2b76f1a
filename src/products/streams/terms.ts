/**
 * From what a request says to a stream's terms: templates and defaults filled in, every rule of the specification
 * checked, and all that is wrong said at once (a batch reports every bad row).
 */
import { toPositiveUnits, type WrittenAmount } from '../../bch/amount.js';
import { PAYOUT_DUST } from '../../bch/transaction.js';
import { TreasuryError, type Issue } from '../../errors.js';
import type { Asset } from '../../record/assets.js';
import type { ScheduleRequest } from './fields.js';
import { readRecurring } from './recurring-terms.js';
import { belowDust } from './rules.js';
import { encodeSchedule, segmentsOf } from './schedule.js';
import type { StreamType } from './stream.js';
import { findTemplate } from './templates.js';
import { orNull, type Desk, type StreamTerms } from './terms-desk.js';
import { readHybrid, readLinear, readStep, readTrancheTerms } from './vesting-terms.js';

/** Terms, or why there are none. `code` names the kind of the first problem where it has one of its own. */
export type TermsReading =
  | { readonly terms: StreamTerms }
  | { readonly issues: readonly Issue[]; readonly error: TreasuryError | null };

const READERS: Readonly<Record<StreamType, (desk: Desk, total: bigint) => StreamTerms | null>> = {
  LINEAR: readLinear,
  STEP: readStep,
  HYBRID: readHybrid,
  TRANCHE: readTrancheTerms,
  RECURRING: readRecurring,
};

/** Fields that only some types take: given for another, they would silently mean nothing. */
const FAMILIES: readonly (readonly [field: keyof ScheduleRequest, types: readonly StreamType[]])[] = [
  ['cliffTimestamp', ['LINEAR', 'STEP']],
  ['hybridUnlockTimestamp', ['HYBRID']],
  ['hybridUpfrontPercentage', ['HYBRID']],
  ['trancheSchedule', ['TRANCHE']],
  ['amountPerInterval', ['RECURRING']],
];

const checkFamilies = ({ request, refuse }: Desk, type: StreamType): void => {
  for (const [field, types] of FAMILIES) {
    if (request[field] == null || types.includes(type)) continue;
    refuse(field, `is for ${types.join(' and ')}, not for ${type}`);
  }
  if (request.refillable === true && type !== 'RECURRING')
    refuse('refillable', `is for RECURRING, not for ${type}`);
};

const typeOf = ({ request, template, refuse }: Desk): StreamType | null => {
  const type = request.streamType ?? template?.streamType ?? null;
  if (type === null) return refuse('streamType', 'is required, or scheduleTemplate');
  if (template === null || template.streamType === type) return type;
  return refuse('scheduleTemplate', `${template.id} is ${template.streamType}, and streamType is ${type}`);
};

/** The total; null with an issue. */
const readTotal = ({ request, asset, units, refuseWith }: Desk): bigint | null => {
  const total = units(request.totalAmount, 'totalAmount');
  if (total === null || asset.category !== null || total >= PAYOUT_DUST) return total;
  return refuseWith(belowDust('totalAmount', total), 'totalAmount');
};

/** The desk of one request, and what was refused at it. */
const openDesk = (
  request: ScheduleRequest,
  { asset, now }: { readonly asset: Asset; readonly now: number },
) => {
  const issues: Issue[] = [];
  const errors: TreasuryError[] = [];
  const refuse = (path: string, message: string): null => {
    issues.push({ path, message });
    return null;
  };
  const refuseWith = (error: TreasuryError, path: string, message = error.message): null => {
    errors.push(error);
    return refuse(path, message);
  };
  const units = (amount: WrittenAmount, path: string): bigint | null => {
    try {
      return toPositiveUnits(amount, asset.decimals, path, asset.maximum);
    } catch (error) {
      const known: TreasuryError | null = error instanceof TreasuryError ? error : null;
      if (known === null) throw error;
      const expected = String(known.details['expected']);
      return refuseWith(known, path, `"${amount.decimal}" is not a usable amount: expected ${expected}`);
    }
  };
  const named = orNull(request.scheduleTemplate);
  const template = named === null ? null : findTemplate(named);
  if (named !== null && template === null)
    refuseWith(new TreasuryError('template_not_found', { id: named }), 'scheduleTemplate');
  const desk: Desk = {
    request,
    asset,
    template,
    start: request.startTime ?? now,
    now,
    refuse,
    refuseWith,
    units,
  };
  return { desk, issues, errors };
};

/**
 * The terms that a request asks for.
 *
 * @param market - the asset, and chain now in unix seconds: the default start
 */
export const readTerms = (
  request: ScheduleRequest,
  market: { readonly asset: Asset; readonly now: number },
): TermsReading => {
  const { desk, issues, errors } = openDesk(request, market);
  const type = issues.length > 0 ? null : typeOf(desk);
  const total = readTotal(desk);
  if (type !== null) checkFamilies(desk, type);
  const terms = type === null || total === null ? null : READERS[type](desk, total);
  if (terms === null || issues.length > 0)
    return { issues, error: issues.length === 1 ? (errors[0] ?? null) : null };
  return { terms: { ...terms, schedule: encodeSchedule(segmentsOf(terms)) } };
};
