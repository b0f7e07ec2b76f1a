import test, { type ExecutionContext } from 'ava';
import { alice, bob, erin } from '../../fixtures/people.js';
import { operationsOf } from '../../src/operation/define.js';
import { nouns } from '../../src/app.js';
import { fieldsOf, faceOf } from '../../src/cli/fields.js';
import { satoshisOfDollars } from '../../src/cli/dollars.js';
import type { FieldSchema } from '../../src/operation/coerce.js';
import { pendingStepCollection } from '../../src/record/pending-steps.js';
import { fundCampaign, fundTokenCampaign } from '../products/rewards/campaign.js';
import { openTreasury, type Treasury } from '../treasury.js';
import { withPrice } from './priced.js';
import { runOn } from './real-environment.js';

const ERIN = erin.address('local').text;

const withMoney = async (t: ExecutionContext): Promise<Treasury> => {
  const treasury = await openTreasury(t);
  await treasury.give(alice, 100_000_000n);
  return treasury;
};

const send = (amount: string, ...more: string[]): string[] => [
  ...['wallet', 'send', '--wallet', 'alice', '--to', ERIN, '--amount', amount],
  ...more,
];

for (const [written, satoshis] of [
  ['0.01', 1_000_000n],
  ['0.01 BCH', 1_000_000n],
  ['0.01bch', 1_000_000n],
  ['25000 sats', 25_000n],
] as const) {
  test(`an amount › "${written}" › is paid to the satoshi`, async (t) => {
    const treasury = await withMoney(t);
    const { exit, stderr } = await runOn(treasury, send(written, '--yes'));
    t.is(exit, 0, stderr);
    t.is(await treasury.satoshisOf(erin), satoshis);
  });
}

test('an amount › in satoshis › what it is in BCH is said', async (t) => {
  const { stderr } = await runOn(await withMoney(t), send('25000 sats', '--yes', '--quiet'));
  t.is(stderr, '"25000 sats" is 0.00025 BCH\n');
});

for (const [written, what] of [
  ['1,5', /write 1\.5/],
  ['1,500', /write 1500/],
  ['1e-9', /all the digits/],
  ['-1', /without a sign/],
  ['.5', /write 0\.5/],
  ['0.1 XYZ', /it knows no XYZ: `treasury tokens list`/],
  ['0.000000001', /at most 8 decimals/],
  ['0.5 sats', /whole number of satoshis/],
] as const) {
  test(`an amount › "${written}" › is refused with what to write, exit 2, and nobody is paid`, async (t) => {
    const treasury = await withMoney(t);
    // A value that begins with a dash is one only after an equals sign.
    const words = [
      ...send('1', '--yes').filter((word) => !['--amount', '1'].includes(word)),
      `--amount=${written}`,
    ];
    const { exit, stderr } = await runOn(treasury, words);
    t.is(exit, 2, stderr);
    t.regex(stderr, what);
    t.regex(stderr, /amount/);
    t.is(await treasury.satoshisOf(erin), 0n);
  });
}

test('an amount › by position › takes its unit', async (t) => {
  const treasury = await openTreasury(t);
  const { exit, stderr } = await runOn(treasury, ['chain', 'faucet', ERIN, '25000 sats']);
  t.is(exit, 0, stderr);
  t.is(await treasury.satoshisOf(erin), 25_000n);
});

test('an amount › within a structure › takes its unit, each of its own token', async (t) => {
  const treasury = await withMoney(t);
  const category = await treasury.mint(alice, '1000', 2);
  const outputs = JSON.stringify([
    { to: ERIN, amount: '25000 sats' },
    { to: ERIN, amount: '12.34 gems' },
  ]);
  const words = ['wallet', 'send', '--wallet', 'alice', '--outputs', outputs, '--yes'];
  const { exit, stderr } = await runOn(treasury, words);
  t.is(exit, 0, stderr);
  t.is(await treasury.tokensOf(erin, category), 1_234n);
  t.true(stderr.includes(`"12.34 gems" is of the token gems, category ${category}`));
});

