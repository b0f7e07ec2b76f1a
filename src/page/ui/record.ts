/** What the pages of records share: the heading, what can be done now, the picture, then the view in sections. */
import type { Asked } from '../asked.js';
import { html, type Child, type Drawn } from '../html.js';
import type { Block, Reply } from '../replies.js';
import { say, type WordKey } from '../say.js';
import { AtTerminal, Facts, Quoted } from './blocks.js';
import { Heading } from './heading.js';
import { RichText } from './rich-text.js';
import { Answered } from './states.js';
import { Table } from './table.js';

type BlockOf<Kind extends Block['kind']> = Extract<Block, { readonly kind: Kind }>;

/** What tables are about, by what their first column is called. */
const TABLES: Readonly<Record<string, WordKey>> = {
  'Claimed to': 'record.claims',
  Event: 'record.history',
  Milestone: 'record.milestones',
  Paid: 'record.payments',
  'Paid to': 'record.rewards',
  Period: 'record.periods',
  Voter: 'record.votes',
  'Votes in': 'record.tally',
};

/** Longer ones are folded: what they say is in the picture. */
const LONG = 6;

const TableSection = ({ block }: { readonly block: BlockOf<'table'> }): Drawn => {
  const key = TABLES[block.head[0]?.title ?? ''];
  const title = key === undefined ? undefined : say(key);
  const table = html`<${Table} block=${block} caption=${title} />`;
  if (title === undefined) return table;
  if (block.rows.length <= LONG)
    return html`<section>
      <h2>${title}</h2>
      ${table}
    </section>`;
  return html`<details class="section" open=${key === 'record.history'}>
    <summary>
      <h2>${title}</h2>
      <span class="soft">${block.rows.length}</span>
    </summary>
    ${table}
  </details>`;
};

const isOthers = (block: Block): boolean => block.kind === 'text' && block.from === 'others';

/** The view below the picture: its first text is the heading, which stands above, as do the words of others. */
const Sections = ({ view }: { readonly view: readonly Block[] }): Drawn => {
  const rest = view.slice(1).filter((block) => !isOthers(block));
  const facts = rest.flatMap((block) => (block.kind === 'facts' ? block.rows : []));
  return html`<div class="blocks">
    <section>
      <h2>${say('record.facts')}</h2>
      <${Facts} rows=${facts} />
    </section>
    ${rest.map((block) => {
      if (block.kind === 'table') return html`<${TableSection} block=${block} />`;
      return block.kind === 'text' ? html`<p class="said"><${RichText} text=${block.text} /></p>` : null;
    })}
    <${AtTerminal} blocks=${view} />
  </div>`;
};

/** True while something can come of it: what is not funded yet, or over, has nothing to take. */
export const isLive = ({ status }: { readonly status: string }): boolean =>
  status === 'ACTIVE' || status === 'PAUSED';

/** What a record is called, and how it is. */
export type Named = {
  /** `#STREAM-0001` */
  readonly label: string;
  /** In somebody's own words, which are quoted: they may be anything; null: it has none. */
  readonly title: string | null;
  readonly status: string;
};

type Props<R extends Reply> = {
  readonly kind: WordKey;
  /** What the address calls it, until it is known. */
  readonly name: string;
  readonly asked: Asked<R>;
  readonly nameOf: (reply: R) => Named;
  /** What can be done now, and the picture. */
  readonly draw: (reply: R) => Child;
};

/** The page of a record. */
export const RecordPage = <R extends Reply>({ kind, name, asked, nameOf, draw }: Props<R>): Drawn => {
  const { reply } = asked;
  const named = reply === null ? null : nameOf(reply);
  const view = reply?.view ?? [];
  const kicker = named?.title == null ? say(kind) : `${say(kind)} ${named.label}`;
  return html`<${Heading}
      title=${named?.title == null ? (named?.label.replace('#', '') ?? name) : `“${named.title}”`}
      kicker=${kicker}
      state=${named?.status}
    >
      ${view.map((block) => (isOthers(block) ? html`<${Quoted} ...${block} />` : null))}
    </${Heading}>
    <${Answered}
      asked=${asked}
      draw=${(shown: R) => html`${draw(shown)}<${Sections} view=${shown.view ?? []} />`}
    />`;
};
