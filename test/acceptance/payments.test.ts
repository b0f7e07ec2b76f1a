/** Recurring payments through a real socket, with wallets that know only wc2-bch-bcr. Every sum is taken from the chain. */
import type { ExecutionContext } from 'ava';
import type { Person } from '../../fixtures/people.js';
import { sumSatoshis, sumTokens } from '../../src/bch/coins.js';
import { parseAddress } from '../../src/bch/address.js';
import type { ChainWorld } from '../chain-world.js';
import { openTreasury, type Treasury } from '../treasury.js';
import { serve, type Answer, type Json } from './client.js';
import { onEveryChain } from './on-every-chain.js';

const DAY = 86_400;
const MONTH = 2_592_000;
/** One period in the smallest unit: 0.002 BCH, or 2.5 of a token with 2 decimals. */
const PERIOD = { BCH: 200_000n, FUNGIBLE_TOKEN: 250n } as const;
type Asset = keyof typeof PERIOD;

type Verb = 'claim' | 'pause' | 'resume' | 'refill' | 'cancel';

/** A payment of alice to bob over HTTP, funded, and what its tests ask of it. */
const openPayment = async (
  t: ExecutionContext,
  world: ChainWorld,
  asset: Asset,
  terms: Json,
  months?: number,
) => {
  const treasury = await openTreasury(t, world);
  const { alice, authority, bob } = treasury.people;
  await treasury.give(authority, 10_000n);
  for (let coin = 0; coin < 4; coin += 1) await treasury.give(alice, 20_000_000n);
  await treasury.give(bob, 200_000n);
  const category = asset === 'BCH' ? null : await treasury.mint(alice, '500', 2);
  const { call, send } = await serve(t, treasury);
  const named = (who: Person) => ({ address: treasury.addressOf(who).text });
  const { medianTimePast } = await treasury.app.context.chain.tip();
  const start = medianTimePast - 1;

  const created = await call(
    'POST',
    '/api/payments/create',
    {
      sender: named(alice).address,
      recipient: named(bob).address,
      recipientName: 'Bob',
      tokenType: asset,
      tokenCategory: category,
      amountPerPeriod: asset === 'BCH' ? 0.002 : 2.5,
      startDate: start,
      ...(months === undefined ? {} : { endDate: start + months * MONTH }),
      ...terms,
    },
    named(alice),
  );
  t.is(created.status, 200, JSON.stringify(created.body));
  const { id, contract_address: contract } = created.body['payment'] as Record<string, string>;
  const path = `/api/payments/${id ?? ''}`;
  const funding = await call('GET', `${path}/funding-info`);
  t.like(funding.body, { success: true, fundingInfo: { tokenType: asset, periods: 12 } });
  const funded = await send(alice, funding.body['wcTransaction']);
  t.is(funded.status, 200, JSON.stringify(funded.body));
  const { txHash } = funded.body;
  t.like((await call('POST', `${path}/confirm-funding`, { txHash })).body, {
    success: true,
    status: 'ACTIVE',
    state: 'confirmed',
  });

  const ask = (who: Person, verb: Verb, body: Json = {}): Promise<Answer> =>
    call('POST', `${path}/${verb}`, body, named(who));
  const carryOut = async (who: Person, verb: Verb, body: Json = {}, claim: Json = {}): Promise<Json> => {
    const built = await ask(who, verb, body);
    t.is(built.status, 200, JSON.stringify(built.body));
    const sent = await send(who, built.body['wcTransaction']);
    t.is(sent.status, 200, JSON.stringify(sent.body));
    const confirm = { txHash: sent.body['txHash'], ...claim };
    const confirmed = await call('POST', `${path}/confirm-${verb}`, confirm);
    t.like(confirmed, { status: 200, body: { success: true, state: 'confirmed', retryable: false } });
    return confirmed.body;
  };
  const shown = async () => (await call('GET', path)).body as { payment: Json; payment_executions: Json[] };
  return {
    people: treasury.people,
    addressOf: (who: Person) => treasury.addressOf(who).text,
    call,
    path,
    ask,
    carryOut,
    shown,
    start,
    period: PERIOD[asset],
    payment: async () => (await shown()).payment,
    pass: treasury.chain.advance,
    /** The time that a move was made at: its locktime. */
    lockedAt: async ({ txHash }: Json) =>
      (await treasury.app.context.chain.transaction(String(txHash)))?.transaction.locktime ?? Number.NaN,
    holdingOf: (who: Person) =>
      category === null ? treasury.satoshisOf(who) : treasury.tokensOf(who, category),
    atContract: () => heldAt(treasury, contract ?? '', category),
  };
};

