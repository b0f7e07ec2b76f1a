import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { alice, bob, erin, mallory } from '../../fixtures/people.js';
import { openTreasury, type Treasury } from '../treasury.js';
import { terms } from '../products/streams/stream.js';
import { createVault } from '../products/streams/vault.js';
import { runOn } from './real-environment.js';

const ERIN = erin.address('local').text;
const BOB = bob.address('local').text;
const MALLORY = mallory.address('local').text;

/** Alice's treasury, with money, and erin as a contact. */
const withContact = async (t: ExecutionContext): Promise<Treasury> => {
  const treasury = await openTreasury(t);
  await treasury.give(alice, 100_000_000n);
  await treasury.ask(null, 'contacts.add', { name: 'erin', address: ERIN });
  return treasury;
};

const SEND = ['wallet', 'send', '--wallet', 'alice', '--amount', '0.01', '--yes'];

test('@name › in the place of an address › the contact is paid, its address is said, and its name is in the summary', async (t) => {
  const treasury = await withContact(t);
  const { exit, stderr } = await runOn(treasury, [...SEND, '--to', '@erin']);
  t.is(exit, 0, stderr);
  t.is(await treasury.satoshisOf(erin), 1_000_000n);
  t.true(stderr.includes(`@erin is ${ERIN}`));
  t.true(stderr.includes(`${ERIN} (@erin)`));
});

test('@name › with --quiet › the address is said all the same', async (t) => {
  const { exit, stderr } = await runOn(await withContact(t), [...SEND, '--to', '@Erin', '--quiet']);
  t.is(exit, 0, stderr);
  t.is(stderr, `@erin is ${ERIN}\n`);
});

test('@name › that is no contact › contact_not_found names it and the nearest, exit 3, and nobody is paid', async (t) => {
  const treasury = await withContact(t);
  const { exit, stderr } = await runOn(treasury, [...SEND, '--to', '@eri']);
  t.is(exit, 3);
  t.regex(stderr, /There is no contact "@eri"/);
  t.regex(stderr, /use @erin, if that is who you mean/);
  t.is(await treasury.satoshisOf(erin), 0n);
});

test('@name › within a structure › it is the address there too, and said once', async (t) => {
  const treasury = await withContact(t);
  const outputs = JSON.stringify([
    { to: '@erin', amount: '0.01' },
    { to: '@erin', amount: '0.02' },
  ]);
  const words = ['wallet', 'send', '--wallet', 'alice', '--outputs', outputs, '--yes'];
  const { exit, stderr } = await runOn(treasury, words);
  t.is(exit, 0, stderr);
  t.is(await treasury.satoshisOf(erin), 3_000_000n);
  t.is(stderr.split(`@erin is ${ERIN}`).length, 2);
});

test('@name › as the recipient of entries of a batch › the streams are its', async (t) => {
  const treasury = await withContact(t);
  const id = await createVault(treasury);
  const entry = { recipient: '@erin', ...terms };
  writeFileSync(join(treasury.home, 'team.json'), JSON.stringify([entry]));
  const words = ['streams', 'batch', id, '--entries', 'team.json', '--wallet', 'alice', '--yes', '--json'];
  const { exit, stdout, stderr } = await runOn(treasury, words);
  t.is(exit, 0, stderr + stdout);
  const { streams } = JSON.parse(stdout) as { streams: { recipient: string }[] };
  t.deepEqual(
    streams.map(({ recipient }) => recipient),
    [ERIN],
  );
});

test('@name › in a text that is no address › it stays as it is', async (t) => {
  const treasury = await withContact(t);
  const words = ['--title', '@erin', '--total-pool', '1', '--max-reward-amount', '1', '--json'];
  const { stdout } = await runOn(treasury, ['rewards', 'create', ...words]);
  const { campaign } = JSON.parse(stdout) as { campaign: { id: string } };
  t.like(await treasury.ask(alice, 'rewards.show', { id: campaign.id }), { campaign: { title: '@erin' } });
});

test('@name › by position, and for --as › it is the address', async (t) => {
  const treasury = await withContact(t);
  t.is((await runOn(treasury, ['chain', 'faucet', '@erin', '0.5'])).exit, 0);
  const { stdout } = await runOn(treasury, ['wallet', 'balance', '--address', '@erin', '--json']);
  t.like(JSON.parse(stdout), { address: ERIN, balance: 0.5 });
  const asked = await runOn(treasury, ['rewards', 'list', '--as', '@erin', '--json']);
  t.is(asked.exit, 0, asked.stdout);
});

