/** Creates that are asked for question by question, over real operations; what is typed is answered as at a terminal. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { binToHex } from '@bitauth/libauth';
import { nouns } from '../../src/app.js';
import { fieldsOf } from '../../src/cli/fields.js';
import { guideOf, planOf } from '../../src/cli/guide/plan.js';
import { inputSchema } from '../../src/operation/coerce.js';
import { operationsOf } from '../../src/operation/define.js';
import { alice, bob, carol, dave, erin } from '../../fixtures/people.js';
import { createVault, fundVault } from '../products/vaults/vault.js';
import { openTreasury, TEST_TIME, type Treasury } from '../treasury.js';
import { tooWide } from './drawn-terminal.js';
import { openCommandLine, type RunOptions } from './fake-environment.js';
import { runOn } from './real-environment.js';

type Json = Record<string, unknown>;
type Answers = NonNullable<RunOptions['answers']>;

const DAY = 86_400;
const [aliceAt, bobAt, carolAt, daveAt, erinAt] = [alice, bob, carol, dave, erin].map(
  (person) => person.address('local').text,
) as [string, string, string, string, string];
const interrupt = (): never => {
  throw Object.assign(new Error('User force closed the prompt'), { name: 'ExitPromptError' });
};

/** What tells one record from another of the same terms. */
const OWN = [
  'id',
  'label',
  'deployment',
  'message',
  'stream_id',
  'on_chain_stream_id',
  'budget_id',
  'on_chain_budget_id',
  'payment_id',
  'on_chain_payment_id',
  'campaign_id',
  'on_chain_campaign_id',
  'vaultId',
  'onChainVaultId',
  'contractAddress',
  'contract_address',
  'tokenAddress',
  'constructorParams',
  'constructor_params',
  'latest_event',
  'events',
];

const termsOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(termsOf);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !OWN.includes(name))
      .map(([name, item]) => [name, termsOf(item)]),
  );
};

/** The words that a shell makes of a line. */
const wordsOf = async (line: string): Promise<string[]> => {
  const { stdout } = await promisify(execFile)('bash', ['-c', `printf '%s\\0' ${line}`]);
  return stdout.split('\0').slice(0, -1);
};

const lineIn = (stderr: string): string =>
  [...stderr.matchAll(/The same in one line:\n {2}(.*)\n/g)].at(-1)?.[1] ?? '';

type Asked = {
  readonly reply: Json;
  readonly stderr: string;
  readonly asked: readonly string[];
  readonly line: string;
};

/** Asks for a record, and makes it a second time with the one line that was shown: both have the same terms. */
const createTwice = async (
  t: ExecutionContext,
  treasury: Treasury,
  words: readonly string[],
  answers: Answers,
): Promise<Asked> => {
  const { exit, stdout, stderr, asked } = await runOn(treasury, [...words, '--json'], { answers });
  t.is(exit, 0, stderr);
  const line = lineIn(stderr);
  const [program, ...again] = await wordsOf(line);
  t.is(program, 'treasury');
  const second = await runOn(treasury, [...again, '--json']);
  t.is(second.exit, 0, second.stderr);
  const reply = JSON.parse(stdout) as Json;
  t.deepEqual(termsOf(JSON.parse(second.stdout)), termsOf(reply), line);
  return { reply, stderr, asked, line };
};

const streams = ['streams', 'create', '--wallet', 'alice'];

/** How the first vault of a home is chosen: by its label, which is what the one line says too. */
const VAULT = 'VAULT-0001';

/** Who gets what, as all streams begin: the second address of the list, BCH. */
const begin = (amount: string): Answers => ['2', '', amount];

