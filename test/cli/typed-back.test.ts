/** What the program shows as an amount, a date or a duration can be typed back in, and means the same. */
import fc from 'fast-check';
import test, { type ExecutionContext } from 'ava';
import { alice, bob } from '../../fixtures/people.js';
import { readAmount, toUnits } from '../../src/bch/amount.js';
import { readDate, showLocalDate } from '../../src/bch/date.js';
import { parseSeconds, showDuration } from '../../src/bch/duration.js';
import { readAmountOf } from '../../src/record/amount-of-asset.js';
import { BCH, tokenAsset } from '../../src/record/assets.js';
import { amountsIn } from '../../src/record/show-amount.js';
import { propose } from '../products/governance/proposal.js';
import { terms as streamTerms } from '../products/streams/stream.js';
import { createVault } from '../products/streams/vault.js';
import { openTreasury, type Treasury } from '../treasury.js';
import { withoutExponents } from '../../src/cli/output.js';
import { runOn } from './real-environment.js';

// A zone that puts its clocks forward and back.
process.env['TZ'] = 'Europe/Berlin';

const NOW = 1_780_272_000;

test('any moment › shown and typed back in › is the same second', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 4_000_000_000 }), async (seconds) => {
      t.deepEqual(await readDate(showLocalDate(seconds), NOW), { value: seconds }, showLocalDate(seconds));
    }),
  );
  // The hour that is there twice.
  for (const seconds of [1_793_489_400, 1_793_493_000])
    t.deepEqual(await readDate(showLocalDate(seconds), NOW), { value: seconds });
});

test('--json › of an amount that a number prints with an exponent › has the same numbers without one', async (t) => {
  for (const document of [{ a: 2e-8, b: [-1.5e-7, 3e21, 0.25], c: 'not 2e-8' }, 1e-18, { 'x1e-9': 1e-9 }]) {
    const text = withoutExponents(JSON.stringify(document, null, 2));
    t.deepEqual(JSON.parse(text), document);
    t.notRegex(text.replace(/"[^"]*"/g, ''), /e/);
  }
  t.is(withoutExponents('{"a":"\\" 2e-8","b":2e-8}'), '{"a":"\\" 2e-8","b":0.00000002}');
  const treasury = await openTreasury(t);
  await fill(treasury);
  const { stdout } = await runOn(treasury, ['rewards', 'list', '--json', '--wallet', 'alice']);
  t.true(stdout.includes('"max_reward_amount": 0.000000000000000002,'), stdout);
});

test('any duration › shown and typed back in › is as long', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3_000_000_000 }), (seconds) => {
      t.is(parseSeconds(showDuration(seconds)), seconds);
    }),
  );
});

test('any amount of BCH or a token › shown and typed back in › is the same to the smallest unit', (t) => {
  const units = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
  fc.assert(
    fc.property(units, fc.integer({ min: 0, max: 18 }), fc.boolean(), (amount, decimals, isToken) => {
      const category = isToken ? 'ab'.repeat(32) : null;
      const asset = isToken ? { category, symbol: 'GEMS' } : BCH;
      const shown = amountsIn({ decimals, category })(amount);
      if (!isToken) t.notRegex(shown, /e/);
      const reading = readAmountOf(shown, asset);
      const decimal = 'value' in reading ? reading.value : reading.problem;
      t.is(toUnits(readAmount(decimal) ?? { decimal: 'none', isNumber: false }, decimals, 'amount'), amount);
    }),
  );
});

/** Amounts that numbers cannot hold, or print with an exponent. */
const TOKENS = [
  ['GEMS', 18, '1.000000000000000001', '0.000000000000000002'],
  ['1 FINE Gem', 2, '90071992547409.93', '0.02'],
  ['BCH', 0, '900719925474099', '3'],
] as const;

