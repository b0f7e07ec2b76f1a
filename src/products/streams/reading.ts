/** What the readers of a stream's terms share: the request, its template, the defaults, and how they refuse. */
import { toPositiveUnits, type WrittenAmount } from '../../bch/amount.js';
import { TreasuryError } from '../../errors.js';
import type { Asset } from '../../record/assets.js';
import type { ScheduleRequest } from './fields.js';
import type { StreamRecord, StreamType } from './stream.js';
import { DAY, type Template } from './templates.js';

/** The terms that a request asks for; the rest of a record is who, where and what became of it. */
export type StreamTerms = Pick<
  StreamRecord,
  | 'stream_type'
  | 'total_amount'
  | 'start_time'
  | 'end_time'
  | 'cliff_timestamp'
  | 'interval_seconds'
  | 'amount_per_interval'
  | 'hybrid_unlock_time'
  | 'hybrid_upfront_percentage'
  | 'tranche_schedule'
  | 'schedule_template'
  | 'refillable'
  | 'cancelable'
  | 'transferable'
  | 'schedule'
>;

/** What is wrong with a field. `error` has a code of its own, for where nothing else is wrong. */
export class Refused extends Error {
  constructor(
    readonly path: string,
    message: string,
    readonly error: TreasuryError | null = null,
  ) {
    super(message);
  }
}

/** What the reader of one request works with. */
export type Reading = {
  readonly request: ScheduleRequest;
  readonly asset: Asset;
  readonly template: Template | null;
  readonly start: number;
  /** Chain now. */
  readonly now: number;
  /** What a reader gives; null when it refuses, which is one problem among others then. */
  readonly attempt: <T>(read: () => T) => T | null;
};

/** Days of a stream whose end is not given. Source: design, api.md (Streams). */
const DEFAULT_DAYS = 365;

/** An amount above zero in the smallest unit. @throws Refused */
export const unitsOf = ({ asset }: Reading, amount: WrittenAmount, path: string): bigint => {
  try {
    return toPositiveUnits(amount, asset.decimals, path, asset.maximum);
  } catch (error) {
    const known: TreasuryError | null = error instanceof TreasuryError ? error : null;
    if (known === null) throw error;
    const expected = String(known.details['expected']);
    throw new Refused(path, `"${amount.decimal}" is not a usable amount: expected ${expected}`, known);
  }
};

/** When so many of the template's days after the start are over; null where it says none. */
export const afterDays = ({ start }: Reading, days: number | null | undefined): number | null =>
  days == null ? null : start + days * DAY;

export const endOf = (reading: Reading): number =>
  reading.request.endTime ??
  afterDays(reading, reading.template?.durationDays) ??
  reading.start + DEFAULT_DAYS * DAY;

/** The terms of a type with nothing of its own yet. */
export const base = (
  { request, template, start }: Reading,
  type: StreamType,
  total: bigint,
  end: number | null,
): StreamTerms => ({
  stream_type: type,
  total_amount: total,
  start_time: start,
  end_time: end,
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
  schedule: '',
});

/** The end of a schedule that is given by its end: after the start and after now. @throws Refused */
export const checkedEnd = (reading: Reading): number => {
  const end = endOf(reading);
  const { start, now } = reading;
  if (end > start && end > now) return end;
  throw new Refused('endTime', `${end} must be later than the start (${start}) and than now (${now})`);
};

/** The interval of STEP and RECURRING. @throws Refused */
export const checkedInterval = ({ request, template }: Reading): number => {
  const path = 'intervalSeconds';
  const { intervalSeconds: given } = request;
  const interval = given != null && given > 0 ? given : (template?.intervalDays ?? 0) * DAY;
  if (interval === 0) throw new Refused(path, 'is required for STEP and RECURRING');
  if (interval >= 2 ** 31) throw new Refused(path, `${interval} must be below ${2 ** 31}`);
  return interval;
};
