/** QR codes for the terminal, two rows of modules to a line. Loaded only when `--qr` asks for one. */
import { renderUnicodeCompact } from 'uqr';
import type { Call } from './call.js';
import type { Painter } from './output.js';

/** Modules of light around the code. Source: ISO/IEC 18004, quiet zone. */
const QUIET_ZONE = 4;

/**
 * The QR code of a cash address as lines of half blocks, light modules filled. The address stands in it in upper case:
 * that is the same address, in the alphanumeric mode that makes the code smaller. Source: CashAddr specification.
 */
export const drawQr = (address: string, paint: Painter): string =>
  renderUnicodeCompact(address.toUpperCase(), { ecc: 'M', border: QUIET_ZONE })
    .split('\n')
    .map((line) => paint('picture', line))
    .join('\n');

/** The call, now able to draw. */
export const withQr = (call: Call): Call => ({ ...call, output: { ...call.output, drawQr } });
