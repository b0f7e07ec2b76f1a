/** Taking what is one's own: the steps that recipients sign. */
import { pagePath, type PageName } from '../../page-paths.js';
import { say, type WordKey } from '../say.js';
import type { Step } from './step.js';

/** What is taken, as its record has it. */
export type Claimed = {
  /** `#STREAM-0001` */
  readonly label: string;
  /** In words: `0.1 BCH`. */
  readonly figure: string;
  /** The recipient, who alone can sign it. */
  readonly signer: string;
};

export type ClaimOf = (claimed: Claimed) => Step;

type Kind = {
  readonly page: PageName;
  readonly route: string;
  readonly move: 'claim' | 'release';
  readonly noun: string;
};

const TITLES: Readonly<Record<Kind['move'], WordKey>> = { claim: 'step.claim', release: 'step.release' };

const claimOf =
  ({ page, route, move, noun }: Kind): ClaimOf =>
  ({ label, figure, signer }) => {
    const id = label.replace('#', '');
    const path = `${route}/${encodeURIComponent(id)}`;
    return {
      title: say(TITLES[move], { amount: figure, label }),
      build: { path: `${path}/${move}`, body: { recipientAddress: signer } },
      confirm: `${path}/confirm-${move}`,
      command: `${noun} ${move} ${id}`,
      page: pagePath(page, { id }),
      signer,
    };
  };

/** All that has vested of a stream. */
export const claimStream = claimOf({
  page: 'stream',
  route: '/api/streams',
  move: 'claim',
  noun: 'streams',
});
/** Every period of a recurring payment that is due and funded. */
export const claimPayment = claimOf({
  page: 'payment',
  route: '/api/payments',
  move: 'claim',
  noun: 'payments',
});
/** Every milestone of a budget plan that has fallen due. */
export const releaseBudget = claimOf({
  page: 'budget',
  route: '/api/budget-plans',
  move: 'release',
  noun: 'budgets',
});
