/** The page against a real daemon, with a phone: what people come for, from the first press to the chain. */
import type { ExecutionContext } from 'ava';
import { pagePath, type PageName } from '../../src/page-paths.js';
import { atLength } from '../at-length.js';
import { openWorld, type World } from '../phone/terminal.js';
import type { Served } from '../served.js';
import type { Browser, Look, Tab } from './chromium.js';
import { inBrowser } from './in-browser.js';
import { fillSpend, fillStream, fillVault, fillVote, giveCoins, type Guest } from './fill.js';
import { ask, button, connect, dialogOf, done, scan, word } from './reader.js';
import { serveWorld } from './serve.js';

type Parameters = Readonly<Record<string, string>>;

/** A home that is served, and somebody with a phone. */
type Scene = World & {
  readonly guest: Guest;
  readonly served: Served;
  /** Opens a page. */
  readonly open: (name: PageName, parameters?: Parameters, look?: Look) => Promise<Tab>;
  /** What a command answers with. */
  readonly told: (...words: string[]) => Promise<Record<string, unknown>>;
};

type Fill = (world: World, guest: Guest) => Promise<void>;

const openScene = async (
  t: ExecutionContext,
  browser: Browser,
  fills: readonly Fill[],
  env: Readonly<Record<string, string>> = {},
): Promise<Scene> => {
  const world = await openWorld(t, { env });
  const guest = await world.phone.do('account');
  for (const fill of [giveCoins, ...fills]) await fill(world, guest);
  const served = await serveWorld(t, world);
  return {
    ...world,
    guest,
    served,
    open: (name, parameters, look) => browser.open(`${served.url}${pagePath(name, parameters)}`, look),
    told: async (...words) => {
      const { exit, stderr, json } = await world.treasury(...words, '--json');
      t.is(exit, 0, stderr);
      return json();
    },
  };
};

const STREAM = { id: 'STREAM-0001' };
const claimedOf = async ({ told }: Scene): Promise<string> => {
  const { stream } = await told('streams', 'show', STREAM.id);
  return String((stream as Record<string, unknown>)['withdrawn_amountOnChain']);
};

for (const protocol of ['walletconnect', 'wizardconnect'] as const) {
  inBrowser(
    `a recipient › connects over ${protocol} and claims › it is on the chain, and shown`,
    async (t, browser) => {
      const scene = await openScene(t, browser, [fillStream]);
      const { page, findings } = await scene.open('stream', STREAM);
      await connect(page, scene.phone, protocol);
      await page
        .getByRole('button', { name: word('step.claim-short') })
        .first()
        .click();
      await button(dialogOf(page), 'sign.ask').waitFor();
      t.deepEqual(await findings(), []);
      await button(dialogOf(page), 'sign.ask').click();
      await done(page);
      t.not(await claimedOf(scene), '0');
      // What was claimed is gone from what can be, without loading anything anew.
      await page.getByRole('button', { name: word('step.claim-short') }).waitFor({ state: 'detached' });
      t.deepEqual(await findings(), []);
      t.deepEqual([...scene.relay.complaints, ...scene.nostr.complaints], []);
    },
  );
}

inBrowser(
  'a recipient › comes as nobody, on a narrow screen › connects there, and claims',
  async (t, browser) => {
    const scene = await openScene(t, browser, [fillStream]);
    const { page } = await scene.open('stream', STREAM, { width: 360 });
    await button(page, 'record.is-it-yours').click();
    await scan(page, scene.phone);
    await dialogOf(page).waitFor({ state: 'detached', timeout: 30_000 });
    await page
      .getByRole('button', { name: word('step.claim-short') })
      .first()
      .click();
    await button(dialogOf(page), 'sign.ask').click({ timeout: 30_000 });
    await done(page);
    t.not(await claimedOf(scene), '0');
  },
);

inBrowser(
  'a recipient › says no on the phone › it is said, nothing is sent, and it can be asked again',
  async (t, browser) => {
    const scene = await openScene(t, browser, [fillStream]);
    const { page, findings } = await scene.open('stream', STREAM);
    await connect(page, scene.phone);
    await scene.phone.do('plan', { do: 'decline', for: 'bch_signTransaction' });
    await ask(page, word('step.claim-short'));
    const alert = dialogOf(page).getByRole('alert');
    await alert.waitFor({ timeout: 30_000 });
    t.regex((await alert.textContent()) ?? '', /declined|said no/i);
    t.deepEqual(await findings(), []);
    t.is(await claimedOf(scene), '0');
    await button(alert, 'failure.again').click();
    await button(dialogOf(page), 'sign.ask').click();
    await done(page);
    t.not(await claimedOf(scene), '0');
  },
);

