import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { carol, peopleOf } from '../../fixtures/people.js';
import { defineLedger } from '../../src/home/export/ledger.js';
import type { App } from '../../src/app.js';
import { deployables } from '../products/deployments/registered.js';
import { fundCampaign, fundTokenCampaign } from '../products/rewards/campaign.js';
import { fundVault } from '../products/vaults/vault.js';
import { openTreasury, TEST_TIME } from '../treasury.js';

/** Nobody who has a wallet in this home. */
const zoe = peopleOf(1).erin;

/** A year of two campaigns, one of tokens, with a price and a contact. */
const openBooks = async (t: ExecutionContext) => {
  const treasury = await openTreasury(t);
  Object.assign(treasury.app.context.price, {
    reading: () => Promise.resolve({ usd: 412.34, source: 'oracle', timestamp: TEST_TIME }),
  });
  const app = treasury.app as { -readonly [Key in keyof App]: App[Key] };
  app.operations = [...app.operations.filter(({ id }) => id !== 'export.ledger'), defineLedger(deployables)];
  await treasury.ask(null, 'contacts.add', { name: 'zoe', address: treasury.addressOf(zoe).text });
  const campaign = await fundCampaign(treasury);
  await campaign.pay(zoe, '0.007');
  const tokens = await fundTokenCampaign(treasury);
  await campaign.pay(carol, '0.01');
  await campaign.move('cancel');
  const write = async (format: string, input: Record<string, unknown> = {}): Promise<string> =>
    String((await treasury.ask(null, 'export.ledger', { format, ...input }))['text']);
  return { treasury, write, campaign, tokens };
};

const fileOf = (name: string, text: string): string => {
  const file = join(mkdtempSync(join(tmpdir(), 'books-')), name);
  writeFileSync(file, text);
  return file;
};

