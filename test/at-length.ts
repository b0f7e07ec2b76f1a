/**
 * What repeats at length does so in full in `npm run test:long`, and `npm test` runs a slice of it: the same in every run.
 * CONTRIBUTING.md lists what that is.
 */
export const IS_LONG = process.env['TEST_LENGTH'] === 'long';

/** How often something is repeated: in full, or in a slice of it. */
export const atLength = (full: number, slice: number): number => (IS_LONG ? full : slice);

/** Ends the title of a test that `npm test` leaves out. */
export const AT_LENGTH = ' (at length)';
