/** Values of settings, read from a text (flag, environment) or from JSON (file): undefined for what is not usable. */

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

/** A list of items that pass, in a text separated by commas or blanks. */
export const readList =
  (isItem: (text: string) => boolean) =>
  (value: unknown): readonly string[] | undefined => {
    const items: unknown = typeof value === 'string' ? value.split(/[\s,]+/).filter(Boolean) : value;
    const isUsable = (item: unknown): item is string => typeof item === 'string' && isItem(item);
    return Array.isArray(items) && items.every(isUsable) ? items : undefined;
  };

const urlOf = (text: string): URL | null => (URL.canParse(text) ? new URL(text) : null);

const isWebUrl = (text: string): boolean => ['http:', 'https:'].includes(urlOf(text)?.protocol ?? '');

/** True for an http or https origin as browsers send it: nothing after host and port. */
export const isWebOrigin = (text: string): boolean => isWebUrl(text) && urlOf(text)?.origin === text;

/** The URL of a WebSocket, without a path's last slash. */
export const readSocketUrl = (value: unknown): string | undefined => {
  const text = readText(value)?.replace(/\/+$/, '');
  return text !== undefined && ['ws:', 'wss:'].includes(urlOf(text)?.protocol ?? '') ? text : undefined;
};

/** The same with nothing but a host and a port in it. */
export const readSocketHost = (value: unknown): string | undefined => {
  const text = readSocketUrl(value);
  const url = text === undefined ? null : urlOf(text);
  const isBare =
    url !== null && [url.username, url.password, url.search, url.hash].every((part) => part === '');
  return isBare && url.pathname === '/' ? text : undefined;
};

/** A URL of PostgreSQL. */
export const readDatabaseText = (value: unknown): string | undefined => {
  const text = readText(value);
  return text !== undefined && ['postgres:', 'postgresql:'].includes(urlOf(text)?.protocol ?? '')
    ? text
    : undefined;
};

/** True for the URL of an Electrum server. */
export const isElectrumUrl = (text: string): boolean => {
  const url = urlOf(text);
  return url !== null && ['ws:', 'wss:', 'tcp:', 'tls:'].includes(url.protocol) && url.hostname !== '';
};

/** An http or https URL; null for `none`. */
export const readUrlOrNone = (value: unknown): string | null | undefined => {
  if (value === null || value === 'none') return null;
  const text = readText(value);
  return text !== undefined && isWebUrl(text) ? text : undefined;
};

/** An origin as browsers show it, without its last slash; null for `none`. */
export const readOriginOrNone = (value: unknown): string | null | undefined => {
  if (value === null || value === 'none') return null;
  const text = readText(value)?.replace(/\/$/, '');
  return text !== undefined && isWebOrigin(text) ? text : undefined;
};
