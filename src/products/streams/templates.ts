/** The schedule templates, as data. Source: docs/design/api.md. */
import { z } from 'zod';
import { curvePoints, intervalSegments, percentOf, segmentsOf } from './schedule.js';
import { STREAM_TYPES } from './stream.js';

/** Seconds of a day. */
export const DAY = 86_400;

const days = z.number().nullable();

export const Template = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string(),
  streamType: z.enum(STREAM_TYPES),
  durationDays: z.number(),
  cliffDays: days,
  intervalDays: days,
  unlockDay: days,
  unlockPercent: z.number().nullable(),
  trancheDays: z.array(z.number()).nullable(),
  tranchePercentages: z.array(z.number()).nullable(),
  refillable: z.boolean(),
  tags: z.array(z.string()),
});
export type Template = z.output<typeof Template>;

/** A row of the catalog: how long, its title, its description, and the rest where there is something to say. */
type Row = readonly [
  durationDays: number,
  title: string,
  description: string,
  shape: Partial<Omit<Template, 'id' | 'title' | 'description' | 'streamType' | 'durationDays'>>,
];

/** By id, whose first word is the type, and the first tag too. */
const CATALOG: Readonly<Record<string, Row>> = {
  'linear-open': [180, 'Linear', 'Vests every second over 180 days', { tags: ['grant'] }],
  'linear-cliff': [
    365,
    'Linear with cliff',
    'Nothing for 90 days, then what has grown, then every second up to a year',
    { cliffDays: 90, tags: ['team', 'cliff'] },
  ],
  'hybrid-upfront-linear': [
    365,
    'A quarter upfront, then linear',
    '25 % on day 90, the rest every second up to a year',
    { unlockDay: 90, unlockPercent: 25, tags: ['investor'] },
  ],
  'hybrid-cliff-linear': [
    540,
    'Long cliff, then linear',
    '40 % on day 180, the rest every second up to day 540',
    { unlockDay: 180, unlockPercent: 40, tags: ['investor', 'cliff'] },
  ],
  'recurring-open-weekly': [
    84,
    'Weekly, open',
    'A payment every 7 days for as long as it is refilled',
    { intervalDays: 7, refillable: true, tags: ['payroll', 'open'] },
  ],
  'recurring-open-monthly': [
    180,
    'Monthly, open',
    'A payment every 30 days for as long as it is refilled',
    { intervalDays: 30, refillable: true, tags: ['payroll', 'open'] },
  ],
  'recurring-weekly': [
    84,
    'Weekly',
    'Twelve payments, one every 7 days',
    { intervalDays: 7, tags: ['payroll'] },
  ],
  'recurring-monthly': [
    180,
    'Monthly',
    'Six payments, one every 30 days',
    { intervalDays: 30, tags: ['payroll'] },
  ],
  'recurring-quarterly': [
    360,
    'Quarterly',
    'Four payments, one every 90 days',
    { intervalDays: 90, tags: ['retainer'] },
  ],
  'step-timelock': [180, 'Time lock', 'All of it on day 180', { intervalDays: 180, tags: ['lock'] }],
  'step-double-unlock': [180, 'Two unlocks', 'Half on day 90, half on day 180', { intervalDays: 90 }],
  'step-monthly': [180, 'Monthly steps', 'A sixth every 30 days', { intervalDays: 30, tags: ['team'] }],
  'step-quarterly-cliff': [
    360,
    'Quarterly steps with cliff',
    'A quarter every 90 days, the first one after 90',
    { cliffDays: 90, intervalDays: 90, tags: ['team', 'cliff'] },
  ],
  'tranche-backweighted': [
    360,
    'More at the end',
    '10, 20, 30 and 40 % on days 30, 120, 240 and 360',
    { trancheDays: [30, 120, 240, 360], tranchePercentages: [10, 20, 30, 40], tags: ['milestones'] },
  ],
  'tranche-frontloaded': [
    240,
    'More at the start',
    '40, 30, 20 and 10 % on days 30, 90, 150 and 240',
    { trancheDays: [30, 90, 150, 240], tranchePercentages: [40, 30, 20, 10], tags: ['milestones'] },
  ],
  'tranche-cliff-staged': [
    360,
    'Four equal stages',
    '25 % on days 90, 180, 270 and 360',
    { trancheDays: [90, 180, 270, 360], tranchePercentages: [25, 25, 25, 25], tags: ['milestones', 'cliff'] },
  ],
  'tranche-monthly-runway': [
    240,
    'Growing runway',
    'Eight months: 10 % four times, then 12, 12, 16 and 20 %',
    {
      trancheDays: [30, 60, 90, 120, 150, 180, 210, 240],
      tranchePercentages: [10, 10, 10, 10, 12, 12, 16, 20],
      tags: ['runway'],
    },
  ],
  'tranche-performance-ladder': [
    420,
    'Performance ladder',
    'Seven rungs from 8 to 22 % over 420 days',
    {
      trancheDays: [30, 90, 150, 210, 270, 330, 420],
      tranchePercentages: [8, 10, 12, 14, 16, 18, 22],
      tags: ['performance'],
    },
  ],
};

