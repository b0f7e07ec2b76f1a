/** Proposals, tallies and recounts for people. */
import { showNumber } from '../../bch/amount.js';
import { showDate } from '../../bch/show-date.js';
import type { z } from 'zod';
import { column } from '../../operation/columns.js';
import type { View, ViewBlock } from '../../operation/define.js';
import { viewPart } from '../../operation/paging.js';
import { pagePath } from '../../page-paths.js';
import { shellLabel } from '../../record/labels.js';
import type { RecountReply } from './recount.js';
import type { partReply, ProposalReply, VoteReply } from './reply.js';
import { wordedLabel, wordRows } from '../../record/own-words.js';

type Proposal = z.output<typeof ProposalReply>;
type Part = z.output<typeof partReply.reply>;
type Recount = z.output<typeof RecountReply>;
type Sums = Pick<Proposal, 'votesFor' | 'votesAgainst' | 'votesAbstain'>;
type Shown = Proposal & {
  readonly votes: readonly z.output<typeof VoteReply>[];
  readonly recount: Recount;
};

/** Where the page shows a proposal. */
export const pageOfProposal = ({ id, label }: Pick<Proposal, 'id' | 'label'>): string =>
  pagePath('vote', { id: shellLabel(label ?? id) });

/** When voting ends. */
export const endOf = ({ votingEndsAt }: Pick<Proposal, 'votingEndsAt'>): string =>
  showDate(Date.parse(votingEndsAt) / 1000);

const BAR_CELLS = 30;

/** `[######........]`: as full as `part` is of `whole`. */
const barOf = (part: number, whole: number, cells: number): string => {
  const share = whole === 0 ? 0 : Math.min(1, part / whole);
  const full = Math.floor(share * cells);
  return `[${'#'.repeat(full)}${'.'.repeat(cells - full)}]`;
};

const percent = (part: number, whole: number): string =>
  whole === 0 ? '0 %' : `${Math.floor((part / whole) * 100)} %`;

/** Columns of what stands before the bars, and the least that are left for them. */
const LABEL_CELLS = 9;
const LEAST_BAR_CELLS = 8;

/** The tally as bars; the quorum as one more. */
const tallyBars = ({ votesFor, votesAgainst, votesAbstain }: Sums, quorum: number | null): ViewBlock => {
  const total = votesFor + votesAgainst + votesAbstain;
  const share = (label: string, votes: number) =>
    [label, votes, total, `${showNumber(votes)} (${percent(votes, total)})`] as const;
  const rows = [
    share('For', votesFor),
    share('Against', votesAgainst),
    share('Abstain', votesAbstain),
    ...(quorum === null
      ? []
      : [['Quorum', total, quorum, `${showNumber(total)} of ${showNumber(quorum)}`] as const]),
  ];
  const widest = Math.max(...rows.map(([, , , figures]) => figures.length));
  return {
    kind: 'drawing',
    draw: (columns) => {
      const cells = Math.min(
        BAR_CELLS,
        Math.max(LEAST_BAR_CELLS, columns - LABEL_CELLS - widest - '[] '.length),
      );
      return rows
        .map(
          ([label, part, whole, figures]) =>
            `${label.padEnd(LABEL_CELLS)}${barOf(part, whole, cells)} ${figures}`,
        )
        .join('\n');
    },
  };
};

const shorten = (category: string): string => `${category.slice(0, 8)}...`;

const partsTable = (parts: readonly Part[]): ViewBlock => ({
  kind: 'table',
  head: [
    column.key('Votes in'),
    column.amount('Voters', 2),
    column.amount('For'),
    column.amount('Against'),
    column.amount('Abstain'),
    column.text('Tallied', 2),
  ],
  rows: parts.map((part) => [
    part.tokenCategory ?? 'off-chain',
    String(part.voters),
    showNumber(part.votesFor),
    showNumber(part.votesAgainst),
    showNumber(part.votesAbstain),
    part.tallied ? 'yes' : 'no',
  ]),
  empty: 'Nobody has voted yet.',
});

