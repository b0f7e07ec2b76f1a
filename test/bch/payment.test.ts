import { binToHex } from '@bitauth/libauth';
import test from 'ava';
import fc from 'fast-check';
import { addressOfHash } from '../../src/bch/address.js';
import { sumSatoshis, sumTokens, type Coin, type Output } from '../../src/bch/coins.js';
import { derivePrivateKey, encodeMnemonic, signerOf } from '../../src/bch/keys.js';
import { buildPayment, type PaymentPlan } from '../../src/bch/payment.js';
import { dustOf, feeFor } from '../../src/bch/transaction.js';
import {
  encodeWalletTransaction,
  preflight,
  signWalletTransaction,
} from '../../src/bch/wallet-transaction.js';

const alice = signerOf('alice', derivePrivateKey(encodeMnemonic(new Uint8Array(16).fill(7))), 'local');
const payer = alice.address;
const payee = addressOfHash(new Uint8Array(20).fill(9), 'local');
const category = 'cc'.repeat(32);
const otherCategory = 'dd'.repeat(32);

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
const tokenCoin = (amount: bigint, of = category): Coin =>
  coinOf(1_000n, { token: { category: of, amount } });
const pay = (satoshis: bigint): Output => ({ lockingBytecode: payee.lockingBytecode, satoshis });
const payToken = (amount: bigint): Output => ({ ...pay(1_000n), token: { category, amount } });
const build = (plan: Partial<PaymentPlan>) => buildPayment({ payer, coins: [], outputs: [], ...plan });

const isHandedOut = (payment: ReturnType<typeof build>) =>
  preflight(
    { transaction: payment.transaction, sourceOutputs: [...payment.sourceOutputs] },
    { lockingBytecode: payer.lockingBytecode },
    { medianTimePast: 1_700_000_000 },
  );

test('payment › given one coin that suffices › the promise stands first and the change comes back last', (t) => {
  const payment = build({ coins: [coinOf(100_000n)], outputs: [pay(40_000n)] });
  t.is(payment.changeIndex, 1);
  t.deepEqual(payment.outputs[0], pay(40_000n));
  t.is(payment.outputs[1]?.lockingBytecode, payer.lockingBytecode);
  t.is(sumSatoshis(payment.inputs) - sumSatoshis(payment.outputs), payment.fee);
});

test('payment › given two inputs and two outputs › the fee is that of the size the wallet signs', (t) => {
  const payment = build({ coins: [coinOf(30_000n), coinOf(30_000n)], outputs: [pay(40_000n)] });
  const signed = signWalletTransaction(
    encodeWalletTransaction({
      transaction: payment.transaction,
      sourceOutputs: [...payment.sourceOutputs],
      broadcast: false,
    }),
    alice,
  );
  t.is(payment.fee, feeFor(signed.transaction.length / 2));
});

test('payment › given many coins › as few as suffice are spent, the largest first', (t) => {
  const [small, large, middle] = [coinOf(10_000n), coinOf(90_000n), coinOf(50_000n)];
  const payment = build({ coins: [small, large, middle], outputs: [pay(100_000n)] });
  t.deepEqual(payment.inputs, [large, middle]);
});

test('payment › given change below dust › it goes to the fee', (t) => {
  const coin = coinOf(40_600n);
  const payment = build({ coins: [coin], outputs: [pay(40_000n)] });
  t.is(payment.changeIndex, null);
  t.is(payment.outputs.length, 1);
  t.is(payment.fee, 600n);
});

test('payment › given too little › it says what there is and what is needed with the fee', (t) => {
  const error = t.throws(() => build({ coins: [coinOf(40_000n)], outputs: [pay(40_000n)] }));
  t.like(error, {
    code: 'insufficient_funds',
    details: { address: payer.text, asset: 'BCH', available: '0.0004', needed: '0.00040189' },
  });
});

test('payment › given no coin at all › it is insufficient_funds', (t) => {
  t.like(
    t.throws(() => build({ outputs: [pay(40_000n)] })),
    { code: 'insufficient_funds' },
  );
});

test('payment › given coins with tokens › they are never spent for their satoshis', (t) => {
  const coins = [coinOf(1_000_000n, { token: { category, amount: 5n } }), coinOf(20_000n)];
  const payment = build({ coins, outputs: [pay(10_000n)] });
  t.deepEqual(payment.inputs, [coins[1]]);
  t.like(
    t.throws(() => build({ coins, outputs: [pay(50_000n)] })),
    { code: 'insufficient_funds' },
  );
});

