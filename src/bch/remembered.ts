/**
 * Functions of a text that remember what they gave. Only for what follows from the text and from nothing else (no clock,
 * no chain, no setting): then what was given once is right for good, and there is nothing that could become stale.
 */

/**
 * `work` that remembers its last answers, so many; the oldest goes first. What throws, and null, is worked out anew.
 * An answer is shared by all who ask, so it must be frozen, and all that it holds.
 *
 * @example
 * const lengthOf = remembered(100, (text) => Object.freeze({ length: text.length }));
 * lengthOf('abc') === lengthOf('abc'); // true
 */
export const remembered = <T extends object | null>(
  limit: number,
  work: (text: string) => T,
): ((text: string) => T) => {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const made = work(text);
    if (made === null) return made;
    if (known.size >= limit) for (const oldest of known.keys()) if (known.delete(oldest)) break;
    known.set(text, made);
    return made;
  };
};

/**
 * Freezes what was just made, and all that it holds; a part that is frozen already is so to its own last part.
 *
 * @example
 * Object.isFrozen(frozen({ coins: [coin] }).coins); // true
 */
export const frozen = <Made>(made: Made): Readonly<Made> => {
  if (typeof made !== 'object' || made === null || Object.isFrozen(made)) return made;
  for (const part of Object.values(made)) frozen(part);
  return Object.freeze(made);
};