const recountText = ({ agrees, stakes }: Recount): string =>
  `Recounted from the chain (stakes locked: ${stakes.locked}, returned: ${stakes.returned}): the records ${agrees ? 'agree' : 'DO NOT agree'}.`;

/** How a vote is cast on a proposal. */
export const nextVote = ({
  id,
  label,
  tokenCategory,
}: Pick<Proposal, 'id' | 'label' | 'tokenCategory'>): ViewBlock => ({
  kind: 'next',
  command: `governance lock ${shellLabel(label ?? id)} --vote-choice FOR --stake-amount <n>${tokenCategory === null ? ' --token-category <category>' : ''}`,
  why: 'to vote with tokens',
});

const nextOf = (shown: Shown): View => {
  if (shown.status === 'ACTIVE') return [nextVote(shown)];
  const by = shown.votes.filter(({ status }) => status === 'LOCKED').map(({ voter }) => voter);
  const command = `governance unlock ${shellLabel(shown.label ?? shown.id)}`;
  return by.length === 0 ? [] : [{ kind: 'next', command, why: 'to take the tokens back', by }];
};

/** A line of text, where there is one. */
const textOf = (text = '', from?: 'others'): View =>
  text === '' ? [] : [{ kind: 'text', text, ...(from && { from }) }];

/** How `governance show` reads. */
export const viewProposal = (shown: Shown): View => [
  { kind: 'text', text: `${shown.title} (${shown.status})` },
  ...textOf(shown.description, 'others'),
  {
    kind: 'facts',
    rows: [
      ['Proposal', shown.label ?? shown.id],
      ...wordRows(shown),
      ['Vault', shown.vaultId],
      ['Proposed by', shown.creator],
      ['Voting token', shown.tokenCategory ?? 'any'],
      ['Voting ends', endOf(shown)],
    ],
  },
  tallyBars(shown, shown.quorum),
  partsTable(shown.breakdown),
  {
    kind: 'table',
    head: [
      column.key('Voter'),
      column.text('Vote'),
      column.amount('Weight'),
      column.text('How', 2),
      column.text('Token', 2),
      column.txid('Locked by'),
      column.txid('Unlocked by'),
    ],
    rows: shown.votes.map((vote) => [
      vote.voter,
      vote.vote,
      vote.weightExact,
      vote.method,
      vote.tokenCategory === null ? '' : shorten(vote.tokenCategory),
      vote.lockTxHash ?? '',
      vote.unlockTxHash ?? '',
    ]),
    empty: '',
  },
  { kind: 'text', text: recountText(shown.recount) },
  ...textOf(shown.warning),
  ...nextOf(shown),
];

/** How `governance recount` reads. */
export const viewRecount = ({
  title,
  recount,
}: {
  readonly title: string;
  readonly recount: Recount;
}): View => [
  { kind: 'text', text: title },
  tallyBars(recount, null),
  partsTable(recount.breakdown),
  { kind: 'text', text: recountText(recount) },
  ...(recount.ignored.length === 0
    ? []
    : [
        {
          kind: 'table' as const,
          head: [column.txid('Not counted', 0), column.text('Of'), column.prose('Why')],
          rows: recount.ignored.map(({ txHash, voter, reason }) => [txHash, voter, reason]),
        },
      ]),
];

/** How `governance list` reads. */
export const viewProposals = ({
  proposals,
  total,
}: {
  readonly proposals: readonly Proposal[];
  readonly total: number;
}): View => [
  {
    kind: 'table',
    head: [
      column.key('Proposal'),
      column.text('Title'),
      column.state('Status'),
      column.amount('For'),
      column.amount('Against'),
      column.amount('Abstain', 2),
      column.amount('Quorum', 2),
      column.date('Ends'),
    ],
    rows: proposals.map((proposal) => [
      proposal.label ?? proposal.id,
      wordedLabel(proposal.title, proposal),
      proposal.status,
      showNumber(proposal.votesFor),
      showNumber(proposal.votesAgainst),
      showNumber(proposal.votesAbstain),
      showNumber(proposal.quorum),
      endOf(proposal),
    ]),
    empty: 'No proposals yet. `treasury governance propose` makes one.',
  },
  ...viewPart(proposals.length, total),
];
