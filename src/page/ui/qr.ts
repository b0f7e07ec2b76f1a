/** A QR code, drawn as one path. What works it out is loaded when there is one to draw. */
import { useEffect, useState } from 'preact/hooks';
import { html, type Drawn } from '../html.js';

/** Modules of quiet around it, as scanners ask for. */
const BORDER = 4;

type Code = { readonly size: number; readonly path: string };

/** The dark modules of a text's code, as squares of a path. */
const codeOf = async (text: string): Promise<Code> => {
  const { encode } = await import('./qr-code.js');
  const { data, size } = encode(text, { ecc: 'L', border: BORDER });
  const squares = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return { size, path: squares.join('') };
};

/** @param label what it is, for who cannot see it */
export const Qr = ({ text, label }: { readonly text: string; readonly label: string }): Drawn => {
  const [code, setCode] = useState<Code>({ size: 1, path: '' });
  useEffect(() => {
    void codeOf(text).then(setCode);
  }, [text]);
  const { size, path } = code;
  return html`<svg
    class="qr"
    viewBox=${`0 0 ${size} ${size}`}
    role="img"
    aria-label=${label}
    shape-rendering="crispEdges"
  >
    <path d=${path} />
  </svg>`;
};
