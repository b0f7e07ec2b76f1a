/** Where a play happens: its folder, and what is to be ended after it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Place = {
  readonly folder: string;
  /** To be done when the play is over; what was said last is done first. */
  readonly teardown: (end: () => unknown) => void;
};

/** Makes one, and takes it away after what is played there. */
export const inPlace = async <T>(play: (place: Place) => Promise<T>): Promise<T> => {
  const folder = mkdtempSync(join(tmpdir(), 'treasury-cluster-'));
  const ends: (() => unknown)[] = [];
  try {
    return await play({ folder, teardown: (end) => ends.push(end) });
  } finally {
    for (const end of ends.toReversed()) await Promise.resolve(end()).catch(() => undefined);
    rmSync(folder, { recursive: true, force: true });
  }
};
