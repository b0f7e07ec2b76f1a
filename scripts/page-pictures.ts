/**
 * Draws every page of a home with something of everything, as somebody sees it who is paid, signs and votes: wide and narrow, in light and
 * in dark.
 *
 *     npm run page:pictures -- --out /tmp/pictures
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { pagePath, type PageName } from '../src/page-paths.js';
import { closeBrowser, openBrowser, type Look } from '../test/page/chromium.js';
import { fillHome, pagesOf } from '../test/page/fill.js';
import { readAs } from '../test/page/reader.js';
import { serveWorld } from '../test/page/serve.js';
import { openWorld } from '../test/phone/terminal.js';

const LOOKS: readonly Required<Look>[] = [1280, 360].flatMap((width) => [
  { width, scheme: 'light' as const },
  { width, scheme: 'dark' as const },
]);

const { values } = parseArgs({ options: { out: { type: 'string' }, only: { type: 'string' } } });
if (values.out === undefined) throw new Error('--out names the folder that the pictures go to');
const out = resolve(values.out);
mkdirSync(out, { recursive: true });

const ends: (() => unknown)[] = [];
const atEnd = { teardown: (end: () => unknown) => void ends.unshift(end) };
try {
  const world = await openWorld(atEnd);
  const guest = await world.phone.do('account');
  await fillHome(world, guest);
  const pages = await pagesOf(world);
  const { url } = await serveWorld(atEnd, world);
  const browser = await openBrowser(atEnd.teardown);
  for (const { width, scheme } of LOOKS) {
    const tab = await browser.open(`${url}${pagePath('home')}`, { width, scheme });
    const draw = async (name: string): Promise<void> => {
      const path = join(out, `${name}-${width}-${scheme}.png`);
      await tab.page.screenshot({ path, fullPage: true });
      const found = [...(await tab.findings()), ...tab.complaints];
      console.log(path, ...found);
    };
    await draw('home-of-nobody');
    await readAs(tab.page, guest.address);
    for (const [name, parameters] of Object.entries(pages)) {
      if (values.only !== undefined && values.only !== name) continue;
      await tab.go(`${url}${pagePath(name as PageName, parameters)}`);
      await draw(name);
    }
  }
} finally {
  await closeBrowser();
  for (const end of ends) await end();
}
