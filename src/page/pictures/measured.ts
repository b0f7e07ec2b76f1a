/** Draws a picture as wide as there is room for, so that its text stays as large as all other. */
import { html } from '../html.js';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { figureOf, type Node, type Picture } from './figure.js';

/** Widths that pictures are drawn for, pixels. */
const [NARROWEST, WIDEST] = [280, 960];

/** A picture, drawn for the width of its place. */
export const Measured = ({ draw }: { readonly draw: (width: number) => Picture }): Node => {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(NARROWEST);
  useLayoutEffect(() => {
    const { current } = place;
    if (current === null) return undefined;
    const measure = () => {
      setWidth(Math.min(WIDEST, Math.max(NARROWEST, Math.floor(current.clientWidth))));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => {
      observer.disconnect();
    };
  }, []);
  return html`<div ref=${place} class="measured">${figureOf(draw(width))}</div>`;
};