test('guide › a stream › wrong answers are asked again with what was wrong, and < goes back', async (t) => {
  const treasury = await openTreasury(t);
  const answers: Answers = [
    'nobody',
    'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a',
    '2',
    '',
    '1,5',
    '1e-9',
    '0',
    '0.00000001',
    '2',
    '<',
    '1.5',
    '-',
    'LINEAR',
    '31/12/2027',
    '',
    '2020-01-01',
    '2026-13-01',
    '+100d',
    '+200d',
    '<',
    '+100d',
    '+10d',
    'yes',
    'no',
    "Ben's design",
    '',
    'yes',
  ];
  const { reply, stderr, line } = await createTwice(t, treasury, streams, answers);
  t.like(reply['stream'], {
    recipient: bobAt,
    total_amount: 1.5,
    stream_type: 'LINEAR',
    start_time: TEST_TIME,
    end_time: TEST_TIME + 100 * DAY,
    cliff_timestamp: TEST_TIME + 10 * DAY,
    cancelable: true,
    transferable: false,
    description: "Ben's design",
  });
  const refused = stderr.split('\n').filter((text) => text.startsWith('! '));
  t.is(refused.length, 10, stderr);
  t.regex(refused[0] ?? '', /"nobody" is not a usable address/);
  t.regex(refused[1] ?? '', /expected a cash address that starts with bchtest:/);
  t.regex(refused[2] ?? '', /"1,5" is not a usable amount/);
  t.regex(refused[6] ?? '', /31\/12\/2027.*2027-12-31/);
  t.regex(refused[7] ?? '', /must be later than/);
  t.regex(refused[8] ?? '', /no month 13/);
  t.regex(refused[9] ?? '', /must lie between/);
  // What was understood is said, the curve is drawn, and the line is one.
  t.regex(stderr, /2 is bchtest:/);
  t.regex(stderr, /"\+100d" is 20\d\d-/);
  t.regex(stderr, /100 % \| +\.\./);
  t.true(line.includes(`'Ben'\\''s design'`), line);
  // Whoever types has been told how to go back and to leave.
  t.regex(stderr.split('\n').slice(0, 5).join(' '), /< goes one back, Ctrl-C leaves/);
});

const types: readonly {
  readonly type: string;
  readonly answers: Answers;
  readonly never: readonly string[];
  readonly stream: Json;
}[] = [
  {
    type: 'STEP',
    answers: [...begin('1.2'), '-', 'STEP', '', '30d', '+360d', '', '', '', '', '', 'yes'],
    never: ['--hybrid', '--tranche', '--amount-per-interval', '--refillable', '--token-type'],
    stream: { interval_seconds: 30 * DAY, end_time: TEST_TIME + 360 * DAY, cliff_timestamp: null },
  },
  {
    type: 'HYBRID',
    answers: [...begin('1'), '-', 'HYBRID', '', '', '+90d', '100', '25', '', '', '', '', 'yes'],
    never: ['--cliff', '--interval', '--tranche'],
    stream: { hybrid_unlock_time: TEST_TIME + 90 * DAY, hybrid_upfront_percentage: 25 },
  },
  {
    type: 'RECURRING',
    answers: [
      ...begin('1.2'),
      '-',
      'RECURRING',
      '',
      'yes',
      'monthly',
      '0.7',
      '1.4',
      '',
      '',
      '',
      '',
      '',
      '',
      '',
      '',
      'yes',
    ],
    never: ['--end-time', '--cancelable', '--transferable', '--cliff'],
    stream: { refillable: true, interval_seconds: 30 * DAY, amount_per_interval: 0.7, end_time: null },
  },
  {
    type: 'TRANCHE',
    // The last amount is what remains: Enter takes it, and the list is complete.
    answers: [
      ...begin('1'),
      '-',
      'TRANCHE',
      '',
      '+30d',
      '0.3',
      '+20d',
      '',
      '+60d',
      '',
      '',
      '',
      '',
      '',
      'yes',
    ],
    never: ['--end-time', '--cliff', '--interval', '--hybrid'],
    stream: { end_time: TEST_TIME + 60 * DAY },
  },
];

for (const { type, answers, never, stream } of types) {
  test(`guide › a stream › of the type ${type} › what it has is asked, and nothing else; the one line gives the same`, async (t) => {
    const treasury = await openTreasury(t);
    const { reply, asked, stderr } = await createTwice(t, treasury, streams, answers);
    t.like(reply['stream'], { stream_type: type, ...stream });
    for (const flag of never)
      t.false(
        asked.some((question) => question.includes(flag)),
        `${flag} in ${asked.join('\n')}`,
      );
    if (type === 'TRANCHE') t.regex(stderr, /0\.3 in all, 0\.7 to go/);
  });
}

