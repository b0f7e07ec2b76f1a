/** What a wallet has signed, checked for somebody who asks over HTTP: lies of the wallet, and of whoever asks. */
import test, { type ExecutionContext } from 'ava';
import { alice, bob, type Person } from '../../fixtures/people.js';
import { hexOf } from '../../src/bch/hex.js';
import { encodeWif } from '../../src/bch/keys.js';
import { decodeWalletTransaction } from '../../src/bch/wallet-transaction.js';
import { checkAnswer } from '../../src/home/transactions/check.js';
import { sign } from '../../src/home/transactions/sign.js';
import { importWallet } from '../../src/home/wallets/secrets.js';
import { send } from '../../src/home/wallets/send.js';
import { isTreasuryError } from '../../src/errors.js';
import { openTestHome, type TestHome } from '../home.js';
import { keyOf } from '../phone/key.js';
import { answerTransaction } from '../phone/lies.js';
import { readAsked } from '../phone/signing.js';
import { HARMFUL } from '../phone/tell-lies.js';

type Json = Readonly<Record<string, unknown>>;

const of = (who: Person) => who.address('local');
const key = keyOf(alice.privateKey);
const pen = { key, own: key.lockingBytecode, manner: {} };

/** A payment of Alice to Bob that is asked of her wallet, and how the wallet answers. */
const withPayment = async (t: ExecutionContext) => {
  const home = await openTestHome(t);
  await home.ask(importWallet, { name: 'alice', secret: encodeWif(alice.privateKey, 'local') });
  await home.embedded.faucet(of(alice).lockingBytecode, 1_000_000n);
  const built = await home.ask(send.build, { to: of(bob).text, amount: '0.001' }, of(alice));
  const asked = built['wcTransaction'] as Json;
  const answer = answerTransaction(readAsked(asked), pen)?.signedTransaction ?? '';
  return { home, asked, answer, address: of(alice).text };
};

const codeOf = async (home: TestHome, input: Record<string, unknown>): Promise<string> => {
  try {
    await home.ask(checkAnswer, input);
    return 'none';
  } catch (error) {
    if (isTreasuryError(error)) return error.code;
    throw error;
  }
};

test('check › given what was asked, signed › its id, its key and its digest, and the chain takes it', async (t) => {
  const { home, asked, answer, address } = await withPayment(t);
  const reply = await home.ask(checkAnswer, { asked, answer: answer.toUpperCase(), address });
  t.like(reply, { transaction: answer, complete: true, signedInputs: 1, publicKey: hexOf(alice.publicKey) });
  t.is(reply['digest'], asked['digest']);
  t.is(await home.chain.broadcast(String(reply['transaction'])), String(reply['txHash']));
  // Sent already, it is still what was asked.
  t.is(await codeOf(home, { asked, answer, address }), 'none');
});

test('check › given what treasury signed, and a whole reply as what was asked › it is found right too', async (t) => {
  const { home, asked, address } = await withPayment(t);
  const { transaction } = await home.ask(sign, { file: asked }, of(alice));
  t.is(await codeOf(home, { asked: { wcTransaction: asked }, answer: transaction, address }), 'none');
});

test('check › given each lie of a wallet › none passes', async (t) => {
  const { home, asked, address } = await withPayment(t);
  const told: string[] = [];
  for (const lie of HARMFUL) {
    for (const after of [false, true]) {
      let answer: string | undefined;
      try {
        answer = answerTransaction(readAsked(asked), pen, lie, { after })?.signedTransaction;
      } catch {
        // A lie that cannot be told of this transaction.
      }
      if (answer === undefined) continue;
      told.push(lie);
      const code = await codeOf(home, { asked, answer, address });
      const refusals = ['wallet_answer_differs', 'wallet_account_mismatch', 'invalid_input'];
      t.true(refusals.includes(code), `${lie}: ${code}`);
    }
  }
  t.true(told.length > 20);
});

