import {
  encodeTransaction,
  generateSigningSerializationBch,
  hash256,
  hexToBin,
  binToHex,
  secp256k1,
  type Transaction,
} from '@bitauth/libauth';
import test, { type ExecutionContext } from 'ava';
import { alice, bob, carol, dave, mallory, type Person } from '../../../../fixtures/people.js';
import type { LocalChain } from '../../../../src/adapters/local-chain/local-chain.js';
import { decodeWalletTransaction, type WalletTransaction } from '../../../../src/bch/wallet-transaction.js';
import { openTreasury } from '../../../treasury.js';
import { createVault, fundVault, vaultTerms, type Json } from '../vault.js';

type Sum = { readonly satoshis: number }[];
const sum = (items: unknown) => (items as Sum).reduce((total, { satoshis }) => total + satoshis, 0);
const bodyOf = (spend: Json) => spend['transaction'] as { inputs: Json[]; outputs: Json[] };

test('spend-create › given somebody who is no signer › it is not_vault_signer', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await createVault(treasury);
  const outputs = [{ to: treasury.addressOf(mallory).text, amount: '0.01' }];
  await treasury.refusal(t, mallory, 'vaults.spend-create', { id, outputs }, 'not_vault_signer');
});

test('spend-create › given outputs in BCH and tokens › its sums add up, and every asset arrives', async (t) => {
  const treasury = await openTreasury(t);
  const vault = await fundVault(treasury);
  for (let coin = 0; coin < 2; coin += 1) await treasury.give(dave, 2_000_000n);
  const category = await treasury.mint(dave, '500', 2);
  await vault.gift(dave, '100', category);
  const spend = await vault.propose(
    [
      { to: carol, amount: '0.03' },
      { to: bob, amount: '0.005' },
      { to: carol, amount: '30.5', tokenCategory: category },
    ],
    'Audit, first half',
  );
  t.like(spend, {
    label: '#SPEND-0001',
    status: 'PENDING',
    memo: 'Audit, first half',
    proposer: treasury.addressOf(alice).text,
    signatures: [],
    signaturesNeeded: 2,
    movesThread: true,
    txHash: null,
    outputs: [
      { to: treasury.addressOf(carol).text, amount: 0.03, amountOnChain: '3000000', symbol: 'BCH' },
      { to: treasury.addressOf(bob).text, amount: 0.005 },
      { to: treasury.addressOf(carol).text, amount: 30.5, amountOnChain: '3050', tokenCategory: category },
    ],
  });
  const { inputs, outputs } = bodyOf(spend);
  t.is(sum(inputs), sum(outputs) + Number(spend['fee']));
  await vault.sign(bob, spend['label']);
  await vault.sign(alice, spend['label']);
  await vault.broadcast(spend['label']);
  t.is(await treasury.tokensOf(carol, category), 3_050n);
  t.is(await vault.tokens(category), 6_950n);
  t.is(await treasury.satoshisOf(carol), 3_001_000n);
  t.is(await treasury.satoshisOf(bob), 500_000n);
});

test('spend-create › given outputs that cannot be paid › it is refused by field', async (t) => {
  const treasury = await openTreasury(t);
  const vault = await fundVault(treasury);
  const to = treasury.addressOf(bob).text;
  const refused = async (code: Parameters<typeof treasury.refusal>[4], ...outputs: Json[]) =>
    (await treasury.refusal(t, alice, 'vaults.spend-create', { id: vault.id, outputs }, code)).details;
  await refused('invalid_input');
  t.like(await refused('invalid_amount', { to, amount: 0 }), { field: 'outputs.0.amount' });
  t.like(await refused('invalid_amount', { to, amount: 1 }, { to, amount: '0.000000001' }), {
    field: 'outputs.1.amount',
  });
  t.like(await refused('amount_below_dust', { to, amount: '0.00000545' }), { minimum: '0.00000546' });
  t.like(await refused('not_payable', { to: vault.address, amount: 1 }), { field: 'outputs.0.to' });
  t.like(await refused('insufficient_funds', { to, amount: '0.1' }), { address: vault.address });
  await refused('insufficient_funds', { to, amount: 1, tokenCategory: 'ab'.repeat(32) });
});

