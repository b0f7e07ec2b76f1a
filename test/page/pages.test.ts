/** Every page of a filled home: no complaint, nothing that axe finds, nothing cut, light and dark, on a screen and on a phone. */
import { pagePath, type PageName } from '../../src/page-paths.js';
import { openWorld } from '../phone/terminal.js';
import { inBrowser, type Look } from './chromium.js';
import { fillHome, PAGES } from './fill.js';
import { readAs } from './reader.js';
import { serveWorld } from './serve.js';

const LOOKS: readonly Look[] = [
  { width: 1280, scheme: 'light' },
  { width: 1280, scheme: 'dark' },
  { width: 360, scheme: 'light' },
  { width: 360, scheme: 'dark' },
];

inBrowser(
  'every page › to nobody and to a party, light and dark, wide and narrow › axe finds nothing, nothing is cut',
  async (t, browser) => {
    const world = await openWorld(t);
    const guest = await world.phone.do('account');
    await fillHome(world, guest);
    const { url } = await serveWorld(t, world);
    for (const look of LOOKS) {
      const tab = await browser.open(`${url}${pagePath('home')}`, look);
      for (const reader of ['nobody', 'a party']) {
        if (reader !== 'nobody') await readAs(tab.page, guest.address);
        for (const [name, parameters] of Object.entries(PAGES)) {
          await tab.go(`${url}${pagePath(name as PageName, parameters)}`);
          t.deepEqual(await tab.findings(), [], `${name} to ${reader}, ${look.width} px, ${look.scheme}`);
        }
      }
    }
  },
);
