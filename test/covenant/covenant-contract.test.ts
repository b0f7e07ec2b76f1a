import test from 'ava';
import { hexToBin } from '@bitauth/libauth';
import { newestFingerprint } from '../../src/covenant/artifact.js';
import { bindContract } from '../../src/covenant/covenant-contract.js';
import { reserveLock } from '../../src/covenant/reserve.js';

const pinned = newestFingerprint('token-reserve');
const category = new Uint8Array(32).fill(0x11);
const lock = hexToBin(`aa20${'22'.repeat(32)}87`);

test('contract › given the same terms once more › it is not bound again', (t) => {
  const first = bindContract({ name: 'token-reserve', pinned }, [category, lock], 'local');
  const again = bindContract({ name: 'token-reserve', pinned }, [category.slice(), lock.slice()], 'local');
  t.is(again, first);
  // Put together as the covenants do it themselves.
  t.is(again.lockingBytecode, reserveLock('11'.repeat(32), `aa20${'22'.repeat(32)}87`));
});

test('contract › given another network, parameter or order › it is another contract', (t) => {
  const bound = bindContract({ name: 'token-reserve', pinned }, [category, lock], 'local');
  const elsewhere = bindContract({ name: 'token-reserve', pinned }, [category, lock], 'mainnet');
  t.is(elsewhere.lockingBytecode, bound.lockingBytecode);
  t.not(elsewhere.address.text, bound.address.text);
  const other = bindContract({ name: 'token-reserve', pinned }, [category.with(31, 0), lock], 'local');
  t.not(other.lockingBytecode, bound.lockingBytecode);
  t.throws(() => bindContract({ name: 'token-reserve', pinned }, [lock, category], 'local'));
});

test('contract › given an integer that reads as bound bytes do › it is refused', (t) => {
  const bytes = new Uint8Array(32).fill(0x11);
  t.truthy(bindContract({ name: 'token-reserve', pinned }, [bytes, lock], 'local'));
  t.throws(() => bindContract({ name: 'token-reserve', pinned }, [BigInt('11'.repeat(32)), lock], 'local'));
});

test('contract › given more terms than are kept › the oldest are bound anew, and are the same', (t) => {
  const nth = (number: number) =>
    bindContract(
      { name: 'token-reserve', pinned },
      [category.with(0, number % 256).with(1, number >> 8), lock],
      'local',
    );
  const first = nth(0);
  for (let number = 1; number <= 500; number += 1) nth(number);
  const anew = nth(0);
  t.not(anew, first);
  t.is(anew.address.text, first.address.text);
});
