import test from 'ava';
import {
  isSigned,
  newestPrice,
  readPriceMessage,
  refusalOf,
  STALE_SECONDS,
} from '../../../src/adapters/price-sources/oracle.js';
import { encodeMessage, forgedMessage, ORACLE_KEY, signedMessage } from './oracle-messages.js';

const NOW = 1_780_272_000;

test('oracle message › given four little-endian fields › they are read in the order of the specification', (t) => {
  const hex = '80c31c6a' + '10270000' + 'e8030000' + '12a10000';
  t.like(readPriceMessage(hex, 'aa'), {
    timestamp: 0x6a1cc380,
    sequence: 10_000,
    priceSequence: 1_000,
    cents: 41_234,
    messageHex: hex,
    signatureHex: 'aa',
  });
});

for (const [name, fields] of [
  ['a negative price number, which is metadata', { priceSequence: -3 }],
  ['the price number zero', { priceSequence: 0 }],
  ['a negative price', { cents: -41_234 }],
  ['the price zero', { cents: 0 }],
] as const) {
  test(`oracle message › given ${name} › it is no price`, (t) => {
    t.is(readPriceMessage(encodeMessage({ timestamp: NOW, ...fields }), ''), null);
  });
}

test('oracle message › given another length than 16 bytes › it is no price', (t) => {
  const hex = encodeMessage({ timestamp: NOW });
  t.not(readPriceMessage(hex, ''), null);
  t.is(readPriceMessage(`${hex}00`, ''), null);
  t.is(readPriceMessage(hex.slice(2), ''), null);
});

test('oracle signature › it is Schnorr over the sha256 of the message, by the configured key alone', (t) => {
  const { message: messageHex, signature: signatureHex } = signedMessage({ timestamp: NOW });
  t.true(isSigned({ messageHex, signatureHex }, ORACLE_KEY));
  t.false(isSigned({ messageHex: encodeMessage({ timestamp: NOW + 1 }), signatureHex }, ORACLE_KEY));
  t.false(isSigned({ messageHex, signatureHex: signatureHex.slice(2) }, ORACLE_KEY));
  const forged = forgedMessage({ timestamp: NOW });
  t.false(isSigned({ messageHex: forged.message, signatureHex: forged.signature }, ORACLE_KEY));
});

test('newest price › given messages in any order, metadata among them › it is the price with the highest number', (t) => {
  const messages = [
    signedMessage({ timestamp: NOW, sequence: 5, cents: 100 }),
    signedMessage({ timestamp: NOW, sequence: 8, cents: 300 }),
    signedMessage({ timestamp: NOW, sequence: 9, priceSequence: -1, cents: 900 }),
    signedMessage({ timestamp: NOW, sequence: 7, cents: 200 }),
  ];
  t.is(newestPrice(messages, ORACLE_KEY)?.cents, 300);
});

test('newest price › given a newer forgery › the genuine one is taken', (t) => {
  const messages = [
    forgedMessage({ timestamp: NOW, sequence: 9, cents: 1 }),
    signedMessage({ timestamp: NOW, sequence: 8, cents: 300 }),
  ];
  t.is(newestPrice(messages, ORACLE_KEY)?.cents, 300);
});

test('newest price › given messages of another key › there is none', (t) => {
  const message = signedMessage({ timestamp: NOW });
  t.is(newestPrice([{ ...message, publicKey: `02${'11'.repeat(32)}` }], ORACLE_KEY), null);
});

const priceAt = (timestamp: number, numbers: { sequence?: number; priceSequence?: number } = {}) => {
  const price = readPriceMessage(encodeMessage({ timestamp, ...numbers }), '');
  if (price === null) throw new Error('no price');
  return price;
};

test('refusal › given a price of ten minutes › it is good; one second more, and it is stale', (t) => {
  t.is(refusalOf(priceAt(NOW - STALE_SECONDS), null, NOW), null);
  t.regex(refusalOf(priceAt(NOW - STALE_SECONDS - 1), null, NOW) ?? '', /601 s old/);
});

test('refusal › given a price more than ten minutes ahead › it is refused', (t) => {
  t.is(refusalOf(priceAt(NOW + STALE_SECONDS), null, NOW), null);
  t.regex(refusalOf(priceAt(NOW + STALE_SECONDS + 1), null, NOW) ?? '', /future/);
});

test('refusal › given a number behind the last one taken › it is refused; the same one is good', (t) => {
  const earlier = { sequence: 1_000, priceSequence: 900 };
  t.is(refusalOf(priceAt(NOW), earlier, NOW), null);
  t.regex(refusalOf(priceAt(NOW, { sequence: 999 }), earlier, NOW) ?? '', /went back/);
  t.regex(refusalOf(priceAt(NOW, { sequence: 1_001, priceSequence: 899 }), earlier, NOW) ?? '', /went back/);
});
