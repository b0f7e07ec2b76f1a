/** From times and amounts to places in a picture, and labels that do not run into each other. */
import { showDay, showHour, showMonth } from '../say.js';

/** Of a picture: places are rounded to a tenth of a pixel. */
export const round = (place: number): number => Math.round(place * 10) / 10;

/** A span of time on a span of a picture. What lies beyond is drawn at its end. */
export type TimeScale = {
  readonly first: number;
  readonly last: number;
  readonly left: number;
  readonly right: number;
};

/** Where a time lies. */
export const placeOf = ({ first, last, left, right }: TimeScale, time: number): number => {
  if (last <= first) return left;
  const inside = Math.min(last, Math.max(first, time));
  return round(left + ((right - left) * (inside - first)) / (last - first));
};

/** Thousandths of a pixel decide nothing: so far a share of an amount is worked out. */
const FINE = 1_000_000n;

/** The share of an amount in another, from 0 to 1. */
export const shareOf = (part: bigint, whole: bigint): number => {
  if (whole <= 0n || part <= 0n) return 0;
  return part >= whole ? 1 : Number((part * FINE) / whole) / Number(FINE);
};

/** What letters of that size take at most, so that labels have room in any font. */
const LETTER = 7.6;
export const widthOf = (text: string): number => text.length * LETTER;

export type Label = { readonly at: number; readonly text: string };

/** Pixels between labels. */
const GAP = 10;

/**
 * Those of some labels that have room in a row, the first of the list before the others; each is centred at its place, or
 * as near to it as it stays inside.
 *
 * @returns from left to right
 */
export const inRow = (labels: readonly Label[], left: number, right: number): readonly Label[] => {
  const taken: { readonly from: number; readonly to: number; readonly label: Label }[] = [];
  for (const { at, text } of labels) {
    const half = widthOf(text) / 2;
    if (2 * half > right - left) continue;
    const centre = round(Math.min(right - half, Math.max(left + half, at)));
    const [from, to] = [centre - half, centre + half];
    if (taken.every((other) => to + GAP <= other.from || other.to + GAP <= from))
      taken.push({ from, to, label: { at: centre, text } });
  }
  return taken.sort((a, b) => a.from - b.from).map(({ label }) => label);
};

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

/** Distances of marks on a line of time that people count in, seconds. */
const STEPS = [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR];
const DAY_STEPS = [1, 2, 7, 14];
const MONTH_STEPS = [1, 2, 3, 6, 12, 24, 60, 120, 600];

const midnightOf = (seconds: number): Date => {
  const date = new Date(seconds * 1000);
  date.setHours(0, 0, 0, 0);
  return date;
};

const within = (times: Iterable<number>, first: number, last: number): readonly number[] =>
  [...times].filter((time) => time >= first && time <= last);

function* byDays(first: number, last: number, days: number) {
  const date = midnightOf(first);
  for (let time = date.getTime() / 1000; time <= last; time = date.getTime() / 1000) {
    yield time;
    date.setDate(date.getDate() + days);
  }
}

function* byMonths(first: number, last: number, months: number) {
  const begin = midnightOf(first);
  const from = Math.floor((begin.getFullYear() * 12 + begin.getMonth()) / months) * months;
  for (let month = from; ; month += months) {
    const time = new Date(Math.floor(month / 12), month % 12, 1).getTime() / 1000;
    if (time > last) return;
    yield time;
  }
}

function* bySeconds(first: number, last: number, step: number) {
  const midnight = midnightOf(first).getTime() / 1000;
  for (let time = midnight + Math.floor((first - midnight) / step) * step; time <= last; time += step)
    yield time;
}

/** So many marks fit between two times at most, whatever their distance. */
const fitting = (span: number, step: number): boolean => span / step <= 12;

type Ticks = { readonly times: readonly number[]; readonly text: (time: number) => string };

/** Marks of a line of time at whole hours, days or months: at most a dozen, of which {@link inRow} takes what has room. */
const ticksBetween = (first: number, last: number): Ticks => {
  const span = last - first;
  const step = STEPS.find((one) => fitting(span, one));
  if (step !== undefined) return { times: within(bySeconds(first, last, step), first, last), text: showHour };
  const days = DAY_STEPS.find((one) => fitting(span, one * DAY));
  if (days !== undefined) return { times: within(byDays(first, last, days), first, last), text: showDay };
  const months = MONTH_STEPS.find((one) => fitting(span, one * 30 * DAY)) ?? 1_200;
  return { times: within(byMonths(first, last, months), first, last), text: showMonth };
};

/** Labels of the middle first, halving on: so those that fit are spread evenly. */
const evenly = <T>(items: readonly T[]): readonly T[] => {
  if (items.length <= 2) return items;
  const middle = Math.floor(items.length / 2);
  const [before, after] = [evenly(items.slice(0, middle)), evenly(items.slice(middle + 1))];
  const woven = before.flatMap((item, index) => [item, ...after.slice(index, index + 1)]);
  return [...items.slice(middle, middle + 1), ...woven, ...after.slice(before.length)];
};

/** The marks under a line of time: its ends by their day, and what has room between. */
export const timeLabels = (scale: TimeScale): readonly Label[] => {
  const { first, last, left, right } = scale;
  const { times, text } = ticksBetween(first, last);
  const end = last - first < 2 * DAY ? showHour : showDay;
  const ends = last <= first ? [first] : [first, last];
  return inRow(
    [
      ...ends.map((time) => ({ at: placeOf(scale, time), text: end(time) })),
      ...evenly(times).map((time) => ({ at: placeOf(scale, time), text: text(time) })),
    ],
    left,
    right,
  );
};
