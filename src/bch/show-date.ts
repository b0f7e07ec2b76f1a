/**
 * A moment for people, to the minute: `2026-06-01 00:00 UTC`. `missing` stands for one that is not there.
 *
 * @example
 * showDate(monday); // '2026-06-01 00:00 UTC'
 * showDate(null, 'never'); // 'never'
 */
export const showDate = (seconds: number | null, missing = ''): string =>
  seconds === null ? missing : `${new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
