import { hash160, hexToBin } from '@bitauth/libauth';
import test from 'ava';
import { placeholderPublicKey, placeholderSignature } from 'cashscript';
import fc from 'fast-check';
import { newestFingerprint } from '../../src/covenant/artifact.js';
import { alice, authority, bob } from '../../fixtures/people.js';
import { BCH_DECIMALS, readAmount, toUnits } from '../../src/bch/amount.js';
import { signerOf } from '../../src/bch/keys.js';
import { sumSatoshis, type Coin, type Output } from '../../src/bch/coins.js';
import { dustOf, feeFor, FEE_SATS_PER_BYTE, fromLibauthTransaction } from '../../src/bch/transaction.js';
import {
  encodeWalletTransaction,
  preflight,
  signWalletTransaction,
} from '../../src/bch/wallet-transaction.js';
import { bindContract } from '../../src/covenant/covenant-contract.js';
import { buildSpend, type SpendPlan, type UnsignedTransaction } from '../../src/covenant/spend.js';
import { threadOutput } from '../../src/covenant/thread.js';
import { TreasuryError } from '../../src/errors.js';

fc.configureGlobal({ seed: 20_260_601 });

const NOW = 1_780_272_000;
const category = 'aa'.repeat(32);
const payer = alice.address('local');
const bobLock = bob.address('local').lockingBytecode;

/** A covenant that alice may pause: the smallest spend that one key signs. */
const covenant = bindContract(
  { name: 'reward-campaign', pinned: newestFingerprint('reward-campaign') },
  [
    new Uint8Array(32).fill(7),
    hash160(alice.publicKey),
    hash160(authority.publicKey),
    hexToBin(payer.lockingBytecode),
    new Uint8Array(32),
    50_000n,
    10_000n,
    BigInt(NOW),
  ],
  'local',
);
const state = `00${'00'.repeat(12)}`;
const paused = `01${'00'.repeat(12)}`;
const threadCoin: Coin = {
  ...threadOutput(covenant.lockingBytecode, category, state, 50_000n),
  txid: 'bb'.repeat(32),
  vout: 0,
  height: 1,
};
const continuation = threadOutput(covenant.lockingBytecode, category, paused, 50_000n);

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

const planOf = (payerCoins: readonly Coin[], changes: Partial<SpendPlan> = {}): SpendPlan => ({
  network: 'local',
  inputs: [
    {
      coin: threadCoin,
      unlocker: covenant.unlock('pause', placeholderPublicKey(), placeholderSignature()),
    },
  ],
  outputs: [continuation],
  payer,
  payerCoins,
  locktime: NOW,
  ...changes,
});

/** Bytes once alice's wallet has signed. */
const signedSize = ({ transaction, sourceOutputs }: UnsignedTransaction): number => {
  const request = { transaction, sourceOutputs: [...sourceOutputs], broadcast: false };
  const signer = signerOf('alice', alice.privateKey, 'local');
  return signWalletTransaction(encodeWalletTransaction(request), signer).transaction.length / 2;
};

const changeOf = ({ outputs }: UnsignedTransaction): Output | undefined => outputs[1];

/** What an insufficient_funds says, in satoshis. */
const shortfallOf = (plan: SpendPlan): { readonly available: bigint; readonly needed: bigint } | null => {
  try {
    buildSpend(plan);
    return null;
  } catch (error) {
    if (!(error instanceof TreasuryError) || String(error.code) !== 'insufficient_funds') throw error;
    const satoshis = (name: string) => {
      const amount = readAmount(error.details[name]);
      return amount === null ? -1n : toUnits(amount, BCH_DECIMALS, name);
    };
    return { available: satoshis('available'), needed: satoshis('needed') };
  }
};

test('spend › given a fee coin › the covenant comes first, and the change last', (t) => {
  const coin = coinOf(100_000n);
  const spend = buildSpend(planOf([coin]));
  t.deepEqual(spend.inputs, [threadCoin, coin]);
  t.deepEqual(spend.outputs[0], continuation);
  t.is(changeOf(spend)?.lockingBytecode, payer.lockingBytecode);
  t.is(sumSatoshis(spend.inputs), sumSatoshis(spend.outputs) + spend.fee);
});