test('an amount › of a token, where the record is in it › is paid', async (t) => {
  const treasury = await openTreasury(t);
  const { id, category } = await fundTokenCampaign(treasury);
  const words = ['rewards', 'distribute', id, '--recipient-address', ERIN, '--wallet', 'alice', '--yes'];
  const { exit, stderr } = await runOn(treasury, [...words, '--amount', '1.5 GEMS']);
  t.is(exit, 0, stderr);
  t.is(await treasury.tokensOf(erin, category), 150n);
  const wrong = await runOn(treasury, [...words, '--amount', '1.5 BCH']);
  t.is(wrong.exit, 2);
  t.true(wrong.stderr.includes(`expected an amount of GEMS (category ${category}): write 1.5 alone`));
  const fine = await runOn(treasury, [...words, '--amount', '1.555 GEMS']);
  t.is(fine.exit, 2);
  t.regex(fine.stderr, /at most 2 decimals/);
});

test('an amount › of a token, where the record is in BCH › is refused with what is expected', async (t) => {
  const treasury = await withMoney(t);
  await treasury.mint(alice, '1000', 2);
  const { id } = await fundCampaign(treasury);
  const words = ['rewards', 'distribute', id, '--recipient-address', ERIN, '--wallet', 'alice', '--yes'];
  const { exit, stderr } = await runOn(treasury, [...words, '--amount', '0.001 GEMS']);
  t.is(exit, 2);
  t.regex(stderr, /expected an amount in BCH, such as "0\.001 BCH"/);
});

test('an amount › of a token, where a record is made › says that the record is in it', async (t) => {
  const treasury = await withMoney(t);
  const category = await treasury.mint(alice, '1000', 2);
  const words = [
    'rewards',
    'create',
    '--title',
    'Art',
    '--total-pool',
    '100 GEMS',
    '--wallet',
    'alice',
    '--json',
  ];
  const { exit, stdout, stderr } = await runOn(treasury, [...words, '--max-reward-amount', '10']);
  t.is(exit, 0, stderr + stdout);
  const { campaign } = JSON.parse(stdout) as { campaign: Record<string, unknown> };
  t.like(campaign, { token_type: 'FUNGIBLE_TOKEN', token_category: category, total_pool: 100 });
  const both = await runOn(treasury, [...words, '--max-reward-amount', '0.1 BCH']);
  t.is(both.exit, 2, both.stdout);
  const against = await runOn(treasury, [...words, '--max-reward-amount', '1', '--token-type', 'bch']);
  t.is(against.exit, 2, against.stdout);
});

test('an amount › of a symbol that two tokens have › is refused, and the category by its side is taken', async (t) => {
  const treasury = await withMoney(t);
  const category = await treasury.mint(alice, '1000', 2);
  await treasury.ask(null, 'tokens.add', { category: 'ab'.repeat(32), symbol: 'gems', decimals: 0 });
  const refused = await runOn(treasury, send('5 GEMS', '--yes'));
  t.is(refused.exit, 2);
  t.regex(refused.stderr, /2 are called \w+ here: give --token-category/);
  t.true(refused.stderr.includes(category));
  const { exit, stderr } = await runOn(treasury, send('5 GEMS', '--yes', '--token-category', category));
  t.is(exit, 0, stderr);
  t.is(await treasury.tokensOf(erin, category), 500n);
});

test('--token-category › the symbol of a token › is its category', async (t) => {
  const treasury = await withMoney(t);
  const category = await treasury.mint(alice, '1000', 2);
  const { exit, stderr } = await runOn(treasury, send('5', '--yes', '--token-category', 'gems'));
  t.is(exit, 0, stderr);
  t.is(await treasury.tokensOf(erin, category), 500n);
  t.true(stderr.includes(`GEMS is the token of category ${category}`));
});

