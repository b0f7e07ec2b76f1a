import test from 'ava';
import fc from 'fast-check';
import { alice, authority, bob } from '../../../fixtures/people.js';
import { parseAddress } from '../../../src/bch/address.js';
import { sumTokens, type Coin } from '../../../src/bch/coins.js';
import type { Transaction } from '../../../src/bch/transaction.js';
import { preflight } from '../../../src/bch/wallet-transaction.js';
import type { Observed } from '../../../src/covenant/follow.js';
import { reserveCoins } from '../../../src/covenant/reserve.js';
import type { UnsignedTransaction } from '../../../src/covenant/spend.js';
import type { CampaignRecord } from '../../../src/products/rewards/campaign.js';
import { campaigns } from '../../../src/products/rewards/product.js';
import { buildCancel, buildDistribution, buildPause } from '../../../src/products/rewards/transactions.js';
import { makeTransaction, onChain } from '../../covenant/scripted-chain.js';
import {
  asTransaction,
  campaignOf,
  fundedCampaign,
  fundingCoins,
  fundingOf,
  spendAfter,
  spentBy,
  START,
  TOKEN,
  tokenCampaignOf,
  walletCoin,
} from './fixed-campaign.js';

fc.configureGlobal({ seed: 20_260_601 });

const followed = campaigns.followed('local');
const aliceLock = alice.address('local').lockingBytecode;

const observe = (campaign: CampaignRecord, transaction: Transaction, height: number | null = null) =>
  followed.observeMove(campaign, onChain(transaction, height));

const observeFunding = (campaign: CampaignRecord, transaction: Transaction, coins = fundingCoins) =>
  followed.observeFunding(campaign, onChain(transaction), spentBy(transaction, coins));

/** A campaign and the transaction that moved it last. */
type Stage = { readonly campaign: CampaignRecord; readonly last: Transaction };

const fundedStage = async (pending: CampaignRecord): Promise<Stage> => ({
  campaign: await fundedCampaign(pending),
  last: fundingOf(pending),
});

const distributionAfter = ({ campaign, last }: Stage, amount: bigint, recipient = bob.address('local')) =>
  buildDistribution(spendAfter(campaign, last), { recipient, amount, authority });

const step = (stage: Stage, unsigned: UnsignedTransaction): Stage & Observed<CampaignRecord> => {
  const last = asTransaction(unsigned);
  const observed = observe(stage.campaign, last);
  return { ...observed, campaign: observed.record, last };
};

const pay = (stage: Stage, amount: bigint, recipient = bob.address('local')) =>
  step(stage, distributionAfter(stage, amount, recipient));
const pause = (stage: Stage) => step(stage, buildPause(spendAfter(stage.campaign, stage.last)));
const cancel = (stage: Stage) => step(stage, buildCancel(spendAfter(stage.campaign, stage.last)));

for (const [asset, pending] of [
  ['BCH', campaignOf()],
  ['a token', tokenCampaignOf()],
] as const) {
  test(`observe › given the funding in ${asset} › the campaign is active, its thread pinned`, async (t) => {
    const funding = fundingOf(pending);
    const observed = await observeFunding(pending, funding);
    t.like(observed?.record, {
      status: 'ACTIVE',
      tx_hash: funding.txid,
      last_tx_hash: funding.txid,
      thread: {
        category: fundingCoins[0]?.txid ?? '',
        txid: funding.txid,
        vout: 0,
        commitment: '00'.repeat(13),
      },
    });
    t.deepEqual(observed?.moves, [
      {
        type: 'funded',
        txHash: funding.txid,
        actorLock: aliceLock,
        amount: pending.total_pool,
        height: null,
        blockTime: null,
        details: {},
      },
    ]);
  });

  test(`observe › given a distribution in ${asset} › total, count, amount and recipient are read`, async (t) => {
    const { campaign, moves, last } = pay(await fundedStage(pending), 700n);
    t.like(campaign, {
      status: 'ACTIVE',
      distributed_total: 700n,
      distributed_count: 1,
      last_tx_hash: last.txid,
      thread: { txid: last.txid, vout: 0 },
    });
    t.like(moves, [
      { type: 'distribution', amount: 700n, details: { recipient: bob.address('local').text } },
    ]);
  });

  test(`observe › given a second distribution in ${asset} › its amount is its own and the total that of both`, async (t) => {
    const { campaign, moves } = pay(pay(await fundedStage(pending), 700n), 600n);
    t.like(campaign, { distributed_total: 1_300n, distributed_count: 2 });
    t.like(moves, [{ amount: 600n }]);
  });

  test(`observe › given the last of a pool in ${asset} › the recipient is found`, async (t) => {
    const small = { ...pending, total_pool: 1_000n, max_reward_amount: 1_000n };
    const stage = await fundedStage(
      pending.token_category === null ? campaignOf(small) : tokenCampaignOf(small),
    );
    const { campaign, moves } = pay(stage, 1_000n);
    t.like(campaign, { status: 'ACTIVE', distributed_total: 1_000n });
    t.like(moves, [{ amount: 1_000n, details: { recipient: bob.address('local').text } }]);
  });

  test(`observe › given a distribution in ${asset} to a script › its address is the recipient`, async (t) => {
    const script = parseAddress(pending.contract_address);
    const { moves } = pay(await fundedStage(pending), 700n, script);
    t.like(moves, [{ details: { recipient: script.text } }]);
  });

  test(`observe › given a distribution in ${asset} to the creator › it is a distribution`, async (t) => {
    const { moves } = pay(await fundedStage(pending), 700n, alice.address('local'));
    t.like(moves, [{ type: 'distribution', details: { recipient: alice.address('local').text } }]);
  });

  test(`observe › given a pause in ${asset} › the campaign is paused and nothing was paid`, async (t) => {
    const { campaign, moves, last } = pause(pay(await fundedStage(pending), 700n));
    t.like(campaign, { status: 'PAUSED', distributed_total: 700n, distributed_count: 1 });
    t.deepEqual(
      moves.map(({ type, amount, details }) => ({ type, amount, details })),
      [{ type: 'paused', amount: 0n, details: {} }],
    );
    t.is(campaign.thread?.txid, last.txid);
  });

  test(`observe › given a cancellation in ${asset} › what remained is its amount and the thread has ended`, async (t) => {
    const { campaign, moves, last } = cancel(pay(await fundedStage(pending), 700n));
    t.like(campaign, { status: 'CANCELLED', thread: null, distributed_total: 700n, last_tx_hash: last.txid });
    t.like(moves, [{ type: 'cancelled', amount: pending.total_pool - 700n, actorLock: aliceLock }]);
  });

  test(`observe › given a cancellation of a paused campaign in ${asset} › it is cancelled`, async (t) => {
    t.is(cancel(pause(await fundedStage(pending))).campaign.status, 'CANCELLED');
  });
}