test('check › given somebody else’s address › the key that has signed is another', async (t) => {
  const { home, asked, answer } = await withPayment(t);
  // Nothing of it is Bob's to sign: whatever differs was not asked of him.
  t.is(await codeOf(home, { asked, answer, address: of(bob).text }), 'wallet_answer_differs');
  const foreign = answerTransaction(readAsked(asked), pen, 'foreignKey')?.signedTransaction ?? '';
  const error = await home.refusal(t, 'wallet_account_mismatch', checkAnswer, {
    asked,
    answer: foreign,
    address: of(alice).text,
  });
  t.is(error.details['expected'], of(alice).text);
  t.not(error.details['found'], of(alice).text);
});

test('check › given a document that is bent as the answer is › the chain knows better', async (t) => {
  const { home, asked, address } = await withPayment(t);
  const bend = (change: (text: string) => string): Json =>
    JSON.parse(change(JSON.stringify(asked)), (name, value: unknown) =>
      name === 'digest' ? undefined : value,
    ) as Json;
  const answerTo = (document: Json): string =>
    answerTransaction(readAsked(document), pen)?.signedTransaction ?? '';
  // The coin holds more than it does, so that the fee looks small.
  const richer = bend((text) => text.replaceAll('<bigint: 1000000n>', '<bigint: 9000000n>'));
  t.notDeepEqual(
    richer,
    bend((text) => text),
  );
  t.is(await codeOf(home, { asked: richer, answer: answerTo(richer), address }), 'tx_malformed');
  // A coin that is nowhere.
  const { transaction } = decodeWalletTransaction(asked);
  const [input] = transaction.inputs;
  const own = hexOf(input?.outpointTransactionHash ?? new Uint8Array());
  const backwards = (hex: string): string => (hex.match(/../g) ?? []).reverse().join('');
  const nowhere = bend((text) =>
    text.replaceAll(own, '77'.repeat(32)).replaceAll(backwards(own), '77'.repeat(32)),
  );
  t.is(await codeOf(home, { asked: nowhere, answer: answerTo(nowhere), address }), 'tx_missing_inputs');
});

test('check › given another digest than that of the transaction › it is tx_malformed', async (t) => {
  const { home, asked, answer, address } = await withPayment(t);
  const digest = `0000${String(asked['digest']).slice(4)}`;
  t.is(await codeOf(home, { asked: { ...asked, digest }, answer, address }), 'tx_malformed');
  const { digest: _, ...silent } = asked;
  t.is(await codeOf(home, { asked: silent, answer, address }), 'none');
});

test('check › given what is no transaction, or the address of a contract › it is said', async (t) => {
  const { home, asked, answer, address } = await withPayment(t);
  t.is(await codeOf(home, { asked: { hello: 1 }, answer, address }), 'tx_malformed');
  t.is(await codeOf(home, { asked: answer, answer, address }), 'invalid_input');
  // What is text in text was not looked at for how deep it goes.
  const deep = '['.repeat(50_000) + ']'.repeat(50_000);
  for (const bent of [{ transaction: deep }, { sourceOutputs: deep }, { transaction: {} }])
    t.is(await codeOf(home, { asked: { ...asked, ...bent }, answer, address }), 'tx_malformed');
  t.is(await codeOf(home, { asked, answer: 'xyz', address }), 'wallet_answer_differs');
  const contract = 'bchtest:pvqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq2cdvmx2y';
  t.true(
    ['invalid_address', 'invalid_input'].includes(await codeOf(home, { asked, answer, address: contract })),
  );
});

test('check › given more inputs than are looked up › it is invalid_input, and the chain is not asked', async (t) => {
  const { home, asked, answer, address } = await withPayment(t);
  const request = decodeWalletTransaction(asked);
  const [input] = request.transaction.inputs;
  const [source] = asked['sourceOutputs'] as readonly Json[];
  if (input === undefined || source === undefined) throw new Error('a payment spends a coin');
  const transaction = {
    ...request.transaction,
    inputs: Array.from({ length: 129 }, (_, outpointIndex) => ({ ...input, outpointIndex })),
  };
  const { encodeRaw } = await import('../../src/bch/transaction.js');
  const many = {
    transaction: encodeRaw(transaction),
    sourceOutputs: transaction.inputs.map(({ outpointIndex }) => ({ ...source, outpointIndex })),
    broadcast: false,
  };
  const error = await home.refusal(t, 'invalid_input', checkAnswer, { asked: many, answer, address });
  t.regex(error.message, /129 inputs: at most 128/);
});
