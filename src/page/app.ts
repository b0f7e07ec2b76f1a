/** The whole page: where one is, where one can go, who reads; and between, the page of the address. */
import { useEffect, useRef } from 'preact/hooks';
import { pagePath, type PageName } from '../page-paths.js';
import { html, type Drawn } from './html.js';
import { Missing } from './pages/missing.js';
import { PAGES } from './pages/index.js';
import { useRoute } from './router.js';
import { say, type WordKey } from './say.js';
import { learnService, serviceFailure } from './daemon-facts.js';
import { useCell } from './state.js';
import { PendingStep } from './signing/pending-step.js';
import { SigningDialog } from './signing/signing-dialog.js';
import { ConnectDialog } from './ui/connect.js';
import { HEADING } from './ui/heading.js';
import { Standing } from './ui/standing.js';
import { Failed } from './ui/states.js';
import { WhoButton } from './ui/who-button.js';
import { useService } from './who.js';

const NAVIGATION: readonly (readonly [page: PageName, words: WordKey])[] = [
  ['home', 'nav.home'],
  ['overview', 'nav.overview'],
  ['audit', 'nav.audit'],
];

const Navigation = ({ path }: { readonly path: string }): Drawn =>
  html`<nav aria-label=${say('nav.label')}>
    <ul>
      ${NAVIGATION.map(([page, words]) => {
        const address = pagePath(page);
        const isHere = path.replace(/\/$/, '') === address.replace(/\/$/, '');
        return html`<li>
          <a href=${address} aria-current=${isHere ? 'page' : undefined}>${say(words)}</a>
        </li>`;
      })}
    </ul>
  </nav>`;

/** Networks where coins are worth nothing are named, so that nobody takes them for the other. */
const Network = (): Drawn => {
  const facts = useService();
  if (facts === null || facts.network === 'mainnet') return null;
  return html`<span class="network" title=${say('network.test')}>${facts.network}</span>`;
};

/** After a step from page to page, reading goes on at the new page's heading. */
const useFocusOnNavigation = (path: string): void => {
  const before = useRef(path);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    scrollTo(0, 0);
    document.getElementById(HEADING)?.focus({ preventScroll: true });
  }, [path]);
};

/** Everything. */
export const App = (): Drawn => {
  const { found, path } = useRoute();
  const failure = useCell(serviceFailure);
  useFocusOnNavigation(path);
  const Page = found === null ? Missing : PAGES[found.page];
  return html`<div class="frame">
    <a class="skip" href=${`#${HEADING}`}>${say('nav.skip')}</a>
    <header>
      <a class="mark" href=${pagePath('home')}>Treasury</a>
      <${Network} />
      <${WhoButton} />
      <${Navigation} path=${path} />
    </header>
    <main>
      ${failure !== null && html`<${Failed} failure=${failure} again=${() => void learnService()} />`}
      <${PendingStep} />
      <${Standing} key=${path}><${Page} parameters=${found?.parameters ?? {}} /></${Standing}>
    </main>
    <footer>
      <p>${say('footer.checks')} <a href=${pagePath('audit')}>${say('footer.audit')}</a></p>
    </footer>
    <${SigningDialog} />
    <${ConnectDialog} />
  </div>`;
};