/** A home with one of everything, in awkward amounts. @returns the commands that show it */
const fill = async (treasury: Treasury): Promise<readonly string[]> => {
  await treasury.give(alice, 100_000_000n);
  const vault = await createVault(treasury);
  const recipient = treasury.addressOf(bob).text;
  const words = [
    'vaults list',
    'vaults show VAULT-0001',
    'governance list VAULT-0001',
    'governance show VOTE-0001',
  ];
  await propose(treasury, { quorum: '0.0000001' }, vault);
  for (const [index, [symbol, decimals, large, small]] of TOKENS.entries()) {
    const tokenCategory = String(index + 1).repeat(64);
    await treasury.ask(null, 'tokens.add', { category: tokenCategory, symbol, decimals });
    const asset = { tokenType: 'FUNGIBLE_TOKEN', tokenCategory };
    const make = (operation: string, input: Record<string, unknown>) =>
      treasury.ask(alice, operation, { ...asset, recipient, ...input });
    await treasury.ask(alice, 'rewards.create', {
      ...{ ...asset, title: 'Art', totalPool: large, maxRewardAmount: small },
    });
    await make('payments.create', { amountPerPeriod: small, interval: 'WEEKLY' });
    await make('streams.create', { ...streamTerms, totalAmount: large });
    const milestones = [
      { amount: large, durationSeconds: 86_461 },
      { amount: small, durationSeconds: 7 },
    ];
    await make('budgets.create', { vaultId: vault, milestones });
  }
  await treasury.ask(alice, 'rewards.create', {
    ...{ title: 'Thrift', totalPool: '0.00010001', maxRewardAmount: '0.00001' },
  });
  for (const [noun, label] of [
    ['rewards', 'REWARD'],
    ['payments', 'PAY'],
    ['streams', 'STREAM'],
    ['budgets', 'BUDGET'],
  ] as const) {
    words.push(`${noun} list`, ...TOKENS.map((_, index) => `${noun} show ${label}-000${index + 1}`));
  }
  return [
    ...words,
    'streams activity',
    'wallet balance',
    'wallet coins',
    'chain status',
    'streams claim-info STREAM-0001',
  ];
};

const DATE = /\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)? (?:UTC|[+-]\d\d:\d\d)/g;

/** What a page of a command shows: it is read as a person would who copies it. */
const checkPage = async (
  t: ExecutionContext,
  treasury: Treasury,
  words: string,
): Promise<[number, number]> => {
  const { exit, stdout, stderr } = await runOn(treasury, [...words.split(' '), '--wallet', 'alice']);
  t.is(exit, 0, `${words}: ${stderr}`);
  t.notRegex(stdout, /(?<![\w-])\d+(?:\.\d+)?[eE][+-]\d+(?![\w-])/, `${words}: an exponent`);
  t.notRegex(stdout, /(?<![\w.])1[78]\d{8}(?![\w.])/, `${words}: unix seconds`);
  const dates = stdout.match(DATE) ?? [];
  for (const date of dates) {
    const reading = await readDate(date, NOW);
    t.is('value' in reading ? showLocalDate(reading.value) : reading.problem, date);
  }
  const { store } = treasury.app.context;
  let amounts = 0;
  const names = TOKENS.map((_, index) => tokenAsset(String(index + 1).repeat(64), store));
  for (const asset of [BCH, ...(await Promise.all(names))]) {
    const unit = asset.symbol.replace(/[.]/g, '\\.');
    for (const [shown] of stdout.matchAll(new RegExp(`\\d+(?:\\.\\d+)? ${unit}`, 'g'))) {
      const reading = readAmountOf(shown, asset);
      const decimal = 'value' in reading ? reading.value : reading.problem;
      const units = toUnits(
        readAmount(decimal) ?? { decimal: shown, isNumber: false },
        asset.decimals,
        words,
      );
      const { decimals } = asset;
      t.is(amountsIn({ decimals, category: null })(units), `${decimal} BCH`, words);
      amounts += 1;
    }
  }
  return [dates.length, amounts];
};

test('every page › of records with awkward amounts › shows what can be typed back in, with units and zones', async (t) => {
  const treasury = await openTreasury(t);
  const pages = await fill(treasury);
  let [dates, amounts] = [0, 0];
  for (const words of pages) {
    const [more, moreAmounts] = await checkPage(t, treasury, words);
    dates += more;
    amounts += moreAmounts;
  }
  t.true(dates > 50 && amounts > 80, `${dates} dates, ${amounts} amounts`);
});

for (const [page, expected] of [
  ['rewards show REWARD-0001', ['1.000000000000000001 GEMS', '0.000000000000000002 GEMS']],
  ['rewards list', ['90071992547409.93 22222222...', '0.00010001 BCH', '900719925474099 33333333...']],
  ['payments show PAY-0001', ['0.000000000000000002 GEMS weekly']],
  ['budgets show BUDGET-0002', ['90071992547409.95 22222222...', '0.02 22222222...']],
  ['streams show STREAM-0001', ['of 1.000000000000000001 GEMS']],
] as const) {
  test(`${page} › with awkward amounts › shows them exactly, and no token under the name of another currency`, async (t) => {
    const treasury = await openTreasury(t);
    await fill(treasury);
    const { stdout } = await runOn(treasury, [...page.split(' '), '--wallet', 'alice']);
    for (const text of expected) t.true(stdout.includes(text), `${text} in\n${stdout}`);
    t.false(stdout.includes('900719925474099 BCH'));
  });
}
