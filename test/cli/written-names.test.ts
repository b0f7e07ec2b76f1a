import test, { type ExecutionContext } from 'ava';
import { alice, bob, erin } from '../../fixtures/people.js';
import { contactCollection } from '../../src/record/contacts.js';
import { openTreasury, type Treasury } from '../treasury.js';
import { runOn } from './real-environment.js';

const BOB = bob.address('local').text;
const ERIN = erin.address('local');

const withMoney = async (t: ExecutionContext): Promise<Treasury> => {
  const treasury = await openTreasury(t);
  await treasury.give(alice, 100_000_000n);
  return treasury;
};

const sendTo = (to: string): string[] => [
  ...['wallet', 'send', '--wallet', 'alice', '--to', to],
  ...['--amount', '0.01', '--yes'],
];

test('a name › of a wallet of this home › is paid, and its address is said', async (t) => {
  const treasury = await withMoney(t);
  const { exit, stderr } = await runOn(treasury, sendTo('bob'));
  t.is(exit, 0, stderr);
  t.is(await treasury.satoshisOf(bob), 1_000_000n);
  t.true(stderr.includes(`bob is ${BOB}, a wallet of this home`));
});

test('a name › in a list and within a structure › is its address there too', async (t) => {
  const treasury = await withMoney(t);
  const outputs = JSON.stringify([{ to: 'bob', amount: '0.01' }]);
  const sent = await runOn(treasury, ['wallet', 'send', '--wallet', 'alice', '--outputs', outputs, '--yes']);
  t.is(sent.exit, 0, sent.stderr);
  t.is(await treasury.satoshisOf(bob), 1_000_000n);
  const listed = await runOn(treasury, ['streams', 'list', '--recipient', 'bob', '--json']);
  t.is(listed.exit, 0, listed.stderr);
});

test('a name › that is no wallet › is refused with what names are, and a contact of that name is told', async (t) => {
  const treasury = await withMoney(t);
  await treasury.ask(null, 'contacts.add', { name: 'erin', address: ERIN.text });
  const { exit, stderr } = await runOn(treasury, sendTo('erin'));
  t.is(exit, 2);
  t.regex(
    stderr,
    /"erin".*the name of a wallet of this home or @name of a contact; it is no wallet; @erin is a contact/,
  );
  t.is(await treasury.satoshisOf(erin), 0n);
});

test('a name › that is a wallet’s and another’s contact’s › is refused with both addresses', async (t) => {
  const treasury = await withMoney(t);
  // A home of an earlier version may have both.
  await treasury.app.context.store.transaction((writer) => {
    writer.put(contactCollection, { id: 'bob', address: ERIN.text, created_at: 1, updated_at: 1 });
  });
  const { exit, stderr } = await runOn(treasury, sendTo('bob'));
  t.is(exit, 2);
  t.true(stderr.includes(BOB) && stderr.includes(ERIN.text), stderr);
  t.is((await runOn(treasury, sendTo('@bob'))).exit, 0);
  t.is(await treasury.satoshisOf(erin), 1_000_000n);
});

test('an address › without its prefix, or as one for tokens › is paid, and in full it is said', async (t) => {
  const treasury = await withMoney(t);
  const [, payload = ''] = ERIN.text.split(':');
  for (const [index, written] of [
    payload,
    payload.toUpperCase(),
    ERIN.tokenText.split(':')[1] ?? '',
  ].entries()) {
    const { exit, stderr } = await runOn(treasury, sendTo(written));
    t.is(exit, 0, stderr);
    t.true(stderr.includes(`${written} is ${ERIN.text}`), stderr);
    t.is(await treasury.satoshisOf(erin), BigInt(index + 1) * 1_000_000n);
  }
});

test('an address › of another network, with or without its prefix › is refused with what it is', async (t) => {
  const treasury = await withMoney(t);
  const { text } = erin.address('mainnet');
  for (const written of [text, text.split(':')[1] ?? '']) {
    const { exit, stderr } = await runOn(treasury, sendTo(written));
    t.is(exit, 2);
    t.regex(stderr, /this one is of another network: bitcoincash:/);
  }
});

test('an address › without its prefix, with a letter that is wrong › is refused as that', async (t) => {
  const treasury = await withMoney(t);
  const [, payload = ''] = ERIN.text.split(':');
  const wrong = `${payload.slice(0, -1)}${payload.endsWith('q') ? 'p' : 'q'}`;
  const { exit, stderr } = await runOn(treasury, sendTo(wrong));
  t.is(exit, 2);
  t.regex(stderr, /a letter of this one is wrong/);
});

test('--as › an address without its prefix › is who asks', async (t) => {
  const treasury = await openTreasury(t);
  const { exit, stderr } = await runOn(treasury, [
    'rewards',
    'list',
    '--as',
    BOB.split(':')[1] ?? '',
    '--json',
  ]);
  t.is(exit, 0, stderr);
  t.is((await runOn(treasury, ['rewards', 'list', '--as', 'nobody', '--json'])).exit, 3);
});

test('export ledger › days as people write them › are those of the time zone, the last one to its end', async (t) => {
  const { exit, stderr } = await runOn(await openTreasury(t), [
    ...['export', 'ledger', '--from', '2026-01-01', '--to', '2026-12-31'],
  ]);
  t.is(exit, 0, stderr);
  t.regex(stderr, /"2026-01-01" is 2026-01-01 00:00 /);
  t.regex(stderr, /"2026-12-31" is 2026-12-31 23:59:59 /);
  const refused = await runOn(await openTreasury(t), ['export', 'ledger', '--from', '01/06/2026']);
  t.is(refused.exit, 2);
  t.regex(refused.stderr, /expected year-month-day/);
});
