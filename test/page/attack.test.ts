/** The page where something goes wrong between the phone, the daemon and whoever reads. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { pagePath } from '../../src/page-paths.js';
import { openWorld, type World } from '../phone/terminal.js';
import { inBrowser } from './in-browser.js';
import { fillSpend, fillStream, fillVault, giveCoins, type Guest } from './fill.js';
import { ask, button, connect, dialogOf, done, readAs, scan, word } from './reader.js';
import { serveWorld } from './serve.js';

type Fill = (world: World, guest: Guest) => Promise<void>;

const openScene = async (
  t: ExecutionContext,
  fills: readonly Fill[],
  env: Readonly<Record<string, string>> = {},
) => {
  const world = await openWorld(t, { env });
  const guest = await world.phone.do('account');
  for (const fill of [giveCoins, ...fills]) await fill(world, guest);
  return { ...world, guest, served: await serveWorld(t, world) };
};

/** Takes a secret away from under a daemon: what it has given out is good no more. */
const voidTokens = (home: string): void => {
  for (const name of readdirSync(home, { recursive: true, encoding: 'utf8' }))
    if (name.endsWith('access.secret')) rmSync(join(home, name));
};

inBrowser(
  'a login that the service does not take any more › is let go of, and the phone can prove it anew',
  async (t, browser) => {
    const scene = await openScene(t, [fillVault, fillSpend], {
      TREASURY_PAGE_URL: 'https://treasury.example.org',
    });
    const { page } = await browser.open(`${scene.served.url}${pagePath('home')}`);
    await connect(page, scene.phone);
    voidTokens(scene.home);
    await page.evaluate(
      `history.pushState(null, '', '${pagePath('vault', { id: 'VAULT-0001' })}'); dispatchEvent(new PopStateEvent('popstate'))`,
    );
    await page.locator('main').getByRole('alert').first().waitFor();
    await page
      .locator('main')
      .getByRole('button', { name: word('who.connect') })
      .first()
      .click();
    await button(dialogOf(page), 'phone.login').click({ timeout: 10_000 });
    await page.getByText('Common funds').first().waitFor();
    t.pass();
  },
);

inBrowser(
  'a page that is left between the sending and the confirmation › what was claimed is known',
  async (t, browser) => {
    const scene = await openScene(t, [fillStream]);
    const url = `${scene.served.url}${pagePath('stream', { id: 'STREAM-0001' })}`;
    const { page, go } = await browser.open(url);
    await connect(page, scene.phone);
    await page.route('**/confirm-claim', () => undefined);
    await ask(page, word('step.claim-short'));
    await page.getByText(word('sign.confirming')).last().waitFor({ timeout: 30_000 });
    await go(url);
    await page.unroute('**/confirm-claim');
    await button(page, 'pending.go').click({ timeout: 10_000 });
    await done(page);
    const { exit, json } = await scene.treasury('streams', 'show', 'STREAM-0001', '--json');
    t.is(exit, 0);
    const { claims } = json() as { readonly claims: readonly unknown[] };
    t.is(claims.length, 1);
  },
);

inBrowser(
  'a stranger who makes out a hundred streams to somebody, and funds none › what waits for them is still on top',
  async (t, browser) => {
    const { guest, served } = await openScene(t, [fillStream]);
    for (let count = 0; count < 101; count += 1) {
      const { status } = await fetch(`${served.url}/api/streams/create`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-user-address': guest.address },
        body: JSON.stringify({
          sender: guest.address,
          recipient: guest.address,
          tokenType: 'BCH',
          totalAmount: 1,
          scheduleTemplate: 'linear-open',
        }),
      });
      t.is(status, 200);
    }
    const { page } = await browser.open(`${served.url}${pagePath('home')}`);
    await readAs(page, guest.address);
    await button(page, 'waiting.claim').waitFor({ timeout: 10_000 });
    t.is(await button(page, 'waiting.claim').count(), 1);
  },
);

inBrowser(
  'words of a stranger that look like a moment, or like markup › are shown as they are, and the page stands',
  async (t, browser) => {
    const strange = '2026-99-99 99:99:99 UTC <img src=x onerror=alert(1)>';
    const { guest, served, treasury } = await openScene(t, []);
    for (const words of [
      ['wallet', 'create', 'ann'],
      [
        'streams',
        'create',
        '--total-amount',
        '1',
        '--schedule-template',
        'linear-open',
        '--recipient',
        guest.address,
        '--label',
        strange,
        '--note',
        `javascript:alert(1) 0000-13-45 99:99:99 UTC`,
      ],
      ['streams', 'fund', 'STREAM-0001', '--yes'],
      ['chain', 'advance', '120d'],
    ]) {
      const { exit, stderr } = await treasury(...words);
      t.is(exit, 0, stderr);
    }
    const { page, go, findings, complaints } = await browser.open(`${served.url}${pagePath('home')}`);
    await readAs(page, guest.address);
    await page.getByText(strange).first().waitFor({ timeout: 10_000 });
    await go(`${served.url}${pagePath('stream', { id: 'STREAM-0001' })}`);
    await page.getByText(strange).first().waitFor({ timeout: 10_000 });
    t.is(await page.locator('main img').count(), 0);
    t.deepEqual(await findings(), []);
    t.deepEqual(complaints, []);
  },
);

inBrowser(
  'an address that was typed, where it proves nothing › a claim asks for the phone, over the dialog, and goes on',
  async (t, browser) => {
    const scene = await openScene(t, [fillStream], { TREASURY_PAGE_URL: 'https://treasury.example.org' });
    const { page, findings } = await browser.open(
      `${scene.served.url}${pagePath('stream', { id: 'STREAM-0001' })}`,
    );
    await readAs(page, scene.guest.address);
    await page
      .getByRole('button', { name: word('step.claim-short') })
      .first()
      .click();
    const alert = dialogOf(page).getByRole('alert');
    await alert.waitFor({ timeout: 10_000 });
    await alert.getByRole('button', { name: word('who.connect') }).click();
    await page.getByRole('dialog', { name: word('who.title') }).waitFor({ timeout: 10_000 });
    t.deepEqual(await findings(), []);
    await scan(page, scene.phone);
    await button(page.getByRole('alert'), 'failure.again').click({ timeout: 30_000 });
    await button(page, 'sign.ask').click({ timeout: 30_000 });
    await done(page);
  },
);

inBrowser(
  'an answer that is no record › it is said in its place, and the rest of the page stands',
  async (t, browser) => {
    const { guest, served } = await openScene(t, [fillStream]);
    const { page, findings } = await browser.open(`${served.url}${pagePath('home')}`);
    await readAs(page, guest.address);
    await page.route('**/api/streams/STREAM-0001', (route) =>
      route.fulfill({ json: { success: true, stream: { decimals: 'many' } } }),
    );
    await page
      .getByRole('link', { name: /STREAM-0001/ })
      .first()
      .click();
    const alert = page.locator('main').getByRole('alert');
    await alert.waitFor({ timeout: 10_000 });
    t.deepEqual(await findings(), []);
    await page.unroute('**/api/streams/STREAM-0001');
    await button(alert, 'failure.again').click();
    await page.getByRole('heading', { name: 'STREAM-0001' }).waitFor({ timeout: 10_000 });
    t.is(await alert.count(), 0);
  },
);
