/** The schedule templates, as data. Source: design, api.md (Templates). */
import { curvePoints, percentOf, segmentsOf } from './schedule.js';
import type { StreamType } from './stream.js';

/** Seconds of a day. */
export const DAY = 86_400;

export type Template = {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly streamType: StreamType;
  readonly durationDays: number;
  readonly cliffDays: number | null;
  readonly intervalDays: number | null;
  readonly unlockDay: number | null;
  readonly unlockPercent: number | null;
  readonly trancheDays: readonly number[] | null;
  readonly tranchePercentages: readonly number[] | null;
  readonly refillable: boolean;
  readonly tags: readonly string[];
};

type Shape = Partial<Omit<Template, 'id' | 'title' | 'description' | 'streamType' | 'durationDays' | 'tags'>>;

const template = (
  id: string,
  streamType: StreamType,
  durationDays: number,
  [title, description]: readonly [string, string],
  shape: Shape = {},
  tags: readonly string[] = [],
): Template => ({
  id,
  title,
  description,
  streamType,
  durationDays,
  cliffDays: null,
  intervalDays: null,
  unlockDay: null,
  unlockPercent: null,
  trancheDays: null,
  tranchePercentages: null,
  refillable: false,
  ...shape,
  tags: [streamType.toLowerCase(), ...tags],
});

const tranches = (trancheDays: readonly number[], tranchePercentages: readonly number[]): Shape => ({
  trancheDays,
  tranchePercentages,
});

const OPEN = { refillable: true } as const;

export const TEMPLATES: readonly Template[] = [
  template('linear-open', 'LINEAR', 180, ['Linear', 'Vests every second over 180 days'], {}, ['grant']),
  template(
    'linear-cliff',
    'LINEAR',
    365,
    ['Linear with cliff', 'Nothing for 90 days, then what has grown, then every second up to a year'],
    { cliffDays: 90 },
    ['team', 'cliff'],
  ),
  template(
    'hybrid-upfront-linear',
    'HYBRID',
    365,
    ['A quarter upfront, then linear', '25 % on day 90, the rest every second up to a year'],
    { unlockDay: 90, unlockPercent: 25 },
    ['investor'],
  ),
  template(
    'hybrid-cliff-linear',
    'HYBRID',
    540,
    ['Long cliff, then linear', '40 % on day 180, the rest every second up to day 540'],
    { unlockDay: 180, unlockPercent: 40 },
    ['investor', 'cliff'],
  ),
  template(
    'recurring-open-weekly',
    'RECURRING',
    84,
    ['Weekly, open', 'A payment every 7 days for as long as it is refilled'],
    { intervalDays: 7, ...OPEN },
    ['payroll', 'open'],
  ),
  template(
    'recurring-open-monthly',
    'RECURRING',
    180,
    ['Monthly, open', 'A payment every 30 days for as long as it is refilled'],
    { intervalDays: 30, ...OPEN },
    ['payroll', 'open'],
  ),
  template(
    'recurring-weekly',
    'RECURRING',
    84,
    ['Weekly', 'Twelve payments, one every 7 days'],
    { intervalDays: 7 },
    ['payroll'],
  ),
  template(
    'recurring-monthly',
    'RECURRING',
    180,
    ['Monthly', 'Six payments, one every 30 days'],
    { intervalDays: 30 },
    ['payroll'],
  ),
  template(
    'recurring-quarterly',
    'RECURRING',
    360,
    ['Quarterly', 'Four payments, one every 90 days'],
    { intervalDays: 90 },
    ['retainer'],
  ),
  template('step-timelock', 'STEP', 180, ['Time lock', 'All of it on day 180'], { intervalDays: 180 }, [
    'lock',
  ]),
  template('step-double-unlock', 'STEP', 180, ['Two unlocks', 'Half on day 90, half on day 180'], {
    intervalDays: 90,
  }),
  template('step-monthly', 'STEP', 180, ['Monthly steps', 'A sixth every 30 days'], { intervalDays: 30 }, [
    'team',
  ]),
  template(
    'step-quarterly-cliff',
    'STEP',
    360,
    ['Quarterly steps with cliff', 'A quarter every 90 days, the first one after 90'],
    { intervalDays: 90, cliffDays: 90 },
    ['team', 'cliff'],
  ),
  template(
    'tranche-backweighted',
    'TRANCHE',
    360,
    ['More at the end', '10, 20, 30 and 40 % on days 30, 120, 240 and 360'],
    tranches([30, 120, 240, 360], [10, 20, 30, 40]),
    ['milestones'],
  ),
  template(
    'tranche-frontloaded',
    'TRANCHE',
    240,
    ['More at the start', '40, 30, 20 and 10 % on days 30, 90, 150 and 240'],
    tranches([30, 90, 150, 240], [40, 30, 20, 10]),
    ['milestones'],
  ),
  template(
    'tranche-cliff-staged',
    'TRANCHE',
    360,
    ['Four equal stages', '25 % on days 90, 180, 270 and 360'],
    tranches([90, 180, 270, 360], [25, 25, 25, 25]),
    ['milestones', 'cliff'],
  ),
  template(
    'tranche-monthly-runway',
    'TRANCHE',
    240,
    ['Growing runway', 'Eight months: 10 % four times, then 12, 12, 16 and 20 %'],
    tranches([30, 60, 90, 120, 150, 180, 210, 240], [10, 10, 10, 10, 12, 12, 16, 20]),
    ['runway'],
  ),
  template(
    'tranche-performance-ladder',
    'TRANCHE',
    420,
    ['Performance ladder', 'Seven rungs from 8 to 22 % over 420 days'],
    tranches([30, 90, 150, 210, 270, 330, 420], [8, 10, 12, 14, 16, 18, 22]),
    ['performance'],
  ),
];