test('guide › a stream › of a template › only what the template leaves open is asked', async (t) => {
  const treasury = await openTreasury(t);
  const answers: Answers = [...begin('1'), 'linear-cliff', '', '', '', '', '', 'yes'];
  const { reply, asked, stderr } = await createTwice(t, treasury, streams, answers);
  t.like(reply['stream'], { schedule_template: 'linear-cliff', end_time: TEST_TIME + 365 * DAY });
  t.is(asked.length, 10);
  // Templates are offered with their curves.
  t.regex(stderr, / {2}- linear-cliff .*[▁-█]+ {2}Nothing for 90 days/);
});

test('guide › a stream › of a token and in a vault › both are chosen by name', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await createVault(treasury);
  const category = await treasury.mint(alice, '1000', 2);
  await treasury.ask(alice, 'tokens.add', { category, symbol: 'GEMS', name: 'Gems', decimals: 2 });
  const answers: Answers = [VAULT, '2', category, '0.001', '100', 'linear-open', '', '', '', '', '', 'yes'];
  const { reply, stderr } = await createTwice(t, treasury, streams, answers);
  t.like(reply['stream'], { vault_id: id, token_category: category, total_amount: 100 });
  t.regex(stderr, / {2}- Common funds {2}/);
  t.regex(stderr, / {2}- GEMS {2}Gems/);
  t.regex(stderr, /! .*at most 2 decimals/);
});

test('guide › some flags given › only the others are asked, and what is wrong with a flag is said at once', async (t) => {
  const treasury = await openTreasury(t);
  const given = [...streams, '--recipient', daveAt, '--stream-type', 'linear', '--end-time', '+50d'];
  const { asked, reply } = await createTwice(t, treasury, given, ['', '1', '', '', '', '', '', '', 'yes']);
  t.like(reply['stream'], { recipient: daveAt, end_time: TEST_TIME + 50 * DAY });
  t.false(
    asked.some((question) => /--recipient|--stream-type|--end-time|--schedule-template/.test(question)),
  );

  const wrong = await runOn(treasury, [...streams, '--total-amount', '1,5'], { answers: [] });
  t.is(wrong.exit, 2);
  t.regex(wrong.stderr, /1,5/);
  t.deepEqual(wrong.asked, []);
});

