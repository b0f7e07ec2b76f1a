import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { alice, bob, erin, mallory } from '../../fixtures/people.js';
import { openTreasury, type Treasury } from '../treasury.js';
import { terms } from '../products/streams/stream.js';
import { createVault } from '../products/streams/vault.js';
import { runOn } from './real-environment.js';

const ERIN = erin.address('local').text;
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

test('help › of an address › it says that a contact may stand for it', async (t) => {
  const { stdout } = await runOn(await openTreasury(t), ['wallet', 'send', '--help']);
  t.regex(stdout, /--to <address> +Who is paid \(or @name of a contact\)/);
});

test('tx inspect › given a payment to a contact › its name stands beside the address', async (t) => {
  const treasury = await withContact(t);
  const built = await treasury.ask(alice, 'wallet.send', { to: ERIN, amount: '0.01' });
  const { outputs } = (await treasury.ask(bob, 'tx.inspect', { file: built })) as { outputs: unknown[] };
  t.like(outputs[0], { address: ERIN, contact: 'erin' });
});
