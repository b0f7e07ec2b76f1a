import test from 'ava';
import { alice, bob, carol, dave, mallory } from '../../../fixtures/people.js';
import { TreasuryError, type ErrorCode } from '../../../src/errors.js';
import {
  checkSpendStatus,
  checkVaultReader,
  holdersOf,
  isFree,
  roleIn,
} from '../../../src/products/vaults/rules.js';
import { SPEND_MOVES, SPEND_STATUSES, type SpendMove } from '../../../src/products/vaults/spend.js';

const addressOf = (who: typeof alice) => who.address('local').text;
const members = {
  id: 'v',
  is_public: false,
  creator: addressOf(alice),
  signers: [bob, carol, dave].map(addressOf),
  viewers: [addressOf(mallory)],
};

test('role › the highest counts, and strangers have none', (t) => {
  t.is(roleIn(members, addressOf(alice)), 'creator');
  t.is(roleIn({ ...members, signers: [addressOf(alice)] }, addressOf(alice)), 'creator');
  t.is(roleIn({ ...members, viewers: [addressOf(bob)] }, addressOf(bob)), 'signer');
  t.is(roleIn(members, addressOf(mallory)), 'viewer');
  t.is(roleIn({ ...members, viewers: [] }, addressOf(mallory)), null);
  t.is(roleIn(members, null), null);
});

test('reader › members read a private vault, everybody a public one', (t) => {
  for (const who of [alice, bob, mallory]) {
    t.notThrows(() => {
      checkVaultReader(members, who.address('local'));
    });
  }
  const outsider = { ...members, viewers: [] };
  for (const caller of [mallory.address('local'), null]) {
    const error = t.throws(
      () => {
        checkVaultReader(outsider, caller);
      },
      { instanceOf: TreasuryError },
    );
    t.is(error.code, 'private_vault');
    t.notThrows(() => {
      checkVaultReader({ ...outsider, is_public: true }, caller);
    });
  }
});

for (const move of Object.keys(SPEND_MOVES) as SpendMove[]) {
  for (const status of SPEND_STATUSES) {
    const allowed: readonly string[] = SPEND_MOVES[move];
    const code: ErrorCode | null = allowed.includes(status)
      ? null
      : status === 'GONE'
        ? 'coins_gone'
        : 'wrong_state';
    test(`spend › ${move} when ${status} › ${code ?? 'allowed'}`, (t) => {
      const check = () => {
        checkSpendStatus({ label: '#SPEND-0001', status, gone: 'aa:0' }, move);
      };
      if (code === null) t.notThrows(check);
      else t.is(t.throws(check, { instanceOf: TreasuryError }).code, code);
    });
  }
}

test('lease › a coin of an open spend is held by it, and no other is', (t) => {
  const coin = (vout: number) => ({ txid: 'aa', vout, satoshis: 1n, lockingBytecode: '', height: null });
  const open = [
    { label: '#SPEND-0001', coins: [coin(0), coin(1)] },
    { label: '#SPEND-0002', coins: [coin(2)] },
  ];
  t.deepEqual(
    [0, 1, 2, 3].map((vout) => isFree(open)(coin(vout))),
    [false, false, false, true],
  );
  t.deepEqual(holdersOf(open, [coin(2), coin(3)]), ['#SPEND-0002']);
  t.deepEqual(holdersOf(open, [coin(3)]), []);
});