test('guide › own words › are not asked for; given with flags they are shown, and stand in the one line', async (t) => {
  const treasury = await openTreasury(t);
  const given = [...streams, '--label', "Ben's", '--note', 'as agreed'];
  const answers: Answers = [...begin('1'), 'linear-cliff', '', '', '', '', '', 'yes'];
  const { reply, asked, stderr, line } = await createTwice(t, treasury, given, answers);
  t.like(reply['stream'], { own_label: "Ben's", own_note: 'as agreed' });
  t.false(asked.some((question) => /--label|--note/.test(question)));
  t.regex(stderr, /^Label +Ben's$/m);
  t.true(line.includes(`--label 'Ben'\\''s' --note 'as agreed'`), line);
  // What is wrong with one is said before anything is asked.
  const wrong = await runOn(treasury, [...streams, '--label', 'x'.repeat(61)], { answers: [] });
  t.is(wrong.exit, 2, wrong.stderr);
  t.deepEqual(wrong.asked, []);
});

test('guide › every create of a product › asks for no own words', async (t) => {
  const creates = (await Promise.all(nouns.map(({ load }) => load())))
    .flatMap(({ operations }) => operationsOf(operations))
    .filter((operation) => guideOf(operation) !== null && 'note' in inputSchema(operation).properties);
  t.is(creates.length, 7);
  for (const operation of creates) {
    const { entries } = planOf(operation, fieldsOf(operation), { isFull: true, filled: [] });
    const words = entries.filter(({ field: { name } }) => name === 'label' || name === 'note');
    t.deepEqual(
      words.map(({ question }) => question.skip),
      [true, true],
      operation.id,
    );
  }
});

test('guide › at a terminal of 40 columns › every address that is shown is whole, and no line is broken within a word', async (t) => {
  const treasury = await openTreasury(t);
  const answers: Answers = [...begin('1'), 'linear-cliff', '', '', '', '', '', 'no'];
  const { stderr } = await runOn(treasury, streams, { answers, columns: 40 });
  const [, summary = '', line = ''] = /\nRecipient\n([^]*)The same in one line:\n(.*)\n/.exec(stderr) ?? [];
  t.true(summary.replaceAll(/\s/g, '').includes(`bob${bobAt}`), summary);
  t.true(line.includes(bobAt), line);
  t.notRegex(stderr, /…/);
  // The curve is drawn for the screen that there is.
  t.regex(summary, /100 % \| +\./);
  t.deepEqual(tooWide(summary, 40), []);
  // What is asked is broken where it is asked; the first lines are said by the guide.
  t.deepEqual(tooWide(stderr.split('\n').slice(0, 6).join('\n'), 40), []);
});

test('guide › --yes › only what is required is asked, and nothing is confirmed', async (t) => {
  const treasury = await openTreasury(t);
  const { asked, exit, stderr } = await runOn(treasury, [...streams, '--yes'], {
    answers: ['2', '1', 'LINEAR'],
  });
  t.is(exit, 0, stderr);
  t.is(asked.length, 3);
  t.regex(lineIn(stderr), /^treasury streams create --recipient/);
});

test('guide › Ctrl-C at any question, and no at the last › nothing is stored', async (t) => {
  const treasury = await openTreasury(t);
  const whole: Answers = [...begin('1'), 'linear-cliff', '', '', '', '', '', 'yes'];
  for (const place of whole.keys()) {
    const { exit } = await runOn(treasury, streams, { answers: [...whole.slice(0, place), interrupt] });
    t.is(exit, 130, String(place));
  }
  t.is((await runOn(treasury, streams, { answers: [...whole.slice(0, -1), 'no'] })).exit, 10);
  t.is((await treasury.ask(alice, 'streams.list'))['total'], 0);
  // Nothing that was tried has used a label up.
  const { stdout } = await runOn(treasury, [...streams, '--json'], { answers: whole });
  t.like(JSON.parse(stdout), { stream: { stream_id: '#STREAM-0001' } });
});

test('guide › nobody at the terminal › the flag that is missing is named, exit 2', async (t) => {
  const treasury = await openTreasury(t);
  const { exit, stderr } = await runOn(treasury, streams);
  t.is(exit, 2);
  t.regex(stderr, /--recipient/);
});

test('guide › however long somebody takes › dates count from the first question, so that intervals fit', async (t) => {
  const treasury = await openTreasury(t);
  const slowly = (text: string) => (): never => {
    treasury.pass(7);
    return text as never;
  };
  const answers: Answers = [
    ...[
      ...begin('1.2'),
      '-',
      'RECURRING',
      slowly(''),
      'no',
      slowly('30d'),
      slowly('+360d'),
      '',
      '',
      '',
      'yes',
    ],
  ];
  const { exit, stdout, stderr } = await runOn(treasury, [...streams, '--json'], { answers });
  t.is(exit, 0, stderr);
  t.like((JSON.parse(stdout) as Json)['stream'], { amount_per_interval: 0.1, refillable: false });
  t.false(lineIn(stderr).includes('--token-type'));
});

test('guide › the last question › < goes back to what was asked before, with its answer', async (t) => {
  const treasury = await openTreasury(t);
  const answers: Answers = [
    ...begin('1'),
    'linear-cliff',
    '',
    '',
    '',
    'First',
    '<',
    '',
    '<',
    'Second',
    '',
    'yes',
  ];
  const { reply } = await createTwice(t, treasury, streams, answers);
  t.like(reply['stream'], { description: 'Second' });
});

const keyOf = ({ publicKey }: typeof alice) => binToHex(publicKey);

test('guide › a vault › three signers one by one, and keys that are known are not asked for', async (t) => {
  const treasury = await openTreasury(t);
  const words = ['vaults', 'create', '--wallet', 'alice'];
  // The first is whoever asks; bob's key is that of his wallet, erin's is nowhere.
  const answers: Answers = [
    ...['Common funds', '1', '', '2', aliceAt, erinAt],
    ...[keyOf(dave), keyOf(erin), '', 'yes'],
  ];
  const { reply, stderr, asked } = await createTwice(t, treasury, words, answers);
  t.deepEqual(reply['signers'], [aliceAt, bobAt, erinAt]);
  t.deepEqual(reply['signerPubkeys'], [alice, bob, erin].map(keyOf));
  t.regex(stderr, /! .*is an earlier signer/);
  t.regex(stderr, /! .*is not the key of/);
  t.regex(stderr, /Their key is that of the wallet bob/);
  t.is(asked.filter((question) => question.includes('--signer-pubkeys')).length, 2);

  // From now on erin's is known.
  const known: Answers = ['Other funds', '', '', erinAt, '3', '', 'yes'];
  const second = await createTwice(t, treasury, words, known);
  t.regex(second.stderr, /known from the vault Common funds/);
  t.deepEqual(second.reply['signers'], [aliceAt, erinAt, carolAt]);
});

test('guide › a spend › payments one by one, and the one line needs no JSON', async (t) => {
  const treasury = await openTreasury(t);
  await fundVault(treasury);
  const words = ['vaults', 'spend', 'create', '--wallet', 'alice', '--json'];
  const answers: Answers = [VAULT, '5', '900', '0.01', '', erinAt, '0.02', '', '', 'Audit', 'yes'];
  const { exit, stdout, stderr } = await runOn(treasury, words, { answers });
  t.is(exit, 0, stderr);
  const reply = JSON.parse(stdout) as { outputs: Json[]; memo: string; label: string };
  t.is(reply.memo, 'Audit');
  t.like(reply.outputs, [{ amount: 0.01 }, { to: erinAt, amount: 0.02 }]);
  t.regex(
    lineIn(stderr),
    new RegExp(
      `spend create ${VAULT} --to bchtest:\\S+ --amount 0\\.01 --to ${erinAt} --amount 0\\.02 --memo Audit`,
    ),
  );
  t.true(stderr.includes(`${erinAt}  0.02  BCH`), stderr);
  // More than the vault holds.
  t.regex(stderr, /! .*900/);
  // Its coins are leased until it is cancelled; then the same can be proposed with the one line.
  await runOn(treasury, ['vaults', 'spend', 'cancel', reply.label, '--yes', '--wallet', 'alice']);
  const again = await runOn(treasury, [...(await wordsOf(lineIn(stderr))).slice(1), '--json']);
  t.is(again.exit, 0, again.stderr);
  t.like(JSON.parse(again.stdout), { outputs: reply.outputs, memo: 'Audit' });
});

test('guide › a budget plan › milestones one by one, what remains is said, and Enter takes it', async (t) => {
  const treasury = await openTreasury(t);
  await createVault(treasury);
  const words = ['budgets', 'create', '--wallet', 'alice'];
  const answers: Answers = [
    ...[VAULT, '2', '', '', 'milestones', '1', ''],
    ...['0.3', '30d', 'Design', '0', 'soon', '2 weeks', '0.2', '', '', '', 'monthly', 'Launch'],
    ...['', '', 'yes'],
  ];
  const { reply, stderr } = await createTwice(t, treasury, words, answers);
  const { milestones } = reply['plan'] as { milestones: Json[] };
  t.like(milestones, [
    { amount: 0.3, durationSeconds: 30 * DAY, description: 'Design' },
    { amount: 0.2, durationSeconds: 14 * DAY, description: '' },
    { amount: 0.5, durationSeconds: 30 * DAY, description: 'Launch' },
  ]);
  t.regex(stderr, /0\.3 in all, 0\.7 to go/);
  t.regex(stderr, /0\.5 in all, 0\.5 to go/);
  t.regex(stderr, /1 in all, 0 to go/);
  t.regex(stderr, /\|-+o-+.*o\|/);
});

test('guide › a budget plan › as it comes, or in equal parts', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await createVault(treasury);
  const words = ['budgets', 'create', id, '--wallet', 'alice'];
  const open = await createTwice(t, treasury, words, [
    '2',
    'Ben',
    '',
    'milestones',
    '',
    '',
    '0.3',
    '30d',
    '',
    '',
    '',
    '',
    'yes',
  ]);
  t.like(open.reply['plan'], { total_amount: 0.3, total_milestones: 1, recipientName: 'Ben' });
  const equal = await createTwice(t, treasury, words, [
    '2',
    '',
    '',
    'equal',
    '',
    '1',
    '0.4',
    '30d',
    '',
    '',
    'yes',
  ]);
  t.like(equal.reply['plan'], { total_amount: 1, total_milestones: 3 });
  // With a flag of the interval form that form is meant.
  const given = await runOn(treasury, [...words, '--total-amount', '1', '--amount-per-interval', '0.5'], {
    answers: ['2', '', '', '', '7d', '', '', 'yes'],
  });
  t.is(given.exit, 0, given.stderr);
});

