/** What is the reader's own. */
import { html, type Drawn } from '../html.js';
import { say } from '../say.js';
import { Heading } from '../ui/heading.js';

/** The first page. */
export const Home = (): Drawn => html`<${Heading} title=${say('home.title')} />`;
