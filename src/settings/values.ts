/** Usable values of settings, read from a text (flag, environment) or from JSON (file); undefined for what is none. */

/** A text that is not blank, without the blanks around it. */
export const readText = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;

/** A block as `HEIGHT:HASH`, the hash as it is shown. */
export const readBlockName = (value: unknown): string | undefined => {
  const text = readText(value)?.toLowerCase();
  return text !== undefined && /^\d{1,9}:[0-9a-f]{64}$/.test(text) ? text : undefined;
};

/** An integer from `minimum` to `maximum`. */
export const readInteger =
  (minimum: number, maximum: number) =>
  (value: unknown): number | undefined => {
    const number = typeof value === 'string' && /^\d+$/.test(value.trim()) ? Number(value) : value;
    const fits = Number.isInteger(number) && Number(number) >= minimum && Number(number) <= maximum;
    return fits ? Number(number) : undefined;
  };

/** True or false, in a text also 1 or 0. */
export const readSwitch = (value: unknown): boolean | undefined => {
  if (value === true || value === 'true' || value === '1') return true;
  return value === false || value === 'false' || value === '0' ? false : undefined;
};

const arrayOf = (value: unknown): readonly unknown[] | undefined =>
  Array.isArray(value) ? (value as readonly unknown[]) : undefined;

/** A list of items that pass, in a text separated by commas or blanks. */
export const readList =
  (isItem: (text: string) => boolean) =>
  (value: unknown): readonly string[] | undefined => {
    const items: readonly unknown[] | undefined =
      typeof value === 'string' ? value.split(/[\s,]+/).filter((item) => item !== '') : arrayOf(value);
    return items?.every((item): item is string => typeof item === 'string' && isItem(item))
      ? items
      : undefined;
  };

const urlOf = (text: string): URL | null => (URL.canParse(text) ? new URL(text) : null);

const isWebUrl = (text: string): boolean => ['http:', 'https:'].includes(urlOf(text)?.protocol ?? '');

/** True for an http or https origin as browsers send it: nothing after host and port. */
export const isWebOrigin = (text: string): boolean => isWebUrl(text) && urlOf(text)?.origin === text;

/** True for the URL of an Electrum server. */
export const isElectrumUrl = (text: string): boolean => {
  const url = urlOf(text);
  return url !== null && ['ws:', 'wss:', 'tcp:', 'tls:'].includes(url.protocol) && url.hostname !== '';
};

const readUrl = (value: unknown): string | undefined => {
  const text = readText(value);
  return text !== undefined && isWebUrl(text) ? text : undefined;
};

/** An http or https URL; null for `none`. */
export const readUrlOrNone = (value: unknown): string | null | undefined =>
  value === null || value === 'none' ? null : readUrl(value);
