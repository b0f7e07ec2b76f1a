/** A vote: what it is about, its tally, and locking and unlocking tokens. */
import { useAsked } from '../asked.js';
import { html, type Drawn } from '../html.js';
import { Measured } from '../pictures/measured.js';
import { drawTally, type TallyShown } from '../pictures/tally.js';
import type { Reply } from '../replies.js';
import { say, showMoment } from '../say.js';
import { StepButton } from '../signing/step-button.js';
import { openConnect } from '../ui/connect-state.js';
import { RecordPage } from '../ui/record.js';
import { Note } from '../ui/states.js';
import { isSame, useWho } from '../who.js';
import { LockForm, unlockStep, type Votable } from './lock-form.js';
import { apiPath, type Page } from './page.js';

type Vote = TallyShown['votes'][number] & {
  readonly voter: string;
  /** LOCKED, UNLOCKED or SAID. */
  readonly status: string;
};

type VoteReply = Reply &
  Omit<TallyShown, 'votes'> &
  Votable & {
    readonly votes: readonly Vote[];
    readonly recount: { readonly agrees: boolean };
  };

type Shown = { readonly proposal: VoteReply; readonly again: () => void };

const OWN = {
  LOCKED: 'vote.own-locked',
  UNLOCKED: 'vote.own-unlocked',
  SAID: 'vote.own-said',
} as const;

/** What whoever reads has done, and can do. */
const Actions = ({ proposal, again }: Shown): Drawn => {
  const { address } = useWho();
  const isOpen = proposal.status === 'ACTIVE';
  const end = showMoment(Date.parse(proposal.votingEndsAt) / 1000);
  if (address === null)
    return html`<p class="buttons">
      <button type="button" onClick=${openConnect}>
        ${say(isOpen ? 'vote.who-votes' : 'vote.who-voted')}
      </button>
    </p>`;
  const own = proposal.votes.find(({ voter }) => isSame(voter, address));
  if (own === undefined)
    return isOpen
      ? html`<section>
          <h2>${say('vote.your-vote')}</h2>
          <${LockForm} proposal=${proposal} voter=${address} onDone=${again} />
        </section>`
      : html`<p class="soft">${say('vote.not-voted')}</p>`;
  const isOver = own.status === 'LOCKED' && !isOpen;
  const words = isOver ? 'vote.own-free' : OWN[own.status as keyof typeof OWN];
  return html`<div class="stack">
    <p>${say(words, { choice: own.vote, weight: own.weightExact, end })}</p>
    ${
      isOver &&
      html`<p class="buttons"><${StepButton} step=${unlockStep(proposal, address)} onDone=${again} /></p>`
    }
  </div>`;
};

const Now = ({ proposal, again }: Shown): Drawn =>
  html`<section class="card">
      <${Measured} draw=${(width: number) => drawTally(proposal, width)} />
      <${Actions} proposal=${proposal} again=${again} />
    </section>
    ${!proposal.recount.agrees && html`<${Note} tone="bad"><p>${say('vote.recount-differs')}</p></${Note}>`}`;

/** `/app/votes/:id` */
export const VotePage: Page = ({ parameters }) => {
  const asked = useAsked<VoteReply>(apiPath('/api/governance/:id', parameters));
  return html`<${RecordPage}
    kind="page.vote"
    name=${parameters['id']}
    asked=${asked}
    nameOf=${({ label, title, status }: VoteReply) => ({ label, title, status })}
    draw=${(proposal: VoteReply) => html`<${Now} proposal=${proposal} again=${asked.again} />`}
  />`;
};
