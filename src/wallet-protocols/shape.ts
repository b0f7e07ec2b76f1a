/**
 * What comes from elsewhere, read as what it should be. A library of schemas would weigh more in the page than all that is said between
 * two sides.
 */

/** Reads a value at a dotted path. @throws {@link Unreadable} */
export type Reader<T> = (value: unknown, path: string) => T;
export type Read<R> = R extends Reader<infer T> ? T : never;

/** What cannot be read, and where. */
export class Unreadable extends Error {
  readonly path: string;

  constructor(path: string) {
    super(`unreadable at ${path}`);
    this.path = path;
  }
}

const when =
  <T>(isIt: (value: unknown) => value is T): Reader<T> =>
  (value, path) => {
    if (isIt(value)) return value;
    throw new Unreadable(path);
  };

export const anything: Reader<unknown> = (value) => value;
export const text: Reader<string> = when((value) => typeof value === 'string');
export const flag: Reader<boolean> = when((value) => typeof value === 'boolean');
export const whole: Reader<number> = when((value): value is number => Number.isSafeInteger(value));

/** Lower-case hex of so many bytes. */
export const hex = (bytes: number): Reader<string> => {
  const pattern = new RegExp(`^[0-9a-f]{${bytes * 2}}$`);
  return when((value): value is string => typeof value === 'string' && pattern.test(value));
};

/** One certain value. */
export const exactly = <const T extends string | number>(expected: T): Reader<T> =>
  when((value): value is T => value === expected);

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields of a value; none where it is no object. */
export const asRecord = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {});

export const list =
  <T>(of: Reader<T>): Reader<T[]> =>
  (value, path) => {
    if (!Array.isArray(value)) throw new Unreadable(path);
    return value.map((one: unknown, index) => of(one, `${path}.${index}`));
  };

/** A list with something in it. */
export const notEmpty =
  <T>(of: Reader<T[]>): Reader<T[]> =>
  (value, path) => {
    const read = of(value, path);
    if (read.length === 0) throw new Unreadable(path);
    return read;
  };

export const record =
  <T>(of: Reader<T>): Reader<Record<string, T>> =>
  (value, path) => {
    if (!isRecord(value)) throw new Unreadable(path);
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, of(one, `${path}.${name}`)]));
  };

/** An object with these fields; what else is in it is left out. */
export const fields =
  <R extends Readonly<Record<string, Reader<unknown>>>>(
    readers: R,
  ): Reader<{ -readonly [Name in keyof R]: Read<R[Name]> }> =>
  (value, path) => {
    if (!isRecord(value)) throw new Unreadable(path);
    const read = Object.entries(readers).map(([name, reader]) => [
      name,
      reader(value[name], path === '' ? name : `${path}.${name}`),
    ]);
    return Object.fromEntries(read) as { -readonly [Name in keyof R]: Read<R[Name]> };
  };

export const orNull =
  <T>(of: Reader<T>): Reader<T | null> =>
  (value, path) =>
    value === null ? null : of(value, path);

/** What is left out is that. */
export const orElse =
  <T>(of: Reader<T>, missing: T): Reader<T> =>
  (value, path) =>
    value === undefined ? missing : of(value, path);

/** What cannot be read is that. */
export const otherwise =
  <T>(of: Reader<T>, instead: T): Reader<T> =>
  (value, path) => {
    try {
      return of(value, path);
    } catch {
      return instead;
    }
  };

/** The value; null where it cannot be read. */
export const readOr = <T>(reader: Reader<T>, value: unknown): T | null =>
  otherwise<T | null>(reader, null)(value, '');
