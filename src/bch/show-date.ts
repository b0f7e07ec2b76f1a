import { showLocalDate } from './date.js';

/**
 * A moment for people, in the machine's time zone: `2026-06-01 02:00 +02:00`. `missing` stands for one that is not there.
 *
 * @example
 * showDate(monday); // '2026-06-01 00:00 UTC'
 * showDate(null, 'never'); // 'never'
 */
export const showDate = (seconds: number | null, missing = ''): string =>
  seconds === null ? missing : showLocalDate(seconds);

/**
 * A moment in a message, which may be read on another machine than this: ISO 8601, UTC.
 *
 * @example
 * momentText(monday); // '2026-06-01T00:00:00Z'
 */
export const momentText = (seconds: number): string => {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? String(seconds) : date.toISOString().replace('.000Z', 'Z');
};

/**
 * A message with its moments in the machine's time zone.
 *
 * @example
 * localMoments('it ends at 2026-06-01T00:00:00Z'); // 'it ends at 2026-06-01 00:00 UTC'
 */
export const localMoments = (message: string): string =>
  message.replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.000)?Z/g, (moment) =>
    showLocalDate(Date.parse(moment) / 1000),
  );
