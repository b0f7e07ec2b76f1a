/** A page that is a reply of the API in the command line's words, and nothing more. */
import { useAsked } from '../asked.js';
import { html } from '../html.js';
import type { Reply } from '../replies.js';
import { say, type WordKey } from '../say.js';
import { Blocks } from '../ui/blocks.js';
import { Heading } from '../ui/heading.js';
import { Answered } from '../ui/states.js';
import { apiPath, type Page } from './page.js';

/** @param pattern of the address of the API that is asked: `/api/vaults/:id` */
export const plainPage =
  (title: WordKey, pattern: string): Page =>
  ({ parameters }) => {
    const asked = useAsked(apiPath(pattern, parameters));
    const draw = ({ view = [] }: Reply) => html`<${Blocks} blocks=${view} />`;
    return html`<${Heading} title=${Object.values(parameters).at(-1) ?? say(title)} kicker=${say(title)} />
      <${Answered} asked=${asked} draw=${draw} />`;
  };
