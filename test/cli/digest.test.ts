import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { alice, bob, dave } from '../../fixtures/people.js';
import { transactionDigest } from '../../src/bch/digest.js';
import { decodeWalletTransaction } from '../../src/bch/wallet-transaction.js';
import { fundVault } from '../products/vaults/vault.js';
import { openTreasury, type Treasury } from '../treasury.js';
import { runOn } from './real-environment.js';

const DIGEST = /(?:[0-9A-HJKMNP-TV-Z]{4}-){7}[0-9A-HJKMNP-TV-Z]{4}/;

const digestIn = (t: ExecutionContext, text: string): string => {
  const [digest] = DIGEST.exec(text) ?? [];
  t.truthy(digest, text);
  return digest ?? '';
};

const sendWords = (treasury: Treasury): readonly string[] => [
  ...['wallet', 'send', '--to', treasury.addressOf(bob).text, '--amount', '0.001', '--wallet', 'alice'],
];

/** A payment of alice to bob in `unsigned.json`, and the digest that was said with it. */
const withFile = async (
  t: ExecutionContext,
): Promise<{ treasury: Treasury; digest: string; file: string }> => {
  const treasury = await openTreasury(t);
  await treasury.give(alice, 1_000_000n);
  const { exit, stdout, stderr } = await runOn(treasury, [...sendWords(treasury), '--unsigned']);
  t.is(exit, 0, stderr);
  const file = join(treasury.home, 'unsigned.json');
  writeFileSync(file, stdout);
  return { treasury, file, digest: digestIn(t, stderr) };
};

test('digest › of a whole step › stands on the screen that asks, and is that of what is sent', async (t) => {
  const treasury = await openTreasury(t);
  await treasury.give(alice, 1_000_000n);
  const { exit, stderr } = await runOn(treasury, sendWords(treasury), { answers: [true] });
  t.is(exit, 0, stderr);
  const asked = stderr.slice(0, stderr.indexOf('Sign and send this?'));
  digestIn(t, asked);
});

test('digest › of --unsigned › stands on stderr and in the file, and is what the file’s own bytes give', async (t) => {
  const { file, digest } = await withFile(t);
  const document = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  t.is(document['digest'], digest);
  t.is(transactionDigest(decodeWalletTransaction(document), 'local'), digest);
});

test('tx verify › given the file and the digest that was said › exit 0; given another digest › exit 5, and it says which', async (t) => {
  const { treasury, digest } = await withFile(t);
  const good = await runOn(treasury, ['tx', 'verify', 'unsigned.json', '--digest', digest.toLowerCase()]);
  t.is(good.exit, 0, good.stderr);
  t.true(good.stdout.includes(digest));
  t.regex(good.stdout, /pays 0\.00100\d+ BCH/);
  const other = `${digest.slice(0, -1)}${digest.endsWith('0') ? '1' : '0'}`;
  const bad = await runOn(treasury, ['tx', 'verify', 'unsigned.json', '--digest', other]);
  t.is(bad.exit, 5);
  t.regex(bad.stdout, /FAIL +digest that was given/);
  t.regex(bad.stdout, /Do not sign this/);
});

test('tx verify › --json › is one document with success, digest and checks', async (t) => {
  const { treasury, digest } = await withFile(t);
  const { stdout } = await runOn(treasury, ['tx', 'verify', 'unsigned.json', '--json']);
  t.like(JSON.parse(stdout), { success: true, digest, network: 'local' });
});

test('tx sign › on a terminal › shows what it signs with its digest, and asks; declined › nothing is signed, exit 10', async (t) => {
  const { treasury, digest } = await withFile(t);
  const words = ['tx', 'sign', 'unsigned.json', '--wallet', 'alice'];
  const declined = await runOn(treasury, words, { answers: [false] });
  t.is(declined.exit, 10);
  t.is(declined.stdout, '');
  t.true(declined.stderr.slice(0, declined.stderr.indexOf('Sign this?')).includes(digest));
  const signed = await runOn(treasury, words, { answers: [true] });
  t.is(signed.exit, 0);
  t.regex(signed.stdout, /^[0-9a-f]+\n$/);
});

test('tx sign › off a terminal › says the digest on stderr, and signs', async (t) => {
  const { treasury, digest } = await withFile(t);
  const { exit, stdout, stderr } = await runOn(treasury, [
    'tx',
    'sign',
    'unsigned.json',
    '--wallet',
    'alice',
  ]);
  t.is(exit, 0);
  t.true(stderr.includes(digest));
  t.regex(stdout, /^[0-9a-f]+\n$/);
});

test('vaults spend › create, show, list and sign › show one digest to every signer', async (t) => {
  const treasury = await openTreasury(t);
  const { propose } = await fundVault(treasury);
  const spend = await propose([{ to: dave, amount: '0.01' }]);
  const label = String(spend['label']);
  const shown = await runOn(treasury, ['vaults', 'spend', 'show', label, '--wallet', 'bob']);
  t.true(shown.stdout.includes(String(spend['digest'])), shown.stdout + shown.stderr);
  const signed = await runOn(treasury, [
    'vaults',
    'spend',
    'sign',
    label,
    '--wallet',
    'bob',
    '--confirm',
    label,
  ]);
  t.is(signed.exit, 0, signed.stderr);
  t.true(signed.stderr.includes(String(spend['digest'])));
  const unsigned = await runOn(treasury, [
    'vaults',
    'spend',
    'sign',
    label,
    '--unsigned',
    '--json',
    '--wallet',
    'carol',
  ]);
  writeFileSync(join(treasury.home, 'carol.json'), unsigned.stdout);
  const told = String(spend['digest']);
  const verified = await runOn(treasury, ['tx', 'verify', 'carol.json', '--digest', told]);
  t.is(verified.exit, 0, verified.stdout);
});