test('guide › a payment, a campaign and a proposal › each is asked for in its own words', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await createVault(treasury);
  const as = ['--wallet', 'alice'];
  const payment = await createTwice(
    t,
    treasury,
    ['payments', 'create', ...as],
    [...['-', '2', 'Ben', '', 'MONTHLY', '0.5', '', '+10d', '+365d', '', '', 'yes']],
  );
  t.like(payment.reply['payment'], { recipient: bobAt, total_periods: 12 });
  t.regex(payment.stderr, /! .*before the first payment/);
  t.regex(payment.stderr, /Pays on/);

  const campaign = await createTwice(
    t,
    treasury,
    ['rewards', 'create', ...as],
    [...['Bug bounties', '', '', '', '1', '2', '0.1', '', '', VAULT, '', '', 'yes']],
  );
  t.like(campaign.reply['campaign'], { title: 'Bug bounties', max_reward_amount: 0.1, vault_id: id });
  t.regex(campaign.stderr, /! .*2/);

  const proposal = await createTwice(
    t,
    treasury,
    ['governance', 'propose', ...as],
    [...[VAULT, 'Hire Bob', 'For a year', '400', '', '', '0', '1000', '', 'yes']],
  );
  t.like(proposal.reply, { title: 'Hire Bob', quorum: 1000, description: 'For a year' });
});