const templateOf = ([id, [durationDays, title, description, shape]]: readonly [string, Row]): Template => {
  const [type = ''] = id.split('-');
  return {
    id,
    title,
    description,
    streamType: Template.shape.streamType.parse(type.toUpperCase()),
    durationDays,
    cliffDays: null,
    intervalDays: null,
    unlockDay: null,
    unlockPercent: null,
    trancheDays: null,
    tranchePercentages: null,
    refillable: false,
    ...shape,
    tags: [type, ...(shape.tags ?? [])],
  };
};

export const TEMPLATES: readonly Template[] = Object.entries(CATALOG).map(templateOf);

/** The amounts of percentages of a total: each rounded down, the last one takes what is left. */
export const splitByPercentages = (total: bigint, percentages: readonly number[]): readonly bigint[] => {
  const rounded = percentages.map((percentage) => percentOf(total, String(percentage)));
  const head = rounded.slice(0, -1);
  return [...head, total - head.reduce((sum, amount) => sum + amount, 0n)];
};

/** 100 % in the integers of a preview: percent with four decimals. */
const WHOLE = 1_000_000n;

const atDay = (day: number | null): number | null => (day === null ? null : day * DAY);

/** The segments of a template, from its start on. What RECURRING has paid is rounded to the nearest. */
const segmentsIn = (template: Template) => {
  const { streamType, durationDays, intervalDays, unlockPercent } = template;
  if (streamType === 'RECURRING') {
    const interval = intervalDays ?? durationDays;
    const count = BigInt(durationDays / interval);
    const paid = (periods: number) => (2n * WHOLE * BigInt(periods) + count) / (2n * count);
    return intervalSegments(Number(count), interval * DAY, paid);
  }
  const amounts = splitByPercentages(WHOLE, template.tranchePercentages ?? []);
  return segmentsOf({
    stream_type: streamType,
    total_amount: WHOLE,
    start_time: 0,
    end_time: durationDays * DAY,
    cliff_timestamp: atDay(template.cliffDays),
    interval_seconds: atDay(intervalDays),
    hybrid_unlock_time: atDay(template.unlockDay),
    hybrid_upfront_percentage: unlockPercent === null ? null : String(unlockPercent),
    tranche_schedule: (template.trancheDays ?? []).map((day, index) => ({
      unlock_time: day * DAY,
      amount: amounts[index] ?? 0n,
    })),
  });
};

/** The curve of a template: its corners, percent vested after days, to be joined by lines. */
export const previewOf = (template: Template) =>
  curvePoints(segmentsIn(template)).map(({ offset, amount }) => ({
    day: offset / DAY,
    percent: Number(amount) / 10_000,
  }));
