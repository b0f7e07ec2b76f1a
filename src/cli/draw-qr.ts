/** QR codes for the terminal, two rows of modules to a line. Loaded only when `--qr` asks for one. */
import { renderUnicodeCompact } from 'uqr';
import type { Call } from './call.js';
import type { Painter } from './output.js';

/** Modules of light around the code. Source: ISO/IEC 18004, quiet zone. */
const QUIET_ZONE = 4;

/**
 * The QR code of a cash address, or of the address of a page, as lines of half blocks, light modules filled. A cash address
 * stands in it in upper case: that is the same address, in the alphanumeric mode that makes the code smaller. Source:
 * CashAddr specification.
 */
export const drawQr = (address: string, paint: Painter): string => {
  const text = address.includes('/') ? address : address.toUpperCase();
  return painted(renderUnicodeCompact(text, { ecc: 'M', border: QUIET_ZONE }), paint);
};

const painted = (picture: string, paint: Painter): string =>
  picture
    .split('\n')
    .map((line) => paint('picture', line))
    .join('\n');

/** Modules of light around a code that is long: half of what is asked for, which the apps read too. */
const NARROW_ZONE = 2;

/**
 * The QR code of a long text, to the letter and as small as it can be; null where it needs more columns.
 *
 * @param columns of the terminal
 */
export const drawCode = (text: string, columns: number, paint: Painter): string | null => {
  const picture = renderUnicodeCompact(text, { ecc: 'L', border: NARROW_ZONE });
  return picture.indexOf('\n') > columns ? null : painted(picture, paint);
};

/** The call, now able to draw. */
export const withQr = (call: Call): Call => ({ ...call, output: { ...call.output, drawQr } });
