/** A page that is a reply of the API in the command line's words, and nothing more. */
import { useAsked } from '../asked.js';
import { html } from '../html.js';
import { say, type WordKey } from '../say.js';
import { Blocks } from '../ui/blocks.js';
import { Heading } from '../ui/heading.js';
import { Answered } from '../ui/states.js';
import type { Reply } from '../replies.js';
import type { Page } from './index.js';

type Parameters = Readonly<Record<string, string>>;

/** @param pathOf the address of the API that is asked; its parameters are encoded already */
export const plainPage =
  (title: WordKey, pathOf: (parameters: Parameters) => string): Page =>
  ({ parameters }) => {
    const encoded = Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => [name, encodeURIComponent(value)]),
    );
    const asked = useAsked(pathOf(encoded));
    return html`<${Heading} title=${Object.values(parameters).at(-1) ?? say(title)} kicker=${say(title)} />
      <${Answered} asked=${asked} draw=${({ view = [] }: Reply) => html`<${Blocks} blocks=${view} />`} />`;
  };
