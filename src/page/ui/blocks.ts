/** A view of the command line's, drawn: the words are the daemon's own. */
import { html, type Drawn } from '../html.js';
import type { Block } from '../replies.js';
import { say } from '../say.js';
import { Command } from './copy.js';
import { Qr } from './qr.js';
import { RichText } from './rich-text.js';
import { Table } from './table.js';
import { Pill, toneOf } from './tone.js';

type BlockOf<Kind extends Block['kind']> = Extract<Block, { readonly kind: Kind }>;

/** A bar of signs within a value: where there are pictures it says nothing. */
const BAR = / \[[#.=!>]+\]/;

const OF_STATE = /^(?:status|state)$/i;

/** Facts, each beside what it is called. */
export const Facts = ({ rows }: Pick<BlockOf<'facts'>, 'rows'>): Drawn =>
  html`<dl class="facts">
    ${rows.map(
      ([label, value]) =>
        html`<div>
          <dt>${label}</dt>
          <dd>
            ${
              OF_STATE.test(label) && toneOf(value) !== undefined
                ? html`<${Pill} state=${value} />`
                : html`<${RichText} text=${value.replace(BAR, ',')} />`
            }
          </dd>
        </div>`,
    )}
  </dl>`;

/** What a stranger wrote: set apart, so that nobody takes it for what this page says. */
export const Quoted = ({ text }: { readonly text: string }): Drawn =>
  html`<blockquote class="quoted">
    <span class="unseen">${say('quoted.by-others')} </span>${text}
  </blockquote>`;

const Text = ({ text, from }: Omit<BlockOf<'text'>, 'kind'>): Drawn =>
  from === 'others'
    ? html`<${Quoted} text=${text} />`
    : html`<p class="said"><${RichText} text=${text} /></p>`;

/** What the blocks of a view name to be done at a terminal, folded; nothing where they name nothing. */
export const AtTerminal = ({ blocks }: { readonly blocks: readonly Block[] }): Drawn => {
  const steps = blocks.flatMap((block) => {
    if (block.kind === 'next') return [{ why: block.why, command: block.command }];
    if (block.kind !== 'tasks') return [];
    return block.items.flatMap(({ label, text, command }) =>
      command === null ? [] : [{ why: `${label} ${text}`, command }],
    );
  });
  if (steps.length === 0) return null;
  return html`<details class="terminal">
    <summary>${say('terminal.title')}</summary>
    <p class="soft">${say('terminal.about')}</p>
    <ul>
      ${steps.map(
        ({ why, command }) =>
          html`<li>
            <p>${why}</p>
            <${Command} text=${command} />
          </li>`,
      )}
    </ul>
  </details>`;
};

const One = ({ block }: { readonly block: Block }): Drawn => {
  switch (block.kind) {
    case 'text':
      return html`<${Text} ...${block} />`;
    case 'file':
      return html`<pre tabindex="0">${block.text}</pre>`;
    case 'facts':
      return html`<${Facts} rows=${block.rows} />`;
    case 'table':
      return html`<${Table} block=${block} />`;
    case 'qr':
      return html`<${Qr} text=${block.address} label=${say('qr.address', { address: block.address })} />`;
    default:
      return null;
  }
};

/** The blocks of a view in their order; what names commands comes last, folded. */
export const Blocks = ({ blocks }: { readonly blocks: readonly Block[] }): Drawn =>
  html`<div class="blocks">
    ${blocks.map((block) => html`<${One} block=${block} />`)}
    <${AtTerminal} blocks=${blocks} />
  </div>`;
