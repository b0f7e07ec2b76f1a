import test from 'ava';
import { newestFingerprint } from '../../../src/covenant/artifact.js';
import {
  ballotState,
  decodeBallot,
  encodeBallot,
  proposalHash,
} from '../../../src/products/governance/state.js';
import { voteIdOf, voteLockContract, checkVoteLockTerms } from '../../../src/products/governance/contract.js';
import { alice, bob } from '../../../fixtures/people.js';

const HASH = 'ab'.repeat(20);

for (const [choice, byte] of [
  ['AGAINST', '00'],
  ['FOR', '01'],
  ['ABSTAIN', '02'],
] as const) {
  test(`ballot › ${choice} is written byte by byte, and read back`, (t) => {
    const hex = `01${byte}581b000000000000${HASH}`;
    const ballot = { choice, stake: 7_000n, proposal: HASH };
    t.is(encodeBallot(ballot), hex);
    t.deepEqual(decodeBallot(hex), ballot);
  });
}

test('ballot › it has 30 bytes at the offsets of the contract’s head comment', (t) => {
  t.is(ballotState.size, 30);
  t.deepEqual(ballotState.offsets, {
    version: { offset: 0, size: 1 },
    choice: { offset: 1, size: 1 },
    stake: { offset: 2, size: 8 },
    proposal: { offset: 10, size: 20 },
  });
});

for (const [name, hex] of [
  ['another version', `0201581b000000000000${HASH}`],
  ['a fourth choice', `0103581b000000000000${HASH}`],
  ['a byte too few', `0101581b000000000000${HASH.slice(2)}`],
  ['a byte too many', `0101581b000000000000${HASH}00`],
  ['a negative stake', `0101581b000000000080${HASH}`],
] as const) {
  test(`ballot › ${name} is none`, (t) => {
    t.is(decodeBallot(hex), null);
  });
}

test('proposalHash › it is hash160 of the id', (t) => {
  // RIPEMD160(SHA256("")), as published with both functions.
  t.is(proposalHash(''), 'b472a266d0bd89c13706a4132ccfb16f7c3b9fcb');
});

const terms = {
  artifact_fingerprint: newestFingerprint('vote-lock'),
  proposal_id: '0b7e9b3e-0000-4000-8000-000000000001',
  voter: alice.address('local').text,
  unlock_time: 1_780_272_000,
};

test('voteIdOf › every term changes it and the address', (t) => {
  const variants = [
    terms,
    { ...terms, proposal_id: '0b7e9b3e-0000-4000-8000-000000000002' },
    { ...terms, voter: bob.address('local').text },
    { ...terms, unlock_time: terms.unlock_time + 1 },
  ];
  t.is(new Set(variants.map(voteIdOf)).size, variants.length);
  const addresses = variants.map((variant) => voteLockContract(variant, 'local').address.text);
  t.is(new Set(addresses).size, variants.length);
});

test('checkVoteLockTerms › a voter is one key, and the end lies within the range of times', (t) => {
  const failed = (changes: Partial<typeof terms>) =>
    checkVoteLockTerms({ ...terms, ...changes })
      .filter(({ ok }) => !ok)
      .map(({ check }) => check);
  t.deepEqual(failed({}), []);
  t.deepEqual(failed({ voter: voteLockContract(terms, 'local').address.text }), ['voterAddress']);
  t.deepEqual(failed({ unlock_time: 499_999_999 }), ['unlockTime']);
  t.deepEqual(failed({ unlock_time: 4_000_000_001 }), ['unlockTime']);
});
