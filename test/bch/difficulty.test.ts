import { readFileSync } from 'node:fs';
import test from 'ava';
import {
  compactOf,
  DIFFICULTY_RULES,
  hasWork,
  nextBits,
  targetOf,
  workOf,
} from '../../src/bch/difficulty.js';

type Run = {
  readonly description: string;
  readonly anchorHeight: string;
  readonly anchorParentTime: number;
  readonly anchorBits: string;
  readonly rows: readonly (readonly [height: string, time: number, bits: string])[];
};

const { runs } = JSON.parse(readFileSync('fixtures/asert-vectors.json', 'utf8')) as {
  readonly runs: readonly Run[];
};
const { mainnet, testnet4 } = DIFFICULTY_RULES;
const hex = (bits: number): string => `0x${bits.toString(16).padStart(8, '0')}`;

for (const { description, anchorHeight, anchorParentTime, anchorBits, rows } of runs) {
  test(`difficulty › given the public vectors › ${description}`, (t) => {
    const rule = {
      anchor: { height: Number(anchorHeight), bits: Number(anchorBits), parentTime: anchorParentTime },
      halfLife: 172_800,
      easiest: 0x1d00ffff,
    };
    t.true(rows.length > 0);
    for (const [height, time, bits] of rows) {
      t.is(hex(nextBits(rule, BigInt(height), time)), bits, `after block ${height}`);
    }
  });
}

test('difficulty › given a test network › it halves within an hour', (t) => {
  if (testnet4 === null) throw new Error('testnet4 has a rule');
  const { anchor, halfLife } = testnet4;
  t.is(halfLife, 3_600);
  const onSchedule = anchor.parentTime + 1_200;
  const hard = { ...testnet4, anchor: { ...anchor, bits: 0x1b00ffff } };
  const height = BigInt(anchor.height + 1);
  t.is(
    targetOf(nextBits(hard, height, onSchedule + 3_600)),
    2n * targetOf(nextBits(hard, height, onSchedule)),
  );
});

test('compact targets › read and written again, they are the same', (t) => {
  for (const bits of [0x01010000, 0x02008000, 0x0300fec5, 0x1804dafe, 0x1d00ffff, 0x207fffff]) {
    t.is(hex(compactOf(targetOf(bits))), hex(bits));
  }
  t.is(targetOf(0x04923456), 0n, 'a negative target is none');
});

// Source: the genesis block of the main chain.
const GENESIS_HASH = '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f';

test('work › given the genesis block › its hash has the work that its bits ask for, and no more than that', (t) => {
  t.true(hasWork(GENESIS_HASH, 0x1d00ffff));
  t.false(hasWork(GENESIS_HASH, 0x1804dafe));
  t.is(workOf(0x1d00ffff), 0x1_0001_0001n);
  t.is(workOf(0x207fffff), 2n);
});

test('work › given the anchor of mainnet › its hash has the work that its bits ask for', (t) => {
  if (mainnet?.anchorHash == null) throw new Error('mainnet has an anchor');
  t.true(hasWork(mainnet.anchorHash, mainnet.anchor.bits));
});