test('spend › given what it says of itself › the transaction is just that', (t) => {
  const spend = buildSpend(planOf([coinOf(100_000n)]));
  const { inputs, outputs, locktime } = fromLibauthTransaction(spend.transaction);
  t.deepEqual(outputs, spend.outputs);
  t.deepEqual(
    inputs.map(({ txid, vout }) => ({ txid, vout })),
    spend.inputs.map(({ txid, vout }) => ({ txid, vout })),
  );
  t.is(locktime, NOW);
  t.true(inputs.every(({ sequence }) => sequence === 0xfffffffe));
});

test('spend › given a fee coin › the VM takes it once it is signed', (t) => {
  const { transaction, sourceOutputs } = buildSpend(planOf([coinOf(100_000n)]));
  const party = { lockingBytecode: payer.lockingBytecode };
  t.notThrows(() =>
    preflight({ transaction, sourceOutputs: [...sourceOutputs] }, party, { medianTimePast: NOW + 1 }),
  );
});

/** A spend that promises so much that all of `coins` coins of 1,000 satoshis are needed, and change is left. */
const withCoins = (coins: number): UnsignedTransaction => {
  const missing = BigInt(coins) * (1_000n - 144n) - 1_474n;
  return buildSpend(
    planOf(
      Array.from({ length: coins }, () => coinOf(1_000n)),
      { outputs: [{ ...continuation, satoshis: threadCoin.satoshis + missing }] },
    ),
  );
};

for (const coins of [1, 2, 5]) {
  test(`spend › given ${coins} fee coins › the fee is that of the size that the wallet signs`, (t) => {
    const spend = withCoins(coins);
    t.is(spend.inputs.length, coins + 1);
    t.not(changeOf(spend), undefined);
    t.is(spend.fee, feeFor(signedSize(spend)));
  });
}

test('spend › given coins with tokens › they stay', (t) => {
  const held = coinOf(900_000n, { token: { category: 'cc'.repeat(32), amount: 5n } });
  const plain = coinOf(100_000n);
  t.deepEqual(buildSpend(planOf([held, plain])).inputs, [threadCoin, plain]);
});

test('spend › given many coins › as few as needed are spent, the largest first', (t) => {
  const [small, large, middle] = [coinOf(600n), coinOf(50_000n), coinOf(20_000n)];
  t.deepEqual(buildSpend(planOf([small, large, middle])).inputs, [threadCoin, large]);
});

test('spend › given a thread that pays the fee itself › no coin of the payer is spent', (t) => {
  const output = { ...continuation, satoshis: 40_000n };
  const spend = buildSpend(planOf([coinOf(100_000n)], { outputs: [output] }));
  t.deepEqual(spend.inputs, [threadCoin]);
  t.is(changeOf(spend)?.satoshis, 11_000n - spend.fee);
});

/** The least that one fee coin must hold. */
const least = shortfallOf(planOf([coinOf(600n)]))?.needed ?? 0n;

test('spend › given change of dust › it is returned', (t) => {
  // An output of change costs 34 bytes.
  const coin = coinOf(least + 546n + 36n);
  const change = changeOf(buildSpend(planOf([coin])));
  t.true(change !== undefined && change.satoshis >= dustOf(change));
});

test('spend › given change below dust › it goes to the fee', (t) => {
  const spend = buildSpend(planOf([coinOf(least + 500n)]));
  t.is(changeOf(spend), undefined);
  t.is(spend.fee, least + 500n);
});

test('spend › given one satoshi less than needed › it is insufficient_funds with both figures', (t) => {
  const coin = coinOf(least - 1n);
  t.deepEqual(shortfallOf(planOf([coin])), { available: least - 1n, needed: least });
});

test('spend › given no coin at all › one coin of what is needed suffices', (t) => {
  const { needed } = shortfallOf(planOf([])) ?? { needed: 0n };
  t.is(shortfallOf(planOf([coinOf(needed)])), null);
});

test('spend › given nothing promised and little in the thread › there is an output all the same', (t) => {
  const reserve = bindContract(
    { name: 'token-reserve', pinned: newestFingerprint('token-reserve') },
    [hexToBin(category), hexToBin(covenant.lockingBytecode)],
    'local',
  );
  const coin: Coin = { ...threadCoin, satoshis: 1_000n };
  const plan = planOf([coinOf(10_000n)], {
    inputs: [{ coin, unlocker: reserve.unlock('spend') }],
    outputs: [],
  });
  // 1,000 satoshis less the fee of about 300: dust and some.
  t.not(buildSpend(plan).outputs.length, 0);
  const poorer = {
    ...plan,
    inputs: [{ coin: { ...coin, satoshis: 600n }, unlocker: reserve.unlock('spend') }],
  };
  t.not(buildSpend(poorer).outputs.length, 0);
});