const LIES = ['outputValue', 'foreignKey', 'outputLocking', 'badSignature', 'argument'] as const;

for (const lie of LIES.slice(0, atLength(LIES.length, 1))) {
  inBrowser(
    `a phone that lies (${lie}) › signs something else › it is refused in words, and nothing is sent`,
    async (t, browser) => {
      const scene = await openScene(t, browser, [fillStream]);
      const { page } = await scene.open('stream', STREAM);
      await connect(page, scene.phone);
      await scene.phone.do('plan', { do: 'accept', lie, for: 'bch_signTransaction' });
      await ask(page, word('step.claim-short'));
      const alert = dialogOf(page).getByRole('alert');
      await alert.waitFor({ timeout: 30_000 });
      t.regex((await alert.textContent()) ?? '', /differ|not what|speaks for/i);
      t.is(await claimedOf(scene), '0');
    },
  );
}

inBrowser(
  'a recipient › loads the page anew while the phone waits › goes on, and nothing is paid twice',
  async (t, browser) => {
    const scene = await openScene(t, browser, [fillStream]);
    const { page, go } = await scene.open('stream', STREAM);
    await connect(page, scene.phone);
    await scene.phone.do('plan', { do: 'silence', for: 'bch_signTransaction' });
    await ask(page, word('step.claim-short'));
    await scene.phone.sees('request');
    await go(page.url());
    await button(page, 'pending.go').click();
    await scene.phone.do('tap', { do: 'accept' });
    await done(page);
    t.not(await claimedOf(scene), '0');
    const { claims } = await scene.told('streams', 'show', STREAM.id);
    t.is((claims as unknown[]).length, 1);
  },
);

inBrowser('a recipient › without a mouse › claims by the keyboard alone', async (t, browser) => {
  const scene = await openScene(t, browser, [fillStream]);
  const { page } = await scene.open('stream', STREAM);
  await connect(page, scene.phone);
  /** What has the focus, by its words. */
  const focused = () =>
    page.evaluate<string>(
      `(document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '').trim()`,
    );
  const tabTo = async (name: RegExp): Promise<void> => {
    for (let steps = 0; steps < 60; steps += 1) {
      if (name.test(await focused())) return;
      await page.keyboard.press('Tab');
    }
    t.fail(`Tab does not come to ${name.source}`);
  };
  await page.keyboard.press('Tab');
  await tabTo(word('step.claim-short'));
  await page.keyboard.press('Enter');
  await button(dialogOf(page), 'sign.ask').waitFor();
  // Escape leaves, and reading goes on where it was.
  await page.keyboard.press('Escape');
  await dialogOf(page).waitFor({ state: 'detached' });
  t.regex(await focused(), word('step.claim-short'));
  await page.keyboard.press('Enter');
  await button(dialogOf(page), 'sign.ask').waitFor();
  await tabTo(word('sign.ask'));
  await page.keyboard.press('Enter');
  await dialogOf(page).getByText(word('sign.done')).last().waitFor({ timeout: 60_000 });
  t.not(await claimedOf(scene), '0');
});

inBrowser(
  'a signer › sees a spend that another has signed, and signs second › it is ready, and is sent',
  async (t, browser) => {
    const scene = await openScene(t, browser, [fillVault, fillSpend]);
    const { page, go, findings } = await scene.open('home');
    await connect(page, scene.phone);
    await go(`${scene.served.url}${pagePath('spend', { id: 'VAULT-0001', spendId: 'SPEND-0001' })}`);
    const { digest } = await scene.told('vaults', 'spend', 'show', 'SPEND-0001', '--wallet', 'ann');
    t.true((await page.textContent('main'))?.includes(String(digest)));
    await ask(page, word('spend.sign-second'));
    await done(page);
    t.deepEqual(await findings(), []);
    await button(page, 'spend.send').click();
    await page.getByText('SPENT').first().waitFor();
    const { status } = await scene.told('vaults', 'spend', 'show', 'SPEND-0001', '--wallet', 'ann');
    t.is(status, 'SPENT');
  },
);