/** The template of an id, or null. */
export const findTemplate = (id: string): Template | null =>
  TEMPLATES.find((candidate) => candidate.id === id) ?? null;

/** The amounts of percentages of a total: each rounded down, the last one takes what is left. */
export const splitByPercentages = (total: bigint, percentages: readonly number[]): readonly bigint[] => {
  const rounded = percentages.map((percentage) => percentOf(total, String(percentage)));
  const head = rounded.slice(0, -1);
  return [...head, total - head.reduce((sum, amount) => sum + amount, 0n)];
};

/** A point of a preview: percent vested after days. */
export type PreviewPoint = { readonly day: number; readonly percent: number };

/** 100 % in the integers of a preview: percent with four decimals. */
const WHOLE = 1_000_000n;

const recurringPreview = ({ durationDays, intervalDays }: Template): PreviewPoint[] => {
  const interval = intervalDays ?? durationDays;
  const payments = durationDays / interval;
  return Array.from({ length: payments }, (_, index) => [
    { day: (index + 1) * interval, percent: (100 * index) / payments },
    { day: (index + 1) * interval, percent: (100 * (index + 1)) / payments },
  ]).flat();
};

const show = ({ day, percent }: PreviewPoint): PreviewPoint => ({ day, percent: Number(percent.toFixed(4)) });

/** The curve of a template: its corners, to be joined by lines. */
export const previewOf = (shape: Template): readonly PreviewPoint[] => {
  if (shape.streamType === 'RECURRING') return [{ day: 0, percent: 0 }, ...recurringPreview(shape)].map(show);
  const amounts = splitByPercentages(WHOLE, shape.tranchePercentages ?? []);
  const segments = segmentsOf({
    stream_type: shape.streamType,
    total_amount: WHOLE,
    start_time: 0,
    end_time: shape.durationDays * DAY,
    cliff_timestamp: shape.cliffDays === null ? null : shape.cliffDays * DAY,
    interval_seconds: shape.intervalDays === null ? null : shape.intervalDays * DAY,
    hybrid_unlock_time: shape.unlockDay === null ? null : shape.unlockDay * DAY,
    hybrid_upfront_percentage: shape.unlockPercent === null ? null : String(shape.unlockPercent),
    tranche_schedule: (shape.trancheDays ?? []).map((day, index) => ({
      unlock_time: day * DAY,
      amount: amounts[index] ?? 0n,
    })),
  });
  return curvePoints(segments).map(({ offset, amount }) =>
    show({ day: offset / DAY, percent: Number(amount) / 10_000 }),
  );
};
