import { hexToBin } from '@bitauth/libauth';
import test, { type ExecutionContext } from 'ava';
import { alice, bob, carol, dave, type Person } from '../../fixtures/people.js';
import { toLibauthOutput } from '../../src/bch/transaction.js';
import { encodeWalletTransaction, type WalletTransaction } from '../../src/bch/wallet-transaction.js';
import type { Reply } from '../../src/operation/execute.js';
import { fundVault } from '../products/vaults/vault.js';
import { openTreasury, type Treasury } from '../treasury.js';

type Content = Readonly<Record<string, unknown>>;

/** A payment of alice and bob together to dave, each from a coin of their own; unsigned. */
const jointPayment = async (treasury: Treasury, satoshis = 150_000n): Promise<WalletTransaction> => {
  const { chain } = treasury.app.context;
  const coins = await Promise.all(
    [alice, bob].map(async (who) => (await chain.coins(treasury.addressOf(who).lockingBytecode))[0]),
  );
  const sources = coins
    .filter((coin) => coin !== undefined)
    .map((coin) => ({
      outpointTransactionHash: hexToBin(coin.txid),
      outpointIndex: coin.vout,
      sequenceNumber: 0xffffffff,
      unlockingBytecode: new Uint8Array(),
      ...toLibauthOutput(coin),
    }));
  const inputs = sources.map(
    ({ lockingBytecode: _lock, valueSatoshis: _value, token: _token, ...input }) => input,
  );
  const { lockingBytecode } = treasury.addressOf(dave);
  const outputs = [toLibauthOutput({ lockingBytecode, satoshis })];
  const transaction = { version: 2, locktime: 0, inputs, outputs };
  return encodeWalletTransaction({ transaction, sourceOutputs: sources, broadcast: false });
};

const openParties = async (t: ExecutionContext): Promise<Treasury> => {
  const treasury = await openTreasury(t);
  for (const who of [alice, bob]) await treasury.give(who, 100_000n);
  return treasury;
};

const signedBy = (treasury: Treasury, who: Person, file: unknown): Promise<Reply> =>
  treasury.ask(who, 'tx.sign', { file });

/** Files by name, as the command line hands them over. */
const named = (files: Readonly<Record<string, unknown>>): { readonly files: Content[] } => ({
  files: Object.entries(files).map(([name, content]) => ({ name, content })),
});

const combine = (treasury: Treasury, files: Readonly<Record<string, unknown>>): Promise<Reply> =>
  treasury.ask(null, 'tx.combine', named(files));

test('combine › given copies signed by two wallets › it is complete, and the chain takes it', async (t) => {
  const treasury = await openParties(t);
  const unsigned = await jointPayment(treasury);
  const [a, b] = [await signedBy(treasury, alice, unsigned), await signedBy(treasury, bob, unsigned)];
  t.like(a, { complete: false, unsigned: [{ input: 1, address: treasury.addressOf(bob).text }] });
  const joined = await combine(treasury, { 'a.json': a, 'b.json': b });
  t.like(joined, { complete: true, unsigned: [] });
  t.deepEqual(await treasury.ask(null, 'tx.broadcast', { file: joined }), { txHash: joined['txHash'] });
  t.is(await treasury.satoshisOf(dave), 150_000n);
});

test('combine › given one that is not signed yet › it says whose signature is missing, and the rest can be signed', async (t) => {
  const treasury = await openParties(t);
  const unsigned = await jointPayment(treasury);
  const half = await combine(treasury, { a: await signedBy(treasury, bob, unsigned), b: unsigned });
  t.like(half, { complete: false, unsigned: [{ input: 0, address: treasury.addressOf(alice).text }] });
  t.like(await signedBy(treasury, alice, half), { complete: true });
});

test('combine › given raw hex of both › the chain says what they spend', async (t) => {
  const treasury = await openParties(t);
  const unsigned = await jointPayment(treasury);
  const raw = async (who: Person) => ({
    transaction: (await signedBy(treasury, who, unsigned))['transaction'],
  });
  t.like(await combine(treasury, { a: await raw(alice), b: await raw(bob) }), { complete: true });
});

test('combine › given another transaction › invalid_file names it and in what it differs', async (t) => {
  const treasury = await openParties(t);
  const a = await signedBy(treasury, alice, await jointPayment(treasury));
  const b = await signedBy(treasury, bob, await jointPayment(treasury, 160_000n));
  const input = named({ 'a.json': a, 'b.json': b });
  const { message } = await treasury.refusal(t, null, 'tx.combine', input, 'invalid_file');
  const to = treasury.addressOf(dave).text;
  t.is(
    message,
    `b.json cannot be used: it is another transaction than a.json: its output 0 is 0.0016 BCH to ${to}, not 0.0015 BCH to ${to}.`,
  );
});