/** What sits at an address, in the asset's smallest unit. */
const heldAt = async ({ app }: Treasury, address: string, category: string | null): Promise<bigint> => {
  const coins = await app.context.chain.coins(parseAddress(address).lockingBytecode);
  return category === null ? sumSatoshis(coins) : sumTokens(coins, category);
};

/** Nothing is lost but fees: in tokens not one unit, in BCH less than a few thousand satoshis a transaction. */
const isAllThere = (asset: Asset, before: bigint, after: bigint, transactions: number): boolean =>
  asset === 'BCH' ? before > after && before - after < BigInt(transactions) * 3_000n : before === after;

for (const asset of ['BCH', 'FUNGIBLE_TOKEN'] as const) {
  const shortTitle = `an underfunded payment in ${asset}: 13 due, 12 funded, paused, resumed, refilled and cancelled`;
  onEveryChain(shortTitle, ['advance'], async (t, world) => {
    const opened = await openPayment(t, world, asset, { interval: 'DAILY' });
    const { ask, carryOut, shown, payment, pass, lockedAt, holdingOf, period, atContract } = opened;
    const { alice, bob } = opened.people;
    const bobBefore = await holdingOf(bob);
    const everything = (await holdingOf(alice)) + bobBefore + 12n * period;

    // Thirteen days: one is due that nobody funded.
    await pass(13 * DAY);
    t.like(await payment(), { due_periods: 13, funded_periods: 12, claimable_periods: 12 });
    const greedy = await ask(bob, 'claim', { recipientAddress: opened.addressOf(bob), periods: 13 });
    t.like(greedy, { status: 422, body: { code: 'periods_exceeds_due', settled: 12 } });

    // The pause pays the twelve. What was never funded is forgiven when it is resumed.
    t.like((await ask(bob, 'pause')).body, { code: 'not_sender' });
    t.like(await carryOut(alice, 'pause'), { status: 'PAUSED', paidPeriods: 12 });
    t.is((await holdingOf(bob)) - bobBefore, 12n * period);
    t.like((await ask(bob, 'claim')).body, { code: 'wrong_state', status: 'PAUSED', allowed: ['ACTIVE'] });
    await pass(7 * DAY);
    const resumed = await carryOut(alice, 'resume');
    t.is(resumed['next_payment_date'], (await lockedAt(resumed)) + DAY);
    t.like(await payment(), { status: 'ACTIVE', due_periods: 0, funded_periods: 0, payment_count: 12 });
    t.like((await ask(alice, 'resume')).body, { code: 'wrong_state' });

    // Refilled with two, one falls due: the cancellation pays it and returns the other.
    t.like(await carryOut(alice, 'refill', { periods: 2 }), { periods: 2, fundedPeriods: 2 });
    await pass(DAY);
    t.like(await payment(), { due_periods: 1, funded_periods: 2 });
    const cancelling = await ask(alice, 'cancel');
    t.like(cancelling.body, {
      nextStatus: 'CANCELLED',
      paidPeriods: 1,
      paidAmountOnChain: String(period),
      returnedAmountOnChain: String(period),
    });
    t.like(await carryOut(alice, 'cancel'), { status: 'CANCELLED' });
    t.is((await holdingOf(bob)) - bobBefore, 13n * period);

    // Nothing is left behind, and the record tells it.
    t.is(await atContract(), 0n);
    const after = (await holdingOf(alice)) + (await holdingOf(bob));
    t.true(isAllThere(asset, everything, after, 5), `${everything - after} are missing`);
    const { payment: record, payment_executions: executions } = await shown();
    t.like(record, { payment_count: 13, total_paidOnChain: String(13n * period), thread: null });
    t.deepEqual(
      executions.map(({ periods, amountOnChain }) => [periods, amountOnChain]),
      [
        [1, String(period)],
        [12, String(12n * period)],
      ],
    );
    t.like((await ask(alice, 'refill', { periods: 1 })).body, { code: 'wrong_state' });
  });

  const longTitle = `a monthly payment in ${asset}: claimed late, paused with 1 due, resumed, refilled, run to its end`;
  onEveryChain(longTitle, ['advance'], async (t, world) => {
    const term = 15;
    const opened = await openPayment(t, world, asset, { interval: 'MONTHLY' }, term);
    const { ask, call, carryOut, shown, payment, pass, lockedAt, holdingOf, period, start, path } = opened;
    const { alice, bob, mallory } = opened.people;
    const bobBefore = await holdingOf(bob);
    const everything = (await holdingOf(alice)) + bobBefore + 12n * period;
    t.like(await payment(), {
      total_periods: term,
      funded_periods: 12,
      next_payment_date: start + MONTH,
      runway_ends_at: start + 12 * MONTH,
    });
    t.like(await ask(bob, 'claim'), {
      status: 422,
      body: { code: 'nothing_claimable', nextUnlock: start + MONTH },
    });

    // Three months late: three at once.
    await pass(3 * MONTH);
    t.like((await ask(mallory, 'claim')).body, { code: 'not_recipient' });
    const three = asset === 'BCH' ? 0.006 : 7.5;
    const claimed = await carryOut(
      bob,
      'claim',
      { recipientAddress: opened.addressOf(bob) },
      { claimedAmount: three },
    );
    t.like(claimed, {
      claimedAmount: three,
      periods: 3,
      paymentCount: 3,
      nextPaymentDate: start + 4 * MONTH,
    });
    const again = { txHash: claimed['txHash'], claimedAmount: three * 2 };
    t.like(await call('POST', `${path}/confirm-claim`, again), {
      status: 422,
      body: { code: 'tx_mismatch', state: 'failed' },
    });

    // A month on, the pause pays the one that is due; two months of silence; then an interval from now.
    await pass(MONTH);
    t.like(await carryOut(alice, 'pause'), { status: 'PAUSED', paidPeriods: 1 });
    await pass(2 * MONTH);
    t.like(await payment(), { payment_count: 4, due_periods: 0, runway_ends_at: null });
    const resumed = await carryOut(alice, 'resume');
    t.is((await payment())['nextPaymentDate'], (await lockedAt(resumed)) + MONTH);

    // Refilled to the end of the term and no further, and claimed to the last.
    t.like(await ask(alice, 'refill', { periods: 4 }), {
      status: 422,
      body: { code: 'periods_exceeds_left', left: 3 },
    });
    t.like(await carryOut(alice, 'refill', { periods: 3 }), { fundedPeriods: 11 });
    await pass(20 * MONTH);
    t.like(await payment(), { due_periods: 11, claimable_periods: 11 });
    t.like(await carryOut(bob, 'claim', { periods: 10 }), { status: 'ACTIVE', periods: 10 });
    t.like(await carryOut(bob, 'claim'), { status: 'COMPLETED', periods: 1, paymentCount: 15 });

    // Nothing is stranded: not at the contract, and not a unit in between.
    t.is(await opened.atContract(), 0n);
    const earned = (await holdingOf(bob)) - bobBefore;
    t.true(isAllThere(asset, 15n * period, earned, 3), String(earned));
    const after = (await holdingOf(alice)) + (await holdingOf(bob));
    t.true(isAllThere(asset, everything, after, 6), `${everything - after} are missing`);
    const { payment: record, payment_executions: executions } = await shown();
    t.like(record, {
      status: 'COMPLETED',
      total_paidOnChain: String(15n * period),
      funded_amountOnChain: '0',
      next_payment_date: null,
      thread: null,
    });
    t.deepEqual(
      executions.map(({ periods }) => periods),
      [1, 10, 1, 3],
    );
    t.like((await ask(alice, 'cancel')).body, { code: 'wrong_state', status: 'COMPLETED' });
  });
}
