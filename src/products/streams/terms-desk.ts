/** What the readers of a stream's terms share: the request, its template, the defaults, and a list of what is wrong. */
import type { WrittenAmount } from '../../bch/amount.js';
import type { TreasuryError } from '../../errors.js';
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

/** What the reader of one request works with. */
export type Desk = {
  readonly request: ScheduleRequest;
  readonly asset: Asset;
  readonly template: Template | null;
  readonly start: number;
  /** Chain now. */
  readonly now: number;
  readonly refuse: (path: string, message: string) => null;
  /** The same, with an error that has a code of its own. */
  readonly refuseWith: (error: TreasuryError, path: string, message?: string) => null;
  /** An amount above zero in the smallest unit; null when it is none, which is then an issue. */
  readonly units: (amount: WrittenAmount, path: string) => bigint | null;
};

/** Days of a stream whose end is not given. Source: design, api.md (Streams). */
const DEFAULT_DAYS = 365;

export const orNull = <T>(value: T | null | undefined): T | null => value ?? null;

export const templateDays = (
  { template, start }: Desk,
  days: (template: Template) => number | null,
): number | null => {
  const found = template === null ? null : days(template);
  return found === null ? null : start + found * DAY;
};

export const endOf = (desk: Desk): number =>
  desk.request.endTime ??
  templateDays(desk, ({ durationDays }) => durationDays) ??
  desk.start + DEFAULT_DAYS * DAY;

export const intervalOf = ({ request, template }: Desk): number | null => {
  const given = orNull(request.intervalSeconds);
  if (given !== null && given > 0) return given;
  const days = template?.intervalDays ?? null;
  return days === null ? null : days * DAY;
};

/** The terms of a type with nothing of its own yet. */
export const base = (desk: Desk, type: StreamType, total: bigint, end: number | null): StreamTerms => {
  const { request, template, start } = desk;
  return {
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
  };
};

/** The end of a schedule that is given by its end. Null with an issue when it is not after the start and after now. */
export const checkedEnd = (desk: Desk): number | null => {
  const end = endOf(desk);
  const { start, now } = desk;
  if (end > start && end > now) return end;
  return desk.refuse('endTime', `${end} must be later than the start (${start}) and than now (${now})`);
};

/** The interval of STEP and RECURRING; null with an issue when it is none. */
export const checkedInterval = (desk: Desk): number | null => {
  const interval = intervalOf(desk);
  if (interval === null) return desk.refuse('intervalSeconds', 'is required for STEP and RECURRING');
  if (interval >= 2 ** 31) return desk.refuse('intervalSeconds', `${interval} must be below ${2 ** 31}`);
  return interval;
};
