import { binToHex, encodeDataPush, flattenBinArray } from '@bitauth/libauth';
import test from 'ava';
import { isOpenInput, joinInput } from '../../src/bch/combine-inputs.js';

const EMPTY = new Uint8Array();
const ZEROS = new Uint8Array(65);
const FILLER = new Uint8Array(65).fill(0xff);
const signature = (byte: number) => new Uint8Array(65).fill(byte);
const key = (byte: number) => new Uint8Array(33).fill(byte);
const script = (...pushes: readonly Uint8Array[]) => flattenBinArray(pushes.map(encodeDataPush));

const joined = (...copies: readonly Uint8Array[]) => joinInput(copies).map(binToHex);
const hex = (...pushes: readonly Uint8Array[]) => binToHex(script(...pushes));

test('join › given an empty copy and a signed one › it is the signed one', (t) => {
  t.deepEqual(joined(EMPTY, script(signature(1), key(1))), [hex(signature(1), key(1))]);
});

test('join › given copies that are alike › it is what they are', (t) => {
  t.deepEqual(joined(EMPTY, EMPTY), ['']);
  t.deepEqual(joined(script(ZEROS), script(ZEROS)), [hex(ZEROS)]);
});

test('join › given a placeholder and a signature › the signature fills it', (t) => {
  t.deepEqual(joined(script(ZEROS, key(0), key(9)), script(signature(1), key(1), key(9))), [
    hex(signature(1), key(1), key(9)),
  ]);
});

test('join › given two slots, each filled in another copy › both are filled', (t) => {
  const first = script(signature(1), key(1), FILLER, key(2));
  const second = script(FILLER, key(1), signature(2), key(2));
  t.deepEqual(joined(first, second), [hex(signature(1), key(1), signature(2), key(2))]);
});

test('join › given a key whose signature is to come › the other copy’s key counts', (t) => {
  const first = script(signature(1), key(1), FILLER, key(2));
  const third = script(FILLER, key(1), signature(3), key(3));
  t.deepEqual(joined(first, third), [hex(signature(1), key(1), signature(3), key(3))]);
});

test('join › given two signatures for one slot and room in the other › every order is an answer', (t) => {
  const second = script(FILLER, key(1), signature(2), key(2));
  const third = script(FILLER, key(1), signature(3), key(3));
  t.deepEqual(joined(second, third), [
    hex(signature(2), key(2), signature(3), key(3)),
    hex(signature(3), key(3), signature(2), key(2)),
  ]);
});

test('join › given more signatures than slots › there is no answer', (t) => {
  t.deepEqual(joined(script(signature(1), key(1)), script(signature(2), key(2))), []);
});

test('join › given two signatures of one key › there is no answer', (t) => {
  t.deepEqual(joined(script(signature(1), key(1)), script(signature(2), key(1))), []);
});

test('join › given arguments that differ › there is no answer', (t) => {
  t.deepEqual(joined(script(ZEROS, key(1), key(8)), script(ZEROS, key(1), key(9))), []);
  t.deepEqual(joined(script(ZEROS), script(ZEROS, key(1))), []);
});

test('open › an input that is empty, or has a placeholder or filler › waits', (t) => {
  for (const bytecode of [
    EMPTY,
    script(ZEROS),
    script(signature(1), key(1), FILLER, key(2)),
    script(key(0)),
  ]) {
    t.true(isOpenInput(bytecode));
  }
});

test('open › an input with its signatures › does not wait', (t) => {
  t.false(isOpenInput(script(signature(1), key(1))));
  t.false(isOpenInput(script(new Uint8Array(32))));
});