test('guide › a create that declares nothing but its input › is asked field by field, rows one by one', async (t) => {
  const { run, json } = openCommandLine(t);
  const answers: Answers = [
    ...[
      '',
      'Tea',
      'SMALL',
      'nobody',
      '2',
      '2030-13-01',
      '2030-12-31T00:00Z',
      'yes',
      'green',
      'much too long',
      'mild',
      'One',
    ],
    ...['1,5', '1.5', '', '', 'Two', '2', '2030-12-31T00:00Z', '', 'yes'],
  ];
  const { exit, stdout, stderr, shown } = await run(['things', 'make', '--json'], {
    answers,
    env: { TZ: 'UTC' },
  });
  t.is(exit, 0, stderr);
  const { made } = JSON.parse(stdout) as { made: Json };
  t.like(made, { title: 'Tea', size: 'SMALL', open: true, tags: ['green', 'mild'] });
  t.like(made['options'], [{ name: 'One' }, { name: 'Two', due: 1_924_905_600 }]);
  // The title, the address, the date, a tag, an amount, and the second option, which has to be there.
  t.is(shown.filter((text) => text.startsWith('! ')).length, 6, shown.join('\n'));
  const [, ...words] = await wordsOf(lineIn(stderr));
  t.deepEqual(await json([...words]), JSON.parse(stdout));
});

