import test from 'ava';
import { addressOfHash, parseAddress } from '../../src/bch/address.js';
import { bytes, commitment } from '../../src/bch/commitment.js';
import { remembered } from '../../src/bch/remembered.js';
import { decodeSchedule, encodeSchedule } from '../../src/products/streams/schedule.js';

/** Work that counts how often it is done. */
const counted = (limit: number) => {
  const done: string[] = [];
  const ask = remembered(limit, (text) => {
    done.push(text);
    if (text === 'bad') throw new Error('bad');
    return text === 'none' ? null : Object.freeze({ text });
  });
  return { ask, done };
};

test('what follows from a text › asked for twice › it is worked out once', (t) => {
  const { ask, done } = counted(10);
  t.is(ask('a'), ask('a'));
  t.deepEqual(ask('b'), { text: 'b' });
  t.deepEqual(done, ['a', 'b']);
});

test('what follows from a text › given one of which nothing follows, or that throws › it is worked out anew', (t) => {
  const { ask, done } = counted(10);
  for (const _ of [1, 2]) {
    t.is(ask('none'), null);
    t.throws(() => ask('bad'), { message: 'bad' });
  }
  t.deepEqual(done, ['none', 'bad', 'none', 'bad']);
});

test('what follows from a text › given more texts than are kept › the oldest is worked out anew, and only that', (t) => {
  const { ask, done } = counted(2);
  for (const text of ['a', 'b', 'c', 'b', 'c', 'a']) ask(text);
  t.deepEqual(done, ['a', 'b', 'c', 'a']);
});

test('what follows from a text › given a state, a schedule and an address › nobody can change what others are given', (t) => {
  const layout = commitment({ status: 'u8', hash: bytes(20) });
  const hex = layout.encode({ status: 1, hash: '11'.repeat(20) });
  const segments = decodeSchedule(encodeSchedule([{ offset: 1, cumulative: 2n, step: 3 }]));
  const address = parseAddress(addressOfHash(new Uint8Array(20).fill(1), 'local').text);
  for (const shared of [layout.read(hex), segments, segments[0], address]) t.true(Object.isFrozen(shared));
  t.throws(() => Object.assign(layout.read(hex), { status: 0 }), { instanceOf: TypeError });
  t.is(layout.read(hex).status, 1);
});

test('what follows from a text › given an address with blanks around it, and another network › it is read, and refused, as ever', (t) => {
  const { text } = addressOfHash(new Uint8Array(20).fill(7), 'local');
  t.is(parseAddress(`  ${text}\n`).text, text);
  const error = t.throws(() => parseAddress(` ${text}`, 'mainnet'), { name: 'TreasuryError' });
  t.like(error, { code: 'invalid_address', details: { value: ` ${text}` } });
});
