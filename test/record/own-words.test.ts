import test from 'ava';
import { alice, bob } from '../../fixtures/people.js';
import type { Person } from '../../fixtures/people.js';
import { campaignCollection } from '../../src/products/rewards/campaign.js';
import { eachRecord } from '../../src/record/known-record.js';
import { deployables } from '../products/deployments/registered.js';
import { vaultTerms } from '../products/vaults/vault.js';
import { openTreasury, TEST_TIME, type Treasury } from '../treasury.js';
import { runOn } from '../cli/real-environment.js';

type Json = Record<string, unknown>;

const WORDS = { label: 'Salaries, “spring”', note: 'Agreed on at the assembly; see #12' };
const SHOWN = { own_label: WORDS.label, own_note: WORDS.note };

/** A vault of alice's, and what each operation that makes a record asks for. */
const openMaking = async (t: Parameters<typeof openTreasury>[0]) => {
  const treasury = await openTreasury(t);
  for (let coin = 0; coin < 4; coin += 1) await treasury.give(alice, 20_000_000n);
  const vault = await treasury.ask(alice, 'vaults.create', vaultTerms());
  const vaultId = vault['id'];
  const deposit = await treasury.ask(alice, 'vaults.deposit', { id: vaultId });
  await treasury.ask(alice, 'vaults.update-balance', {
    id: vaultId,
    txid: await treasury.send(alice, deposit['wcTransaction']),
  });
  const recipient = treasury.addressOf(bob).text;
  const stream = {
    recipient,
    totalAmount: '0.01',
    streamType: 'LINEAR',
    startTime: TEST_TIME,
    endTime: TEST_TIME + 86_400,
  };
  const inputs: Readonly<Record<string, Json>> = {
    'vaults.create': vaultTerms(),
    'vaults.spend-create': { id: vaultId, outputs: [{ to: recipient, amount: '0.001' }] },
    'rewards.create': { title: 'A', totalPool: '0.01', maxRewardAmount: '0.01' },
    'budgets.create': { vaultId, recipient, milestones: [{ amount: '0.01', durationSeconds: 60 }] },
    'streams.create': stream,
    'streams.batch-create': {
      vaultId,
      senderAddress: treasury.addressOf(alice).text,
      entries: [stream, stream],
    },
    'payments.create': { recipient, amountPerPeriod: '0.01', interval: 'DAILY' },
    'governance.propose': { vaultId, title: 'A', quorum: 1, votingDurationDays: 1 },
  };
  return { treasury, inputs, vaultId };
};

const refusals: readonly (readonly [what: string, words: Json, reason: RegExp])[] = [
  ['an empty label', { label: ' ' }, /label: is empty: leave it out instead/],
  ['a label of 61 characters', { label: 'x'.repeat(61) }, /label: is longer than 60 characters/],
  ['a note of 501 characters', { note: 'x'.repeat(501) }, /note: is longer than 500 characters/],
  ['a line break', { note: 'a\nb' }, /note: has a character that cannot be seen/],
  ['an escape of a terminal', { label: '\u001b[2J' }, /label: has a character that cannot be seen/],
  ['a mark that turns the direction', { label: 'a\u202eb' }, /label: has a character that cannot be seen/],
];

for (const [what, words, reason] of refusals) {
  test(`own words › given ${what} › nothing is made`, async (t) => {
    const { treasury, inputs } = await openMaking(t);
    const error = await treasury.refusal(
      t,
      alice,
      'rewards.create',
      { ...inputs['rewards.create'], ...words },
      'invalid_input',
    );
    t.regex(error.message, reason);
    t.is((await treasury.app.context.store.find(campaignCollection)).items.length, 0);
  });
}

test('own words › given with each kind of record › its answer has them, and so has the store', async (t) => {
  const { treasury, inputs } = await openMaking(t);
  for (const [operation, input] of Object.entries(inputs)) {
    const reply = await treasury.ask(alice, operation, { ...input, ...WORDS });
    const record =
      reply['campaign'] ??
      reply['plan'] ??
      reply['stream'] ??
      reply['payment'] ??
      (reply['streams'] as Json[] | undefined)?.[1] ??
      reply;
    t.like(record, SHOWN, operation);
  }
  const records = await eachRecord(deployables, treasury.app.context.store);
  const worded = records.filter(({ record }) => (record as unknown as Json)['own_label'] === WORDS.label);
  t.deepEqual(worded.map(({ deployable }) => deployable.module).sort(), [
    'budgets',
    'payments',
    'rewards',
    'streams',
    'streams',
    'streams',
    'vaults',
  ]);
});

test('own words › given none › a record has none', async (t) => {
  const { treasury, inputs } = await openMaking(t);
  const reply = await treasury.ask(alice, 'rewards.create', inputs['rewards.create']);
  t.like(reply['campaign'], { own_label: null, own_note: null });
});

const lists: readonly (readonly [
  list: readonly string[],
  show: (label: string) => readonly string[],
  operation: string,
])[] = [
  [['rewards', 'list'], (label) => ['rewards', 'show', label], 'rewards.create'],
  [['streams', 'list'], (label) => ['streams', 'show', label], 'streams.create'],
  [['payments', 'list'], (label) => ['payments', 'show', label], 'payments.create'],
  [['budgets', 'list'], (label) => ['budgets', 'show', label], 'budgets.create'],
];

const asAlice = (treasury: Treasury, words: readonly string[], { name }: Person = alice) =>
  runOn(treasury, [...words, '--wallet', name]);

test('own words › at the terminal › lists and details show them beside the number', async (t) => {
  const { treasury, inputs } = await openMaking(t);
  for (const [list, show, operation] of lists) {
    const reply = await treasury.ask(alice, operation, { ...inputs[operation], ...WORDS });
    const record = (reply['campaign'] ?? reply['plan'] ?? reply['stream'] ?? reply['payment']) as Json;
    const listed = await asAlice(treasury, list);
    t.true(listed.stdout.includes(`"${WORDS.label}"`), `${list.join(' ')}: ${listed.stdout}${listed.stderr}`);
    const shown = await asAlice(treasury, show(String(record['id'])));
    t.true(shown.stdout.includes(WORDS.note), shown.stdout + shown.stderr);
  }
});

test('own words › --label and --note › are flags of a create', async (t) => {
  const { treasury } = await openMaking(t);
  const words = ['rewards', 'create', '--title', 'A', '--total-pool', '0.01', '--max-reward-amount', '0.01'];
  const { exit, stdout, stderr } = await asAlice(treasury, [
    ...words,
    '--label',
    'Bounties',
    '--note',
    'second try',
    '--json',
  ]);
  t.is(exit, 0, stderr);
  t.like(JSON.parse(stdout), { campaign: { own_label: 'Bounties', own_note: 'second try' } });
});
