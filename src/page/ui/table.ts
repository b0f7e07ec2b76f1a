/** A table: rows beside each other where there is room, cards below each other where there is none. */
import { html, type Drawn } from '../html.js';
import type { Block, Column } from '../replies.js';
import { say } from '../say.js';
import { RichText } from './rich-text.js';
import { Pill } from './tone.js';

type TableBlock = Extract<Block, { readonly kind: 'table' }>;

const STATE_WORD = /^[A-Za-z]+$/;

const Cell = ({ text, column }: { readonly text: string; readonly column: Column }): Drawn => {
  if (column.kind === 'state' && STATE_WORD.test(text)) return html`<${Pill} state=${text} />`;
  return html`<${RichText} text=${text} length=${column.kind === 'whole' ? 'whole' : 'short'} />`;
};

type Asked = {
  readonly block: TableBlock;
  /** What it is a table of, for who does not see where it stands. */
  readonly caption?: string;
  /** Titles of columns that say nothing where it stands. */
  readonly without?: readonly string[];
  /** True: details of rows are left out where there is little room, since each row has a page. */
  readonly isList?: boolean;
};

/** Columns by their place. Those that no row says anything in are left out. */
const saidColumns = ({ head, rows }: TableBlock, without: readonly string[]): readonly number[] =>
  head.flatMap(({ title }, index) =>
    without.includes(title) || (index > 0 && rows.every((row) => (row[index] ?? '') === '')) ? [] : [index],
  );

/** The table of a view. Roles are named, since a browser that draws rows as cards forgets them. */
export const Table = ({ block, caption, without = [], isList = false }: Asked): Drawn => {
  const { head, rows, empty } = block;
  if (rows.length === 0)
    return empty === '' ? null : html`<p class="soft">${empty ?? say('table.empty')}</p>`;
  const columns = saidColumns(block, without);
  return html`<table class=${isList ? 'table list' : 'table'} role="table">
    ${
      caption !== undefined &&
      html`<caption class="unseen">
        ${caption}
      </caption>`
    }
    <thead role="rowgroup">
      <tr role="row">
        ${columns.map((index) =>
          // What has no title heads nothing.
          (head[index]?.title ?? '') === ''
            ? html`<td role="cell"></td>`
            : html`<th
                role="columnheader"
                scope="col"
                data-kind=${head[index]?.kind}
                data-rank=${head[index]?.rank}
              >
                ${head[index]?.title}
              </th>`,
        )}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${rows.map(
        (row) =>
          html`<tr role="row">
            ${columns.map((index) => {
              const column = head[index];
              const text = row[index] ?? '';
              if (column === undefined) return null;
              return html`<td
                role="cell"
                data-kind=${column.kind}
                data-rank=${column.rank}
                data-title=${column.title}
                data-empty=${text === ''}
              >
                <${Cell} text=${text} column=${column} />
              </td>`;
            })}
          </tr>`,
      )}
    </tbody>
  </table>`;
};
