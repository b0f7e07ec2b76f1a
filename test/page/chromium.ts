/**
 * Pages in Debian's Chromium, or in the one that `TREASURY_TEST_CHROMIUM` names. Whatever a page complains of fails its
 * test: an error on the console, a breach of its policy, a request to a host that is not of the test.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { chromium, type BrowserContext, type CDPSession, type Page } from 'playwright-core';

export const CHROMIUM = process.env['TREASURY_TEST_CHROMIUM'] ?? '/usr/bin/chromium';

const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Nothing but this machine is there.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];

/** How a page is looked at. */
export type Look = {
  /** CSS pixels. Default 1280. */
  readonly width?: number;
  /** What the system asks for. Default light. */
  readonly scheme?: 'light' | 'dark';
};

/** A page, and what it has complained of. */
export type Tab = {
  readonly page: Page;
  readonly complaints: readonly string[];
  /** Goes to another address, and waits until what it shows is there. */
  readonly go: (url: string) => Promise<void>;
  /** What axe finds, one line for each place; and what is wider than the window. */
  readonly findings: () => Promise<readonly string[]>;
};

export type Browser = {
  /** Opens a page in a window of its own, with nothing remembered. */
  readonly open: (url: string, look?: Look) => Promise<Tab>;
};

const HEIGHT = 800;
/** A window with nothing in it yet. */
export const BLANK = 'about:blank';
/** How long a page may take for what it is waited for, where nothing else is said. */
const PATIENCE_MS = 30_000;
/** What requests of a page may go to: this machine, whatever the port. */
const OWN_HOSTS: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];
const isForeign = (url: string): boolean =>
  /^(?:https?|wss?):/.test(url) && !OWN_HOSTS.includes(new URL(url).hostname);

/** The browser's own line for each answer that is no success: the API says so in its answers, and the page in words. */
const isAnswerOfApi = (text: string, url: string): boolean =>
  text.startsWith('Failed to load resource: the server responded') &&
  new URL(url).pathname.startsWith('/api');

/** Runs in the page, before anything of it does. */
const TELL_BREACHES = `document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample }) => {
  console.error('breach of ' + effectiveDirective + ': ' + blockedURI + ' ' + sample);
});`;

/** Notes what goes wrong on a page from now on. */
const listen = async (page: Page, devtools: CDPSession): Promise<readonly string[]> => {
  const complaints: string[] = [];
  page.on('console', (message) => {
    const { url } = message.location();
    if (!['error', 'warning'].includes(message.type()) || isAnswerOfApi(message.text(), url)) return;
    complaints.push(`console ${message.type()}: ${message.text()} (${url})`);
  });
  page.on('pageerror', (error) => complaints.push(`uncaught: ${error.stack ?? error.message}`));
  page.on('request', (request) => {
    if (isForeign(request.url())) complaints.push(`a request to ${request.url()}`);
  });
  page.on('websocket', (socket) => {
    if (isForeign(socket.url())) complaints.push(`a socket to ${socket.url()}`);
  });
  devtools.on('Audits.issueAdded', ({ issue: { code, details } }) => {
    const violation = details.contentSecurityPolicyIssueDetails;
    if (violation !== undefined)
      complaints.push(`${code}: ${violation.violatedDirective} ${violation.blockedURL ?? ''}`);
  });
  await devtools.send('Audits.enable');
  await page.addInitScript({ content: TELL_BREACHES });
  return complaints;
};

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const LOOKED_FOR = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Runs axe in a world of its own beside the page: the page's policy stays what it is, and the page knows nothing of it. */
const axeOn = async (devtools: CDPSession): Promise<AxeResults> => {
  const { frameTree } = await devtools.send('Page.getFrameTree');
  const world = { frameId: frameTree.frame.id, worldName: 'axe' };
  const { executionContextId: contextId } = await devtools.send('Page.createIsolatedWorld', world);
  const say = async (expression: string): Promise<unknown> => {
    const { result, exceptionDetails } = await devtools.send('Runtime.evaluate', {
      expression,
      contextId,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails !== undefined) throw new Error(`axe: ${JSON.stringify(exceptionDetails)}`);
    return result.value;
  };
  await say(`${AXE}; undefined`);
  const options = { runOnly: LOOKED_FOR, resultTypes: ['violations'] };
  return (await say(`axe.run(document, ${JSON.stringify(options)})`)) as AxeResults;
};

/** What of a page is wider than its window and does not scroll by itself. */
const tooWide = async (page: Page): Promise<readonly string[]> => {
  const widths: unknown = await page.evaluate(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  );
  const [content = 0, window = 0] = widths as number[];
  return content > window ? [`the page is ${content} px wide in a window of ${window}`] : [];
};

/** Waits until a page has drawn what it asked for: nothing of it says any more that it is busy. */
const settled = async (page: Page): Promise<void> => {
  try {
    await page.waitForSelector('main h1');
    await page.waitForSelector('[aria-busy="true"], .loading', { state: 'detached' });
  } catch (cause) {
    throw new Error(`${page.url()} is not drawn: ${(await page.textContent('main')) ?? ''}`, { cause });
  }
};

const openTab = async (context: BrowserContext, url: string): Promise<Tab> => {
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const devtools = await context.newCDPSession(page);
  const complaints = await listen(page, devtools);
  const go = async (to: string): Promise<void> => {
    await page.goto(to);
    if (to !== BLANK) await settled(page);
  };
  await go(url);
  return {
    page,
    complaints,
    go,
    findings: async () => {
      const { violations } = await axeOn(devtools);
      const found = violations.flatMap(({ id, help, nodes }) =>
        nodes.map(
          ({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${help}. ${failureSummary ?? ''}`,
        ),
      );
      return [...found, ...(await tooWide(page))];
    },
  };
};

/** A Chromium of this process: it starts with the first test that wants it, and ends with the last test of the file. */
const launch = () => chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS, chromiumSandbox: false });
let running: ReturnType<typeof launch> | undefined;

/** Opens pages in windows that end with `atEnd`. */
export const openBrowser = async (
  atEnd: (close: () => Promise<void>) => void,
): Promise<Browser & { readonly tabs: readonly Tab[] }> => {
  running ??= launch();
  const browser = await running;
  const tabs: Tab[] = [];
  return {
    tabs,
    open: async (url, { width = 1280, scheme = 'light' } = {}) => {
      const context = await browser.newContext({
        viewport: { width, height: HEIGHT },
        colorScheme: scheme,
        reducedMotion: 'reduce',
      });
      atEnd(() => context.close());
      const tab = await openTab(context, url);
      tabs.push(tab);
      return tab;
    },
  };
};

/** Ends the Chromium of this process. */
export const closeBrowser = async (): Promise<void> => {
  const browser = await running;
  running = undefined;
  await browser?.close();
};
