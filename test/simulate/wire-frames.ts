/** What is said on a wire to PostgreSQL, message by message: a letter, the length of the rest, the rest. */

export type Frame = {
  /** Its letter; empty: the first thing that a client says, which has none. */
  readonly kind: string;
  readonly bytes: Buffer;
};

const LENGTH = 4;

/** Reads one side of a wire. @returns takes what has come, and gives what of it is whole */
export const readFrames = (isClient: boolean): ((bytes: Buffer) => readonly Frame[]) => {
  let rest: Buffer = Buffer.alloc(0);
  let letters = isClient ? 0 : 1;
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    const frames: Frame[] = [];
    while (rest.length >= letters + LENGTH) {
      const size = letters + rest.readUInt32BE(letters);
      if (rest.length < size) break;
      frames.push({ kind: rest.toString('latin1', 0, letters), bytes: rest.subarray(0, size) });
      rest = rest.subarray(size);
      letters = 1;
    }
    return frames;
  };
};