test('spend-create › given an open spend › the next one takes other coins, or is coins_leased', async (t) => {
  const treasury = await openTreasury(t);
  const vault = await fundVault(treasury);
  await treasury.give(dave, 5_000_000n);
  await vault.gift(dave, '0.02');
  const first = await vault.propose([{ to: bob, amount: '0.05' }]);
  const second = await vault.propose([{ to: carol, amount: '0.01' }]);
  t.like(first, { label: '#SPEND-0001', movesThread: true });
  t.like(second, { label: '#SPEND-0002', movesThread: false });
  const coinsOf = (spend: Json) =>
    bodyOf(spend).inputs.map(({ txid, vout }) => `${String(txid)}:${String(vout)}`);
  t.deepEqual(
    coinsOf(first).filter((coin) => coinsOf(second).includes(coin)),
    [],
  );
  const request = { id: vault.id, outputs: [{ to: treasury.addressOf(bob).text, amount: '0.02' }] };
  const error = await treasury.refusal(t, alice, 'vaults.spend-create', request, 'coins_leased');
  t.regex(String(error.details['holder']), /#SPEND-0001/);

  // Both go through, in the other order.
  for (const spend of [second, first]) {
    await vault.sign(alice, spend['id']);
    await vault.sign(carol, spend['id']);
    await vault.broadcast(spend['id']);
  }
  t.like(await vault.shown(), { spends: 1, openSpends: [] });
  const left = 12_000_000n - 5_000_000n - 1_000_000n - BigInt(Number(first['fee']) + Number(second['fee']));
  t.is(await vault.satoshis(), left);
  t.like(await treasury.ask(alice, 'vaults.spend-list', { id: vault.id, status: 'SPENT' }), { total: 2 });
});

test('spend-create › given a pending vault › what others sent can be spent without a thread', async (t) => {
  const treasury = await openTreasury(t);
  const vault = await createVault(treasury);
  await treasury.give(dave, 5_000_000n);
  await vault.gift(dave, '0.02');
  const spend = await vault.propose([{ to: dave, amount: '0.015' }]);
  t.false(spend['movesThread']);
  await vault.sign(bob, spend['id']);
  await vault.sign(carol, spend['id']);
  await vault.broadcast(spend['id']);
  t.like(await vault.shownSpend(spend['id']), { status: 'SPENT' });
});

/** A spend of 0.03 BCH to dave from a funded vault. */
const proposed = async (t: ExecutionContext) => {
  const treasury = await openTreasury(t);
  const vault = await fundVault(treasury);
  const spend = await vault.propose([{ to: dave, amount: '0.03' }]);
  const path = { id: vault.id, spendId: String(spend['id']) };
  const submit = (who: Person, signedTransaction: string) =>
    treasury.ask(who, 'vaults.spend-submit', { ...path, signedTransaction });
  const submitRefused = (
    who: Person,
    signedTransaction: string,
    code: Parameters<typeof treasury.refusal>[4],
  ) => treasury.refusal(t, who, 'vaults.spend-submit', { ...path, signedTransaction }, code);
  const signed = async (who: Person) => treasury.sign(who, await vault.request(who, spend['id']));
  const signaturesNow = async () => ((await vault.shownSpend(spend['id']))['signatures'] as Json[]).length;
  return { treasury, vault, spend, path, submit, submitRefused, signed, signaturesNow };
};

test('spend-sign › given two signers › READY, and the wallet’s transaction is what is sent', async (t) => {
  const { submit, signed, treasury, vault, spend } = await proposed(t);
  t.like(await submit(carol, await signed(carol)), { status: 'PENDING', signaturesNeeded: 1 });
  const last = await signed(alice);
  t.like(await submit(alice, last), { status: 'READY', signaturesNeeded: 0 });
  t.is(await vault.broadcast(spend['id']), await treasury.app.context.chain.broadcast(last));
});

test('spend-sign › given one signer alone › it cannot be broadcast, and a node refuses it', async (t) => {
  const { treasury, path, submit, signed } = await proposed(t);
  const alone = await signed(alice);
  await submit(alice, alone);
  await treasury.refusal(t, alice, 'vaults.spend-broadcast', path, 'wrong_state');
  const error = await t.throwsAsync(treasury.app.context.chain.broadcast(alone));
  t.like(error, { code: 'tx_script_failed' });
});

test('spend-sign › given the same signer twice › it is already_signed', async (t) => {
  const { treasury, path, submit, submitRefused, signed, signaturesNow } = await proposed(t);
  const once = await signed(alice);
  await submit(alice, once);
  await treasury.refusal(t, alice, 'vaults.spend-transaction', path, 'already_signed');
  await submitRefused(alice, once, 'already_signed');
  // Nor by another hand, nor in the other slot.
  await submitRefused(bob, once, 'already_signed');
  t.is(await signaturesNow(), 1);
});

test('spend-sign › given an outsider › neither asking nor an outsider’s key helps', async (t) => {
  const { treasury, vault, path, spend, submitRefused, signaturesNow } = await proposed(t);
  await treasury.refusal(t, mallory, 'vaults.spend-transaction', path, 'not_vault_signer');
  const request = await vault.request(alice, spend['id']);
  const forged = treasury.sign(mallory, request);
  await submitRefused(mallory, forged, 'not_vault_signer');
  await submitRefused(alice, forged, 'tx_script_failed');
  t.is(await signaturesNow(), 0);
});

/** A signer's wallet that signs something else than it was given, with any hash type. */
const signAstray = (
  request: unknown,
  who: Person,
  change: (transaction: Transaction) => void,
  type = 0x61,
): string => {
  const { transaction: given, sourceOutputs } = decodeWalletTransaction(request);
  const transaction = structuredClone(given);
  change(transaction);
  const serialization = generateSigningSerializationBch(
    { inputIndex: 0, transaction, sourceOutputs: [...sourceOutputs] },
    {
      coveredBytecode: sourceOutputs[0]?.contract?.redeemScript ?? new Uint8Array(),
      signingSerializationType: Uint8Array.of(type),
    },
  );
  const signature = secp256k1.signMessageHashSchnorr(who.privateKey, hash256(serialization)) as Uint8Array;
  const [first] = transaction.inputs;
  if (first === undefined) throw new Error('no input');
  const unlocking = binToHex(first.unlockingBytecode).replace(
    `41${'00'.repeat(65)}`,
    `41${binToHex(signature)}${type.toString(16).padStart(2, '0')}`,
  );
  first.unlockingBytecode = hexToBin(unlocking);
  return binToHex(encodeTransaction(transaction));
};

const outputAt = ({ outputs }: Transaction, index: number) => {
  const output = outputs[index];
  if (output === undefined) throw new Error('no output');
  return output;
};

test('spend-sign › given a changed output after the first signature › it is tx_mismatch', async (t) => {
  const { vault, spend, submit, submitRefused, signed, signaturesNow } = await proposed(t);
  await submit(alice, await signed(alice));
  const request = await vault.request(bob, spend['id']);
  for (const [change, found] of [
    [(transaction: Transaction) => (outputAt(transaction, 1).valueSatoshis -= 1n), /another output 1/],
    [
      (transaction: Transaction) =>
        (outputAt(transaction, 1).lockingBytecode = hexToBin(mallory.address('local').lockingBytecode)),
      /another output 1/,
    ],
    [(transaction: Transaction) => (outputAt(transaction, 2).valueSatoshis -= 1_000n), /another output 2/],
    [(transaction: Transaction) => transaction.outputs.push(outputAt(transaction, 1)), /another output 3/],
    [(transaction: Transaction) => transaction.outputs.pop(), /another output 2/],
    [(transaction: Transaction) => (transaction.locktime = 7), /locktime/],
  ] as const) {
    const error = await submitRefused(bob, signAstray(request, bob, change), 'tx_mismatch');
    t.regex(error.message, found);
  }
  t.is(await signaturesNow(), 1);
});

test('spend-sign › given another hash type than 0x61 › it is tx_script_failed', async (t) => {
  const { vault, spend, submitRefused, signaturesNow } = await proposed(t);
  const request = await vault.request(alice, spend['id']);
  for (const type of [0x41, 0xc1, 0xe1, 0x42, 0x43, 0x62, 0x63]) {
    const error = await submitRefused(
      alice,
      signAstray(request, alice, () => undefined, type),
      'tx_script_failed',
    );
    t.regex(error.message, /hash type/);
  }
  t.is(await signaturesNow(), 0);
});

test('spend-sign › given a signature of another spend, none, or no transaction › it is refused', async (t) => {
  const { vault, spend, treasury, submitRefused, signed } = await proposed(t);
  const request = (await vault.request(alice, spend['id'])) as WalletTransaction;
  await submitRefused(alice, request.transaction, 'tx_script_failed');
  await submitRefused(alice, 'zz', 'tx_malformed');
  await submitRefused(alice, '', 'tx_malformed');
  // The signature over another payment, put into this one.
  const mine = await signed(alice);
  const other = signAstray(request, alice, (transaction) => (outputAt(transaction, 1).valueSatoshis += 1n));
  const signatureOf = (raw: string) => /41([0-9a-f]{128})61/.exec(raw)?.[1] ?? '';
  const replayed = mine.replace(signatureOf(mine), signatureOf(other));
  t.not(replayed, mine);
  await submitRefused(alice, replayed, 'tx_script_failed');
  await treasury.refusal(
    t,
    alice,
    'vaults.spend-show',
    { id: vault.id, spendId: 'SPEND-0009' },
    'spend_not_found',
  );
});

test('spend-sign › given a wallet of this home › it signs and hands in; with --unsigned it only gives', async (t) => {
  const { treasury, spend, signaturesNow } = await proposed(t);
  const spendId = String(spend['label']).slice(1).toLowerCase();
  const given = await treasury.ask(bob, 'vaults.spend-sign', { spendId, unsigned: true });
  t.truthy(given['wcTransaction']);
  t.is(await signaturesNow(), 0);
  const once = await treasury.ask(bob, 'vaults.spend-sign', { spendId });
  t.like(once, { status: 'PENDING', signaturesNeeded: 1 });
  t.false('wcTransaction' in once);
  t.like(await treasury.ask(carol, 'vaults.spend-sign', { spendId }), { status: 'READY' });
  await treasury.refusal(t, mallory, 'vaults.spend-sign', { spendId }, 'not_vault_signer');
});

test('spend-broadcast › given two signatures › the money moves, the thread counts, and the record tells it', async (t) => {
  const { treasury, vault, path, spend } = await proposed(t);
  await vault.sign(alice, spend['id']);
  await vault.sign(carol, spend['id']);
  const sent = await treasury.ask(bob, 'vaults.spend-broadcast', path);
  t.like(sent, { status: 'SPENT', state: 'confirmed', retryable: false });
  t.deepEqual(await treasury.ask(alice, 'vaults.spend-broadcast', path), sent);
  t.is(await treasury.satoshisOf(dave), 3_000_000n);
  t.is(await vault.satoshis(), 7_000_000n - BigInt(Number(spend['fee'])));
  const shown = await vault.shown();
  t.like(shown, { spends: 1, thread: { commitment: '0101000000' } });
  t.like((shown['events'] as Json[])[0], {
    event_type: 'spent',
    amount: 0.03,
    tx_hash: sent['txHash'],
    details: { signers: [alice, carol].map((who) => treasury.addressOf(who).text).join(', ') },
  });
  t.like(await vault.shownSpend('spend-0001'), { status: 'SPENT', txHash: sent['txHash'] });
  await treasury.refusal(t, alice, 'vaults.spend-cancel', path, 'wrong_state');
});

/** A spend with both signatures, and the raw transaction that the second wallet gave back. */
const completed = async (t: ExecutionContext) => {
  const test = await proposed(t);
  await test.submit(alice, await test.signed(alice));
  const raw = await test.signed(bob);
  t.like(await test.submit(bob, raw), { status: 'READY' });
  return { ...test, raw };
};

test('spend-broadcast › given a coin that was spent elsewhere › it is coins_gone', async (t) => {
  const { treasury, vault, path, raw } = await completed(t);
  const { chain } = treasury.app.context;
  const cancelled = await treasury.ask(alice, 'vaults.spend-cancel', path);
  t.like(cancelled, { status: 'CANCELLED' });
  t.regex(String(cancelled['warning']), /can still send it/);
  const rival = await vault.propose([{ to: carol, amount: '0.02' }]);
  await vault.sign(alice, rival['id']);

  // Whoever held the cancelled one sends it after all: the chain has the last word.
  const txHash = await chain.broadcast(raw);
  t.like(await vault.shownSpend(path.spendId), { status: 'SPENT', txHash });
  t.like(await vault.shownSpend(rival['id']), { status: 'GONE' });
  const rivalPath = { id: vault.id, spendId: String(rival['id']) };
  for (const operation of ['spend-transaction', 'spend-broadcast']) {
    const error = await treasury.refusal(t, carol, `vaults.${operation}`, rivalPath, 'coins_gone');
    t.like(error.details, { label: '#SPEND-0002' });
  }
  t.like(await treasury.ask(carol, 'vaults.spend-cancel', rivalPath), { status: 'CANCELLED' });
  t.like(await vault.propose([{ to: carol, amount: '0.02' }]), { label: '#SPEND-0003', movesThread: true });
});

test('spend-broadcast › given a transaction that left the chain › the spend is READY, and can be sent again', async (t) => {
  const { treasury, vault, path } = await completed(t);
  const txid = await vault.broadcast(path.spendId);
  await (treasury.app.context.localChain as LocalChain).reorg(1, { drop: [txid] });
  t.like(await vault.shownSpend(path.spendId), { status: 'READY', txHash: null });
  t.like(await vault.shown(), { spends: 0, balance: 0.1 });
  t.is(await vault.broadcast(path.spendId), txid);
  t.like(await vault.shown(), { spends: 1 });
});

test('spend-confirm › given the transaction sent another way › it is SPENT, a second time too', async (t) => {
  const { treasury, vault, path, raw } = await completed(t);
  const txHash = await treasury.app.context.chain.broadcast(raw);
  const confirmed = await treasury.ask(carol, 'vaults.spend-confirm', { ...path, txHash });
  t.like(confirmed, { status: 'SPENT', state: 'confirmed', txHash });
  t.deepEqual(await treasury.ask(mallory, 'vaults.spend-confirm', { ...path, txHash }), confirmed);
  t.like(await vault.shown(), { spends: 1 });
});

test('spend-confirm › given another transaction › it is tx_mismatch', async (t) => {
  const { treasury, vault, path } = await completed(t);
  const txHash = String((await vault.shown())['tx_hash']);
  await treasury.refusal(t, alice, 'vaults.spend-confirm', { ...path, txHash }, 'tx_mismatch');
  t.like(await vault.shownSpend(path.spendId), { status: 'READY' });
});

test('spend-cancel › given an open spend › its coins are free, and it can be neither signed nor broadcast', async (t) => {
  const { treasury, path, vault, submitRefused, signed } = await proposed(t);
  const late = await signed(alice);
  await treasury.refusal(t, mallory, 'vaults.spend-cancel', path, 'not_vault_signer');
  const cancelled = await treasury.ask(bob, 'vaults.spend-cancel', path);
  t.like(cancelled, { status: 'CANCELLED' });
  t.false('warning' in cancelled);
  await treasury.refusal(t, alice, 'vaults.spend-transaction', path, 'wrong_state');
  await treasury.refusal(t, alice, 'vaults.spend-broadcast', path, 'wrong_state');
  await submitRefused(alice, late, 'wrong_state');
  t.like(await vault.propose([{ to: dave, amount: '0.03' }]), { movesThread: true });
});

test('spends › given another vault › its spends are not found in this one', async (t) => {
  const { treasury, path } = await proposed(t);
  const other = await treasury.ask(alice, 'vaults.create', vaultTerms());
  const foreign = { id: other['id'], spendId: path.spendId };
  await treasury.refusal(t, alice, 'vaults.spend-show', foreign, 'spend_not_found');
  t.like(await treasury.ask(alice, 'vaults.spend-list', { id: other['id'] }), { total: 0 });
});
