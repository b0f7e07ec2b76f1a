/** Commands that print the address of a page, on a home with something of everything. */
import test from 'ava';
import { openWorld } from '../phone/terminal.js';
import { fillHome } from './fill.js';

const ORIGIN = 'https://treasury.example.org';

/** Commands, and the paths that they link to; `<vault>` is the id of the vault on the chain. */
const LINKS: readonly (readonly [words: readonly string[], path: string])[] = [
  [['streams', 'show', 'STREAM-0001'], '/app/streams/STREAM-0001'],
  [['payments', 'show', 'PAY-0001'], '/app/payments/PAY-0001'],
  [['budgets', 'show', 'BUDGET-0001'], '/app/budgets/BUDGET-0001'],
  [['rewards', 'show', 'REWARD-0001'], '/app/rewards/REWARD-0001'],
  [['vaults', 'show', 'VAULT-0001'], '/app/vaults/VAULT-0001'],
  [['vaults', 'spend', 'show', 'SPEND-0001', '--wallet', 'ben'], '/app/vaults/<vault>/spends/SPEND-0001'],
  [
    ['vaults', 'spend', 'create', 'VAULT-0001', '--to', 'ann', '--amount', '0.1', '--wallet', 'ben'],
    '/app/vaults/<vault>/spends/SPEND-0002',
  ],
  [['governance', 'show', 'VOTE-0001'], '/app/votes/VOTE-0001'],
  [
    ['governance', 'propose', 'VAULT-0001', '--title', 'T', '--quorum', '1', '--voting-duration-days', '7'],
    '/app/votes/VOTE-0002',
  ],
];

test('commands › given a page › each prints its address, in JSON too; without one, none does; --qr draws it', async (t) => {
  const world = await openWorld(t);
  await fillHome(world, await world.phone.do('account'));
  const { json } = await world.treasury('vaults', 'show', 'VAULT-0001', '--json');
  const vault = String(json()['vaultId']);
  t.regex(vault, /^[0-9a-f]{64}$/);
  for (const [words, path] of LINKS) {
    // Its coins are those that the next one spends.
    if (words.includes('create'))
      await world.treasury('vaults', 'spend', 'cancel', 'SPEND-0001', '--wallet', 'ann');
    const url = `${ORIGIN}${path.replace('<vault>', vault)}`;
    const asJson = words.includes('create') || words.includes('propose');
    const { exit, stdout, stderr } = await world.start(asJson ? [...words, '--json'] : words, {
      TREASURY_PAGE_URL: ORIGIN,
    }).done;
    t.is(exit, 0, stderr);
    if (asJson) t.is((JSON.parse(stdout) as { pageUrl: string }).pageUrl, url);
    else t.true(stdout.includes(`Page  ${url}\n`), `${words.join(' ')}: ${stdout}`);
    const plain = asJson ? { stdout: '' } : await world.treasury(...words);
    t.false(plain.stdout.includes('/app/'));
  }

  // With --qr: the page where nothing is to be paid, else the address to be paid.
  const draw = async (...words: string[]) => {
    const { stdout } = await world.start([...words, '--qr'], { TREASURY_PAGE_URL: ORIGIN }).done;
    return stdout.split('\n').filter((line) => /[▀▄█]{8}/.test(line)).length;
  };
  const [stream, toVault] = [
    await draw('streams', 'show', 'STREAM-0001'),
    await draw('vaults', 'show', 'VAULT-0001'),
  ];
  t.true(stream > 10, String(stream));
  const { stderr, stdout } = await world.treasury('vaults', 'show', 'VAULT-0001', '--qr');
  t.is(toVault, stdout.split('\n').filter((line) => /[▀▄█]{8}/.test(line)).length);
  t.is(stderr, '');
  const none = await world.treasury('streams', 'show', 'STREAM-0001', '--qr');
  t.regex(none.stderr, /no address to be paid in this answer, and no page of it/);
});
