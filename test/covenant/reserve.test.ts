import { binToHex, hash256, hexToBin } from '@bitauth/libauth';
import test from 'ava';
import fc from 'fast-check';
import { sumTokens, type Coin, type Token } from '../../src/bch/coins.js';
import { reserveCoins, reserveContract, reserveLock, reserveOutput } from '../../src/covenant/reserve.js';

fc.configureGlobal({ seed: 20_260_601 });

const thread = `${'aa'.repeat(31)}01`;
const covenantLock = `aa20${'11'.repeat(32)}87`;
const category = 'cc'.repeat(32);

const held = (number: number, amount: bigint, rest: Partial<Token> = {}): Coin => ({
  txid: number.toString(16).padStart(64, '0'),
  vout: 1,
  satoshis: 1_000n,
  lockingBytecode: 'aa',
  height: null,
  token: { category, amount, ...rest },
});

test('reserve › given a thread and a covenant › its address is the one that covenants assemble themselves', (t) => {
  // Source: contracts/token-reserve.cash, and `reserve` in contracts/rewards/reward-campaign.cash.
  const scriptOrder = binToHex(hexToBin(thread).reverse());
  const redeem = hexToBin(`23${covenantLock}20${scriptOrder}00ce7c517e8800c787`);
  const { lockingBytecode } = reserveContract(thread, covenantLock, 'local');
  t.is(lockingBytecode, `aa20${binToHex(hash256(redeem))}87`);
  t.is(reserveLock(thread, covenantLock), lockingBytecode);
});

test('reserve › given another thread or another covenant › it is another address', (t) => {
  const locks = [
    reserveContract(thread, covenantLock, 'local'),
    reserveContract(category, covenantLock, 'local'),
    reserveContract(thread, `aa20${'12'.repeat(32)}87`, 'local'),
  ].map(({ lockingBytecode }) => lockingBytecode);
  t.is(new Set(locks).size, 3);
});

test('reserve output › given an amount › it is those tokens with dust', (t) => {
  const reserve = reserveContract(thread, covenantLock, 'local');
  t.deepEqual(reserveOutput(reserve, category, 7n), {
    lockingBytecode: reserve.lockingBytecode,
    satoshis: 1_000n,
    token: { category, amount: 7n },
  });
});

test('reserve coins › given a decoy beside the reserve › the reserve alone is spent', (t) => {
  const reserve = held(1, 100n);
  t.deepEqual(reserveCoins([held(2, 1n), reserve], category, 100n), [reserve]);
});

test('reserve coins › given other tokens, NFTs and plain coins › they stay', (t) => {
  const reserve = held(1, 100n);
  const { token: _token, ...plain } = held(4, 0n);
  const nft = { capability: 'none', commitment: '' } as const;
  const coins = [held(2, 999n, { category: thread }), held(3, 999n, { nft }), plain, reserve];
  t.deepEqual(reserveCoins(coins, category, 100n), [reserve]);
});

test('reserve coins › given an NFT on the reserve itself, and decoys without one › the reserve alone is spent', (t) => {
  const reserve = held(1, 100n, { nft: { capability: 'none', commitment: '' } });
  const decoys = Array.from({ length: 900 }, (_, index) => held(index + 2, BigInt((index % 99) + 1)));
  t.deepEqual(reserveCoins([...decoys, reserve], category, 100n), [reserve]);
  t.deepEqual(reserveCoins([...decoys, reserve], category, 99n)?.length, 1);
});

test('reserve coins › given two that fit › the one without an NFT is spent', (t) => {
  const plain = held(2, 100n);
  t.deepEqual(
    reserveCoins([held(1, 100n, { nft: { capability: 'none', commitment: '' } }), plain], category, 100n),
    [plain],
  );
});

test('reserve coins › given no coin that fits › the largest come first, and never more than a spend holds', (t) => {
  const dust = Array.from({ length: 900 }, (_, index) => held(index + 2, 1n));
  const large = held(1, 150n);
  t.deepEqual(reserveCoins([...dust, large], category, 120n), [large]);
  t.is(reserveCoins(dust, category, 500n), null);
});

test('reserve coins › given less than needed › it is null', (t) => {
  t.is(reserveCoins([held(1, 99n)], category, 100n), null);
});

test('reserve coins › given nothing needed › none is spent', (t) => {
  t.deepEqual(reserveCoins([held(1, 99n)], category, 0n), []);
});

const coins = fc
  .array(fc.bigInt({ min: 1n, max: 9n }), { maxLength: 6 })
  .map((amounts) => amounts.map((amount, index) => held(index, amount)));

test('reserve coins › property › they hold what is needed, and none of them is too many', (t) => {
  fc.assert(
    fc.property(coins, fc.bigInt({ min: 1n, max: 40n }), (given, needed) => {
      const chosen = reserveCoins(given, category, needed);
      if (chosen === null) {
        t.true(sumTokens(given, category) < needed);
        return;
      }
      t.true(sumTokens(chosen, category) >= needed);
      t.true(sumTokens(chosen.slice(0, -1), category) < needed);
    }),
  );
});

test('reserve coins › property › the order in which a server lists the coins does not change the choice', (t) => {
  const shuffled = coins.chain((given) =>
    fc.tuple(fc.constant(given), fc.shuffledSubarray(given, { minLength: given.length })),
  );
  fc.assert(
    fc.property(shuffled, fc.bigInt({ min: 1n, max: 40n }), ([given, other], needed) => {
      t.deepEqual(reserveCoins(given, category, needed), reserveCoins(other, category, needed));
    }),
  );
});