test('@name › handed to an operation itself, as over HTTP › it is invalid_address', async (t) => {
  const treasury = await withContact(t);
  await treasury.refusal(t, alice, 'wallet.send', { to: '@erin', amount: '1' }, 'invalid_address');
});

test('contacts add › given another address for a name › it is asked, and no leaves it', async (t) => {
  const treasury = await withContact(t);
  const { exit, stderr } = await runOn(treasury, ['contacts', 'add', 'eve', ERIN, '--yes']);
  t.is(exit, 2, stderr);
  const address = await freeAddress(treasury);
  const declined = await runOn(treasury, ['contacts', 'add', 'erin', address], { answers: [false] });
  t.is(declined.exit, 10);
  t.true(declined.stderr.includes(`@erin is ${ERIN}. Change it to ${address}?`));
  t.is((await runOn(treasury, ['contacts', 'add', 'erin', address])).exit, 2);
  t.like(await treasury.ask(null, 'contacts.show', { name: 'erin' }), { contact: { address: ERIN } });
  t.is((await runOn(treasury, ['contacts', 'add', 'erin', address, '--yes'])).exit, 0);
  t.like(await treasury.ask(null, 'contacts.show', { name: 'erin' }), { contact: { address } });
});

/** An address that belongs to nobody here. */
const freeAddress = async (treasury: Treasury): Promise<string> => {
  const id = await createVault(treasury);
  const { contractAddress } = await treasury.ask(alice, 'vaults.show', { id });
  return String(contractAddress);
};

test('contacts add › given a new name, or the same again › nothing is asked', async (t) => {
  const treasury = await withContact(t);
  t.is((await runOn(treasury, ['contacts', 'add', 'erin', ERIN])).exit, 0);
  const address = await freeAddress(treasury);
  t.is((await runOn(treasury, ['contacts', 'add', 'fund', address])).exit, 0);
});

test('contacts remove › it is asked, and --yes answers', async (t) => {
  const treasury = await withContact(t);
  t.is((await runOn(treasury, ['contacts', 'remove', 'erin'], { answers: [false] })).exit, 10);
  t.is((await runOn(treasury, ['contacts', 'remove', '@erin', '--yes'])).exit, 0);
  t.is((await runOn(treasury, ['contacts', 'remove', 'erin', '--yes'])).exit, 3);
});

test('errors › of what was given by position › name it as the help does', async (t) => {
  const { stderr } = await runOn(await withContact(t), ['contacts', 'add', 'mallory', MALLORY]);
  t.regex(stderr, /^ {2}<name>: is that of a wallet/m);
});

test('help › of an address › it says that a wallet or a contact may stand for it', async (t) => {
  const { stdout } = await runOn(await openTreasury(t), ['wallet', 'send', '--help']);
  t.regex(stdout, /--to <address> +Who is paid \(or a wallet, or @name of a contact\)/);
});

test('tx inspect › given a payment to a contact › its name stands beside the address', async (t) => {
  const treasury = await withContact(t);
  const built = await treasury.ask(alice, 'wallet.send', { to: ERIN, amount: '0.01' });
  const { outputs } = (await treasury.ask(bob, 'tx.inspect', { file: built })) as { outputs: unknown[] };
  t.like(outputs[0], { address: ERIN, contact: 'erin' });
});

/** Alice's treasury at noon, UTC, of a known day; the clock is the chain's. */
const STREAM = [
  'streams',
  'create',
  '--wallet',
  'alice',
  '--recipient',
  BOB,
  '--total-amount',
  '1',
  '--json',
];

const startOf = (stdout: string): number =>
  (JSON.parse(stdout) as { stream: { start_time: number } }).stream.start_time;

test('a date › as people write it › is taken, and what was understood is said', async (t) => {
  const treasury = await withContact(t);
  const words = [...STREAM, '--schedule-template', 'linear-open', '--start-time', '2030-01-31T18:00+02:00'];
  const { exit, stdout, stderr } = await runOn(treasury, words);
  t.is(exit, 0, stderr);
  t.is(startOf(stdout), Date.UTC(2030, 0, 31, 16) / 1000);
  t.regex(stderr, /"2030-01-31T18:00\+02:00" is 2030-01-31 \d\d:00/);
});

test('a date › that counts from now › counts from the clock of the chain', async (t) => {
  const treasury = await withContact(t);
  const words = [...STREAM, '--schedule-template', 'linear-open', '--start-time', '+2d'];
  const { exit, stdout, stderr } = await runOn(treasury, words);
  t.is(exit, 0, stderr);
  const off = startOf(stdout) - (treasury.app.context.clock.now() + 2 * 86_400);
  t.true(Math.abs(off) <= 3_600, `${off} seconds off`);
});

