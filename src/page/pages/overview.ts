/** How things stand for whoever reads: balances, what waits, what falls due, and when what they have to refill runs dry. */
import { showAmount, showUnits } from '../amounts.js';
import { useAsked } from '../asked.js';
import { html, type Drawn } from '../html.js';
import { Measured } from '../pictures/measured.js';
import { drawRunways } from '../pictures/runway.js';
import type { Block, Reply } from '../replies.js';
import { say } from '../say.js';
import { AtTerminal } from '../ui/blocks.js';
import { openConnect } from '../ui/connect-state.js';
import { Heading } from '../ui/heading.js';
import { RichText } from '../ui/rich-text.js';
import { Answered } from '../ui/states.js';
import { useWho } from '../who.js';
import type { Page } from './page.js';

type Sum = {
  readonly symbol: string;
  readonly tokenCategory: string | null;
  readonly decimals: number;
  readonly amountOnChain: string;
};

type Matter = { readonly kind: string; readonly page?: string };

type OverviewReply = Reply & {
  readonly chainTime: number;
  readonly balanceOnChain: string | null;
  readonly tokens: readonly Omit<Sum, 'tokenCategory'>[];
  /** By their kinds, in the order of the view. */
  readonly matters: readonly Matter[];
  readonly runways: readonly {
    readonly label: string;
    readonly to: string;
    readonly toName: string | null;
    readonly held: Sum;
    readonly endsAt: number | null;
  }[];
};

type Tasks = Extract<Block, { readonly kind: 'tasks' }>;

const Balance = ({ reply }: { readonly reply: OverviewReply }): Drawn => {
  const { balanceOnChain, tokens } = reply;
  return html`<section class="card">
    <h2 class="soft">${say('overview.balance')}</h2>
    <p class="figure">
      ${balanceOnChain === null ? say('overview.unknown') : showAmount(balanceOnChain, { category: null, decimals: 8 })}
    </p>
    ${tokens.map(
      ({ amountOnChain, decimals, symbol }) =>
        html`<p class="figure-small">${showUnits(amountOnChain, decimals)} ${symbol}</p>`,
    )}
  </section>`;
};

/** What is to be done of one kind, in the words of the command line. */
const Matters = ({
  tasks,
  matters,
}: {
  readonly tasks: Tasks;
  readonly matters: readonly Matter[];
}): Drawn => {
  const left = matters.length - tasks.items.length;
  return html`<section>
    <h2>${tasks.title}</h2>
    <ul class="matters">
      ${tasks.items.map(({ label, text }, index) => {
        const page = matters[index]?.page;
        return html`<li>
          <p>
            ${page === undefined ? html`<${RichText} text=${label} />` : html`<a href=${page}>${label}</a>`}
          </p>
          <p class="soft"><${RichText} text=${text.replaceAll('  ', ' · ')} length="short" /></p>
        </li>`;
      })}
    </ul>
    ${left > 0 && html`<p class="soft">${say('overview.more', { count: left })}</p>`}
  </section>`;
};

const Runways = ({ reply }: { readonly reply: OverviewReply }): Drawn => {
  const runways = reply.runways.map(({ label, to, toName, endsAt, held }) => ({
    label,
    to: toName ?? to,
    endsAt,
    held: BigInt(held.amountOnChain),
    asset: { category: held.tokenCategory, decimals: held.decimals, symbol: held.symbol },
  }));
  return html`<section>
    <h2>${say('runway.title')}</h2>
    <${Measured} draw=${(width: number) => drawRunways(runways, reply.chainTime, width)} />
  </section>`;
};

const Overview = ({ reply }: { readonly reply: OverviewReply }): Drawn => {
  const view = reply.view ?? [];
  const tasks = view.filter((block): block is Tasks => block.kind === 'tasks');
  const kinds = [...new Set(reply.matters.map(({ kind }) => kind))];
  return html`<div class="blocks">
    <${Balance} reply=${reply} />
    ${tasks.length === 0 && html`<p>${say('overview.nothing')}</p>`}
    ${tasks.map(
      (one, index) =>
        html`<${Matters}
          tasks=${one}
          matters=${reply.matters.filter(({ kind }) => kind === kinds[index])}
        />`,
    )}
    ${reply.runways.length > 0 && html`<${Runways} reply=${reply} />`}
    <${AtTerminal} blocks=${view} />
  </div>`;
};

const Mine = (): Drawn => {
  const asked = useAsked<OverviewReply>('/api/overview');
  return html`<${Answered}
    asked=${asked}
    draw=${(reply: OverviewReply) => html`<${Overview} reply=${reply} />`}
  />`;
};

/** `/app/overview` */
export const OverviewPage: Page = () => {
  const { address } = useWho();
  return html`<${Heading} title=${say('page.overview')} kicker=${say('overview.kicker')} /> ${
      address === null
        ? html`<div class="stack">
            <p>${say('overview.who')}</p>
            <p class="buttons">
              <button type="button" class="main" onClick=${openConnect}>${say('who.connect')}</button>
            </p>
          </div>`
        : html`<${Mine} />`
    }`;
};
