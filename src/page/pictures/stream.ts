/** A stream's curve: claimed, claimable and to come, with each claim, each pause and today. */
import { html } from '../html.js';
import { shorten } from '../amounts.js';
import { say, showDay, showMoment } from '../say.js';
import { amountLine, timeAxis, timeScale, TODAY_ROOM, todayMark } from './axes.js';
import { filled, textAt, type Key, type Node, type Picture, type Rows } from './figure.js';
import { amountText, percentOf, sentences, type Asset } from './format.js';
import { placeOf, widthOf } from './scale.js';
import { areaPath, cut, heightOf, linePath, type Plot } from './steps.js';
import {
  claimedLine,
  shapeOfStream,
  type Claim,
  type StreamShape,
  type StreamShown,
} from './stream-shape.js';

const HEIGHT = 260;
/** Pixels under the plot that its line of time takes. */
const AXIS_ROOM = 28;
/** A mark of a claim. */
const [RADIUS, DOT] = [5, 2];
/** A pause that is narrower than this is drawn so wide. */
const NARROW = 3;
const FOOT = 8;

/** From its begin to its end, and on to what was claimed or paused after it. Of today the margin is drawn that it needs. */
const spanOf = ({ curve, until }: StreamShape): readonly [first: number, last: number] => {
  const first = curve[0]?.time ?? until;
  const end = curve.at(-1)?.time ?? until;
  const margin = (end - first) * 0.15;
  return [
    until < first && first - until <= margin ? until : first,
    until > end && until - end <= margin ? until : end,
  ];
};

const plotOf = (shape: StreamShape, width: number): Plot => {
  const [first, last] = spanOf(shape);
  return {
    time: timeScale(first, last, width),
    whole: shape.total,
    top: TODAY_ROOM + 20,
    bottom: HEIGHT - AXIS_ROOM,
  };
};

const areas = (plot: Plot, shape: StreamShape, { id, isEnded }: Place): Node => {
  const { first, last } = plot.time;
  const until = Math.min(Math.max(first, shape.until), last);
  const vested = cut(shape.curve, first, until);
  const claimed = claimedLine(shape, first);
  const coming = cut(shape.curve, until, last);
  return html`
    <path d=${areaPath(plot, coming)} ...${filled(id, isEnded ? 'empty' : 'dotted')} />
    <path d=${areaPath(plot, vested, claimed)} ...${filled(id, isEnded ? 'full' : 'hatched')} />
    <path d=${areaPath(plot, claimed)} ...${filled(id, 'full')} />
    <path class="curve" d=${linePath(plot, vested)} />
    <path class="curve coming" d=${linePath(plot, coming)} />
  `;
};

type Place = { readonly id: string; readonly isEnded: boolean };

/** A band over the whole height behind the areas, and its foot before them: so it shows wherever the curve stands. */
const pauseGaps = ({ time, top, bottom }: Plot, { pauses }: StreamShape, id: string) => {
  const gaps = pauses
    .filter(({ from, until }) => until >= time.first && from <= time.last)
    .map(({ from, until }) => {
      const left = placeOf(time, from);
      return { left, wide: Math.max(NARROW, placeOf(time, until) - left), from, until };
    });
  const band = (left: number, wide: number, y: number) => html`
    <rect x=${left} y=${y} width=${wide} height=${bottom - y} ...${filled(id, 'crossed')} />
  `;
  return {
    behind: gaps.map(({ left, wide }) => band(left, wide, top)),
    before: gaps.map(
      ({ left, wide, from, until }) => html`
        <g>
          ${band(left, wide, bottom - FOOT)}
          <title>${say('curve.pause-from', { from: showMoment(from), until: showMoment(until) })}</title>
        </g>
      `,
    ),
  };
};

/** The marks of claims: those that others cover are dots, and amounts stand where they have room. */
const claimMarks = (plot: Plot, { claims, until }: StreamShape, asset: Asset): Node[] => {
  const hasSeveral = new Set(claims.map(({ by }) => by)).size > 1;
  let [free, freeText] = [-Infinity, plot.time.left];
  return claims.map(({ time, amount, sum, by }) => {
    const x = placeOf(plot.time, Math.min(time, until));
    const y = heightOf(plot, sum);
    const isFree = x - free > 2 * RADIUS;
    const label = hasSeveral ? `${amountText(amount, asset)} ${shorten(by)}` : amountText(amount, asset);
    const begin = x - RADIUS - widthOf(label);
    const hasRoom = isFree && begin >= freeText;
    if (isFree) free = x;
    if (hasRoom) freeText = x + RADIUS;
    return html`
      <g class="claim">
        <title>
          ${say('curve.claim-of', { amount: amountText(amount, asset), by: shorten(by), day: showDay(time) })}
        </title>
        <circle cx=${x} cy=${y} r=${isFree ? RADIUS : DOT} />
        ${hasRoom ? textAt({ x: x - RADIUS, y: y - RADIUS - 2 }, label, { anchor: 'end', look: 'haloed' }) : null}
      </g>
    `;
  });
};

/** Less than that between two unlocks is no date that anybody waits for, seconds. */
const FLOWING = 60;

const nextOf = (next: number, now: number, end: string): string =>
  next - now <= FLOWING ? say('curve.flows', { end }) : say('curve.next', { when: showMoment(next), end });

