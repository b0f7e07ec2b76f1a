/** The reader's own records, list by list; the words are the command line's. */
import { useState } from 'preact/hooks';
import { useAsked, type Asked } from '../asked.js';
import { needsLogin } from '../failure.js';
import { html, type Child, type Drawn } from '../html.js';
import type { Block, Reply } from '../replies.js';
import { say, type WordKey } from '../say.js';
import { openConnect } from '../ui/connect-state.js';
import { Failed, Loading, Note } from '../ui/states.js';
import { Table } from '../ui/table.js';
import { takeable } from './waiting.js';
import { MemberMatters, type Vault } from './home-vaults.js';
import { WaitingCard } from './waiting-card.js';

type TableBlock = Extract<Block, { readonly kind: 'table' }>;

/** Rows that are shown at first. */
const SHOWN = 8;

/** As many as a list answers with. */
const LIMIT = 100;

const tableOf = ({ view = [] }: Reply): TableBlock | undefined =>
  view.find((block) => block.kind === 'table');

type ListAsked = {
  readonly title: WordKey;
  readonly asked: Asked<Reply>;
  readonly without?: readonly string[];
};

/** A list, once something is in it; its failure, where it has one. */
const List = ({ title, asked, without = [] }: ListAsked): Drawn => {
  const [isWhole, setWhole] = useState(false);
  const { reply, failure, again } = asked;
  const block = reply === null ? undefined : tableOf(reply);
  if (failure !== null && reply === null) return html`<${Failed} failure=${failure} again=${again} />`;
  if (block === undefined || block.rows.length === 0) return null;
  const rows = isWhole ? block.rows : block.rows.slice(0, SHOWN);
  const total = Number(reply?.['total'] ?? block.rows.length);
  return html`<section>
    <h3>${say(title)}</h3>
    <${Table} block=${{ ...block, rows }} caption=${say(title)} without=${without} isList=${true} />
    ${
      rows.length < block.rows.length &&
      html`<button
        type="button"
        class="quiet"
        onClick=${() => {
          setWhole(true);
        }}
      >
        ${say('list.more', { count: block.rows.length - rows.length })}
      </button>`
    }
    ${isWhole && total > block.rows.length && html`<p class="soft">${say('list.rest', { count: total - block.rows.length })}</p>`}
  </section>`;
};

/** Lists under a heading; nothing where none of them has anything. */
const Group = ({
  title,
  lists,
}: {
  readonly title: WordKey;
  readonly lists: readonly ListAsked[];
}): Drawn => {
  const isEmpty = lists.every(
    ({ asked: { reply, failure } }) =>
      failure === null && (tableOf(reply ?? { success: true })?.rows.length ?? 0) === 0,
  );
  return isEmpty
    ? null
    : html`<section class="group">
        <h2>${say(title)}</h2>
        ${lists.map((one) => html`<${List} ...${one} />`)}
      </section>`;
};

/** Asks for every list of an address. */
const useLists = (address: string) => {
  const of = (path: string, name: string, more = '') =>
    useAsked<Reply>(`${path}?${name}=${encodeURIComponent(address)}&limit=${LIMIT}${more}`);
  return {
    streamsTo: of('/api/streams', 'recipient'),
    paymentsTo: of('/api/payments', 'recipient'),
    budgetsTo: of('/api/budget-plans', 'recipient'),
    rewardsTo: of('/api/events', 'party', '&types=campaign.distributed&certainty=confirmed'),
    streamsFrom: of('/api/streams', 'sender'),
    paymentsFrom: of('/api/payments', 'sender'),
    budgetsFrom: of('/api/budget-plans', 'creator'),
    campaigns: of('/api/rewards', 'creator'),
    vaults: useAsked<Reply>('/api/vaults'),
  };
};

/**
 * Where a list has more than it answers with, those of it that are funded: a stranger may make out to somebody as many as they like that
 * are not.
 */
const useFunded = (path: string, address: string, all: Asked<Reply>): Asked<Reply> => {
  const isCut = Number(all.reply?.['total'] ?? 0) > LIMIT;
  const funded = useAsked<Reply>(
    isCut ? `${path}?recipient=${encodeURIComponent(address)}&limit=${LIMIT}&status=ACTIVE` : null,
  );
  return funded.reply === null ? all : funded;
};