test('spend › given tokens in the inputs above what is promised › they come to the payer', (t) => {
  const gift = { category: 'cc'.repeat(32), amount: 7n };
  const coin = coinOf(1_000n, { lockingBytecode: 'aa', token: { ...gift, amount: 10n } });
  const payout: Output = { lockingBytecode: bobLock, satoshis: 1_000n, token: { ...gift, amount: 3n } };
  const { inputs } = planOf([]);
  const unlocker = covenant.unlock('pause', placeholderPublicKey(), placeholderSignature());
  const spend = buildSpend(
    planOf([coinOf(100_000n)], {
      inputs: [...inputs, { coin, unlocker }],
      outputs: [continuation, payout],
    }),
  );
  t.deepEqual(spend.outputs.slice(0, 2), [continuation, payout]);
  const given = spend.outputs.slice(2).filter(({ token }) => token !== undefined);
  t.like(given, [{ lockingBytecode: payer.lockingBytecode, token: gift }]);
});

test('spend › given at most two fee coins › no more are spent, and no more are counted', (t) => {
  const coins = [coinOf(700n), coinOf(700n), coinOf(700n), coinOf(700n)];
  const outputs = [{ ...continuation, satoshis: threadCoin.satoshis + 1_000n }];
  t.is(buildSpend(planOf(coins, { outputs })).inputs.length, 5);
  t.is(shortfallOf(planOf(coins, { outputs, maximumFeeCoins: 2 }))?.available, 1_400n);
});

test('spend › given at most two fee coins › they are the largest', (t) => {
  const [a, b, c] = [coinOf(700n), coinOf(900n), coinOf(800n)];
  const spend = buildSpend(planOf([a, b, c], { maximumFeeCoins: 2 }));
  t.deepEqual(spend.inputs, [threadCoin, b, c]);
});

test('spend › given another payer › the change is theirs', (t) => {
  const other = bob.address('local');
  const coin = coinOf(100_000n, { lockingBytecode: other.lockingBytecode });
  t.is(changeOf(buildSpend(planOf([coin], { payer: other })))?.lockingBytecode, other.lockingBytecode);
});

const wallets = fc.array(fc.bigInt({ min: 546n, max: 3_000n }), { minLength: 1, maxLength: 5 });
const promised = fc.bigInt({ min: 46_000n, max: 55_000n });

const build = (satoshis: readonly bigint[], output: bigint, maximumFeeCoins?: number): SpendPlan =>
  planOf(
    satoshis.map((value) => coinOf(value)),
    {
      outputs: [{ ...continuation, satoshis: output }],
      ...(maximumFeeCoins === undefined ? {} : { maximumFeeCoins }),
    },
  );

test('spend › property › the fee is 1 satoshi a byte or more, and the change takes what is above', (t) => {
  let built = 0;
  fc.assert(
    fc.property(wallets, promised, (satoshis, output) => {
      const plan = build(satoshis, output);
      if (shortfallOf(plan) !== null) return;
      built += 1;
      const spend = buildSpend(plan);
      const size = signedSize(spend);
      t.true(spend.fee >= BigInt(size) * FEE_SATS_PER_BYTE);
      // Without change, less than an output of dust and its own bytes is left over.
      const most = changeOf(spend) === undefined ? feeFor(size + 34) + 546n : feeFor(size);
      t.true(spend.fee <= most, `${spend.fee} for ${size} bytes`);
      t.true(spend.outputs.every((each) => each.satoshis >= dustOf(each)));
    }),
    { numRuns: 60 },
  );
  t.true(built > 10);
});

test('spend › property › with exactly what is needed it succeeds, and with one satoshi less it does not', (t) => {
  let short = 0;
  const limits = fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined });
  fc.assert(
    fc.property(wallets, promised, limits, (satoshis, output, limit) => {
      const shortfall = shortfallOf(build(satoshis, output, limit));
      if (shortfall === null) return;
      short += 1;
      const [largest = 0n, ...rest] = satoshis.toSorted((a, b) => Number(b - a));
      const withMore = (more: bigint) => shortfallOf(build([largest + more, ...rest], output, limit));
      const missing = shortfall.needed - shortfall.available;
      t.is(withMore(missing), null);
      t.not(withMore(missing - 1n), null);
    }),
    { numRuns: 60 },
  );
  t.true(short > 10);
});
