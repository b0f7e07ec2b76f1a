/** Files of rows as people's spreadsheets write them, through the command line. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { alice, authority, bob, erin } from '../../fixtures/people.js';
import { EXIT } from '../../src/errors.js';
import { pendingStepCollection } from '../../src/record/pending-steps.js';
import { streamCollection } from '../../src/products/streams/index.js';
import { createVault } from '../products/streams/vault.js';
import { openTreasury, type Treasury } from '../treasury.js';
import { runOn } from './real-environment.js';

/** A treasury with a vault, and alice who has money and the contact @erin. */
const openSheets = async (t: ExecutionContext) => {
  const treasury = await openTreasury(t);
  const vaultId = await createVault(treasury);
  for (let coin = 0; coin < 3; coin += 1) await treasury.give(alice, 200_000_000n);
  await treasury.ask(alice, 'contacts.add', { name: 'erin', address: treasury.addressOf(erin).text });
  const write = (text: string | Buffer): string => {
    const file = join(treasury.home, 'team.csv');
    writeFileSync(file, text);
    return file;
  };
  const batch = (text: string | Buffer, ...more: string[]) =>
    runOn(treasury, ['streams', 'batch', vaultId, '--wallet', 'alice', '--file', write(text), ...more]);
  const stored = async () => (await treasury.app.context.store.find(streamCollection)).items;
  return { treasury, vaultId, write, batch, stored };
};

const addressOf = (treasury: Treasury, who: typeof bob) => treasury.addressOf(who).text;

test('streams batch › given a file as Excel writes it › semicolons, a byte order mark and CRLF are read, and @names', async (t) => {
  const { treasury, batch, stored } = await openSheets(t);
  const rows = [
    'Recipient;Amount;Type;Start;End;Description',
    `${addressOf(treasury, bob)};0.25;linear;2027-01-01;2027-12-31;"Zoë, ""first"" half"`,
    '@erin;0.5;LINEAR;2027-01-01 09:00;2027-12-31T00:00+02:00;',
    ';;;;;',
    '',
  ];
  const { exit, stderr } = await batch(`\uFEFF${rows.join('\r\n')}`, '--yes');
  t.is(exit, 0, stderr);
  t.regex(stderr, /@erin is bchtest:/);
  t.regex(stderr, /Streams +2, to 2 recipients/);
  t.regex(stderr, /In all +0\.75 BCH/);
  t.regex(stderr, /Fee +0\.0000\d+ BCH\n/);
  t.regex(stderr, /Paid by +bchtest:/);
  t.notRegex(stderr, /Warning/);
  const made = await stored();
  t.deepEqual(
    made.map(({ recipient }) => recipient).sort(),
    [addressOf(treasury, bob), addressOf(treasury, erin)].sort(),
  );
  t.true(made.some(({ description }) => description === 'Zoë, "first" half'));
  t.true(made.every(({ status }) => status === 'ACTIVE'));
});

test('streams batch › given a coin that a block has spent meanwhile › the step is forgotten, and what is left is said', async (t) => {
  const { treasury, batch } = await openSheets(t);
  const { context } = treasury.app;
  const { chain } = context;
  const broadcast = async (raw: string): Promise<string> => {
    Object.assign(context, { chain });
    const input = { to: addressOf(treasury, bob), amount: '5.9', usePinned: true };
    const rival = await treasury.ask(alice, 'wallet.send', input);
    await chain.broadcast(treasury.sign(alice, rival['wcTransaction']));
    return chain.broadcast(raw);
  };
  Object.assign(context, { chain: { ...chain, broadcast } });
  const rows = ['recipient,amount,type,start,end', '@erin,0.5,LINEAR,2027-01-01,2027-12-31'];
  const { exit, stderr } = await batch(rows.join('\n'), '--yes');
  t.is(exit, 6, stderr);
  t.notRegex(stderr, /is signed and kept/);
  t.is((await context.store.find(pendingStepCollection)).total, 0);
  t.regex(stderr, /Next: treasury streams fund /);
});

