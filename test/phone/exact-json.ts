/**
 * JSON whose integers stay what they are: ids of a relay are above 2^53, and a rounded one acknowledges nothing.
 * An integer of 16 digits or more is a bigint; any other number is a number.
 */
const MARK = '\u0001integer:';
const token = /"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g;
const marked = /"\\u0001integer:(-?\d+)"/g;

/** @throws SyntaxError when it is not JSON */
export const parseExact = (text: string): unknown =>
  JSON.parse(
    text.replaceAll(token, (found) => (found.startsWith('"') ? found : `"\\u0001integer:${found}"`)),
    (_key, value: unknown) =>
      typeof value === 'string' && value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value,
  );

/** For the reverse, see {@link parseExact}. */
export const stringifyExact = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'bigint' ? `${MARK}${item}` : item,
  ).replaceAll(marked, '$1');
