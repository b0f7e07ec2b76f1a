/** What keeps the rest of the page standing where a part of it cannot be drawn: an answer may be of another version, or of nobody who knows. */
import { useErrorBoundary } from 'preact/hooks';
import { failureOf } from '../failure.js';
import { html, type Child, type Drawn } from '../html.js';
import { say } from '../say.js';
import { Heading } from './heading.js';
import { Failed } from './states.js';

/** Draws its children, or says in their place that they cannot be drawn. */
export const Standing = ({ children }: { readonly children?: Child }): Drawn => {
  const [error, again] = useErrorBoundary() as [unknown, () => void];
  if (error === undefined) return html`${children}`;
  return html`<${Heading} title=${say('failure.title')} />
    <${Failed} failure=${failureOf(error)} again=${again} />`;
};
