/** Voting with tokens: what for, and with how many. */
import { useState } from 'preact/hooks';
import { pagePath } from '../../page-paths.js';
import { html, type Drawn } from '../html.js';
import { say, type WordKey } from '../say.js';
import { takeStep } from '../signing/signing-state.js';
import type { Step } from '../signing/step.js';
import { apiPath } from './page.js';
import { nameOf } from './spend-parts.js';

/** A proposal, as far as a vote on it needs it. */
export type Votable = {
  readonly id: string;
  readonly label: string;
  readonly tokenCategory: string | null;
};

const CHOICES: readonly (readonly [choice: string, words: WordKey])[] = [
  ['FOR', 'tally.for'],
  ['AGAINST', 'tally.against'],
  ['ABSTAIN', 'tally.abstain'],
];

export type Ballot = { readonly choice: string; readonly amount: string; readonly category: string };

/** Locking tokens for a vote. */
export const lockStep = (proposal: Votable, voter: string, { choice, amount, category }: Ballot): Step => {
  const name = nameOf(proposal);
  const words = CHOICES.find(([one]) => one === choice)?.[1] ?? 'tally.abstain';
  const token = proposal.tokenCategory === null ? { tokenCategory: category } : {};
  return {
    title: say('vote.lock-for', { choice: say(words), amount }),
    build: {
      path: apiPath('/api/governance/:id/lock', { id: proposal.id }),
      body: { voterAddress: voter, voteChoice: choice, stakeAmount: amount, ...token },
    },
    confirm: apiPath('/api/governance/:id/confirm-lock', { id: proposal.id }),
    confirmWith: { voterAddress: voter },
    command: [
      `governance lock ${name} --vote-choice ${choice} --stake-amount ${amount}`,
      ...(proposal.tokenCategory === null ? [`--token-category ${category}`] : []),
    ].join(' '),
    page: pagePath('vote', { id: name }),
    signer: voter,
  };
};

/** Taking the tokens of a vote back after the end. */
export const unlockStep = (proposal: Votable, voter: string): Step => {
  const name = nameOf(proposal);
  return {
    title: say('vote.unlock'),
    build: {
      path: apiPath('/api/governance/:id/unlock', { id: proposal.id }),
      body: { voterAddress: voter },
    },
    confirm: apiPath('/api/governance/:id/confirm-unlock', { id: proposal.id }),
    confirmWith: { voterAddress: voter },
    command: `governance unlock ${name}`,
    page: pagePath('vote', { id: name }),
    signer: voter,
  };
};

type Asked = { readonly proposal: Votable; readonly voter: string; readonly onDone: () => void };

const textOf = (form: FormData, name: string): string => {
  const value = form.get(name);
  return typeof value === 'string' ? value.trim() : '';
};

type ChoicesAsked = { readonly choice: string; readonly setChoice: (choice: string) => void };

const Choices = ({ choice, setChoice }: ChoicesAsked): Drawn =>
  html`<fieldset class="choices">
    <legend>${say('vote.choice')}</legend>
    ${CHOICES.map(
      ([one, words]) =>
        html`<label>
          <input
            type="radio"
            name="choice"
            value=${one}
            required
            checked=${choice === one}
            onChange=${() => {
              setChoice(one);
            }}
          />
          ${say(words)}
        </label>`,
    )}
  </fieldset>`;

/** Where the proposal fixes no token. */
const CategoryField = (): Drawn =>
  html`<div>
    <label for="vote-category">${say('vote.category')}</label>
    <input
      id="vote-category"
      name="category"
      type="text"
      required
      pattern="[0-9a-fA-F]{64}"
      title=${say('vote.category-form')}
      autocomplete="off"
      spellcheck=${false}
    />
  </div>`;

/** Asks what for and with how many tokens, and goes on to signing it. What is wrong with it the daemon says. */
export const LockForm = ({ proposal, voter, onDone }: Asked): Drawn => {
  const [choice, setChoice] = useState('');
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const form = new FormData(event.currentTarget);
    const ballot = { choice, amount: textOf(form, 'amount'), category: textOf(form, 'category') };
    takeStep(lockStep(proposal, voter, ballot), onDone);
  };
  return html`<form class="stack" onSubmit=${submit}>
    <${Choices} choice=${choice} setChoice=${setChoice} />
    <div>
      <label for="vote-amount">${say('vote.amount')}</label>
      <p class="soft" id="vote-amount-about">${say('vote.amount-about')}</p>
      <input
        id="vote-amount"
        name="amount"
        type="text"
        inputmode="decimal"
        required
        pattern="[0-9]+([.][0-9]+)?"
        title=${say('vote.amount-form')}
        autocomplete="off"
        aria-describedby="vote-amount-about"
      />
    </div>
    ${proposal.tokenCategory === null && html`<${CategoryField} />`}
    <button type="submit" class="main">${say('vote.lock')}</button>
  </form>`;
};
