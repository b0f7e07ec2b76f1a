/** Lines and areas of amounts over time. */
import { placeOf, round, shareOf, type TimeScale } from './scale.js';

/** An amount at a time; between two of them it grows evenly. Two with one time are a jump. */
export type Corner = { readonly time: number; readonly amount: bigint };

/** Where a picture's amounts stand: `whole` at the top, nothing at the bottom. */
export type Plot = {
  readonly time: TimeScale;
  readonly whole: bigint;
  readonly top: number;
  readonly bottom: number;
};

/** How high an amount stands. */
export const heightOf = ({ whole, top, bottom }: Plot, amount: bigint): number =>
  round(bottom - (bottom - top) * shareOf(amount, whole));

/** The amount of a line at a time: after the last of the corners that are not later, on the way to the next. */
export const amountAt = (corners: readonly Corner[], time: number): bigint => {
  const index = corners.findLastIndex((corner) => corner.time <= time);
  const [before, after] = [corners[index], corners[index + 1]];
  if (before === undefined) return 0n;
  if (after === undefined || after.time === before.time) return before.amount;
  const grown = (after.amount - before.amount) * BigInt(Math.floor(time - before.time));
  return before.amount + grown / BigInt(Math.max(1, Math.floor(after.time - before.time)));
};

/** The part of a line between two times, with its ends. */
export const cut = (corners: readonly Corner[], from: number, to: number): readonly Corner[] => [
  { time: from, amount: amountAt(corners, from) },
  ...corners.filter(({ time }) => time > from && time <= to),
  { time: to, amount: amountAt(corners, to) },
];

/** The part of a line that lies below an amount, and that amount from where the line gets there. */
export const below = (corners: readonly Corner[], amount: bigint): readonly Corner[] => {
  const index = corners.findIndex((corner) => corner.amount > amount);
  const [before, after] = [corners[index - 1], corners[index]];
  if (after === undefined) return corners;
  if (before === undefined) return corners.map(({ time }) => ({ time, amount }));
  const share = shareOf(amount - before.amount, after.amount - before.amount);
  const time = Math.round(before.time + (after.time - before.time) * share);
  return [
    ...corners.slice(0, index),
    { time, amount },
    ...corners.slice(index).map((corner) => ({ ...corner, amount })),
  ];
};

/** Stairs: from each time on, that amount; up to a last time. */
export const stairs = (steps: readonly Corner[], until: number): readonly Corner[] =>
  steps.flatMap((step, index) => [step, { time: steps[index + 1]?.time ?? until, amount: step.amount }]);

const point = (plot: Plot, { time, amount }: Corner): string =>
  `${placeOf(plot.time, time)} ${heightOf(plot, amount)}`;

/** A line as a path. */
export const linePath = (plot: Plot, corners: readonly Corner[]): string =>
  corners.map((corner, index) => `${index === 0 ? 'M' : 'L'}${point(plot, corner)}`).join('');

/** The area between a line and another below it, or the ground. */
export const areaPath = (plot: Plot, above: readonly Corner[], below: readonly Corner[] = []): string => {
  const [first, last] = [above[0], above.at(-1)];
  if (first === undefined || last === undefined) return '';
  const floor =
    below.length > 0
      ? below
      : [
          { ...first, amount: 0n },
          { ...last, amount: 0n },
        ];
  const back = floor.toReversed().map((corner) => `L${point(plot, corner)}`);
  return `${linePath(plot, above)}${back.join('')}Z`;
};
