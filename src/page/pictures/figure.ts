/** The frame of every picture: what it shows in words, the drawing, what its looks mean, and the same as a table. */
import { html } from '../html.js';
import type { ColumnKind } from '../replies.js';
import { say, type WordKey } from '../say.js';
import { Table } from '../ui/table.js';

/** What is drawn or stands on the page. */
export type Node = ReturnType<typeof html>;

/** How an area looks. None is told from another by its colour alone. */
export type Look = 'full' | 'hatched' | 'dotted' | 'crossed' | 'empty';

/** What a look means in a picture. */
export type Key = { readonly look: Look; readonly text: string };

/** The figures of a picture in rows. */
export type Rows = {
  readonly head: readonly (readonly [title: WordKey, kind: ColumnKind])[];
  readonly rows: readonly (readonly string[])[];
};

export type Picture = {
  /** Different for each picture of a page. */
  readonly id: string;
  readonly title: string;
  /** Its point, in sentences. */
  readonly caption: string;
  readonly width: number;
  readonly height: number;
  readonly drawing: readonly Node[];
  readonly keys: readonly Key[];
  readonly table: Rows;
};

/** Attributes that fill an area of the picture `id` with a look. */
export const filled = (id: string, look: Look) => ({
  class: `area ${look}`,
  ...(look === 'full' || look === 'empty' ? {} : { fill: `url(#${id}-${look})` }),
});

const patterns = (id: string): Node => html`
  <defs>
    <pattern
      id="${id}-hatched"
      class="hatched"
      width="6"
      height="6"
      patternUnits="userSpaceOnUse"
      patternTransform="rotate(45)"
    >
      <rect class="ground" width="6" height="6" /><path d="M1.5 0V6" />
    </pattern>
    <pattern id="${id}-dotted" class="dotted" width="7" height="7" patternUnits="userSpaceOnUse">
      <rect class="ground" width="7" height="7" /><circle cx="2" cy="2" r="1" />
    </pattern>
    <pattern id="${id}-crossed" class="crossed" width="8" height="8" patternUnits="userSpaceOnUse">
      <rect class="ground" width="8" height="8" /><path d="M0 0L8 8M8 0L0 8" />
    </pattern>
  </defs>
`;

const keyOf = (id: string, { look, text }: Key): Node => html`
  <li>
    <svg width="22" height="14" aria-hidden="true">
      <rect x="1" y="1" width="20" height="12" ...${filled(id, look)} />
    </svg>
    ${text}
  </li>
`;

/** The table behind a picture, for whoever cannot see it or wants its figures. */
const tableOf = ({ title, table: { head, rows } }: Picture): Node => {
  const columns = head.map(([key, kind]) => ({ title: say(key), kind, rank: 0 }) as const);
  return html`
    <details class="behind">
      <summary>${say('picture.table')}</summary>
      <${Table} caption=${title} block=${{ kind: 'table', head: columns, rows }} />
    </details>
  `;
};

/** A picture with all that belongs to it. */
export const figureOf = (picture: Picture): Node => {
  const { id, title, caption, width, height, drawing, keys } = picture;
  return html`
    <figure class="picture">
      <figcaption id="${id}-caption">${caption}</figcaption>
      <svg
        role="img"
        aria-labelledby="${id}-title"
        aria-describedby="${id}-caption"
        width=${width}
        height=${height}
        viewBox="0 0 ${width} ${height}"
      >
        <title id="${id}-title">${title}</title>
        <desc>${caption}</desc>
        ${patterns(id)} ${drawing}
      </svg>
      ${
        keys.length === 0
          ? null
          : html`<ul class="keys">
              ${keys.map((key) => keyOf(id, key))}
            </ul>`
      }
      ${tableOf(picture)}
    </figure>
  `;
};

/** Text in a drawing. */
export const textAt = (
  { x, y }: { readonly x: number; readonly y: number },
  text: string,
  {
    anchor = 'middle',
    look = '',
  }: { readonly anchor?: 'start' | 'middle' | 'end'; readonly look?: string } = {},
): Node => html`<text x=${x} y=${y} text-anchor=${anchor} class=${look}>${text}</text>`;