test('a date › as unix seconds › is taken without a word', async (t) => {
  const treasury = await withContact(t);
  const words = [...STREAM, '--schedule-template', 'linear-open', '--start-time', '1900000000'];
  const { exit, stdout, stderr } = await runOn(treasury, words);
  t.is(exit, 0, stderr);
  t.is(startOf(stdout), 1_900_000_000);
  t.notRegex(stderr, / is /);
});

for (const [written, reason] of [
  ['2026-13-01', /no month 13/],
  ['31/12/2030', /expected year-month-day/],
  ['2030-12-31 banana', /expected a date/],
  ['2030', /write 2030-01-01/],
] as const) {
  test(`a date › "${written}" › is refused by its flag, with what to write, and nothing is made`, async (t) => {
    const treasury = await withContact(t);
    const words = [...STREAM.slice(0, -1), '--schedule-template', 'linear-open', '--start-time', written];
    const { exit, stderr } = await runOn(treasury, words);
    t.is(exit, 2);
    t.regex(stderr, /--start-time: /);
    t.regex(stderr, reason);
    t.is((await treasury.ask(null, 'streams.list', {}))['total'], 0);
  });
}

test('a duration › in words › is its seconds, in a flag', async (t) => {
  const treasury = await withContact(t);
  const words = [
    ...STREAM,
    '--stream-type',
    'STEP',
    '--start-time',
    '1900000000',
    '--end-time',
    '1900864000',
  ];
  const { exit, stdout, stderr } = await runOn(treasury, [...words, '--interval-seconds', '1 day']);
  t.is(exit, 0, stderr);
  t.is((JSON.parse(stdout) as { stream: { interval_seconds: number } }).stream.interval_seconds, 86_400);
});

test('dates and durations › within a structure › are read there too', async (t) => {
  const treasury = await withContact(t);
  const tranches = JSON.stringify([
    { unlockTime: '2030-01-01', amount: '0.4' },
    { unlockTime: '2030-02-01', amount: '0.6' },
  ]);
  const words = [
    ...STREAM,
    '--stream-type',
    'TRANCHE',
    '--start-time',
    '1800000000',
    '--tranche-schedule',
    tranches,
  ];
  const { exit, stdout, stderr } = await runOn(treasury, words);
  t.is(exit, 0, stderr);
  const { tranche_schedule: found } = (
    JSON.parse(stdout) as { stream: { tranche_schedule: { unlockTime: number }[] } }
  ).stream;
  t.deepEqual(
    found.map(({ unlockTime }) => unlockTime),
    [new Date(2030, 0, 1), new Date(2030, 1, 1)].map((date) => date.getTime() / 1000),
  );
});

test('help dates › shows what is taken', async (t) => {
  const { exit, stdout } = await runOn(await openTreasury(t), ['help', 'dates']);
  t.is(exit, 0);
  t.regex(stdout, /2027-12-31/);
});

test('one of a few words › in any case › is that word', async (t) => {
  const treasury = await withContact(t);
  const words = [
    ...STREAM,
    '--stream-type',
    'linear',
    '--start-time',
    '1900000000',
    '--end-time',
    '1900864000',
  ];
  const { exit, stdout, stderr } = await runOn(treasury, words);
  t.is(exit, 0, stderr);
  t.is((JSON.parse(stdout) as { stream: { stream_type: string } }).stream.stream_type, 'LINEAR');
});

test('a date › in an error › is a date, in the zone of the machine, and no seconds', async (t) => {
  const treasury = await withContact(t);
  const words = [...STREAM.slice(0, -1), '--schedule-template', 'linear-open', '--start-time', '2030-01-02'];
  const { exit, stderr } = await runOn(treasury, [...words, '--end-time', '2030-01-01']);
  t.is(exit, 2);
  t.regex(stderr, /2030-01-01 00:00 \S+ must be later than the start \(2030-01-02 00:00 \S+\)/);
  t.notRegex(stderr, /\d{10}/);
});

test('an amount › in an error about terms › is one of display units', async (t) => {
  const treasury = await withContact(t);
  const words = [
    'rewards',
    'create',
    '--title',
    'Art',
    '--total-pool',
    '0.01',
    '--max-reward-amount',
    '0.03',
  ];
  const { exit, stderr } = await runOn(treasury, words);
  t.is(exit, 2);
  t.regex(stderr, /0\.03 must be above 0 and at most --total-pool \(0\.01\)/);
});