test('dollars › at a signed price › are rounded down to a satoshi, and rate, age and BCH are said and asked', async (t) => {
  const treasury = withPrice(await withMoney(t), { usd: 450.5, age: 125 });
  const { exit, stderr } = await runOn(treasury, send('$5'), { answers: [true] });
  t.is(exit, 0, stderr);
  t.is(await treasury.satoshisOf(erin), 1_109_877n);
  t.regex(stderr, /\$5 is 0\.01109877 BCH at 450\.50 USD per BCH, signed 2 minutes ago, rounded down/);
  t.regex(stderr, /Sign and send this \(\$5 is 0\.01109877 BCH\)\?/);
});

test('dollars › with --yes and --quiet › are said all the same', async (t) => {
  const treasury = withPrice(await withMoney(t), { usd: 500, age: 0 });
  const { exit, stderr } = await runOn(treasury, send('5usd', '--yes', '--quiet'));
  t.is(exit, 0, stderr);
  t.is(stderr, '$5 is 0.01 BCH at 500.00 USD per BCH, signed 0 seconds ago\n');
});

test('dollars › declined › nobody is paid', async (t) => {
  const treasury = withPrice(await withMoney(t), { usd: 500, age: 0 });
  t.is((await runOn(treasury, send('$5'), { answers: [false] })).exit, 10);
  t.is(await treasury.satoshisOf(erin), 0n);
});

test('dollars › where nothing is signed › are asked for too, and not taken where nobody can be asked', async (t) => {
  const treasury = withPrice(await withMoney(t), { usd: 500, age: 0 });
  const words = ['chain', 'faucet', ERIN, '$5'];
  t.is((await runOn(treasury, words, { answers: [false] })).exit, 10);
  const unasked = await runOn(treasury, words);
  t.is(unasked.exit, 2);
  t.regex(unasked.stderr, /--yes is needed/);
  t.is(await treasury.satoshisOf(erin), 0n);
  const { exit, stderr } = await runOn(treasury, words, { answers: [true] });
  t.is(exit, 0, stderr);
  t.is(await treasury.satoshisOf(erin), 1_000_000n);
});

for (const [what, price] of [
  ['too old', { usd: 500, age: 601 }],
  ['of a time that is to come', { usd: 500, age: -601 }],
  ['not signed', { usd: 500, age: null }],
] as const) {
  test(`dollars › the price is ${what} › it says what to do, exit 7, and nobody is paid`, async (t) => {
    const treasury = withPrice(await withMoney(t), price);
    const { exit, stderr } = await runOn(treasury, send('$5', '--yes'));
    t.is(exit, 7);
    t.regex(stderr, /\$5 needs a signed price of BCH younger than 10 minutes.*write the amount in BCH/);
    t.is(await treasury.satoshisOf(erin), 0n);
  });
}

test('dollars › no price source answers › it says what to do, exit 7', async (t) => {
  const { exit, stderr } = await runOn(await withMoney(t), send('$5', '--yes'));
  t.is(exit, 7);
  t.regex(stderr, /no price source answers: write the amount in BCH/);
});

test('dollars › fractions of a cent, and less than a satoshi › are refused', async (t) => {
  const treasury = withPrice(await withMoney(t), { usd: 500, age: 0 });
  t.regex((await runOn(treasury, send('$5.001', '--yes'))).stderr, /at most 2 decimals of dollars/);
  t.is((await runOn(treasury, send('$0', '--yes'))).exit, 2);
  t.is(satoshisOfDollars(1n, 10n ** 12n), 0n);
});

test('dollars › of a record in tokens › are refused', async (t) => {
  const treasury = withPrice(await openTreasury(t), { usd: 500, age: 0 });
  const { id } = await fundTokenCampaign(treasury);
  const words = ['rewards', 'distribute', id, '--recipient-address', ERIN, '--wallet', 'alice', '--yes'];
  const { exit, stderr } = await runOn(treasury, [...words, '--amount', '$1']);
  t.is(exit, 2);
  t.regex(stderr, /an amount of GEMS: .*BCH alone/);
});

