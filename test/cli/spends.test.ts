/** The commands about one spend, over real operations: each names the spend alone. */
import test from 'ava';
import { carol, dave } from '../../fixtures/people.js';
import { decodeWalletTransaction } from '../../src/bch/wallet-transaction.js';
import { fundStream } from '../products/streams/stream.js';
import { fundVault } from '../products/vaults/vault.js';
import { openTreasury } from '../treasury.js';
import { runOn } from './real-environment.js';

test('vaults spend › given the label of a spend › every command about it needs nothing else', async (t) => {
  const treasury = await openTreasury(t);
  const { propose, id } = await fundVault(treasury);
  const label = String((await propose([{ to: dave, amount: '0.01' }]))['label']);
  const spend = (verb: string, ...more: string[]) =>
    runOn(treasury, ['vaults', 'spend', verb, label, '--json', '--wallet', 'bob', ...more]);

  const shown = await spend('show');
  t.is(shown.exit, 0, shown.stderr);
  t.like(JSON.parse(shown.stdout), { label });
  // To be signed elsewhere: nothing ends, and nobody is asked.
  const unsigned = await spend('sign', '--unsigned');
  t.is(unsigned.exit, 0, unsigned.stderr);
  t.true('wcTransaction' in (JSON.parse(unsigned.stdout) as object));
  // To be signed here it is confirmed.
  t.is((await spend('sign')).exit, 2);
  t.is((await spend('sign', '--confirm', label)).exit, 0);
  const elsewhere = await treasury.ask(carol, 'vaults.spend-transaction', { id, spendId: label });
  const signed = treasury.sign(carol, elsewhere['wcTransaction']);
  const submitted = await spend('submit', '--signed-transaction', signed);
  t.is(submitted.exit, 0, submitted.stderr);
  const sent = await spend('broadcast');
  t.is(sent.exit, 0, sent.stderr);
  const { txHash } = JSON.parse(sent.stdout) as { txHash: string };
  t.is((await spend('confirm', txHash)).exit, 0);
  t.is((await spend('cancel', '--yes')).exit, 5);
  t.is((await runOn(treasury, ['vaults', 'spend', 'show', 'SPEND-0099', '--wallet', 'bob'])).exit, 3);
  t.is(await treasury.satoshisOf(dave), 1_000_000n);
});

test('status incidents and streams claim-info › are commands', async (t) => {
  const treasury = await openTreasury(t);
  const incidents = await runOn(treasury, ['status', 'incidents', '--json']);
  t.is(incidents.exit, 0, incidents.stderr);
  t.like(JSON.parse(incidents.stdout), { incidents: [], total: 0 });
  const none = await runOn(treasury, ['streams', 'claim-info', 'STREAM-0099', '--json']);
  t.is(none.exit, 3, none.stderr);
  await fundStream(treasury);
  const shown = await runOn(treasury, ['streams', 'claim-info', 'STREAM-0001', '--wallet', 'bob']);
  t.is(shown.exit, 0, shown.stderr);
  // Moments and amounts as a person reads them, and what to do about it.
  t.regex(shown.stdout, /Chain time +2026-05-31 23:59:59 UTC/);
  t.regex(shown.stdout, /Claimable +0\.\d+ BCH/);
  t.regex(shown.stderr, /treasury streams claim [0-9a-f-]{36}/);
});

test('vaults spend sign --unsigned › on a terminal › the transaction is printed, and what comes after it is said', async (t) => {
  const treasury = await openTreasury(t);
  const { propose } = await fundVault(treasury);
  const label = String((await propose([{ to: dave, amount: '0.01' }]))['label']);
  const words = ['vaults', 'spend', 'sign', label, '--unsigned', '--wallet', 'carol'];
  const { exit, stdout, stderr } = await runOn(treasury, words);
  t.is(exit, 0, stderr);
  t.notThrows(() => decodeWalletTransaction(JSON.parse(stdout)));
  t.true(stderr.includes(`vaults spend submit ${label.slice(1)} --signed-transaction <hex>`), stderr);
});

test('a few satoshis › on a terminal › are written out, without an exponent', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await fundStream(treasury, { totalAmount: '0.001' });
  const { stream } = (await treasury.ask(null, 'streams.show', { id })) as {
    stream: Record<string, unknown>;
  };
  t.true(Number(stream['claimable_amount']) < 1e-6);
  for (const verb of [['show', 'STREAM-0001'], ['list']]) {
    const { exit, stdout, stderr } = await runOn(treasury, ['streams', ...verb, '--wallet', 'alice']);
    t.is(exit, 0, stderr);
    t.regex(stdout, /0\.000000\d/);
    t.notRegex(stdout, /\de-\d/);
  }
  const { stdout } = await runOn(treasury, ['streams', 'claim-info', 'STREAM-0001', '--wallet', 'bob']);
  t.regex(stdout, /No claim can be built now/);
});
