import test from 'ava';
import fc from 'fast-check';
import {
  fungibleCoins,
  insufficientSatoshis,
  outpointText,
  plainCoins,
  sameOutpoint,
  selectFungible,
  sumSatoshis,
  sumTokens,
  type Coin,
  type Token,
} from '../../src/bch/coins.js';

fc.configureGlobal({ seed: 20_260_601 });

const category = 'cc'.repeat(32);
const other = 'dd'.repeat(32);

const coinOf = (number: number, satoshis: bigint, token?: Token): Coin => ({
  txid: number.toString(16).padStart(64, '0'),
  vout: 0,
  satoshis,
  lockingBytecode: '51',
  height: null,
  ...(token === undefined ? {} : { token }),
});
const held = (number: number, amount: bigint, rest: Partial<Token> = {}): Coin =>
  coinOf(number, 1_000n, { category, amount, ...rest });
const nft = { capability: 'none', commitment: '' } as const;

test('plain coins › given coins with tokens › they are left out', (t) => {
  const plain = coinOf(1, 500n);
  t.deepEqual(plainCoins([held(2, 5n), plain, held(3, 0n, { nft })]), [plain]);
});

test('plain coins › given any order › the largest comes first', (t) => {
  const [small, large] = [coinOf(1, 500n), coinOf(2, 900n)];
  t.deepEqual(plainCoins([small, large]), [large, small]);
});

test('plain coins › given equal coins › the outpoint decides', (t) => {
  const [first, second] = [coinOf(1, 500n), coinOf(2, 500n)];
  t.deepEqual(plainCoins([second, first]), [first, second]);
});

test('fungible coins › given NFTs, other tokens and plain coins › only fungible coins of the category are left', (t) => {
  const wanted = held(1, 7n);
  const coins = [
    held(2, 9n, { nft }),
    held(3, 9n, { category: other }),
    held(4, 0n, { nft }),
    coinOf(5, 9n),
    wanted,
  ];
  t.deepEqual(fungibleCoins(coins, category), [wanted]);
});

test('select fungible › given one coin that suffices › it is that one alone', (t) => {
  const large = held(3, 100n);
  t.deepEqual(selectFungible([held(1, 40n), held(2, 60n), large], category, 100n), [large]);
});

test('select fungible › given exactly what there is › it takes all', (t) => {
  t.is(selectFungible([held(1, 40n), held(2, 60n)], category, 100n)?.length, 2);
});

test('select fungible › given one unit more than there is › it is null', (t) => {
  t.is(selectFungible([held(1, 40n), held(2, 60n)], category, 101n), null);
});

test('select fungible › given enough only together with an NFT › it is null', (t) => {
  t.is(selectFungible([held(1, 40n), held(2, 60n, { nft })], category, 100n), null);
});

test('select fungible › given nothing to pay › it takes nothing', (t) => {
  t.deepEqual(selectFungible([held(1, 40n)], category, 0n), []);
});

const wallets = fc
  .array(fc.bigInt({ min: 1n, max: 50n }), { maxLength: 7 })
  .map((amounts) => amounts.map((amount, index) => held(index, amount)));

/** The fewest coins whose amounts reach `needed`, by trying all subsets. */
const fewest = (coins: readonly Coin[], needed: bigint): number => {
  let least = Infinity;
  for (let subset = 0; subset < 2 ** coins.length; subset += 1) {
    const chosen = coins.filter((_, index) => (subset >> index) % 2 === 1);
    if (sumTokens(chosen, category) >= needed) least = Math.min(least, chosen.length);
  }
  return least;
};

test('select fungible › property › no smaller choice would do, and null only when none does', (t) => {
  fc.assert(
    fc.property(wallets, fc.bigInt({ min: 1n, max: 200n }), (coins, needed) => {
      const chosen = selectFungible(coins, category, needed);
      t.is(chosen?.length ?? Infinity, fewest(coins, needed));
      if (chosen !== null) t.true(sumTokens(chosen, category) >= needed);
    }),
  );
});

test('select fungible › property › the order of the coins does not change the choice', (t) => {
  const shuffled = wallets.chain((coins) =>
    fc.tuple(fc.constant(coins), fc.shuffledSubarray(coins, { minLength: coins.length })),
  );
  fc.assert(
    fc.property(shuffled, fc.bigInt({ min: 1n, max: 200n }), ([coins, others], needed) => {
      t.deepEqual(selectFungible(coins, category, needed), selectFungible(others, category, needed));
    }),
  );
});

test('sums › given coins of several kinds › satoshis count all and tokens their category only', (t) => {
  const coins = [held(1, 5n), held(2, 6n, { category: other }), coinOf(3, 500n), held(4, 2n, { nft })];
  t.is(sumSatoshis(coins), 3_500n);
  t.is(sumTokens(coins, category), 7n);
});

test('outpoints › given the same transaction and another index › they are not the same', (t) => {
  const coin = coinOf(1, 1n);
  t.true(sameOutpoint(coin, { txid: coin.txid, vout: 0 }));
  t.false(sameOutpoint(coin, { txid: coin.txid, vout: 1 }));
  t.false(sameOutpoint(coin, coinOf(2, 1n)));
});

test('outpoints › given one › it is written txid:vout', (t) => {
  t.is(outpointText({ txid: category, vout: 3 }), `${category}:3`);
});

test('insufficient satoshis › given figures › they are told in BCH', (t) => {
  t.like(insufficientSatoshis('bchtest:q', 546n, 150_000_000n), {
    code: 'insufficient_funds',
    details: { address: 'bchtest:q', asset: 'BCH', available: '0.00000546', needed: '1.5' },
  });
});