test('payment › given tokens to send › the rest of the token comes back in an output of its own', (t) => {
  const coins = [tokenCoin(100n), tokenCoin(7n, otherCategory), coinOf(20_000n)];
  const payment = build({ coins, outputs: [payToken(30n)] });
  t.is(sumTokens(payment.outputs, category), 100n);
  t.is(sumTokens(payment.inputs, otherCategory), 0n);
  const change = payment.outputs.find(
    ({ lockingBytecode, token }) => lockingBytecode === payer.lockingBytecode && token !== undefined,
  );
  t.is(change?.token?.amount, 70n);
  t.notThrows(() => isHandedOut(payment));
});

test('payment › given too few tokens › it says so in the token', (t) => {
  const coins = [tokenCoin(10n), coinOf(20_000n)];
  t.like(
    t.throws(() => build({ coins, outputs: [payToken(30n)] })),
    { code: 'insufficient_funds', details: { available: '10', needed: '30' } },
  );
});

test('payment › given required coins › they are the first inputs, whatever else is needed', (t) => {
  const [required, large] = [coinOf(1_000n, { vout: 0 }), coinOf(90_000n)];
  const payment = build({ coins: [large, required], outputs: [pay(10_000n)], requiredCoins: [required] });
  t.deepEqual(payment.inputs, [required, large]);
});

test('payment › given a required coin of index 0 › its category may be minted', (t) => {
  const genesis = coinOf(50_000n, { vout: 0 });
  const minted: Output = {
    lockingBytecode: payer.lockingBytecode,
    satoshis: 1_000n,
    token: { category: genesis.txid, amount: 21n, nft: { capability: 'mutable', commitment: '00ff' } },
  };
  const payment = build({ coins: [genesis], outputs: [minted], requiredCoins: [genesis] });
  t.is(sumTokens(payment.outputs, genesis.txid), 21n);
  t.notThrows(() => isHandedOut(payment));
});

test('payment › given a required coin that holds an NFT › it is refused rather than burned', (t) => {
  const coin = coinOf(9_000n, {
    token: { category, amount: 0n, nft: { capability: 'none', commitment: '' } },
  });
  t.throws(() => build({ coins: [coin], requiredCoins: [coin] }), { message: /NFT/ });
});

test('payment › given nothing promised and the change first › it is a self-send that makes a coin of index 0', (t) => {
  const payment = build({ coins: [coinOf(5_000n), coinOf(9_000n)], changePosition: 'first' });
  t.is(payment.changeIndex, 0);
  t.deepEqual(
    payment.outputs.map(({ lockingBytecode }) => lockingBytecode),
    [payer.lockingBytecode],
  );
  t.is(payment.inputs.length, 1);
});

test('payment › given nothing promised and less than dust left › it is insufficient_funds', (t) => {
  t.like(
    t.throws(() => build({ coins: [coinOf(600n)] })),
    { code: 'insufficient_funds' },
  );
});

test('payment › given the change is for somebody else › everything required goes there', (t) => {
  const coins = [coinOf(5_000n), coinOf(9_000n)];
  const payment = build({ coins, requiredCoins: coins, changeTo: payee });
  t.deepEqual(payment.outputs, [{ ...pay(14_000n - payment.fee) }]);
});

test('payment › given any wallet › what it builds keeps every token, makes no dust, and the VM takes it', (t) => {
  const amounts = fc.array(fc.bigInt({ min: 600n, max: 100_000n }), { maxLength: 6 });
  const tokens = fc.array(fc.bigInt({ min: 1n, max: 1_000n }), { maxLength: 4 });
  let built = 0;
  fc.assert(
    fc.property(amounts, tokens, fc.bigInt({ min: 546n, max: 200_000n }), (plain, held, satoshis) => {
      const coins = [...plain.map((value) => coinOf(value)), ...held.map((amount) => tokenCoin(amount))];
      const sent = held.length > 0 ? [payToken((held[0] ?? 0n) / 2n + 1n)] : [];
      let payment: ReturnType<typeof build>;
      try {
        payment = build({ coins, outputs: [pay(satoshis), ...sent] });
      } catch (error) {
        return (error as { code?: string }).code === 'insufficient_funds';
      }
      built += 1;
      const { size, fee } = isHandedOut(payment);
      const extra = payment.changeIndex === null ? 35n + dustOf(pay(0n)) : 0n;
      return (
        fee === payment.fee &&
        fee <= feeFor(size) + extra &&
        sumTokens(payment.inputs, category) === sumTokens(payment.outputs, category) &&
        payment.outputs.every((output) => output.satoshis >= dustOf(output))
      );
    }),
    { seed: 20_260_101, numRuns: 60 },
  );
  t.true(built > 10);
});

test('payment › given its inputs › every unlocking bytecode is left for the wallet', (t) => {
  const payment = build({ coins: [coinOf(30_000n), coinOf(30_000n)], outputs: [pay(40_000n)] });
  t.deepEqual(
    payment.transaction.inputs.map(({ unlockingBytecode }) => binToHex(unlockingBytecode)),
    ['', ''],
  );
});
