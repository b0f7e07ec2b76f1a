/** Proposals, tallies and recounts for people. */
import type { z } from 'zod';
import type { View, ViewBlock } from '../../operation/define.js';
import { viewPart } from '../../operation/paging.js';
import type { RecountReply } from './recount.js';
import type { partReply, ProposalReply, VoteReply } from './reply.js';

type Proposal = z.output<typeof ProposalReply>;
type Part = z.output<typeof partReply.reply>;
type Recount = z.output<typeof RecountReply>;
type Sums = Pick<Proposal, 'votesFor' | 'votesAgainst' | 'votesAbstain'>;
type Shown = Proposal & {
  readonly votes: readonly z.output<typeof VoteReply>[];
  readonly recount: Recount;
};

const BAR_CELLS = 30;

/** `[######........]`: as full as `part` is of `whole`. */
const barOf = (part: number, whole: number): string => {
  const share = whole === 0 ? 0 : Math.min(1, part / whole);
  const full = Math.floor(share * BAR_CELLS);
  return `[${'#'.repeat(full)}${'.'.repeat(BAR_CELLS - full)}]`;
};

const percent = (part: number, whole: number): string =>
  whole === 0 ? '0 %' : `${Math.floor((part / whole) * 100)} %`;

/** The tally as bars; the quorum as one more. */
const tallyBars = ({ votesFor, votesAgainst, votesAbstain }: Sums, quorum: number | null): ViewBlock => {
  const total = votesFor + votesAgainst + votesAbstain;
  const row = (label: string, votes: number) =>
    [label, `${barOf(votes, total)} ${votes} (${percent(votes, total)})`] as const;
  return {
    kind: 'facts',
    rows: [
      row('For', votesFor),
      row('Against', votesAgainst),
      row('Abstain', votesAbstain),
      ...(quorum === null ? [] : [['Quorum', `${barOf(total, quorum)} ${total} of ${quorum}`] as const]),
    ],
  };
};

const shorten = (category: string): string => `${category.slice(0, 8)}...`;

const partsTable = (parts: readonly Part[]): ViewBlock => ({
  kind: 'table',
  head: ['Votes in', 'Voters', 'For', 'Against', 'Abstain', 'Tallied'],
  rows: parts.map((part) => [
    part.tokenCategory ?? 'off-chain',
    String(part.voters),
    String(part.votesFor),
    String(part.votesAgainst),
    String(part.votesAbstain),
    part.tallied ? 'yes' : 'no',
  ]),
  empty: 'Nobody has voted yet.',
});

const recountText = ({ agrees, stakes }: Recount): string =>
  `Recounted from the chain (stakes locked: ${stakes.locked}, returned: ${stakes.returned}): the records ${agrees ? 'agree' : 'DO NOT agree'}.`;

/** How a vote is cast on a proposal. */
export const nextVote = ({ id, tokenCategory }: Pick<Proposal, 'id' | 'tokenCategory'>): ViewBlock => ({
  kind: 'next',
  command: `governance lock ${id} --vote-choice FOR --stake-amount <n>${tokenCategory === null ? ' --token-category <category>' : ''}`,
  why: 'to vote with tokens',
});

const nextOf = (shown: Shown): View => {
  if (shown.status === 'ACTIVE') return [nextVote(shown)];
  return shown.votes.some(({ status }) => status === 'LOCKED')
    ? [{ kind: 'next', command: `governance unlock ${shown.id}`, why: 'to take the tokens back' }]
    : [];
};

/** A line of text, where there is one. */
const textOf = (text = ''): View => (text === '' ? [] : [{ kind: 'text', text }]);

/** How `governance show` reads. */
export const viewProposal = (shown: Shown): View => [
  { kind: 'text', text: `${shown.title} (${shown.status})` },
  ...textOf(shown.description),
  {
    kind: 'facts',
    rows: [
      ['Proposal', shown.id],
      ['Vault', shown.vaultId],
      ['Proposed by', shown.creator],
      ['Voting token', shown.tokenCategory ?? 'any'],
      ['Voting ends', shown.votingEndsAt],
    ],
  },
  tallyBars(shown, shown.quorum),
  partsTable(shown.breakdown),
  {
    kind: 'table',
    head: ['Voter', 'Vote', 'Weight', 'How', 'Token', 'Locked by', 'Unlocked by'],
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
          head: ['Not counted', 'Of', 'Why'],
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
    head: ['Proposal', 'Title', 'Status', 'For', 'Against', 'Abstain', 'Quorum', 'Ends'],
    rows: proposals.map((proposal) => [
      proposal.id,
      proposal.title,
      proposal.status,
      String(proposal.votesFor),
      String(proposal.votesAgainst),
      String(proposal.votesAbstain),
      String(proposal.quorum),
      proposal.votingEndsAt.slice(0, 16).replace('T', ' '),
    ]),
    empty: 'No proposals yet. `treasury governance propose` makes one.',
  },
  ...viewPart(proposals.length, total),
];