test('observe › given a move in a block › its height and time are told', async (t) => {
  const stage = await fundedStage(campaignOf());
  const chain = onChain(asTransaction(distributionAfter(stage, 700n)), 9);
  const blockTime = chain.blockTime ?? 0;
  const { moves, record } = followed.observeMove({ ...stage.campaign, updated_at: blockTime - 1 }, chain);
  t.like(moves, [{ height: 9, blockTime }]);
  t.is(record.updated_at, blockTime);
});

test('observe › given a move in a block before something was said of the record › that was the last touch', async (t) => {
  const stage = await fundedStage(campaignOf());
  const chain = onChain(asTransaction(distributionAfter(stage, 700n)), 9);
  const updated_at = (chain.blockTime ?? 0) + 60;
  t.is(followed.observeMove({ ...stage.campaign, updated_at }, chain).record.updated_at, updated_at);
});

test('observe › given a cancellation after everything was paid › its amount is nothing', async (t) => {
  const stage = await fundedStage(campaignOf({ total_pool: 1_000n, max_reward_amount: 1_000n }));
  const { campaign, moves } = cancel(pay(stage, 1_000n));
  t.is(campaign.status, 'CANCELLED');
  t.like(moves, [{ type: 'cancelled', amount: 0n }]);
});

test('observe › given a cancellation with a remainder of dust › the amount is the remainder', async (t) => {
  const stage = await fundedStage(campaignOf({ total_pool: 1_000n, max_reward_amount: 1_000n }));
  const { moves, last } = cancel(pay(stage, 900n));
  t.like(moves, [{ amount: 100n }]);
  t.is(last.outputs[0]?.satoshis, 546n);
});

test("observe › given a funding that the creator did not pay › it is not this campaign's", async (t) => {
  const pending = campaignOf();
  const byBob = fundingCoins.map((coin) => ({
    ...coin,
    lockingBytecode: bob.address('local').lockingBytecode,
  }));
  t.is(await observeFunding(pending, fundingOf(pending), byBob), null);
});

test("observe › given inputs that the chain does not know › it is not this campaign's", async (t) => {
  const pending = campaignOf();
  t.is(await observeFunding(pending, fundingOf(pending), []), null);
});

test("observe › given the funding of a campaign with other terms › it is not this campaign's", async (t) => {
  const other = campaignOf({ max_reward_amount: 999_999n });
  t.is(await observeFunding(campaignOf(), fundingOf(other)), null);
});

test("observe › given a pool that is short › it is not this campaign's", async (t) => {
  const pending = campaignOf();
  const { inputs, outputs } = fundingOf(pending);
  const short = outputs.map((output, index) =>
    index === 0 ? { ...output, satoshis: output.satoshis - 1n } : output,
  );
  t.is(await observeFunding(pending, makeTransaction(inputs, short)), null);
});

test('observe › given a campaign before its funding › nothing of the chain is left on it', async (t) => {
  const pending = campaignOf();
  const { campaign } = cancel(pause(pay(await fundedStage(pending), 700n)));
  t.deepEqual({ ...followed.unfunded(campaign), updated_at: pending.updated_at }, pending);
});