/** What can be taken now, and how to look again. */
const useTakeable = (address: string, lists: ReturnType<typeof useLists>) => {
  const { streamsTo, paymentsTo, budgetsTo } = lists;
  const streams = useFunded('/api/streams', address, streamsTo);
  const payments = useFunded('/api/payments', address, paymentsTo);
  const plans = useFunded('/api/budget-plans', address, budgetsTo);
  return {
    found: takeable({ streams: streams.reply, payments: payments.reply, plans: plans.reply }),
    again: (): void => {
      for (const one of new Set([streamsTo, paymentsTo, budgetsTo, streams, payments, plans])) one.again();
    },
  };
};

/** The column that a row is called by comes first. */
const recordFirst = <T>(cells: readonly T[], place: number): readonly T[] =>
  place < 0 ? cells : [...cells.slice(place, place + 1), ...cells.slice(0, place), ...cells.slice(place + 1)];

/** Rewards that were paid to an address: of its own campaigns, those to others are told to it too. */
const received = (asked: Asked<Reply>, address: string): Asked<Reply> => {
  const { reply } = asked;
  if (reply === null) return asked;
  const events = (reply['events'] ?? []) as readonly { readonly data: { readonly details?: unknown } }[];
  const isTo = events.map(
    ({ data }) => (data.details as { readonly recipient?: string } | undefined)?.recipient === address,
  );
  const view = (reply.view ?? []).map((block) => {
    if (block.kind !== 'table') return block;
    const place = block.head.findIndex(({ title }) => title === 'Record');
    const rows = block.rows.filter((_, index) => isTo[index]).map((row) => recordFirst(row, place));
    return { ...block, head: recordFirst(block.head, place), rows };
  });
  return { ...asked, reply: { ...reply, view } };
};

/** What is asked of whom the daemon knows is not told to others: how that is changed. */
const ProveNote = ({ asked }: { readonly asked: Asked<Reply> }): Drawn =>
  asked.failure === null || !needsLogin(asked.failure)
    ? null
    : html`<${Note}>
        <p>${say('home.prove')}</p>
        <p class="buttons"><button type="button" onClick=${openConnect}>${say('who.connect')}</button></p>
      </${Note}>`;

const isNothing = (lists: readonly Asked<Reply>[]): boolean =>
  lists.every(({ reply, isBusy }) => !isBusy && (reply === null || (tableOf(reply)?.rows.length ?? 0) === 0));

/** Everything of an address. */
export const Mine = ({ address }: { readonly address: string }): Drawn => {
  const lists = useLists(address);
  const { streamsTo, paymentsTo, budgetsTo, vaults, streamsFrom, paymentsFrom, budgetsFrom, campaigns } =
    lists;
  const rewardsTo = received(lists.rewardsTo, address);
  const isFirst = [streamsTo, paymentsTo, budgetsTo].some(
    ({ reply, failure }) => reply === null && failure === null,
  );
  const { found, again } = useTakeable(address, lists);
  const all = [
    streamsTo,
    paymentsTo,
    budgetsTo,
    rewardsTo,
    streamsFrom,
    paymentsFrom,
    budgetsFrom,
    campaigns,
  ];
  const isStale = all.some(({ reply }) => reply?.chain_stale === true);
  const own = ((vaults.reply?.['all'] ?? []) as readonly Vault[]).filter(
    ({ role }) => role === 'creator' || role === 'signer',
  );
  const content: Child = isFirst
    ? html`<${Loading} />`
    : html`<${WaitingCard} found=${found} again=${again} />
        <${MemberMatters} vaults=${own} address=${address} />`;
  return html`<div class="stack wide-gaps">
    ${isStale && html`<${Note} tone="warn"><p>${say('state.stale')}</p></${Note}>`} ${content}
    <${Group}
      title="home.to-you"
      lists=${[
        { title: 'home.streams', asked: streamsTo, without: ['Recipient', 'Vested'] },
        { title: 'home.payments', asked: paymentsTo, without: ['Recipient'] },
        { title: 'home.budgets', asked: budgetsTo, without: ['Recipient'] },
        { title: 'home.rewards', asked: rewardsTo, without: ['Cursor', 'Event', 'Certainty'] },
      ]}
    />
    <${Group}
      title="home.from-you"
      lists=${[
        { title: 'home.streams', asked: streamsFrom },
        { title: 'home.payments', asked: paymentsFrom },
        { title: 'home.budgets', asked: budgetsFrom },
        { title: 'home.campaigns', asked: campaigns },
      ]}
    />
    ${vaults.reply !== null && html`<${Group} title="home.vaults" lists=${[{ title: 'home.vaults-yours', asked: vaults }]} />`}
    <${ProveNote} asked=${vaults} />
    ${isNothing(all) && own.length === 0 && html`<p class="soft">${say('home.nothing')}</p>`}
  </div>`;
};
