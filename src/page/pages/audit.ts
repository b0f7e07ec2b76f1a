/** An audit: every check of a contract in words, for anybody; and how the service is. */
import { useRef } from 'preact/hooks';
import { pagePath } from '../../page-paths.js';
import { useAsked, type Asked } from '../asked.js';
import { html, type Drawn } from '../html.js';
import type { Block, Reply } from '../replies.js';
import { navigate } from '../router.js';
import { say } from '../say.js';
import { Blocks } from '../ui/blocks.js';
import { Heading } from '../ui/heading.js';
import { Answered, Note } from '../ui/states.js';
import { useService, withPrefix } from '../who.js';
import { apiPath, type Page } from './page.js';

type AuditReply = Reply & {
  readonly label?: string;
  readonly audit?: readonly { readonly check: string; readonly ok: boolean; readonly detail: string }[];
};

const AddressForm = ({ address }: { readonly address: string }): Drawn => {
  const facts = useService();
  const field = useRef<HTMLInputElement>(null);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const typed = withPrefix(field.current?.value ?? '', facts?.network ?? '');
    if (typed !== '') navigate(pagePath('auditOf', { address: typed }));
  };
  return html`<form class="card" onSubmit=${submit}>
    <label for="audit-address">${say('audit.address')}</label>
    <p class="soft" id="audit-about">${say('audit.about')}</p>
    <input
      ref=${field}
      id="audit-address"
      type="text"
      required
      value=${address}
      autocomplete="off"
      autocapitalize="none"
      spellcheck=${false}
      aria-describedby="audit-about"
      placeholder=${`${withPrefix('p', facts?.network ?? '')}…`}
    />
    <button type="submit" class="main">${say('audit.go')}</button>
  </form>`;
};

/** The verdict first: it is the last that the command line says. */
const Verdict = ({ reply }: { readonly reply: AuditReply }): Drawn => {
  const { audit = [], view = [] } = reply;
  const failed = audit.filter(({ ok }) => !ok).length;
  const tone = audit.length === 0 ? 'plain' : failed === 0 ? 'good' : 'bad';
  const said = view.filter((block) => block.kind === 'text' && block.from === undefined).at(-1);
  return html`<${Note} tone=${tone}><p><strong>${said?.kind === 'text' ? said.text : ''}</strong></p></${Note}>`;
};

/** All but the verdict; what a check has found is written out, whatever is in it. */
const checksOf = (view: readonly Block[]): readonly Block[] => {
  const last = view.findLastIndex((block) => block.kind === 'text');
  return view
    .filter((_, index) => index !== last)
    .map((block) => {
      if (block.kind !== 'table') return block;
      const head = block.head.map(({ title, kind, rank }) => ({
        title: title === '' ? say('picture.state') : title,
        kind: kind === 'prose' ? ('whole' as const) : kind,
        rank,
      }));
      return { ...block, head };
    });
};

const Result = ({ address }: { readonly address: string }): Drawn => {
  const asked = useAsked<AuditReply>(apiPath('/api/deployment/verify/:address', { address }));
  return html`<${Answered}
    asked=${asked}
    draw=${(reply: AuditReply) => html`
      <${Verdict} reply=${reply} />
      <div class="checks"><${Blocks} blocks=${checksOf(reply.view ?? [])} /></div>
    `}
  />`;
};

const Said = ({ title, asked }: { readonly title: string; readonly asked: Asked<Reply> }): Drawn =>
  html`<section class="card">
    <h2>${title}</h2>
    <${Answered} asked=${asked} draw=${({ view = [] }: Reply) => html`<${Blocks} blocks=${view} />`} />
  </section>`;

/** Not every service has a price, and nothing hangs on it here. */
const Price = (): Drawn => {
  const asked = useAsked('/api/price/bch-usd');
  return asked.reply === null && asked.failure !== null
    ? html`<p class="soft">${say('audit.price')}: ${asked.failure.message}</p>`
    : html`<${Said} title=${say('audit.price')} asked=${asked} />`;
};

/** How the service is, and the price. */
const Service = (): Drawn =>
  html`<div class="stack">
    <${Said} title=${say('audit.status')} asked=${useAsked('/api/status')} />
    <${Price} />
  </div>`;

/** `/app/audit`, `/app/audit/:address` */
export const AuditPage: Page = ({ parameters }) => {
  const { address = '' } = parameters;
  return html`<${Heading} title=${say('page.audit')} kicker=${say('audit.kicker')} />
    <${AddressForm} address=${address} />
    ${address === '' ? html`<${Service} />` : html`<${Result} address=${address} />`}`;
};
