/**
 * From what a request says to a stream's terms: templates and defaults filled in, every rule of the specification
 * checked, and all that is wrong said at once (a batch reports every bad row).
 */
import { isTreasuryError, TreasuryError, type Issue } from '../../errors.js';
import { pushMinimumOf } from '../../offer/push-minimum.js';
import type { ScheduleRequest } from './fields.js';
import { payable, Refused, unitsOf, type Reading } from './reading.js';
import { encodeSchedule, segmentsOf } from './schedule.js';
import type { StreamTerms, StreamType } from './stream.js';
import { TEMPLATES, type Template } from './templates.js';
import { readHybrid, readLinear, readRecurring, readStep, readTrancheTerms, type Own } from './type-terms.js';

/** Why there are no terms. `error` is that of the only problem, where it has a code of its own. */
export type Refusal = { readonly issues: readonly Issue[]; readonly error: TreasuryError | null };

/** What a reader gives counts where nothing was refused. */
const READERS: Readonly<Record<StreamType, (reading: Reading, total: bigint) => Own | null>> = {
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
  const template = TEMPLATES.find((candidate) => candidate.id === id);
  if (template !== undefined) return template;
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

const readTotal = (reading: Reading): bigint =>
  payable(reading, unitsOf(reading, reading.request.totalAmount, 'totalAmount'), 'totalAmount');

/** @throws Refused */
const readPushMinimum = ({ request, asset }: Reading): bigint => {
  try {
    return pushMinimumOf(request, asset);
  } catch (error) {
    if (!isTreasuryError(error)) throw error;
    throw new Refused('pushMinimum', error.message, error);
  }
};

/** All terms of a type, with the schedule that they give. */
const termsOf = (
  { request, template, start }: Reading,
  type: StreamType,
  total: bigint,
  { own, pushMinimum }: { readonly own: Own; readonly pushMinimum: bigint },
): StreamTerms => {
  const terms = {
    stream_type: type,
    total_amount: total,
    start_time: start,
    cliff_timestamp: null,
    interval_seconds: null,
    amount_per_interval: null,
    hybrid_unlock_time: null,
    hybrid_upfront_percentage: null,
    tranche_schedule: null,
    schedule_template: template?.id ?? null,
    refillable: false,
    cancelable: request.cancelable ?? true,
    transferable: request.transferable ?? type !== 'RECURRING',
    push_minimum: pushMinimum,
    ...own,
  };
  return { ...terms, schedule: encodeSchedule(segmentsOf(terms)) };
};

/**
 * The terms that a request asks for.
 *
 * @param market - the asset, and chain now in unix seconds: the default start
 */
export const readTerms = (
  request: ScheduleRequest,
  { asset, now }: Pick<Reading, 'asset' | 'now'>,
): { readonly terms: StreamTerms } | Refusal => {
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
  if (type !== null && total !== null) {
    const own = attempt(() => READERS[type](reading, total));
    const pushMinimum = attempt(() => readPushMinimum(reading));
    if (own !== null && pushMinimum !== null && refusals.length === 0)
      return { terms: termsOf(reading, type, total, { own, pushMinimum }) };
  }
  const [only, ...more] = refusals;
  const issues = refusals.map(({ path, message }) => ({ path, message }));
  return { issues, error: more.length === 0 ? (only?.error ?? null) : null };
};
