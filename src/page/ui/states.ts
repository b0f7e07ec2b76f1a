/** What stands where a reply would: it is waited for, there is none, or it could not be had. */
import { isForbidden, isMissing, needsLogin, type PageFailure } from '../failure.js';
import { html, type Child, type Drawn } from '../html.js';
import type { Asked } from '../asked.js';
import type { Reply } from '../replies.js';
import { say, type WordKey } from '../say.js';
import { openConnect } from './connect-state.js';

/** Said while nothing is there yet. It is not shown at once: most answers are quicker. */
export const Loading = (): Drawn => html`<p class="loading" role="status">${say('state.loading')}</p>`;

/** A note beside what is shown. */
export const Note = ({ tone, children }: { readonly tone?: string; readonly children?: Child }): Drawn =>
  html`<div class="note" data-tone=${tone ?? 'plain'}>${children}</div>`;

/** Failures with titles of their own. */
const TITLES: Readonly<Record<string, WordKey>> = {
  service_unavailable: 'offline.title',
  wallet_declined: 'failure.declined',
  wallet_silent: 'failure.silent',
  wallet_offline: 'failure.silent',
  wallet_not_paired: 'failure.silent',
  wallet_answer_differs: 'failure.differs',
  wallet_account_mismatch: 'failure.account',
  wallet_network_mismatch: 'failure.network',
};

const titleOf = (failure: PageFailure): WordKey => {
  if (isMissing(failure)) return 'missing.title';
  if (isForbidden(failure)) return 'forbidden.title';
  return TITLES[failure.code] ?? 'failure.title';
};

/** What to do next, beyond what the failure says itself. */
const adviceOf = (failure: PageFailure): WordKey | null => {
  if (isMissing(failure)) return 'missing.advice';
  if (needsLogin(failure)) return 'forbidden.login';
  if (isForbidden(failure)) return 'forbidden.advice';
  return failure.code === 'service_unavailable' ? 'offline.advice' : null;
};

/** A failure in its own words, with what can be done about it. */
export const Failed = ({
  failure,
  again,
}: {
  readonly failure: PageFailure;
  readonly again?: () => void;
}): Drawn => {
  const advice = adviceOf(failure);
  return html`<div class="note" data-tone="bad" role="alert">
    <p><strong>${say(titleOf(failure))}</strong></p>
    <p>${failure.message}</p>
    ${advice !== null && html`<p>${say(advice)}</p>`}
    <p class="buttons">
      ${again !== undefined && !isMissing(failure) && html`<button type="button" onClick=${again}>${say('failure.again')}</button>`}
      ${isForbidden(failure) && html`<button type="button" onClick=${openConnect}>${say('who.connect')}</button>`}
    </p>
  </div>`;
};

/** What a reply draws; and, where it is old, why. */
export const Answered = <R extends Reply>({
  asked,
  draw,
}: {
  readonly asked: Asked<R>;
  readonly draw: (reply: R) => Child;
}): Drawn => {
  const { reply, failure, isBusy, again } = asked;
  if (reply === null) {
    if (failure !== null) return html`<${Failed} failure=${failure} again=${again} />`;
    return html`<${Loading} />`;
  }
  return html`<div class="answered" aria-busy=${isBusy}>
    ${failure !== null && html`<${Failed} failure=${failure} again=${again} />`}
    ${reply.chain_stale === true && html`<${Note} tone="warn"><p>${say('state.stale')}</p></${Note}>`}
    ${draw(reply)}
  </div>`;
};
