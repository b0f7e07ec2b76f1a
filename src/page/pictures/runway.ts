/** How long what is put into streams and payments lasts. */
import { html } from '../html.js';
import { shorten } from '../amounts.js';
import { say, showDay } from '../say.js';
import { timeAxis, timeScale } from './axes.js';
import { filled, textAt, type Look, type Node, type Picture } from './figure.js';
import { amountText, sentences, type Asset } from './format.js';
import { placeOf, widthOf, type TimeScale } from './scale.js';

/** Something that runs dry unless it is refilled. */
export type Runway = {
  readonly label: string;
  /** Whom it pays: a name or an address. */
  readonly to: string;
  /** When the last that it holds falls due, unix seconds; null: it holds nothing. */
  readonly endsAt: number | null;
  /** What it holds. */
  readonly held: bigint;
  readonly asset: Asset;
};

const DAY = 86_400;
/** What ends later than that is drawn to the edge. */
const FARTHEST = 365 * DAY;
const URGENCY = ['dry', 'week', 'month', 'later'] as const;
export type Urgency = (typeof URGENCY)[number];
const LOOKS: Readonly<Record<Urgency, Look>> = {
  dry: 'empty',
  week: 'crossed',
  month: 'hatched',
  later: 'full',
};

/** How soon it runs dry: within 7 days, within 30, or later. What it holds may be due already, and not claimed. */
export const urgencyOf = ({ endsAt }: Runway, now: number): Urgency => {
  if (endsAt === null || endsAt <= now) return 'dry';
  if (endsAt - now <= 7 * DAY) return 'week';
  return endsAt - now <= 30 * DAY ? 'month' : 'later';
};

/** The soonest first. */
export const bySoonest = (runways: readonly Runway[]): readonly Runway[] =>
  runways.toSorted((a, b) => (a.endsAt ?? 0) - (b.endsAt ?? 0) || a.label.localeCompare(b.label));

/** From now to the last end, a week at least and a year at most. */
export const spanOf = (runways: readonly Runway[], now: number): readonly [number, number] => {
  const last = Math.max(now + 7 * DAY, ...runways.map(({ endsAt }) => endsAt ?? 0));
  return [now, Math.min(now + FARTHEST, last)];
};

const ROW = 44;
const BAR = 14;
/** More than these stand in the table alone. */
const SHOWN = 15;

const nameOf = (to: string): string => (to.includes(':') ? shorten(to) : to);

const rowOf = (
  time: TimeScale,
  { runway, now, index }: { runway: Runway; now: number; index: number },
  id: string,
): Node => {
  const y = index * ROW;
  const { label, to, endsAt } = runway;
  const urgency = urgencyOf(runway, now);
  const end = endsAt === null || urgency === 'dry' ? say('runway.dry') : showDay(endsAt);
  const room = Math.floor((time.right - time.left - widthOf(end) - 12) / widthOf('m'));
  const name = say('runway.pays', { label, to: nameOf(to) });
  const isFar = endsAt !== null && endsAt > time.last;
  const stop = placeOf(time, endsAt ?? now);
  return html`
    <g>
      ${textAt({ x: time.left, y: y + 14 }, name.length > room ? `${name.slice(0, room - 1)}…` : name, { anchor: 'start' })}
      ${textAt({ x: time.right, y: y + 14 }, isFar ? `${end} →` : end, { anchor: 'end' })}
      <rect class="trough" x=${time.left} y=${y + 20} width=${time.right - time.left} height=${BAR} />
      ${urgency === 'dry' ? null : html`<rect x=${time.left} y=${y + 20} width=${stop - time.left} height=${BAR} ...${filled(id, LOOKS[urgency])} />`}
    </g>
  `;
};

const captionOf = (sorted: readonly Runway[], now: number): string => {
  const [dry, soon] = [
    sorted.filter((one) => urgencyOf(one, now) === 'dry'),
    sorted.filter((one) => ['week', 'month'].includes(urgencyOf(one, now))),
  ];
  const next = sorted.find((one) => urgencyOf(one, now) !== 'dry');
  return sentences([
    sorted.length === 0 ? say('runway.nothing') : null,
    dry.length > 0 ? say('runway.are-dry', { count: dry.length }) : null,
    next?.endsAt == null ? null : say('runway.next', { label: next.label, day: showDay(next.endsAt) }),
    soon.length > 1 ? say('runway.soon', { count: soon.length }) : null,
    sorted.length > SHOWN ? say('runway.more', { count: sorted.length - SHOWN }) : null,
  ]);
};

/** When each runs dry, from now on. `now` in unix seconds. */
export const drawRunways = (runways: readonly Runway[], now: number, width: number): Picture => {
  const id = 'runways';
  const sorted = bySoonest(runways);
  const shown = sorted.slice(0, SHOWN);
  const time = timeScale(...spanOf(shown, now), width);
  const looks = URGENCY.filter(
    (urgency) => urgency !== 'dry' && shown.some((one) => urgencyOf(one, now) === urgency),
  );
  return {
    id,
    title: say('runway.title'),
    caption: captionOf(sorted, now),
    width,
    height: shown.length * ROW + 32,
    drawing: [
      ...shown.map((runway, index) => rowOf(time, { runway, now, index }, id)),
      timeAxis(time, shown.length * ROW + 4),
    ],
    keys: looks.map((urgency) => ({
      look: LOOKS[urgency],
      text: urgency === 'dry' ? say('runway.dry') : say(`runway.is-${urgency}`),
    })),
    table: {
      head: [
        ['picture.what', 'text'],
        ['picture.to', 'whole'],
        ['runway.holds', 'amount'],
        ['runway.until', 'date'],
      ],
      rows: sorted.map((one) => [
        one.label,
        one.to,
        amountText(one.held, one.asset),
        one.endsAt === null || urgencyOf(one, now) === 'dry' ? say('runway.dry') : showDay(one.endsAt),
      ]),
    },
  };
};