const captionOf = ({ stream, chainTime }: StreamShown, shape: StreamShape, asset: Asset): string => {
  const { total, claimed, claimable, curve } = shape;
  const amount = (units: bigint) => amountText(units, asset);
  const end = showDay(curve.at(-1)?.time ?? chainTime);
  if (stream.status === 'CANCELLED')
    return say('curve.cancelled', {
      paid: amount(claimed),
      returned: amount(BigInt(stream.returned_amountOnChain)),
      day: showDay(shape.until),
    });
  if (stream.status === 'PENDING') return say('curve.pending', { total: amount(total), end });
  const vested = claimed + claimable;
  const facts = say('curve.vested', {
    vested: amount(vested),
    total: amount(total),
    share: percentOf(vested, total),
  });
  const now = claimable > 0n ? say('curve.claimable', { amount: amount(claimable) }) : say('curve.nothing');
  const rest =
    stream.status === 'PAUSED'
      ? say('curve.paused')
      : vested >= total
        ? null
        : stream.next_unlock === null
          ? null
          : nextOf(stream.next_unlock, chainTime, end);
  return sentences([facts, now, rest]);
};

const keysOf = (
  { stream }: StreamShown,
  { pauses, claims, total, claimed, claimable }: StreamShape,
  asset: Asset,
): Key[] => {
  const returned = BigInt(stream.returned_amountOnChain);
  const coming = total - claimed - claimable - returned;
  const isEnded = stream.status === 'CANCELLED';
  const [only, ...others] = new Set(claims.map(({ by }) => by));
  return [
    {
      look: 'full',
      text:
        only === undefined || others.length > 0
          ? say('curve.is-claimed', { amount: amountText(claimed, asset) })
          : say('curve.is-claimed-by', { amount: amountText(claimed, asset), by: shorten(only) }),
    },
    ...(isEnded
      ? []
      : [
          {
            look: 'hatched',
            text: say('curve.is-claimable', { amount: amountText(claimable, asset) }),
          } as const,
        ]),
    isEnded
      ? { look: 'empty', text: say('curve.is-returned', { amount: amountText(returned, asset) }) }
      : { look: 'dotted', text: say('curve.is-coming', { amount: amountText(coming, asset) }) },
    ...(pauses.length > 0 ? [{ look: 'crossed', text: say('curve.is-paused') } as const] : []),
  ];
};

const claimRow = ({ number, amount, by, to, time, sum }: Claim, asset: Asset): readonly string[] => [
  say('curve.claim', { number }),
  showMoment(time),
  amountText(amount, asset),
  amountText(sum, asset),
  by === to ? by : say('curve.by-to', { by, to }),
];

/** What happened and will happen, in the order of time. */
const tableOf = (shape: StreamShape, now: number, asset: Asset): Rows => {
  const { curve, claims, earlier, pauses, until, claimed, claimable } = shape;
  const first = curve[0];
  const last = curve.at(-1);
  const amount = (units: bigint) => amountText(units, asset);
  const timed: readonly { readonly time: number; readonly row: readonly string[] }[] = [
    ...(first ? [{ time: first.time, row: [say('curve.begin'), showMoment(first.time), '', '', ''] }] : []),
    ...(earlier > 0n
      ? [
          {
            time: (claims[0]?.time ?? until) - 1,
            row: [say('curve.earlier'), '', amount(earlier), amount(earlier), ''],
          },
        ]
      : []),
    ...claims.map((claim) => ({ time: claim.time, row: claimRow(claim, asset) })),
    ...pauses.map(({ from, until: end, lasts }) => ({
      time: from,
      row: [
        say(lasts ? 'curve.pause-lasts' : 'curve.pause'),
        lasts ? showMoment(from) : `${showMoment(from)} – ${showMoment(end)}`,
        '',
        '',
        '',
      ],
    })),
    {
      time: now,
      row: [
        say('picture.today'),
        showMoment(now),
        say('curve.is-claimable', { amount: amount(claimable) }),
        amount(claimed),
        '',
      ],
    },
    ...(last
      ? [
          {
            time: Math.max(last.time, first?.time ?? 0),
            row: [say('curve.end'), showMoment(last.time), amount(last.amount), '', ''],
          },
        ]
      : []),
  ];
  const rows = timed.toSorted((a, b) => a.time - b.time).map(({ row }) => row);
  return {
    head: [
      ['picture.what', 'text'],
      ['picture.when', 'date'],
      ['picture.amount', 'amount'],
      ['curve.in-all', 'amount'],
      ['picture.by', 'whole'],
    ],
    rows,
  };
};

/**
 * The curve of a stream.
 *
 * @param asset what its amounts are in
 */
export const drawStream = (shown: StreamShown, asset: Asset, width: number): Picture => {
  const { stream, chainTime } = shown;
  const shape = shapeOfStream(shown);
  const plot = plotOf(shape, width);
  const id = 'stream-curve';
  const isEnded = stream.status === 'CANCELLED';
  const gaps = pauseGaps(plot, shape, id);
  return {
    id,
    title: say('curve.title', { label: stream.stream_id }),
    caption: captionOf(shown, shape, asset),
    width,
    height: HEIGHT,
    drawing: [
      ...gaps.behind,
      areas(plot, shape, { id, isEnded }),
      ...gaps.before,
      amountLine(plot.time, plot.top, amountText(shape.total, asset)),
      timeAxis(plot.time, plot.bottom),
      todayMark(plot.time, chainTime, [TODAY_ROOM, plot.bottom]),
      ...claimMarks(plot, shape, asset),
    ],
    keys: keysOf(shown, shape, asset),
    table: tableOf(shape, chainTime, asset),
  };
};
