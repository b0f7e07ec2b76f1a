import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { alice, bob, carol, dave } from '../../fixtures/people.js';
import { fundVault } from '../products/vaults/vault.js';
import { openTreasury, type Treasury } from '../treasury.js';
import { runOn } from './real-environment.js';

/** Runs a command and keeps what it writes as a file in the working folder; returns its exit code. */
const keep = async (treasury: Treasury, file: string, words: readonly string[]): Promise<number> => {
  const { exit, stdout } = await runOn(treasury, words);
  writeFileSync(join(treasury.home, file), stdout);
  return exit;
};

test('tx combine › given files that two signers of a vault signed apart › the spend is whole and can be sent', async (t) => {
  const treasury = await openTreasury(t);
  const { propose } = await fundVault(treasury);
  const { label } = await propose([{ to: dave, amount: '0.01' }]);
  for (const { name } of [bob, carol]) {
    const words = ['vaults', 'spend', 'sign', String(label), '--unsigned', '--json', '--wallet', name];
    t.is(await keep(treasury, `${name}.json`, words), 0);
    const sign = ['tx', 'sign', `${name}.json`, '--wallet', name, '--json'];
    t.is(await keep(treasury, `${name}-signed.json`, sign), 0);
  }
  const combine = ['tx', 'combine', 'bob-signed.json', 'carol-signed.json', '--json'];
  t.is(await keep(treasury, 'whole.json', combine), 0);
  t.is((await runOn(treasury, ['tx', 'broadcast', 'whole.json'])).exit, 0);
  t.is(await treasury.satoshisOf(dave), 1_000_000n);
});

/** A payment of alice to bob in `unsigned.json`. */
const withPayment = async (t: ExecutionContext): Promise<Treasury> => {
  const treasury = await openTreasury(t);
  await treasury.give(alice, 1_000_000n);
  const to = treasury.addressOf(bob).text;
  const words = ['wallet', 'send', '--to', to, '--amount', '0.001', '--unsigned', '--wallet', 'alice'];
  t.is(await keep(treasury, 'unsigned.json', words), 0);
  return treasury;
};

test('tx broadcast › given the hex that tx sign wrote to a file, or the hex itself › the chain has it', async (t) => {
  const treasury = await withPayment(t);
  const { stdout: hex } = await runOn(treasury, ['tx', 'sign', 'unsigned.json', '--wallet', 'alice']);
  writeFileSync(join(treasury.home, 'signed.hex'), hex);
  t.is((await runOn(treasury, ['tx', 'broadcast', 'signed.hex'])).exit, 0);
  t.is((await runOn(treasury, ['tx', 'broadcast', hex.trim()])).exit, 0);
  t.is(await treasury.satoshisOf(bob), 100_000n);
});

test('tx inspect › given what tx sign answered › it is complete', async (t) => {
  const treasury = await withPayment(t);
  const sign = ['tx', 'sign', 'unsigned.json', '--wallet', 'alice', '--json'];
  t.is(await keep(treasury, 'signed.json', sign), 0);
  const { stdout } = await runOn(treasury, ['tx', 'inspect', 'signed.json', '--json']);
  t.like(JSON.parse(stdout), { complete: true, missing: null });
});

test('tx combine › what is not signed yet › stands on stderr, and the hex alone on stdout', async (t) => {
  const treasury = await withPayment(t);
  const words = ['tx', 'combine', 'unsigned.json', 'unsigned.json'];
  const { exit, stdout, stderr } = await runOn(treasury, words);
  t.is(exit, 0, stderr);
  t.regex(stdout, /^[0-9a-f]+\n$/);
  t.true(stderr.includes(`input 0 of ${treasury.addressOf(alice).text} is not signed yet`));
});

for (const [what, content, reason] of [
  ['that is empty', '\n', /bad\.json cannot be used: it is empty/],
  ['of text', 'hello\n', /bad\.json cannot be used: expected JSON/],
  ['of another kind', '{"hello":1}', /bad\.json cannot be used: the file holds no raw transaction/],
] as const) {
  test(`tx combine › given a file ${what} › it is named, exit 2`, async (t) => {
    const treasury = await withPayment(t);
    writeFileSync(join(treasury.home, 'bad.json'), content);
    const { exit, stderr } = await runOn(treasury, ['tx', 'combine', 'unsigned.json', 'bad.json']);
    t.is(exit, 2);
    t.regex(stderr, reason);
  });
}

test('tx combine › given no file, one, or one that is not there › exit 2', async (t) => {
  const treasury = await withPayment(t);
  for (const files of [[], ['unsigned.json'], ['unsigned.json', 'nothing.json']]) {
    t.is((await runOn(treasury, ['tx', 'combine', ...files])).exit, 2);
  }
});

test('tx inspect › given raw hex › it says that a raw transaction does not tell what it spends', async (t) => {
  const treasury = await withPayment(t);
  const { stdout: hex } = await runOn(treasury, ['tx', 'sign', 'unsigned.json', '--wallet', 'alice']);
  const { exit, stderr } = await runOn(treasury, ['tx', 'inspect', hex.trim()]);
  t.is(exit, 6);
  t.regex(stderr, /a raw transaction alone does not say what it spends/);
});

test('wallet import › given the secret itself in the place of a file › it is not repeated', async (t) => {
  const words = ['wallet', 'import', 'x', '--secret', 'abandon ability'];
  const { exit, stdout, stderr } = await runOn(await openTreasury(t), words);
  t.is(exit, 2);
  t.notRegex(stdout + stderr, /abandon/);
});

test('usage › given an unknown verb › the hint names the noun', async (t) => {
  const { stderr } = await runOn(await openTreasury(t), ['tx', 'join']);
  t.regex(stderr, /`treasury tx --help` shows what it takes/);
});

test('usage › given a wrong flag or one word too many › the hint names the command', async (t) => {
  const treasury = await openTreasury(t);
  for (const flags of [
    ['--to', 'x'],
    ['--cancelable', 'false'],
  ]) {
    const { exit, stderr } = await runOn(treasury, ['streams', 'create', '--total-amount', '1', ...flags]);
    t.is(exit, 2);
    t.regex(stderr, /`treasury streams create --help` shows what it takes/);
  }
});

test('help › of a switch › says how it is turned off', async (t) => {
  const { stdout } = await runOn(await openTreasury(t), ['streams', 'create', '--help']);
  t.regex(stdout, /--\[no-\]cancelable/);
});
