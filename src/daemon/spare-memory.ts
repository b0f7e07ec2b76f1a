/** How much garbage a daemon lets lie. */
import { setFlagsFromString } from 'node:v8';

/** Percent of what is in use. */
const GARBAGE = 50;

/**
 * Collects garbage when it is half of what is in use. By itself V8 waits for four times as much on a machine with much memory:
 * a daemon on a database, which has few records in use and makes garbage of many, would hold hundreds of megabytes for nothing.
 */
export const spareMemory = (): void => {
  setFlagsFromString(`--heap-growing-percent=${GARBAGE}`);
};