test('combine › given copies that tell the spent amounts otherwise › it is invalid_file', async (t) => {
  const treasury = await openParties(t);
  const unsigned = await jointPayment(treasury);
  const text = JSON.stringify(unsigned).replace('<bigint: 100000n>', '<bigint: 900000n>');
  const input = named({ 'a.json': unsigned, 'b.json': JSON.parse(text) as Content });
  const { message } = await treasury.refusal(t, null, 'tx.combine', input, 'invalid_file');
  t.regex(message, /^b\.json .*input 0 spends another amount/);
});

/** The same transaction with one byte of an input's signature turned. */
const withTurnedByte = (signed: Reply): Content => {
  const transaction = String(signed['transaction']);
  const at =
    transaction.indexOf('6441') === -1 ? transaction.indexOf('41') + 10 : transaction.indexOf('6441') + 14;
  const turned = transaction[at] === '0' ? '1' : '0';
  return { ...signed, transaction: `${transaction.slice(0, at)}${turned}${transaction.slice(at + 1)}` };
};

test('combine › given two signatures of one input › invalid_file names the input and both copies', async (t) => {
  const treasury = await openParties(t);
  const a = await signedBy(treasury, alice, await jointPayment(treasury));
  const input = named({ 'a.json': a, 'b.json': withTurnedByte(a) });
  const { message } = await treasury.refusal(t, null, 'tx.combine', input, 'invalid_file');
  t.regex(message, /^b\.json .*input 0 is signed otherwise in a\.json/);
});

test('combine › given a signature that is none of it › it is tx_script_failed, and names the input', async (t) => {
  const treasury = await openParties(t);
  const unsigned = await jointPayment(treasury);
  const a = withTurnedByte(await signedBy(treasury, alice, unsigned));
  const input = named({ a, b: await signedBy(treasury, bob, unsigned) });
  const { message } = await treasury.refusal(t, null, 'tx.combine', input, 'tx_script_failed');
  t.regex(message, /input 0 does not unlock its coin/);
});

test('combine › given one copy, or what holds no transaction › it is refused by name', async (t) => {
  const treasury = await openParties(t);
  const unsigned = await jointPayment(treasury);
  await treasury.refusal(t, null, 'tx.combine', named({ a: unsigned }), 'invalid_input');
  const input = named({ 'a.json': unsigned, 'b.json': { hello: 'world' } });
  const { message } = await treasury.refusal(t, null, 'tx.combine', input, 'invalid_file');
  t.regex(message, /^b\.json /);
});

for (const [first, second] of [
  [alice, bob],
  [carol, alice],
  [bob, carol],
  [carol, bob],
] as const) {
  test(`combine › given a vault's spend signed by ${first.name} and by ${second.name} apart › it is complete, and the chain takes it`, async (t) => {
    const treasury = await openTreasury(t);
    const vault = await fundVault(treasury);
    const { id: spendId } = await vault.propose([{ to: dave, amount: '0.01' }]);
    const copies = await Promise.all(
      [first, second].map(async (who) => signedBy(treasury, who, await vault.request(who, spendId))),
    );
    const joined = await combine(treasury, { a: copies[0], b: copies[1] });
    t.like(joined, { complete: true, unsigned: [] });
    await treasury.ask(null, 'tx.broadcast', { file: joined });
    t.is(await treasury.satoshisOf(dave), 1_000_000n);
    t.like(await vault.shownSpend(spendId), { status: 'SPENT' });
  });
}

test("combine › given a vault's spend signed by one of two › the input of the vault still waits", async (t) => {
  const treasury = await openTreasury(t);
  const vault = await fundVault(treasury);
  const { id: spendId } = await vault.propose([{ to: dave, amount: '0.01' }]);
  const signed = await signedBy(treasury, alice, await vault.request(alice, spendId));
  const joined = await combine(treasury, { a: signed, b: await vault.request(bob, spendId) });
  t.like(joined, { complete: false, unsigned: [{ input: 0, address: vault.address }] });
});

test("combine › given a vault's spend signed by all three › it is invalid_file", async (t) => {
  const treasury = await openTreasury(t);
  const vault = await fundVault(treasury);
  const { id: spendId } = await vault.propose([{ to: dave, amount: '0.01' }]);
  const [a, b, c] = await Promise.all(
    [alice, bob, carol].map(async (who) => signedBy(treasury, who, await vault.request(who, spendId))),
  );
  await treasury.refusal(t, null, 'tx.combine', named({ a, b, c }), 'invalid_file');
});
