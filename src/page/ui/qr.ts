/** A QR code, drawn as one path. */
import { encode } from 'uqr';
import { html, type Drawn } from '../html.js';

/** Modules of quiet around it, as scanners ask for. */
const BORDER = 4;

/** The dark modules of a code as squares of a path. */
const squares = (data: readonly (readonly boolean[])[]): string =>
  data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');

/** @param label what it is, for who cannot see it */
export const Qr = ({ text, label }: { readonly text: string; readonly label: string }): Drawn => {
  const { data, size } = encode(text, { ecc: 'L', border: BORDER });
  return html`<svg
    class="qr"
    viewBox=${`0 0 ${size} ${size}`}
    role="img"
    aria-label=${label}
    shape-rendering="crispEdges"
  >
    <path d=${squares(data)} />
  </svg>`;
};