test('observe › given a campaign › it is followed at its contract until it ends', async (t) => {
  const pending = campaignOf();
  const stage = await fundedStage(pending);
  t.is(followed.lockingBytecode(pending), parseAddress(pending.contract_address).lockingBytecode);
  t.true(followed.isPending(pending));
  t.is(followed.thread(pending), null);
  t.false(followed.isPending(stage.campaign));
  t.is(followed.thread(stage.campaign), stage.campaign.thread);
  const ended = cancel(stage).campaign;
  t.deepEqual([followed.isPending(ended), followed.thread(ended)], [false, null]);
});

/** Runs an unsigned transaction of alice through the VM. */
const runThroughVm = ({ transaction, sourceOutputs }: UnsignedTransaction) =>
  preflight(
    { transaction, sourceOutputs: [...sourceOutputs] },
    { lockingBytecode: aliceLock },
    { medianTimePast: START + 1 },
  );

/** A coin of the campaign's token that somebody else sent to its reserve. */
const decoyBeside = ({ campaign, last }: Stage, amount: bigint): Coin => {
  const [reserve] = spendAfter(campaign, last).coins.reserve;
  return walletCoin(77, 1_000n, {
    lockingBytecode: reserve?.lockingBytecode ?? '',
    token: { category: TOKEN, amount },
  });
};

/** The spend that the service would start from when a decoy lies in the reserve. */
const spendBesideDecoy = (stage: Stage, amount: bigint) => {
  const spend = spendAfter(stage.campaign, stage.last);
  const remaining = stage.campaign.total_pool - stage.campaign.distributed_total;
  const reserve = reserveCoins([...spend.coins.reserve, decoyBeside(stage, amount)], TOKEN, remaining) ?? [];
  return { ...spend, coins: { ...spend.coins, reserve } };
};

for (const [name, decoy] of [
  ['smaller than the pool', 7n],
  ['larger than the pool', 9_000n],
] as const) {
  test(`decoy › given tokens ${name} sent to the reserve › a distribution goes through and burns nothing`, async (t) => {
    const stage = await fundedStage(tokenCampaignOf());
    const unsigned = buildDistribution(spendBesideDecoy(stage, decoy), {
      recipient: bob.address('local'),
      amount: 700n,
      authority,
    });
    t.is(sumTokens(unsigned.outputs, TOKEN), sumTokens(unsigned.inputs, TOKEN));
    t.notThrows(() => runThroughVm(unsigned));
  });

  test(`decoy › given tokens ${name} sent to the reserve › a cancellation goes through and burns nothing`, async (t) => {
    const stage = await fundedStage(tokenCampaignOf());
    const unsigned = buildCancel(spendBesideDecoy(stage, decoy));
    t.is(sumTokens(unsigned.outputs, TOKEN), sumTokens(unsigned.inputs, TOKEN));
    t.notThrows(() => runThroughVm(unsigned));
  });
}

test('observe › given a token campaign funded with satoshis above dust on the thread › it can still distribute', async (t) => {
  const pending = tokenCampaignOf();
  const { inputs, outputs } = fundingOf(pending);
  const generous = makeTransaction(
    inputs,
    outputs.map((output, index) => (index === 0 ? { ...output, satoshis: 5_000n } : output)),
  );
  const stage = { campaign: await fundedCampaign(pending, generous), last: generous };
  t.notThrows(() => runThroughVm(distributionAfter(stage, 700n)));
});

type Plan = { readonly isToken: boolean; readonly amounts: readonly bigint[]; readonly end: string };

const plans: fc.Arbitrary<Plan> = fc.record({
  isToken: fc.boolean(),
  amounts: fc.array(fc.bigInt({ min: 546n, max: 1_000n }), { maxLength: 4 }),
  end: fc.constantFrom('active', 'paused', 'cancelled', 'paused, cancelled'),
});

test('observe › property › paid out and given back together are the pool, whatever happened', async (t) => {
  await fc.assert(
    fc.asyncProperty(plans, async ({ isToken, amounts, end }) => {
      const terms = { total_pool: 3_000n, max_reward_amount: 1_000n };
      let stage = await fundedStage(isToken ? tokenCampaignOf(terms) : campaignOf(terms));
      const told: bigint[] = [];
      for (const amount of amounts) {
        if (amount > stage.campaign.total_pool - stage.campaign.distributed_total) continue;
        const next = pay(stage, amount);
        told.push(...next.moves.map((move) => move.amount));
        stage = next;
      }
      const paid = told.reduce((sum, amount) => sum + amount, 0n);
      t.is(stage.campaign.distributed_total, paid);
      t.is(stage.campaign.distributed_count, told.length);
      if (end.includes('paused')) stage = pause(stage);
      if (!end.includes('cancelled')) return;
      const { moves, campaign } = cancel(stage);
      t.is(paid + (moves[0]?.amount ?? 0n), campaign.total_pool);
    }),
    { numRuns: 25 },
  );
});
