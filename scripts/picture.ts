/** The README's picture: a stream of a year with a cliff, drawn from the segments that its covenant counts with. */
import { curvePoints, segmentsOf } from '../src/products/streams/schedule.js';

const DAY = 86_400;
const TERM_DAYS = 365;
const TOTAL = 100_000n;
/** Days after the start: the picture's today, and the claim before it. */
const [TODAY, CLAIMED_ON] = [240, 150];

const [WIDTH, HEIGHT, LEFT, TOP, BOTTOM, RIGHT] = [760, 300, 56, 24, 56, 24];
const x = (days: number): number => LEFT + ((WIDTH - LEFT - RIGHT) * days) / TERM_DAYS;
const y = (share: number): number => HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share;
const at = (days: number, share: number): string => `${x(days).toFixed(1)},${y(share).toFixed(1)}`;

type Corner = { readonly days: number; readonly share: number };

const corners: readonly Corner[] = curvePoints(
  segmentsOf({
    stream_type: 'LINEAR',
    total_amount: TOTAL,
    start_time: 0,
    end_time: TERM_DAYS * DAY,
    cliff_timestamp: 90 * DAY,
    interval_seconds: null,
    hybrid_unlock_time: null,
    hybrid_upfront_percentage: null,
    tranche_schedule: null,
  }),
).map(({ offset, amount }) => ({ days: offset / DAY, share: Number(amount) / Number(TOTAL) }));

const shareOn = (days: number): number => {
  const after = corners.findIndex((corner) => corner.days > days);
  const [from, to] = [corners[after - 1], corners[after]];
  if (from === undefined || to === undefined) return corners.at(-1)?.share ?? 0;
  return from.share + ((to.share - from.share) * (days - from.days)) / (to.days - from.days);
};

const line = (points: readonly string[]): string => points.join(' ');
const label = (place: string, text: string, anchor = 'middle'): string => {
  const [left = '', top = ''] = place.split(',');
  return `<text x="${left}" y="${top}" text-anchor="${anchor}">${text}</text>`;
};

/** The picture as SVG, for light pages and dark ones. */
export const drawPicture = (): string => {
  const vested = corners.filter(({ days }) => days <= TODAY).map(({ days, share }) => at(days, share));
  const upToToday = [at(0, 0), ...vested, at(TODAY, shareOn(TODAY))];
  const claimed = shareOn(CLAIMED_ON);
  const claims = [at(0, 0), at(CLAIMED_ON, 0), at(CLAIMED_ON, claimed), at(TODAY, claimed)];
  const rest = [at(TODAY, shareOn(TODAY)), at(TERM_DAYS, 1)];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="title text" font-family="system-ui, sans-serif" font-size="13">
  <title id="title">A stream of one year with a cliff of 90 days</title>
  <desc id="text">Nothing vests for 90 days, then a quarter at once and the rest second by second. On day 240 two thirds have vested; what had vested by day 150 was claimed.</desc>
  <style>
    text { fill: #57606a } .axis { stroke: #8c959f; fill: none } .vested { fill: #0ac18e; fill-opacity: .25 }
    .curve { stroke: #0a8f6a; stroke-width: 2; fill: none } .rest { stroke-dasharray: 4 4 } .claimed { fill: #0ac18e; fill-opacity: .7 }
    .today { stroke: #8c959f; stroke-dasharray: 2 3 }
    @media (prefers-color-scheme: dark) { text { fill: #9ba6b2 } .curve { stroke: #2fe0b0 } }
  </style>
  <polygon class="vested" points="${line([...upToToday, at(TODAY, 0)])}"/>
  <polygon class="claimed" points="${line([...claims, at(TODAY, 0)])}"/>
  <polyline class="curve" points="${line(upToToday)}"/>
  <polyline class="curve rest" points="${line(rest)}"/>
  <polyline class="axis" points="${line([at(0, 1), at(0, 0), at(TERM_DAYS, 0)])}"/>
  <polyline class="today" points="${line([at(TODAY, 0), at(TODAY, 1)])}"/>
  ${[0, 0.5, 1].map((share) => label(at(-5, share - 0.015), `${share * 100} %`, 'end')).join('\n  ')}
  ${label(at(0, -0.09), 'start', 'start')}
  ${label(at(90, -0.09), 'cliff, day 90')}
  ${label(at(CLAIMED_ON, -0.09), 'a claim')}
  ${label(at(TODAY, -0.09), 'today')}
  ${label(at(TERM_DAYS, -0.09), 'end, day 365', 'end')}
  ${label(at(195, 0.18), 'claimed')}
  ${label(at(209, 0.43), 'can be claimed')}
  ${label(at(312, 0.6), 'vests second by second')}
</svg>
`;
};
