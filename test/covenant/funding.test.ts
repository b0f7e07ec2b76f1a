import test from 'ava';
import fc from 'fast-check';
import { alice } from '../../fixtures/people.js';
import { BCH_DECIMALS, readAmount, toUnits } from '../../src/bch/amount.js';
import { sumSatoshis, sumTokens, type Coin } from '../../src/bch/coins.js';
import { fromLibauthTransaction } from '../../src/bch/transaction.js';
import { preflight } from '../../src/bch/wallet-transaction.js';
import { buildFunding, type Funding } from '../../src/covenant/funding.js';
import { auditGenesis, type GenesisMember } from '../../src/covenant/genesis.js';
import { TreasuryError } from '../../src/errors.js';

fc.configureGlobal({ seed: 20_260_601 });

const payer = alice.address('local');
const tokenCategory = 'cc'.repeat(32);

let count = 0;
const coinOf = (satoshis: bigint, more: Partial<Coin> = {}): Coin => {
  count += 1;
  return {
    txid: count.toString(16).padStart(64, '0'),
    vout: 1,
    satoshis,
    lockingBytecode: payer.lockingBytecode,
    height: 1,
    ...more,
  };
};
const held = (amount: bigint, more: Partial<Coin> = {}): Coin =>
  coinOf(1_000n, { token: { category: tokenCategory, amount }, ...more });

const lockOf = (number: number): string => `aa20${number.toString(16).padStart(64, '0')}87`;
const bchMember = (pool: bigint, number = 1): GenesisMember => ({
  lockingBytecode: lockOf(number),
  commitment: '00'.repeat(13),
  pool,
  token: null,
});
const tokenMember = (pool: bigint, number = 1): GenesisMember => ({
  ...bchMember(pool, number),
  token: {
    category: tokenCategory,
    reserveLock: (thread) => `aa20ff${thread.slice(6)}${number.toString(16).padStart(4, '0')}87`,
  },
});

const fund = (payerCoins: readonly Coin[], ...members: readonly GenesisMember[]): Funding =>
  buildFunding({ payer, payerCoins, members });

const isHandedOut = ({ payment }: Funding) =>
  preflight(
    { transaction: payment.transaction, sourceOutputs: [...payment.sourceOutputs] },
    { lockingBytecode: payer.lockingBytecode },
    { medianTimePast: 1_780_272_000 },
  );

/** Satoshis that an insufficient_funds in BCH asks for; null when it could be built. */
const neededFor = (payerCoins: readonly Coin[], ...members: readonly GenesisMember[]): bigint | null => {
  try {
    fund(payerCoins, ...members);
    return null;
  } catch (error) {
    if (!(error instanceof TreasuryError) || error.details['asset'] !== 'BCH') throw error;
    const amount = readAmount(error.details['needed']);
    return amount === null ? -1n : toUnits(amount, BCH_DECIMALS, 'needed');
  }
};

test('funding › given a coin at index 0 › it is the first input, and its id the category', (t) => {
  const [genesis, large] = [coinOf(20_000n, { vout: 0 }), coinOf(90_000n)];
  const funding = fund([large, genesis], bchMember(50_000n));
  t.is(funding.kind, 'ready');
  t.deepEqual(funding.payment.inputs, [genesis, large]);
  t.is(funding.payment.outputs[0]?.token?.category, genesis.txid);
});

test('funding › given several coins at index 0 › the largest is the genesis coin', (t) => {
  const [small, large] = [coinOf(20_000n, { vout: 0 }), coinOf(90_000n, { vout: 0 })];
  t.deepEqual(fund([small, large], bchMember(50_000n)).payment.inputs, [large]);
});

test('funding › given what it promises › the promise comes first and the change last', (t) => {
  const { payment, ...funding } = fund([coinOf(90_000n, { vout: 0 })], bchMember(50_000n));
  t.deepEqual('promised' in funding ? funding.promised : null, payment.outputs.slice(0, -1));
  t.is(payment.outputs.at(-1)?.lockingBytecode, payer.lockingBytecode);
});

test('funding › given a token pool › the reserve is filled and the rest of the tokens comes back', (t) => {
  const { payment } = fund([coinOf(90_000n, { vout: 0 }), held(100n), held(7n)], tokenMember(60n));
  t.is(sumTokens(payment.outputs, tokenCategory), 100n);
  t.deepEqual(payment.outputs[1]?.token, { category: tokenCategory, amount: 60n });
});

