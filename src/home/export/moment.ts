/** Moments as people write them: a day, a time, or unix seconds. All of them are UTC. */
import { invalidInput } from '../../operation/read-input.js';

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?Z?$/;
const DAY_SECONDS = 86_400;

const secondsOf = (text: string): number | null => {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  if (!DAY.test(text) && !TIME.test(text)) return null;
  const iso = DAY.test(text) || text.endsWith('Z') ? text : `${text}Z`;
  const milliseconds = Date.parse(iso);
  // Javascript rolls the 31st of a shorter month over; nobody means that.
  const isReal =
    Number.isFinite(milliseconds) && new Date(milliseconds).toISOString().startsWith(text.slice(0, 10));
  return isReal ? milliseconds / 1000 : null;
};

const read = (text: string, path: string): number => {
  const seconds = secondsOf(text.trim());
  if (seconds !== null) return seconds;
  const message = 'expected a day (2026-06-30), a time (2026-06-30T12:00Z) or unix seconds';
  throw invalidInput([{ path, message, input: text }]);
};

/** The first second of a moment, unix seconds. @throws invalid_input */
export const firstSecond = (text: string, path: string): number => read(text, path);

/** The last second of a moment: a day ends with its last. @throws invalid_input */
export const lastSecond = (text: string, path: string): number =>
  read(text, path) + (DAY.test(text.trim()) ? DAY_SECONDS - 1 : 0);
