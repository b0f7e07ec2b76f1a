/** What a wallet may have changed of what it was asked to sign: its own holes, and nothing else. */
import { encodeTransaction, hexToBin } from '@bitauth/libauth';
import test from 'ava';
import { AnswerDiffers, checkWalletAnswer, inputsToSign } from '../../src/bch/wallet-answer.js';
import { addressOfPublicKey } from '../../src/bch/keys.js';
import { decodeRaw, encodeRaw } from '../../src/bch/transaction.js';
import { encodeWalletTransaction, type SigningRequest } from '../../src/bch/wallet-transaction.js';
import { foreignKey, keyOf } from '../phone/key.js';
import { answerTransaction, HARMLESS, LIES, type Lie, type LieOptions } from '../phone/lies.js';
import { contractSpendOf, paymentOf } from '../phone/requests.js';
import { readAsked } from '../phone/signing.js';

const key = keyOf(new Uint8Array(32).fill(7));
const address = addressOfPublicKey(key.publicKey, 'local');
const recipient = addressOfPublicKey(foreignKey.publicKey, 'local');
const owner = { address, publicKey: key.publicKey };
const pen = { key, own: key.lockingBytecode, manner: {} };

const answer = (request: SigningRequest, lie?: Lie, options: LieOptions = {}): string | null => {
  const asked = readAsked(encodeWalletTransaction(request));
  try {
    return answerTransaction(asked, pen, lie, options)?.signedTransaction ?? null;
  } catch {
    return null;
  }
};

/** Why an answer is refused; null: it is not. */
const refusal = (request: SigningRequest, signed: string): string | null => {
  try {
    checkWalletAnswer(request, signed, owner);
    return null;
  } catch (error) {
    if (error instanceof AnswerDiffers) return error.message;
    throw error;
  }
};

const spend = contractSpendOf(address.text, recipient.text);

/** The same with two coins and tokens in the first output. */
const tokens: SigningRequest = (() => {
  const payment = paymentOf(address.text, recipient.text);
  const [coin] = payment.sourceOutputs;
  const [input] = payment.transaction.inputs;
  const [first, ...rest] = payment.transaction.outputs;
  if (coin === undefined || input === undefined || first === undefined) throw new Error('a payment has both');
  const token = { amount: 5n, category: new Uint8Array(32).fill(3) };
  const another = { ...input, outpointIndex: 7 };
  return {
    ...payment,
    transaction: {
      ...payment.transaction,
      inputs: [input, another],
      outputs: [{ ...first, token }, ...rest],
    },
    sourceOutputs: [
      { ...coin, token },
      { ...coin, ...another },
    ],
  };
})();

test('an honest answer › given a payment, a contract, tokens › it is taken, and its id is worked out', (t) => {
  for (const request of [paymentOf(address.text, recipient.text), spend, tokens]) {
    const honest = answer(request) ?? '';
    const checked = checkWalletAnswer(request, honest, owner);
    t.true(checked.isComplete);
    t.is(checked.signedInputs, request.transaction.inputs.length);
    t.is(checked.transaction, honest);
    t.deepEqual(
      inputsToSign(request, owner),
      request.transaction.inputs.map((_, index) => index),
    );
  }
});

test('a lie › given each, told of each input and output, before it is signed and after › it is refused in words', (t) => {
  const told = new Set<Lie>();
  for (const request of [spend, tokens])
    for (const lie of LIES)
      for (const index of [0, 1])
        for (const after of [false, true]) {
          const signed = answer(request, lie, { index, after });
          if (signed === null) continue;
          told.add(lie);
          const isHarmless = HARMLESS.some((one) => one === lie);
          const said = refusal(request, signed);
          t.is(said === null, isHarmless, `${lie} of ${index}, after: ${after}: ${said}`);
        }
  // The last one needs a coin of somebody else.
  t.deepEqual(
    LIES.filter((lie) => !told.has(lie)),
    ['foreignInput'],
  );
});

test('a sighash type › given any but ALL, UTXOS and FORKID › it is refused', (t) => {
  for (const type of [0x01, 0x41, 0x42, 0x43, 0x62, 0x63, 0xc1, 0xe1]) {
    const signed = answer(spend, 'sighashType', { type });
    t.regex(refusal(spend, signed ?? '') ?? '', /hash type/, type.toString(16));
  }
});

test('inputs of others › given one that is empty › it stays empty, and the whole is not complete', (t) => {
  const theirs = paymentOf(recipient.text, address.text);
  const [input] = theirs.transaction.inputs;
  const [source] = theirs.sourceOutputs;
  if (input === undefined || source === undefined) throw new Error('a payment has both');
  const own = paymentOf(address.text, recipient.text);
  const moved = { ...input, outpointIndex: 3 };
  const request: SigningRequest = {
    ...own,
    transaction: { ...own.transaction, inputs: [...own.transaction.inputs, moved] },
    sourceOutputs: [...own.sourceOutputs, { ...source, ...moved }],
  };
  t.deepEqual(inputsToSign(request, owner), [0]);
  const signed = answer(request) ?? '';
  const checked = checkWalletAnswer(request, signed, owner);
  t.like(checked, { isComplete: false, signedInputs: 1 });
  const lie = answer(request, 'foreignInput') ?? '';
  t.regex(refusal(request, lie) ?? '', /input 1, which is not this wallet's/);
});

test('a hole that stays open › given a contract that was not signed › it says which input', (t) => {
  const payment = decodeRaw(answer(spend) ?? '');
  const inputs = payment.inputs.map((input, index) =>
    index === 1
      ? {
          ...input,
          unlockingBytecode: spend.transaction.inputs[1]?.unlockingBytecode ?? input.unlockingBytecode,
        }
      : input,
  );
  t.is(refusal(spend, encodeRaw({ ...payment, inputs })), 'input 1 is not signed');
});

test('bytes › given every single bit of an answer turned › none is taken', (t) => {
  const signed = hexToBin(answer(spend) ?? '');
  t.deepEqual(encodeTransaction(decodeRaw(answer(spend) ?? '')), signed);
  for (let place = 0; place < signed.length; place += 1) {
    const bent = Uint8Array.from(signed, (byte, index) =>
      index === place ? byte ^ (1 << (place % 8)) : byte,
    );
    t.not(refusal(spend, Buffer.from(bent).toString('hex')), null, String(place));
  }
});
