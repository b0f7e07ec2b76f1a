import { readdirSync } from 'node:fs';
import test from 'ava';
import { hexToBin } from '@bitauth/libauth';
import { Contract } from 'cashscript';
import {
  ARTIFACT_NAMES,
  loadArtifact,
  newestFingerprint,
  type ArtifactName,
} from '../../src/covenant/artifact.js';
import { bindContract, offline } from '../../src/covenant/covenant-contract.js';
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

const PUBLISHED = new URL('../../contracts/artifacts/published', import.meta.url).pathname;

/** Each version of a contract that was ever published, and the newest. */
const versionsOf = (name: ArtifactName): readonly string[] => [
  newestFingerprint(name),
  ...readdirSync(`${PUBLISHED}/${name}`).map((file) => file.replace('.json', '')),
];

const INTEGERS = [
  0n,
  1n,
  -1n,
  16n,
  17n,
  127n,
  128n,
  255n,
  256n,
  65_535n,
  1_780_272_000n,
  2_099_999_997_690_000n,
];
const LENGTHS = [0, 1, 2, 20, 75, 76, 255, 256, 400];

/** Parameters of a contract: `turn` decides what they are. */
const parametersOf = (name: ArtifactName, fingerprint: string, turn: number): (Uint8Array | bigint)[] =>
  loadArtifact(name, fingerprint).constructorInputs.map(({ type }, index) => {
    if (type === 'int') return INTEGERS[(turn + index) % INTEGERS.length] ?? 0n;
    const [, bound] = /^bytes(\d+)$/.exec(type) ?? [];
    const length = bound === undefined ? (LENGTHS[(turn + index) % LENGTHS.length] ?? 0) : Number(bound);
    return new Uint8Array(length).map((_, at) => (turn * 31 + index * 7 + at) % 256);
  });

for (const name of ARTIFACT_NAMES) {
  test(`contract › given any terms of a ${name}, in each of its versions › it lies where CashScript's own does`, (t) => {
    for (const fingerprint of versionsOf(name)) {
      for (let turn = 0; turn < INTEGERS.length * LENGTHS.length; turn += 1) {
        const parameters = parametersOf(name, fingerprint, turn);
        const bound = bindContract({ name, pinned: fingerprint }, parameters, 'chipnet');
        const own = new Contract(loadArtifact(name, fingerprint), parameters, {
          provider: offline('chipnet'),
          addressType: 'p2sh32',
        });
        if (bound.address.text !== own.address) t.fail(`${parameters.join()}: ${bound.address.text}`);
        if (bound.address.tokenText !== own.tokenAddress) t.fail(bound.address.tokenText);
      }
    }
    t.pass();
  });
}

test('contract › given too few terms › it is refused', (t) => {
  t.throws(() => bindContract({ name: 'token-reserve', pinned }, [category], 'local'));
});
