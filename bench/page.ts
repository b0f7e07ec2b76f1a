/**
 * The page in Chromium: what it weighs, how long until a stream's curve is drawn, and how long a claim takes that a phone signs at once.
 * Times are ratios to a bare page of the same run: an empty document with one script, which Node serves by itself.
 */
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pagePath } from '../src/page-paths.js';
import { BLANK, closeBrowser, openBrowser, type Browser } from '../test/page/chromium.js';
import { fillStream, giveCoins } from '../test/page/fill.js';
import { button, connect, dialogOf, word } from '../test/page/reader.js';
import { serveWorld } from '../test/page/serve.js';
import { openWorld } from '../test/phone/terminal.js';

const ROUNDS = 9;
const CLAIMS = 5;
/** The most that the first curve may take, in bare pages. */
const MOST_RATIO = 5;
const OUT = 'dist/page';

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? NaN;

/** A bare page until the test ends. */
const serveBare = async (atEnd: (end: () => unknown) => void): Promise<string> => {
  const server = createServer(({ url = '' }, response) => {
    const isScript = url.endsWith('.js');
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(
      isScript
        ? `const one = document.createElement('svg'); one.id = 'drawn'; document.body.append(one);`
        : `<!doctype html><html lang="en"><title>bare</title><link rel="icon" href="data:," /><body><script src="/one.js"></script></body></html>`,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
};

/** Milliseconds from asking for an address, in a window that remembers nothing, until something stands there. */
const drawn = async (browser: Browser, url: string, selector: string): Promise<number> => {
  const { page } = await browser.open(BLANK);
  const from = performance.now();
  await page.goto(url, { waitUntil: 'commit' });
  await page.waitForSelector(selector, { state: 'attached' });
  const took = performance.now() - from;
  await page.context().close();
  return took;
};

/** What each file weighs as it is sent. */
const weigh = (): readonly { readonly file: string; readonly bytes: number }[] =>
  readdirSync(OUT)
    .filter((name) => name.endsWith('.br'))
    .map((name) => ({ file: basename(name, '.br'), bytes: statSync(`${OUT}/${name}`).size }))
    .toSorted((one, other) => other.bytes - one.bytes);

/** Measures it. @returns true when the first curve is within its budget */
export const benchPage = async (): Promise<boolean> => {
  const ends: (() => unknown)[] = [];
  const t = { teardown: (end: () => unknown) => void ends.unshift(end) };
  try {
    const world = await openWorld(t);
    const guest = await world.phone.do('account');
    await giveCoins(world, guest);
    await fillStream(world, guest);
    const { url } = await serveWorld(t, world);
    const bare = await serveBare(t.teardown);
    const browser = await openBrowser(t.teardown);
    const stream = `${url}${pagePath('stream', { id: 'STREAM-0001' })}`;
    const [bares, curves]: [number[], number[]] = [[], []];
    for (let round = 0; round <= ROUNDS; round += 1) {
      bares.push(await drawn(browser, bare, '#drawn'));
      curves.push(await drawn(browser, stream, 'figure svg'));
    }
    const { page } = await browser.open(stream);
    await connect(page, world.phone);
    const claims: number[] = [];
    for (let count = 0; count < CLAIMS; count += 1) {
      await world.treasury('chain', 'advance', '5d');
      await page.reload();
      await page
        .getByRole('button', { name: word('step.claim-short') })
        .first()
        .click();
      await button(dialogOf(page), 'sign.ask').waitFor();
      const from = performance.now();
      await button(dialogOf(page), 'sign.ask').click();
      await dialogOf(page).getByText(word('sign.done')).last().waitFor();
      claims.push(performance.now() - from);
    }
    const [one, curve, claim] = [bares.slice(1), curves.slice(1), claims].map(median) as [
      number,
      number,
      number,
    ];
    const row = (what: string, took: number) => ({
      what,
      ms: Math.round(took),
      ratio: Number((took / one).toFixed(1)),
    });
    console.table(weigh());
    console.table([
      row('a bare page', one),
      row('the first curve', curve),
      row('a claim, signed at once', claim),
    ]);
    return curve / one <= MOST_RATIO;
  } finally {
    await closeBrowser();
    for (const end of ends) await end();
  }
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href && !(await benchPage())) {
  console.error(`not met: the first curve within ${MOST_RATIO} bare pages`);
  process.exitCode = 1;
}