inBrowser(
  'where an address proves nothing › a signer logs in by a message, and a stranger sees nothing',
  async (t, browser) => {
    const scene = await openScene(t, browser, [fillVault, fillSpend], {
      TREASURY_PAGE_URL: 'https://treasury.example.org',
    });
    const stranger = await scene.open('vault', { id: 'VAULT-0001' });
    await stranger.page.getByRole('alert').first().waitFor();
    const { page, go } = await scene.open('home');
    await connect(page, scene.phone);
    await scene.phone.sees('request');
    await page.evaluate(
      `history.pushState(null, '', '${pagePath('vault', { id: 'VAULT-0001' })}'); dispatchEvent(new PopStateEvent('popstate'))`,
    );
    await page.getByText('Common funds').first().waitFor();
    // The token is in memory alone.
    const stored = await page.evaluate<string>(
      `JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])`,
    );
    t.notRegex(stored, /eyJ|Bearer|accessToken/);
    t.regex(stored, /^\[\{\},/);
    await go(page.url());
  },
);

inBrowser(
  'a voter › locks tokens, waits for the end, and unlocks them › they are back',
  async (t, browser) => {
    const scene = await openScene(t, browser, [fillVault, fillVote]);
    const { page, go, findings } = await scene.open('home');
    await connect(page, scene.phone);
    const vote = `${scene.served.url}${pagePath('vote', { id: 'VOTE-0001' })}`;
    await go(vote);
    await page.getByRole('radio', { name: word('tally.for') }).check();
    await page.getByLabel(word('vote.amount')).fill('60');
    t.deepEqual(await findings(), []);
    await button(page, 'vote.lock').click();
    await button(dialogOf(page), 'sign.ask').click({ timeout: 30_000 });
    await done(page);
    await page.getByText(word('vote.own-locked')).waitFor();
    const { votesFor } = await scene.told('governance', 'show', 'VOTE-0001');
    t.is(votesFor, 60);
    await scene.told('chain', 'advance', '8d');
    await go(vote);
    await ask(page, word('vote.unlock'));
    await done(page);
    await page.getByText(word('vote.own-unlocked')).waitFor();
    t.deepEqual(await findings(), []);
  },
);

inBrowser(
  'anybody › audits the address of a contract › every check in words, and the verdict',
  async (t, browser) => {
    const scene = await openScene(t, browser, [fillStream]);
    const { stream } = await scene.told('streams', 'show', STREAM.id);
    const address = String((stream as Record<string, unknown>)['contract_address']);
    const { page, findings } = await scene.open('audit');
    await page.getByLabel(word('audit.address')).fill(address.slice(address.indexOf(':') + 1));
    await button(page, 'audit.go').click();
    await page.waitForURL(`**${pagePath('auditOf', { address })}`);
    const text = page.locator('main');
    await text.getByRole('table').first().waitFor();
    const said = (await text.textContent()) ?? '';
    const { audit } = await scene.told('deployments', 'verify', address);
    // Addresses and hashes are shown in parts.
    for (const { detail } of audit as readonly { readonly detail: string }[])
      for (const part of detail.split(/\S+:[qp]\S+|[0-9a-f]{64}/)) t.true(said.includes(part.trim()), detail);
    t.deepEqual(await findings(), []);
  },
);

/** Words that would be markup, a script, a link, or another order of reading. */
const STRANGE =
  '<img src=x onerror=alert(1)><script>alert(2)</script><a href="javascript:alert(3)">\u202e0.1 HCB</a>';

inBrowser(
  'words of strangers › markup, scripts, and marks that turn the order › they stand there as text',
  async (t, browser) => {
    const create: Fill = async ({ treasury }, { address }) => {
      const words = [
        'streams',
        'create',
        '--total-amount',
        '1',
        '--stream-type',
        'LINEAR',
        '--recipient',
        address,
      ];
      await treasury(...words, '--description', STRANGE, '--label', STRANGE.slice(0, 60));
    };
    const scene = await openScene(t, browser, [create]);
    const { page } = await scene.open('stream', STREAM);
    const quoted = page.getByText('<script>alert(2)</script>').first();
    await quoted.waitFor();
    t.is(await page.locator('main img, main script, main a[href^="javascript"]').count(), 0);
    t.notRegex((await page.textContent('main')) ?? '', /[\u202a-\u202e\u2066-\u2069]/);
  },
);
