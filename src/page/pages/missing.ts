/** An address of the page where nothing is. */
import { pagePath } from '../../page-paths.js';
import { html, type Drawn } from '../html.js';
import { say } from '../say.js';
import { Heading } from '../ui/heading.js';

/** Says that nothing is here, and where to go on. */
export const Missing = (): Drawn =>
  html`<${Heading} title=${say('missing.page')} />
    <p>${say('missing.page-about')}</p>
    <p><a href=${pagePath('home')}>${say('missing.home')}</a></p>`;
