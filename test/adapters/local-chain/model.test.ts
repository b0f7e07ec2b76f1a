import { binToHex } from '@bitauth/libauth';
import test from 'ava';
import fc from 'fast-check';
import { FAUCET_LOCKING_BYTECODE, FEE_LOCKING_BYTECODE } from '../../../src/adapters/local-chain/faucet.js';
import { MAXIMUM_SATOSHIS } from '../../../src/bch/amount.js';
import { sumSatoshis } from '../../../src/bch/coins.js';
import { ALICE, BOB, openTestChain, payAll, present, type Party, type TestChain } from './chain-fixture.js';

type Step =
  | { readonly kind: 'faucet' | 'pay'; readonly from: 0 | 1; readonly at: number }
  | { readonly kind: 'mine' | 'advance'; readonly amount: number }
  | { readonly kind: 'reorg'; readonly amount: number; readonly dropOne: boolean };

const PARTIES: readonly [Party, Party] = [ALICE, BOB];
const SCRIPTS = [
  ...PARTIES.map((party) => party.lockingBytecode),
  FAUCET_LOCKING_BYTECODE,
  binToHex(FEE_LOCKING_BYTECODE),
];

const party = fc.constantFrom<(0 | 1)[]>(0, 1);
const steps = fc.array(
  fc.oneof<fc.Arbitrary<Step>[]>(
    fc.record({ kind: fc.constantFrom('faucet', 'pay', 'pay'), from: party, at: fc.nat(5) }),
    fc.record({ kind: fc.constantFrom('mine', 'advance'), amount: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ kind: fc.constant('reorg'), amount: fc.integer({ min: 1, max: 6 }), dropOne: fc.boolean() }),
  ),
  { minLength: 1, maxLength: 14 },
);

const takeStep = async (chain: TestChain, step: Step): Promise<void> => {
  switch (step.kind) {
    case 'faucet':
      await chain.faucet(PARTIES[step.from].lockingBytecode, 50_000n);
      return;
    case 'pay': {
      const signer = PARTIES[step.from];
      const coins = await chain.coins(signer.lockingBytecode);
      const coin = coins[step.at % Math.max(coins.length, 1)];
      if (coin === undefined || coin.satoshis < 2_000n) return;
      await chain.broadcast(payAll(coin, PARTIES[step.from === 0 ? 1 : 0], { signer }));
      return;
    }
    case 'mine':
      await chain.mine(step.amount);
      return;
    case 'advance':
      await chain.advance(step.amount);
      return;
    case 'reorg': {
      const history = await chain.history(ALICE.lockingBytecode);
      const drop = step.dropOne ? history.slice(-2, -1).map(({ txid }) => txid) : [];
      await chain.reorg(step.amount, { drop });
    }
  }
};

/** What the chain answers about everybody who can hold a coin. */
const portrait = async (chain: TestChain) => ({
  status: { ...(await chain.status()), automine: null },
  scripts: await Promise.all(
    SCRIPTS.map(async (script) => ({
      coins: (await chain.unspent(script))
        .map((coin) => JSON.stringify({ ...coin, satoshis: Number(coin.satoshis) }))
        .sort(),
      history: await chain.history(script),
    })),
  ),
});

/** Satoshis that transactions of the mempool leave to a block that is still to come. */
const waitingFees = async (chain: TestChain): Promise<bigint> => {
  const histories = await Promise.all(SCRIPTS.map((script) => chain.history(script)));
  const waiting = new Set(
    histories
      .flat()
      .filter(({ height }) => height === null)
      .map(({ txid }) => txid),
  );
  let fees = 0n;
  for (const txid of waiting) {
    const { inputs, outputs } = present(await chain.transaction(txid)).transaction;
    for (const { txid: source, vout } of inputs) {
      fees += present(present(await chain.transaction(source)).transaction.outputs[vout]).satoshis;
    }
    fees -= sumSatoshis(outputs);
  }
  return fees;
};

for (const automine of [true, false]) {
  test(`model › given random moves with automine ${automine ? 'on' : 'off'} › no satoshi is made or lost, and reopening gives the same`, async (t) => {
    await fc.assert(
      fc.asyncProperty(steps, async (moves) => {
        const chain = await openTestChain(t, { automine });
        let height = 0;
        for (const move of moves) {
          await takeStep(chain, move);
          const tip = await chain.tip();
          t.true(tip.height >= height);
          height = tip.height;
        }
        const coins = (await Promise.all(SCRIPTS.map((script) => chain.unspent(script)))).flat();
        t.is(sumSatoshis(coins) + (await waitingFees(chain)), MAXIMUM_SATOSHIS);
        t.is((await chain.status()).coins, coins.length);

        const before = await portrait(chain);
        await chain.close();
        const again = await openTestChain(t, { folder: chain.folder, automine });
        t.deepEqual(await portrait(again), before);
        await again.close();
      }),
      { numRuns: 12, seed: 20_260_515 },
    );
  });
}