test('guide › a rule of the operation itself › is said at the question, before anything else is asked', async (t) => {
  const { run, state } = openCommandLine(t);
  const given = ['--options', '[{"name":"One","weight":1},{"name":"Two","weight":2}]', '--tags', 'x'];
  const { exit, shown, stderr } = await run(['things', 'make', ...given], {
    answers: ['Taken', 'Tea', '', '', '', '', '', '', 'yes'],
  });
  t.is(exit, 0, stderr);
  t.regex(shown[1] ?? '', /^! Taken is THERE/);
  t.true(state.ran.length > 1);
});

test('guide › names and units at a prompt › are taken as flags take them, and what they stand for is said', async (t) => {
  const treasury = await openTreasury(t);
  await treasury.give(alice, 1_000_000n);
  const category = await treasury.mint(alice, '1000', 2);
  await treasury.ask(alice, 'tokens.add', { category, symbol: 'GEMS', name: 'Gems', decimals: 2 });
  const bch = ['bob', '', '100 GEMS', '0.25 BCH', 'linear-open', '', '', '', '', '', 'yes'];
  const { reply, stderr } = await createTwice(t, treasury, streams, bch);
  t.like(reply['stream'], { recipient: bobAt, total_amount: 0.25, token_type: 'BCH' });
  t.regex(stderr, /! .*GEMS/);
  // Dollars need a signed price: without one the answer is refused, and the others are kept.
  const dollars = ['bob', '', '$50', '1', 'linear-open', '', '', '', '', '', 'yes'];
  t.regex((await createTwice(t, treasury, streams, dollars)).stderr, /! .*\$50/);
});

const spendWords = (id: string, ...more: readonly string[]) => [
  ...['vaults', 'spend', 'create', id, '--wallet', 'alice', '--json'],
  ...more,
];

test('spend create › --to and --amount › one pair, several, a token; the list as JSON still', async (t) => {
  const treasury = await openTreasury(t);
  const { id, gift } = await fundVault(treasury);
  const category = await treasury.mint(alice, '1000', 2);
  await gift(alice, '5', category);
  const pay = async (...more: readonly string[]): Promise<Json[]> => {
    const { exit, stdout, stderr } = await runOn(treasury, spendWords(id, ...more));
    t.is(exit, 0, stderr);
    const { outputs, label } = JSON.parse(stdout) as { outputs: Json[]; label: string };
    await runOn(treasury, ['vaults', 'spend', 'cancel', label, '--yes', '--wallet', 'alice']);
    return outputs;
  };
  t.like(await pay('--to', daveAt, '--amount', '0.01'), [{ to: daveAt, amount: 0.01 }]);
  t.like(await pay('--to', daveAt, '--amount', '0.01', '--to', erinAt, '--amount', '0.02'), [
    { to: daveAt, amount: 0.01 },
    { to: erinAt, amount: 0.02 },
  ]);
  t.like(
    await pay(
      ...['--to', daveAt, '--amount', '1', '--token-category', category],
      ...['--to', erinAt, '--amount', '0.02', '--token-category', 'BCH'],
    ),
    [
      { to: daveAt, amount: 1, tokenCategory: category },
      { to: erinAt, amount: 0.02, tokenCategory: null },
    ],
  );
  t.like(await pay('--outputs', JSON.stringify([{ to: daveAt, amount: '0.01' }])), [
    { to: daveAt, amount: 0.01 },
  ]);
});

test('spend create › flags that do not pair, or stand beside the list › exit 2 and nothing is proposed', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await fundVault(treasury);
  const refused = async (...more: readonly string[]): Promise<string> => {
    const { exit, stderr } = await runOn(
      treasury,
      spendWords(id, ...more).filter((word) => word !== '--json'),
    );
    t.is(exit, 2, stderr);
    return stderr;
  };
  t.regex(
    await refused('--to', daveAt, '--to', erinAt, '--amount', '1'),
    /--amount: is given 1 times for 2 rows/,
  );
  t.regex(await refused('--to', daveAt), /amount/);
  t.regex(
    await refused('--to', daveAt, '--amount', '1', '--outputs', '[]'),
    /--outputs: says the same as --to and --amount/,
  );
  t.is((await treasury.ask(alice, 'vaults.spend-list', { id }))['total'] ?? 0, 0);
});