test('funding › given too few tokens › it is insufficient_funds in the token', (t) => {
  t.like(
    t.throws(() => fund([coinOf(90_000n, { vout: 0 }), held(59n)], tokenMember(60n))),
    { code: 'insufficient_funds', details: { available: '59', needed: '60' } },
  );
});

test('funding › given too few tokens and no coin at index 0 › it says so before anything is prepared', (t) => {
  t.like(
    t.throws(() => fund([coinOf(90_000n), held(59n)], tokenMember(60n))),
    { code: 'insufficient_funds', details: { available: '59', needed: '60' } },
  );
});

test('funding › given a coin at index 0 that holds tokens › it is no genesis coin', (t) => {
  const coins = [held(100n, { vout: 0 }), coinOf(90_000n)];
  t.is(fund(coins, bchMember(50_000n)).kind, 'preparation');
});

test('funding › given no coin at index 0 › the preparation makes one', (t) => {
  const { kind, payment } = fund([coinOf(60_000n), coinOf(30_000n)], bchMember(50_000n));
  t.is(kind, 'preparation');
  t.is(payment.outputs[0]?.lockingBytecode, payer.lockingBytecode);
  t.true((payment.outputs[0]?.satoshis ?? 0n) > 51_000n);
});

test('funding › given tokens and no coin at index 0 › the preparation leaves the tokens alone', (t) => {
  const { payment } = fund([coinOf(60_000n), held(100n)], tokenMember(60n));
  t.is(sumTokens(payment.inputs, tokenCategory), 0n);
});

/** The coin at index 0 that a preparation makes. */
const preparedCoin = ({ payment }: Funding): Coin => {
  const { txid, outputs } = fromLibauthTransaction(payment.transaction);
  const output = outputs[0];
  if (output === undefined) throw new Error('it has no outputs');
  return { ...output, txid, vout: 0, height: null };
};

for (const members of [1, 5, 40]) {
  test(`funding › given a preparation for ${members} members › the coin that it makes carries the funding alone`, (t) => {
    const batch = Array.from({ length: members }, (_, index) => bchMember(5_000n, index + 1));
    const funding = fund([preparedCoin(fund([coinOf(1_000_000n)], ...batch))], ...batch);
    t.is(funding.kind, 'ready');
    t.is(funding.payment.inputs.length, 1);
  });
}

for (const place of [0, 1]) {
  test(`funding › given a coin at index ${place} of exactly what is said to be needed › it succeeds`, (t) => {
    const needed = neededFor([coinOf(1_000n, { vout: place })], bchMember(50_000n)) ?? 0n;
    t.is(neededFor([coinOf(needed, { vout: place })], bchMember(50_000n)), null);
  });
}

test('funding › given no coin at all › one coin of what is said to be needed suffices', (t) => {
  const needed = neededFor([], bchMember(50_000n)) ?? 0n;
  t.is(neededFor([coinOf(needed)], bchMember(50_000n)), null);
});

test('funding › given one satoshi less than needed › it is insufficient_funds', (t) => {
  const needed = neededFor([coinOf(1_000n, { vout: 0 })], bchMember(50_000n)) ?? 0n;
  t.is(neededFor([coinOf(needed - 1n, { vout: 0 })], bchMember(50_000n)), needed);
});

const batches = fc.array(fc.record({ pool: fc.bigInt({ min: 1n, max: 100_000n }), isToken: fc.boolean() }), {
  minLength: 1,
  maxLength: 6,
});

test('funding › property › the VM takes it, its audit holds, and no token is lost', (t) => {
  fc.assert(
    fc.property(batches, (drafts) => {
      const members = drafts.map(({ pool, isToken }, index) =>
        isToken ? tokenMember(pool, index + 1) : bchMember(pool, index + 1),
      );
      const coins = [coinOf(400_000n, { vout: 0 }), coinOf(400_000n), held(500_000n), held(100_001n)];
      const funding = fund(coins, ...members);
      t.is(funding.kind, 'ready');
      const { payment } = funding;
      t.notThrows(() => isHandedOut(funding));
      t.true(auditGenesis(fromLibauthTransaction(payment.transaction), members).ok);
      t.is(sumTokens(payment.inputs, tokenCategory), sumTokens(payment.outputs, tokenCategory));
      t.is(sumSatoshis(payment.inputs), sumSatoshis(payment.outputs) + payment.fee);
    }),
    { numRuns: 30 },
  );
});
