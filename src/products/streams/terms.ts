/**
 * From what a request says to a stream's terms: templates and defaults filled in, every rule of the specification
 * checked, and all that is wrong said at once (a batch reports every bad row).
 */
import { PAYOUT_DUST } from '../../bch/transaction.js';
import { TreasuryError, type Issue } from '../../errors.js';
import type { ScheduleRequest } from './fields.js';
import { Refused, unitsOf, type Reading, type StreamTerms } from './reading.js';
import { readRecurring } from './recurring-terms.js';
import { belowDust } from './rules.js';
import { encodeSchedule, segmentsOf } from './schedule.js';
import type { StreamType } from './stream.js';
import { findTemplate, type Template } from './templates.js';
import { readHybrid, readLinear, readStep, readTrancheTerms } from './vesting-terms.js';

/** Terms, or why there are none. `error` is that of the only problem, where it has a code of its own. */
export type TermsReading =
  | { readonly terms: StreamTerms }
  | { readonly issues: readonly Issue[]; readonly error: TreasuryError | null };

/** What a reader gives counts where nothing was refused. */
const READERS: Readonly<Record<StreamType, (reading: Reading, total: bigint) => StreamTerms | null>> = {
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
  ['refillable', ['RECURRING']],
];

/** What is given and not for this type. */
const strangers = (request: ScheduleRequest, type: StreamType): readonly Refused[] =>
  FAMILIES.filter(([field, types]) => (request[field] ?? false) !== false && !types.includes(type)).map(
    ([field, types]) => new Refused(field, `is for ${types.join(' and ')}, not for ${type}`),
  );

const templateOf = ({ scheduleTemplate: id }: ScheduleRequest): Template | null => {
  if (id == null) return null;
  const template = findTemplate(id);
  if (template !== null) return template;
  const error = new TreasuryError('template_not_found', { id });
  throw new Refused('scheduleTemplate', error.message, error);
};

const typeOf = ({ request, template }: Reading): StreamType => {
  const type = request.streamType ?? template?.streamType;
  if (type === undefined) throw new Refused('streamType', 'is required, or scheduleTemplate');
  if (template === null || template.streamType === type) return type;
  throw new Refused(
    'scheduleTemplate',
    `${template.id} is ${template.streamType}, and streamType is ${type}`,
  );
};

const readTotal = (reading: Reading): bigint => {
  const total = unitsOf(reading, reading.request.totalAmount, 'totalAmount');
  if (reading.asset.category !== null || total >= PAYOUT_DUST) return total;
  const error = belowDust('totalAmount', total);
  throw new Refused('totalAmount', error.message, error);
};

/**
 * The terms that a request asks for.
 *
 * @param market - the asset, and chain now in unix seconds: the default start
 */
export const readTerms = (
  request: ScheduleRequest,
  { asset, now }: Pick<Reading, 'asset' | 'now'>,
): TermsReading => {
  const refusals: Refused[] = [];
  const attempt: Reading['attempt'] = (read) => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refusals.push(error);
      return null;
    }
  };
  const template = attempt(() => templateOf(request));
  const reading = { request, asset, template, start: request.startTime ?? now, now, attempt };
  const type = refusals.length > 0 ? null : attempt(() => typeOf(reading));
  const total = attempt(() => readTotal(reading));
  if (type !== null) refusals.push(...strangers(request, type));
  const terms = type === null || total === null ? null : attempt(() => READERS[type](reading, total));
  if (terms !== null && refusals.length === 0)
    return { terms: { ...terms, schedule: encodeSchedule(segmentsOf(terms)) } };
  const [only, ...more] = refusals;
  const issues = refusals.map(({ path, message }) => ({ path, message }));
  return { issues, error: more.length === 0 ? (only?.error ?? null) : null };
};