test('dollars › a step that was sent and not confirmed, after the price has moved › is gone on with and not paid twice', async (t) => {
  const treasury = await withMoney(t);
  const first = withPrice(treasury, { usd: 500, age: 0 });
  const { context } = first.app;
  const transaction = context.chain.transaction.bind(context.chain);
  // The chain takes it, and shows it to nobody.
  const blind = {
    ...first,
    app: {
      ...first.app,
      context: { ...context, chain: { ...context.chain, transaction: () => Promise.resolve(null) } },
    },
  };
  t.is((await runOn(blind, send('$5', '--yes'))).exit, 8);
  t.is((await treasury.app.context.store.find(pendingStepCollection)).total, 1);
  t.truthy(transaction);
  const again = await runOn(withPrice(treasury, { usd: 250, age: 0 }), send('5 USD', '--yes'));
  t.is(again.exit, 0, again.stderr);
  t.regex(again.stderr, /An earlier run of this command signed/);
  t.is(await treasury.satoshisOf(erin), 1_000_000n);
  // Nor does going on need a price.
  t.is((await treasury.app.context.store.find(pendingStepCollection)).total, 0);
});

test('a percentage › takes its sign and no unit', async (t) => {
  const treasury = await withMoney(t);
  const words = [
    ...['streams', 'create', '--wallet', 'alice', '--recipient', bob.address('local').text],
    ...['--total-amount', '1 BCH', '--stream-type', 'hybrid', '--start-time', '1900000000'],
    ...['--end-time', '1900864000', '--hybrid-unlock-timestamp', '1900000000', '--json'],
  ];
  const { exit, stdout } = await runOn(treasury, [...words, '--hybrid-upfront-percentage', '25%']);
  t.is(exit, 0, stdout);
  t.is((await runOn(treasury, [...words, '--hybrid-upfront-percentage', '25 BCH'])).exit, 2);
});

test('help names › shows what is taken', async (t) => {
  const { exit, stdout } = await runOn(await openTreasury(t), ['help', 'names']);
  t.is(exit, 0);
  for (const form of ['@cleo', 'vote-0001', 'without its prefix']) t.true(stdout.includes(form), form);
});

test('help amounts › shows what is taken', async (t) => {
  const { exit, stdout } = await runOn(await openTreasury(t), ['help', 'amounts']);
  t.is(exit, 0);
  for (const form of ['25000 sats', '100 GEMS', '50usd', '10 minutes', 'rounded down'])
    t.true(stdout.includes(form), form);
});

/** The amounts of a schema that say no unit and stand beside nothing that names a token. */
const loose = (schema: FieldSchema, path: string, inScope: boolean): readonly string[] => {
  const { properties = {} } = schema;
  const within = inScope || Object.hasOwn(properties, 'tokenCategory');
  if (schema.format === 'amount') return inScope || schema.unit !== undefined ? [] : [path];
  return [
    ...Object.entries(properties).flatMap(([name, child]) => loose(child, `${path}.${name}`, within)),
    ...(schema.anyOf ?? []).flatMap((child) => loose(child, path, within)),
    ...(schema.items === undefined ? [] : loose(schema.items, path, within)),
  ];
};

test('every amount of every command › is known to be of one asset', async (t) => {
  const loaded = await Promise.all(nouns.map((noun) => noun.load()));
  const operations = loaded.flatMap(({ operations: offers }) => operationsOf(offers));
  const found = operations
    .filter((operation) => faceOf(operation) !== null && faceOf(operation)?.assetOf === undefined)
    .flatMap((operation) => {
      const properties = Object.fromEntries(fieldsOf(operation).map(({ name, schema }) => [name, schema]));
      return loose({ properties }, operation.id, false);
    });
  t.deepEqual(found, []);
});
