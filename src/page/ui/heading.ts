/** The heading of a page: where reading begins, and what the tab is called. */
import { useEffect } from 'preact/hooks';
import { html, type Child, type Drawn } from '../html.js';
import { plainText } from '../plain-text.js';
import { Pill } from './tone.js';

/** The id of a page's one heading. */
export const HEADING = 'heading';

type Asked = {
  readonly title: string;
  /** What kind of thing it is, and what it is called: `Stream #STREAM-0001`. */
  readonly kicker?: string;
  readonly state?: string;
  readonly children?: Child;
};

/** Drawn at once, before anything was answered: the focus goes there. */
export const Heading = ({ title, kicker, state, children }: Asked): Drawn => {
  useEffect(() => {
    document.title = `${plainText(title)} · Treasury`;
  }, [title]);
  return html`<div class="heading">
    ${kicker !== undefined && html`<p class="kicker">${kicker}</p>`}
    <div class="heading-line">
      <h1 id=${HEADING} tabindex="-1">${title}</h1>
      ${state !== undefined && html`<${Pill} state=${state} />`}
    </div>
    ${children}
  </div>`;
};
