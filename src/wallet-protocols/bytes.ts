/** Bytes as texts and back, with what Node and browsers both have. */

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

export const textOf = (bytes: Uint8Array): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

/** Arguments that a call takes at once. */
const SLICE = 0x8000;

export const toBase64 = (bytes: Uint8Array): string => {
  let text = '';
  for (let at = 0; at < bytes.length; at += SLICE)
    text += String.fromCharCode(...bytes.subarray(at, at + SLICE));
  return btoa(text);
};

/** Without padding, as in URLs. */
export const toBase64Url = (bytes: Uint8Array): string =>
  toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/** What of a text is base64 of either alphabet: what is none is passed by, and it ends at the first `=`. */
export const fromBase64 = (text: string): Uint8Array => {
  const [whole = ''] = text.split('=', 1);
  const digits = whole
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/[^\w+/]/g, '');
  // A single digit is no byte.
  const binary = atob(digits.length % 4 === 1 ? digits.slice(0, -1) : digits);
  return Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
};

/** The bytes of hex digits that were looked at before. */
export const hexBytes = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));

export const hexText = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

export const concat = (...parts: readonly Uint8Array[]): Uint8Array => {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
};

/** The first four bytes as a number. */
export const uint32 = (bytes: Uint8Array): number =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0);