test('streams batch › given bad rows › only these are shown, with all their faults, by line and column, and nothing is stored', async (t) => {
  const { batch, stored } = await openSheets(t);
  const rows = [
    'recipient;amount;type;start;end;description',
    '@erin;0.5;LINEAR;2027-01-01;2027-12-31;"two',
    'lines"',
    '@nobody;0,25;LINEAR;31/12/2027;46752;',
    '@erin;0.5;LINEAR;2027-12-31;2027-01-01;',
    '@erin;0.25;LINEAR;2027-13-01;2027-12-31;',
    '@erin;0.3;LINEAR;2027-01-01;2027-12-31;',
  ].join('\r\n');
  for (const more of [['--yes'], ['--dry-run']]) {
    const { exit, stdout, stderr } = await batch(rows, ...more);
    t.is(exit, EXIT.invalid);
    const said = `${stdout}${stderr}`;
    const is = more.includes('--yes') ? 'line ' : '';
    t.regex(said, new RegExp(`${is}4`));
    t.regex(said, /nobody/);
    t.regex(said, /"31\/12\/2027" may be read in several ways: write year-month-day/);
    t.regex(said, /"46752" is a spreadsheet's number of a day: write 2027-12-31/);
    t.regex(said, new RegExp(`${is}5`));
    t.regex(said, /"0,25" is not a usable amount: .*write 0\.25/);
    t.regex(said, /there is no month 13/);
    t.notRegex(said, /lines"|\n {2}line [27]\b|\n[27] +/);
    t.is((await stored()).length, 0);
  }
});

test('streams batch › given --date-order › day-first dates and numbers of days are dates', async (t) => {
  const { batch, stored } = await openSheets(t);
  const file = 'recipient;amount;type;start;end\r\n@erin;0.5;LINEAR;01/02/2027;46752\r\n';
  t.is((await batch(file, '--yes', '--date-order', 'european')).exit, EXIT.invalid);
  t.is((await stored()).length, 0);
  const { exit, stderr } = await batch(file, '--yes', '--date-order', 'dmy');
  t.is(exit, 0, stderr);
  const [stream] = await stored();
  t.is(stream?.start_time, new Date(2027, 1, 1).getTime() / 1000);
  t.is(stream?.end_time, new Date(2027, 11, 31).getTime() / 1000);
});

test('streams batch › given amounts with units › they are read; one in a token that the command does not name is refused', async (t) => {
  const { treasury, batch, stored } = await openSheets(t);
  const category = await treasury.mint(alice, '1000', 2);
  const file = (amount: string) =>
    `recipient,amount,template\n@erin,${amount},linear-open\n@erin,1,linear-open\n`;
  const refused = await batch(file('100 GEMS'), '--yes');
  t.is(refused.exit, EXIT.invalid);
  t.regex(refused.stderr, /line 2, amount: it is in a token: name that for all rows, with --token-category/);
  t.is(
    (await batch(file('0.5 BCH'), '--yes', '--token-category', 'GEMS', '--token-type', 'FUNGIBLE_TOKEN'))
      .exit,
    EXIT.invalid,
  );
  t.is((await stored()).length, 0);
  const made = await batch(
    file('100 GEMS'),
    '--yes',
    '--token-category',
    'GEMS',
    '--token-type',
    'FUNGIBLE_TOKEN',
  );
  t.is(made.exit, 0, made.stderr);
  t.regex(made.stderr, /In all +101 (?:GEMS|of the token)/);
  t.deepEqual(
    (await stored()).map((stream) => stream.token_category),
    [category, category],
  );
  const sats = await batch('recipient,amount,template\n@erin,2500000 sats,linear-open\n', '--yes');
  t.is(sats.exit, 0, sats.stderr);
  t.true((await stored()).some(({ total_amount: total }) => total === 2_500_000n));
});

test('streams batch › given UTF-16, as Excel calls Unicode text › it is refused with what to save it as', async (t) => {
  const { batch } = await openSheets(t);
  const { exit, stderr } = await batch(Buffer.from('\uFEFFrecipient\tamount\ttype\r\n', 'utf16le'), '--yes');
  t.is(exit, EXIT.invalid);
  t.regex(stderr, /UTF-16 .* save it as "CSV UTF-8"/);
});

test('streams batch › given somebody twice, or an earlier batch again › it is warned of, and asked once', async (t) => {
  const { treasury, vaultId, write, stored } = await openSheets(t);
  const file = write('recipient,amount,template\n@erin,0.1,linear-open\n@erin,0.2,linear-open\n');
  const words = ['streams', 'batch', vaultId, '--wallet', 'alice', '--file', file];
  const first = await runOn(treasury, words, { answers: [true] });
  t.is(first.exit, 0, first.stderr);
  t.regex(first.stderr, /Warning: bchtest:\S+ is paid 2 times \(line 2, line 3\), 0\.3 BCH in all/);
  t.notRegex(first.stderr, /same recipients and amounts/);
  t.is(first.stderr.match(/Sign and send/g)?.length, 1);

  const second = await runOn(treasury, words, { answers: [false] });
  t.is(second.exit, EXIT.declined);
  t.regex(
    second.stderr,
    /Warning: the same recipients and amounts are in the batch of #STREAM-0001 to #STREAM-0002/,
  );
  t.is((await stored()).filter(({ status }) => status === 'ACTIVE').length, 2);
});

test('--template › prints a file that takes the columns, and pays nobody while it is as it was', async (t) => {
  const { treasury, vaultId } = await openSheets(t);
  for (const words of [
    ['streams', 'batch'],
    ['vaults', 'spend', 'create'],
    ['rewards', 'distribute'],
  ]) {
    const { exit, stdout, stderr } = await runOn(treasury, [...words, '--template']);
    t.is(exit, 0, stderr);
    t.regex(stdout, /^recipient,amount/);
    // An apostrophe keeps spreadsheets from taking a name for a formula, and is none of it.
    t.regex(stdout, /\r\n"'@somebody",/);
    const help = await runOn(treasury, [...words, '--help']);
    t.regex(help.stdout, /Columns of --file, in any order:\n {2}recipient +who/);
    if (words[0] !== 'streams') continue;
    const asked = ['streams', 'batch', vaultId, '--wallet', 'alice', '--file', '-', '--yes'];
    const refused = await runOn(treasury, asked, { stdin: stdout });
    t.is(refused.exit, EXIT.invalid);
    t.regex(refused.stderr, /line 2, recipient: .*somebody/);
  }
});

test('vaults spend create › given a file › its totals are shown, it is asked once, and rows that fail are named by line', async (t) => {
  const { treasury, write } = await openSheets(t);
  const vault = await createVault(treasury);
  const shown = await treasury.ask(alice, 'vaults.show', { id: vault });
  const { contractAddress } = (shown['vault'] ?? shown) as { contractAddress: string };
  await treasury.payAnywhere(alice, [
    {
      lockingBytecode: (await import('../../src/bch/address.js')).parseAddress(contractAddress)
        .lockingBytecode,
      satoshis: 50_000_000n,
    },
  ]);
  const payouts = (text: string, answers?: readonly boolean[]) =>
    runOn(
      treasury,
      ['vaults', 'spend', 'create', vault, '--wallet', 'alice', '--file', write(text)],
      answers === undefined ? {} : { answers },
    );
  const file = `recipient;amount\r\n@erin;0.1\r\n${addressOf(treasury, bob)};0.2\r\n`;
  t.is((await payouts(file)).exit, EXIT.invalid);
  const declined = await payouts(file, [false]);
  t.is(declined.exit, EXIT.declined);
  t.regex(declined.stderr, /Rows +2, to 2 recipients[\s\S]*In all +0\.3 BCH/);
  t.is((await treasury.app.context.store.find({ name: 'vault_spends', indexes: {} } as never)).total, 0);

  const made = await payouts(file, [true]);
  t.is(made.exit, 0, made.stderr);
  t.regex(made.stdout, /SPEND-0001/);

  const bad = await payouts(`recipient;amount\n@erin;0.00000001\n@erin;x\n${contractAddress};0.1\n`, [true]);
  t.is(bad.exit, EXIT.invalid);
  t.regex(bad.stderr, /line 3, amount:/);
});

const CAMPAIGN = { totalPool: '0.03', maxRewardAmount: '0.01', title: 'Bounties' };

/** A funded campaign of alice's. */
const fundCampaign = async (treasury: Treasury): Promise<string> => {
  await treasury.give(authority, 1_000_000n);
  const made = await runOn(treasury, [
    ...['rewards', 'create', '--wallet', 'alice', '--title', CAMPAIGN.title, '--json'],
    ...['--total-pool', CAMPAIGN.totalPool, '--max-reward-amount', CAMPAIGN.maxRewardAmount],
  ]);
  await runOn(treasury, ['rewards', 'fund', 'REWARD-0001', '--wallet', 'alice', '--yes']);
  return made.stdout;
};

test('rewards distribute › given a file › every row is checked before any is paid, and the same file again pays nobody twice', async (t) => {
  const { treasury, write } = await openSheets(t);
  await fundCampaign(treasury);
  const distribute = (text: string, ...more: string[]) =>
    runOn(treasury, [
      ...['rewards', 'distribute', 'REWARD-0001', '--wallet', 'alice', '--file', write(text)],
      ...more,
    ]);
  const to = addressOf(treasury, bob);

  const bad = await distribute(`recipient,amount\n${to},0.005\n@erin,0.5\n@erin,0.00000001\n`, '--yes');
  t.is(bad.exit, EXIT.invalid, bad.stderr);
  t.regex(bad.stderr, /line 3(?:, amount)?: .*maximum reward/);
  t.regex(bad.stderr, /line 4(?:, amount)?: /);
  t.notRegex(bad.stderr, /line 2/);
  const tooMuch = `recipient,amount\n${[1, 2, 3, 4].map(() => `${to},0.01`).join('\n')}`;
  t.regex((await distribute(tooMuch, '--yes')).stderr, /its rows come to 0\.04, and 0\.03 are left/);
  t.is(await treasury.satoshisOf(bob), 0n);

  const list = `recipient;amount\r\n${to};0.005\r\n@erin;0.004\r\n${to};0.003\r\n`;
  const paid = await distribute(list, '--yes', '--json');
  t.is(paid.exit, 0, `${paid.stdout}${paid.stderr}`);
  t.like(JSON.parse(paid.stdout), {
    success: true,
    total: 3,
    done: 3,
    totals: [{ asset: 'BCH', amount: '0.012' }],
  });
  t.regex(paid.stderr, /Warning: bchtest:\S+ is in it 2 times \(lines 2, 4\)/);
  t.is(await treasury.satoshisOf(bob), 800_000n);

  const again = await distribute(`${list}@erin;0.002\r\n`, '--yes', '--json');
  t.is(again.exit, 0, again.stderr);
  t.regex(again.stderr, /3 of 4 rows were paid before, .* \(lines 2, 3, 4\): --again pays them once more\./);
  t.like(JSON.parse(again.stdout), { total: 1, done: 1, paidBefore: [2, 3, 4] });
  t.is(await treasury.satoshisOf(bob), 800_000n);
  t.is((await distribute(list, '--yes', '--again', '--dry-run')).exit, 0);
});
