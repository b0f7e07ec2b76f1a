/** What the readers of a stream's terms share: the request, its template, the defaults, and how they refuse. */
import { momentText } from '../../bch/show-date.js';
import { toPositiveUnits, type WrittenAmount } from '../../bch/amount.js';
import { PAYOUT_DUST } from '../../bch/transaction.js';
import { belowDust, INTERVAL_LIMIT } from '../../covenant/checks.js';
import { TreasuryError } from '../../errors.js';
import type { Asset } from '../../record/assets.js';
import type { ScheduleRequest } from './fields.js';
import { DAY, type Template } from './templates.js';

/** What is wrong with a field. `error` has a code of its own, for where nothing else is wrong. */
export class Refused extends Error {
  readonly path: string;
  readonly error: TreasuryError | null;

  constructor(path: string, message: string, error: TreasuryError | null = null) {
    super(message);
    this.path = path;
    this.error = error;
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

/** Days of a stream whose end is not given. Source: docs/design/api.md. */
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

/** An amount, the total or what it is paid in, that can be an output of its own. @throws Refused */
export const payable = ({ asset }: Reading, amount: bigint, field: string): bigint => {
  if (asset.category !== null || amount >= PAYOUT_DUST) return amount;
  const error = belowDust(field, amount);
  throw new Refused('totalAmount', error.message, error);
};

/** When so many of the template's days after the start are over; null where it says none. */
export const afterDays = ({ start }: Reading, days: number | null | undefined): number | null =>
  days == null ? null : start + days * DAY;

export const endOf = (reading: Reading): number =>
  reading.request.endTime ??
  afterDays(reading, reading.template?.durationDays) ??
  reading.start + DEFAULT_DAYS * DAY;

/** The end of a schedule that is given by its end: after the start and after now. @throws Refused */
export const checkedEnd = (reading: Reading): number => {
  const end = endOf(reading);
  const { start, now } = reading;
  if (end > start && end > now) return end;
  throw new Refused(
    'endTime',
    `${momentText(end)} must be later than the start (${momentText(start)}) and than now (${momentText(now)})`,
  );
};

/** The interval of STEP and RECURRING. @throws Refused */
export const checkedInterval = ({ request, template }: Reading): number => {
  const path = 'intervalSeconds';
  const { intervalSeconds: given } = request;
  const interval = given != null && given > 0 ? given : (template?.intervalDays ?? 0) * DAY;
  if (interval === 0) throw new Refused(path, 'is required for STEP and RECURRING');
  if (interval >= INTERVAL_LIMIT) throw new Refused(path, `${interval} must be below ${INTERVAL_LIMIT}`);
  return interval;
};
