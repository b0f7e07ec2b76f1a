/** Every page of a filled home: no complaint, nothing that axe finds, nothing cut, light and dark, on a screen and on a phone. */
import { pagePath, type PageName } from '../../src/page-paths.js';
import { openWorld } from '../phone/terminal.js';
import { inBrowser, type Look } from './chromium.js';
import { fillHome, PAGES } from './fill.js';
import { serveWorld } from './serve.js';

const LOOKS: readonly Look[] = [
  { width: 1280, scheme: 'light' },
  { width: 1280, scheme: 'dark' },
  { width: 360, scheme: 'light' },
  { width: 360, scheme: 'dark' },
];

inBrowser(
  'every page › light and dark, wide and narrow › axe finds nothing, nothing is cut',
  async (t, browser) => {
    const world = await openWorld(t);
    await fillHome(world, await world.phone.do('account'));
    const { url } = await serveWorld(t, world);
    for (const look of LOOKS) {
      const tab = await browser.open(`${url}${pagePath('home')}`, look);
      for (const [name, parameters] of Object.entries(PAGES)) {
        await tab.go(`${url}${pagePath(name as PageName, parameters)}`);
        t.deepEqual(await tab.findings(), [], `${name}, ${look.width} px, ${look.scheme}`);
      }
    }
  },
);
