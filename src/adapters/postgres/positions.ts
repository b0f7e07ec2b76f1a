/** Positions: the order of records and of entries. They are made like a UUIDv7: time first, then what tells apart. */
import { randomBytes } from 'node:crypto';

/** Hex digits of the time (microseconds since 1970), of the place within a change, and of chance. */
const [TIME, PLACE, CHANCE] = [14, 6, 12];

export type Positions = {
  /** The positions of one change, in order: behind all that this process has given out. */
  readonly begin: (microseconds: number) => () => string;
};

export const createPositions = (): Positions => {
  let last = 0;
  return {
    begin: (microseconds) => {
      last = Math.max(microseconds, last + 1);
      const time = last.toString(16).padStart(TIME, '0');
      const chance = randomBytes(CHANCE / 2).toString('hex');
      let place = 0;
      return () => {
        place += 1;
        return `${time}${place.toString(16).padStart(PLACE, '0')}${chance}`;
      };
    },
  };
};