/** Runs a bookkeeping program; null where the machine has none. */
const run = (command: string, args: readonly string[]) => {
  const { error, status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  return error === undefined ? { status, said: `${stdout}${stderr}` } : null;
};

const accepts = (t: ExecutionContext, command: string, args: readonly string[]): string | null => {
  const result = run(command, args);
  if (result === null) {
    t.log(`${command} is not on this machine: its own check was left out`);
    t.pass();
    return null;
  }
  t.is(result.status, 0, result.said);
  return result.said;
};

test('export ledger › given a year › hledger accepts it, and its balances are what the covenants hold', async (t) => {
  const { write } = await openBooks(t);
  const text = await write('hledger');
  t.regex(text, /Expenses:Paid:Zoe {2}0\.00700000 "BCH"/);
  t.regex(text, /Assets:Wallets:Carol {2}0\.01000000 "BCH"/);
  const file = fileOf('ledger.journal', text);
  accepts(t, 'hledger', ['-f', file, 'check']);
  const said = accepts(t, 'hledger', ['-f', file, 'balance', 'Assets:Covenants', '--empty', '--no-total']);
  if (said === null) return;
  t.regex(said, /^ +0 {2}Assets:Covenants:REWARD-0001$/m);
  t.regex(said, /^ +30\.00 GEMS {2}Assets:Covenants:REWARD-0002$/m);
});

test('export ledger › given a closing balance that is wrong › hledger and beancount refuse the book', async (t) => {
  const { write } = await openBooks(t);
  const [hledger, beancount] = [await write('hledger'), await write('beancount')];
  const bent = hledger.replace(/ = 0\.00000000 /, ' = 0.00000001 ');
  t.not(bent, hledger);
  const refused = run('hledger', ['-f', fileOf('ledger.journal', bent), 'balance']);
  if (refused !== null) t.not(refused.status, 0);
  const bentToo = beancount.replace(/( balance \S+ {2})0\.00000000/, '$10.00000003');
  t.not(bentToo, beancount);
  const refusedToo = run('bean-check', [fileOf('ledger.beancount', bentToo)]);
  if (refusedToo !== null) t.not(refusedToo.status, 0);
});

test('export ledger › given a year › beancount accepts it', async (t) => {
  const { write } = await openBooks(t);
  const text = await write('beancount');
  t.regex(text, /price BCH 412\.34 USD/);
  accepts(t, 'bean-check', [fileOf('ledger.beancount', text)]);
});

test('export ledger › given the last part of a year › opening balances are what the part before it closed with', async (t) => {
  const { treasury, write } = await openBooks(t);
  const rows = (await treasury.ask(null, 'export.ledger', {}))['rows'] as readonly { date: string }[];
  const from = Date.parse(rows.at(-1)?.date ?? '') / 1000;
  for (const [format, command, args] of [
    ['hledger', 'hledger', (file: string) => ['-f', file, 'balance']],
    ['beancount', 'bean-check', (file: string) => [file]],
  ] as const) {
    const text = await write(format, { from });
    t.regex(text, /opening balances/);
    t.regex(text, /Equity:Opening-Balances {2}-/);
    accepts(t, command, args(fileOf(`part.${format}`, text)));
  }
});

test('export ledger › given nothing yet › the books of it are accepted', async (t) => {
  const treasury = await openTreasury(t);
  const app = treasury.app as { -readonly [Key in keyof App]: App[Key] };
  app.operations = [...app.operations.filter(({ id }) => id !== 'export.ledger'), defineLedger(deployables)];
  const write = async (format: string) =>
    String((await treasury.ask(null, 'export.ledger', { format }))['text']);
  accepts(t, 'hledger', ['-f', fileOf('none.journal', await write('hledger')), 'balance']);
  accepts(t, 'bean-check', [fileOf('none.beancount', await write('beancount'))]);
});

test('export ledger › for Koinly › a covenant is a wallet that received what came in and sent what it paid', async (t) => {
  const { write } = await openBooks(t);
  const lines = (await write('koinly')).split('\r\n');
  t.is(lines[0], 'Date,Sent Amount,Sent Currency,Received Amount,Received Currency,Label,Description,TxHash');
  t.regex(lines[1] ?? '', /^2026-06-0\d \d\d:\d\d:\d\d UTC,,,0\.03,BCH,,.*funded, from /);
  t.regex(lines[2] ?? '', / UTC,0\.007,BCH,,,,.*distribution, to zoe/);
});

test('export ledger › as BIP329 › each transaction has one label, a JSON line each', async (t) => {
  const { write } = await openBooks(t);
  const lines = (await write('bip329'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, string>);
  t.true(lines.every(({ type, ref }) => type === 'tx' && /^[0-9a-f]{64}$/.test(ref ?? '')));
  t.is(new Set(lines.map(({ ref }) => ref)).size, lines.length);
});

test('export ledger › given own words with quotes, commas and semicolons › every program accepts them, and wallets get them as labels', async (t) => {
  const treasury = await openTreasury(t);
  const app = treasury.app as { -readonly [Key in keyof App]: App[Key] };
  app.operations = [...app.operations.filter(({ id }) => id !== 'export.ledger'), defineLedger(deployables)];
  const label = 'Bounties, "spring"; \\ = 2';
  const campaign = await fundCampaign(treasury, { label, note: 'second: try' });
  await campaign.pay(zoe, '0.007');
  const write = async (format: string) =>
    String((await treasury.ask(null, 'export.ledger', { format }))['text']);
  const hledger = await write('hledger');
  t.regex(hledger, /, label:Bounties; "spring"; \\ = 2, note:second: try/);
  accepts(t, 'hledger', ['-f', fileOf('ledger.journal', hledger), 'check']);
  const beancount = await write('beancount');
  t.true(beancount.includes('  label: "Bounties, \\"spring\\"; \\\\ = 2"'));
  accepts(t, 'bean-check', [fileOf('ledger.beancount', beancount)]);
  const [first = ''] = (await write('bip329')).split('\n');
  t.is((JSON.parse(first) as Record<string, string>)['label'], `${label}: #REWARD-0001 funded (second: try)`);
  const { rows } = (await treasury.ask(null, 'export.ledger', {})) as { rows: Record<string, unknown>[] };
  t.like(rows[0], { ownLabel: label, ownNote: 'second: try' });
});

test('export ledger › given vaults whose names are lines of a book, or the label of another record › each has an account of its own, and nothing else is written', async (t) => {
  const { treasury, write } = await openBooks(t);
  const evil =
    '(x) * Rent ; |\n2026-01-01 gift\n    Assets:Evil  5 "BCH"\n    Equity:Evil\n\ninclude /etc/passwd';
  for (const name of [evil, 'REWARD-0001', 'REWARD-0001']) await fundVault(treasury, { name });
  for (const [format, command, args] of [
    ['hledger', 'hledger', (file: string) => ['-f', file, 'check']],
    ['beancount', 'bean-check', (file: string) => [file]],
  ] as const) {
    const text = await write(format);
    for (const number of [1, 2, 3]) t.true(text.includes(`Assets:Covenants:VAULT-000${number}`), text);
    t.is(
      text.split('\n').filter((line) => /^(?:include|\s+Assets:Evil|2026-01-01 gift)/.test(line)).length,
      0,
      text,
    );
    accepts(t, command, args(fileOf(`evil.${format}`, text)));
  }
});
