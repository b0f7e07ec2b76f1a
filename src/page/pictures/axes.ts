/** What stands around amounts over time: lines at amounts, a line of time, and the mark of today. */
import { html } from '../html.js';
import { say, showDay } from '../say.js';
import { textAt, type Node } from './figure.js';
import { placeOf, timeLabels, widthOf, type TimeScale } from './scale.js';

/** The marks of a line of time below `y`. */
export const timeAxis = (time: TimeScale, y: number): Node => html`
  <g class="axis">
    <path class="line" d="M${time.left} ${y}H${time.right}" />
    ${timeLabels(time).map(({ at, text }) => textAt({ x: at, y: y + 18 }, text))}
  </g>
`;

/** A line across at a height, with its amount above it on the left. */
export const amountLine = ({ left, right }: TimeScale, y: number, text: string): Node => html`
  <g class="axis">
    <path class="grid" d="M${left} ${y}H${right}" />
    ${textAt({ x: left + 2, y: y - 4 }, text, { anchor: 'start', look: 'haloed' })}
  </g>
`;

/** Pixels above a plot that the mark of today takes. */
export const TODAY_ROOM = 22;

/** The mark of today from `top` to `bottom`. A day before or after the line of time stands at its end, with an arrow. */
export const todayMark = (time: TimeScale, now: number, [top, bottom]: readonly [number, number]): Node => {
  const x = placeOf(time, now);
  const text = `${now > time.last ? '→ ' : ''}${say('picture.today')} ${showDay(now)}${now < time.first ? ' ←' : ''}`;
  const half = widthOf(text) / 2;
  const centre = Math.min(time.right - half, Math.max(time.left + half, x));
  return html`
    <g class="today">
      <path d="M${x} ${top}V${bottom}" />
      ${textAt({ x: centre, y: top - 6 }, text)}
    </g>
  `;
};

/** The room of a plot in a picture of that width. */
export const timeScale = (first: number, last: number, width: number): TimeScale => ({
  first,
  last: Math.max(last, first + 1),
  left: 10,
  right: width - 10,
});
