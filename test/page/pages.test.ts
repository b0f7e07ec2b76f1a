/** Every page of a filled home: no complaint, nothing that axe finds, nothing cut, light and dark, on a screen and on a phone. */
import { pagePath, type PageName } from '../../src/page-paths.js';
import { atLength } from '../at-length.js';
import { openWorld } from '../phone/terminal.js';
import type { Look } from './chromium.js';
import { inBrowser } from './in-browser.js';
import { fillHome, pagesOf } from './fill.js';
import { readAs } from './reader.js';
import { serveWorld } from './serve.js';

type Way = Look & { readonly reader: 'nobody' | 'a party' };

/** `npm test` takes the first ones. */
const WAYS: readonly Way[] = [
  { reader: 'a party', width: 360, scheme: 'dark' },
  { reader: 'a party', width: 1280, scheme: 'light' },
  { reader: 'nobody', width: 360, scheme: 'light' },
  { reader: 'nobody', width: 1280, scheme: 'dark' },
  { reader: 'a party', width: 360, scheme: 'light' },
  { reader: 'a party', width: 1280, scheme: 'dark' },
  { reader: 'nobody', width: 360, scheme: 'dark' },
  { reader: 'nobody', width: 1280, scheme: 'light' },
];
const IN_SHORT = 2;

inBrowser(
  'every page › to its readers, light and dark, wide and narrow › axe finds nothing, nothing is cut',
  async (t, browser) => {
    const world = await openWorld(t);
    const guest = await world.phone.do('account');
    await fillHome(world, guest);
    const pages = await pagesOf(world);
    const { url } = await serveWorld(t, world);
    for (const { reader, ...look } of WAYS.slice(0, atLength(WAYS.length, IN_SHORT))) {
      const tab = await browser.open(`${url}${pagePath('home')}`, look);
      if (reader === 'a party') await readAs(tab.page, guest.address);
      for (const [name, parameters] of Object.entries(pages)) {
        await tab.go(`${url}${pagePath(name as PageName, parameters)}`);
        t.deepEqual(await tab.findings(), [], `${name} to ${reader}, ${look.width} px, ${look.scheme}`);
      }
    }
  },
);
