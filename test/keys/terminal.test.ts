/** Keys at the terminal, as whoever types reads them. */
import test from 'ava';
import { openTreasury } from '../treasury.js';
import { runOn } from '../cli/real-environment.js';
import { fundPayment } from '../products/payments/payment.js';

const MADE = ['keys', 'create', '--name', 'ci', '--allow', 'streams:read,payments:claim'];

test('keys create › given what the script is to do › the key is printed once, with what it may do and whom it restricts', async (t) => {
  const treasury = await openTreasury(t);
  await fundPayment(treasury);
  const limits = [
    '--records',
    'PAY-0001',
    '--max',
    '0.5/30d',
    '--expires',
    '90d',
    '--from',
    '203.0.113.0/24',
  ];
  const made = await runOn(treasury, [...MADE, ...limits, '--wallet', 'bob']);
  t.is(made.exit, 0, made.stderr);
  const [key = ''] = made.stdout.split('\n');
  t.regex(key, /^tk_[0-9A-Za-z]{22}$/);
  t.regex(made.stdout, /it is not shown again/);
  t.regex(made.stdout, /Allows +streams:read, payments:claim, payments:confirm-claim/);
  t.regex(made.stdout, /Records +PAY-0001/);
  t.regex(made.stdout, /Moves at most +0.5 BCH in 30d, of which 0 are used/);
  t.regex(made.stdout, /restricts nobody where x-user-address is taken on its word/);
  t.regex(made.stdout, /treasury serve --require-keys/);

  const listed = await runOn(treasury, ['keys', 'list', '--wallet', 'bob']);
  t.true(listed.stdout.includes(`${key.slice(0, 7)}…${key.slice(-4)}`), listed.stdout);
  t.false(listed.stdout.includes(key));
  t.is((await runOn(treasury, ['keys', 'show', 'ci', '--wallet', 'alice'])).exit, 3);
  const revoked = await runOn(treasury, ['keys', 'revoke', 'KEY-0001', '--wallet', 'bob', '--json']);
  t.like(JSON.parse(revoked.stdout), { status: 'revoked', name: 'ci' });
  t.is((await runOn(treasury, ['keys', 'show', 'ci', '--wallet', 'bob'])).exit, 0);
  // Its name is free again.
  t.is((await runOn(treasury, [...MADE, '--wallet', 'bob'])).exit, 0);
});

test('keys create › given a wallet that is not of this home, or what is not there › it makes none and says why', async (t) => {
  const treasury = await openTreasury(t);
  const foreign = treasury.addressOf(treasury.people.erin).text;
  const other = await runOn(treasury, [...MADE, '--as', foreign]);
  t.not(other.exit, 0);
  const wrong = await runOn(treasury, [
    'keys',
    'create',
    '--name',
    'ci',
    '--allow',
    'payments:clam',
    '--wallet',
    'bob',
  ]);
  t.is(wrong.exit, 2);
  t.regex(wrong.stderr, /payments:claim/);
  const bare = await runOn(treasury, ['keys', 'create', '--wallet', 'bob']);
  t.is(bare.exit, 2);
  t.regex(bare.stderr, /--(?:name|allow)/);
  t.regex((await runOn(treasury, ['keys', 'list', '--wallet', 'bob'])).stdout, /No keys yet/);
});
