import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { alice, authority, bob } from '../../../fixtures/people.js';
import { openLocalChain } from '../../../src/adapters/local-chain/local-chain.js';
import { parseAddress } from '../../../src/bch/address.js';
import { outpointText, plainCoins, sumSatoshis } from '../../../src/bch/coins.js';
import { decodeTransaction, feeFor } from '../../../src/bch/transaction.js';
import { buildSpend } from '../../../src/covenant/spend.js';
import { TreasuryError } from '../../../src/errors.js';
import type { Context } from '../../../src/operation/context.js';
import { chainNow } from '../../../src/operation/chain-now.js';
import { isSetAside } from '../../../src/offer/witness/record.js';
import {
  offerWitnessed,
  WITNESS_SECONDS,
  withdrawalCollection,
  witnessCollection,
  witnessFigures,
  witnessWorker,
  withdrawWitnesses,
  type WitnessRequest,
} from '../../../src/offer/witness/offer.js';
import { plans } from '../../../src/products/budgets/product.js';
import { openTreasury, TEST_TIME, type Treasury } from '../../treasury.js';
import { advance, DAY, fundPlan, type Plan } from '../../products/budgets/plan.js';
import { fundPayment } from '../../products/payments/payment.js';
import { fundStream } from '../../products/streams/stream.js';

const authorityLock = authority.address('local').lockingBytecode;

const isKept = async ({ app }: Treasury): Promise<number> =>
  (await app.context.store.find(witnessCollection)).total;

/** Of these, the ones that are not only kept until their end is safe in a block. */
const isOut = async ({ app }: Treasury): Promise<number> =>
  (await app.context.store.find(witnessCollection)).items.filter((witness) => !isSetAside(witness)).length;

/** The raw transaction of a move that alice signs and keeps. */
const keep = async (treasury: Treasury, plan: Plan, move: 'pause' | 'cancel'): Promise<string> =>
  treasury.sign(alice, (await plan.build(move))['wcTransaction']);

const spentBy = (raw: string): string[] => decodeTransaction(raw).inputs.map(outpointText);

test('the time witness › given a signed pause that is broadcast in time › it pauses, and the ticket comes back', async (t) => {
  const treasury = await openTreasury(t);
  const { chain } = treasury.app.context;
  const plan = await fundPlan(treasury);
  const kept = await keep(treasury, plan, 'pause');
  await advance(treasury, WITNESS_SECONDS - 60);
  await chain.broadcast(kept);
  t.like(await plan.shown(), { status: 'PAUSED' });
  t.is(sumSatoshis(await chain.coins(authorityLock)), 10_000n);
  t.deepEqual((await witnessFigures(treasury.app.context)).out, []);
  await advance(treasury, 60);
  await withdrawWitnesses(treasury.app.context);
  t.is(await isOut(treasury), 0);
  t.is(
    sumSatoshis(await chain.coins(authorityLock)),
    10_000n,
    'nothing was spent on a witness that was used',
  );
});

for (const move of ['pause', 'cancel'] as const) {
  test(`the time witness › given a signed ${move} that is kept › after ten minutes it is refused, and the recipient has lost nothing`, async (t) => {
    const treasury = await openTreasury(t);
    const { context } = treasury.app;
    const plan = await fundPlan(treasury);
    const kept = await keep(treasury, plan, move);
    await withdrawWitnesses(context);
    const [witness] = (await context.store.find(witnessCollection)).items;
    t.truthy(witness, 'it is good for ten minutes');

    // Time passes: two milestones elapse, which the kept transaction would take from the recipient.
    await advance(treasury, 31 * DAY);
    await withdrawWitnesses(context);
    t.is(await isOut(treasury), 0);
    const error = await t.throwsAsync(context.chain.broadcast(kept), { instanceOf: TreasuryError });
    t.is(error.code, 'tx_conflict');
    t.is(error.details['outpoint'], witness === undefined ? '' : outpointText(witness.ticket));
    t.like(await plan.build('release'), { milestonesReleasable: 2, releasableAmount: 0.0035 });
    await plan.move('release');
    t.true((await treasury.satoshisOf(bob)) > 347_000n);
  });
}

test('the time witness › given witnesses at a start › they are withdrawn at once', async (t) => {
  const treasury = await openTreasury(t);
  const { context } = treasury.app;
  const plan = await fundPlan(treasury);
  const kept = await keep(treasury, plan, 'cancel');
  t.deepEqual((await witnessFigures(context)).out, ['#BUDGET-0001']);
  const worker = witnessWorker(context);
  await worker.start();
  await worker.stop();
  t.is(await isOut(treasury), 0);
  await t.throwsAsync(context.chain.broadcast(kept), { instanceOf: TreasuryError });
});

test('the time witness › given a chain that does not answer at the start › it stays out until the next try', async (t) => {
  const treasury = await openTreasury(t);
  const { context } = treasury.app;
  await keep(treasury, await fundPlan(treasury), 'cancel');
  const chain = {
    ...context.chain,
    coins: () => Promise.reject(new TreasuryError('chain_unavailable', { reason: 'a test' })),
  };
  t.is(await withdrawWitnesses({ ...context, chain }, { olderThanSeconds: 0 }), 1);
  t.is(await isOut(treasury), 1);
  t.is(await withdrawWitnesses(context, { olderThanSeconds: 0 }), 0);
  t.is(await isOut(treasury), 0);
});

test('the time witness › given the same move asked again › it is the same transaction, until a coin of it is gone', async (t) => {
  const treasury = await openTreasury(t);
  const plan = await fundPlan(treasury);
  const first = await plan.build('pause');
  await advance(treasury, 300);
  t.deepEqual((await plan.build('pause'))['wcTransaction'], first['wcTransaction']);

  const wcTransaction = (await plan.build('pause'))['wcTransaction'];
  const payment = await treasury.ask(alice, 'wallet.send', {
    to: treasury.addressOf(bob).text,
    amount: '0.01',
  });
  await treasury.send(alice, payment['wcTransaction']);
  const second = (await plan.build('pause'))['wcTransaction'];
  t.notDeepEqual(second, wcTransaction);
  await treasury.send(alice, second);
  t.like(await plan.shown(), { status: 'PAUSED' });
});

test('the time witness › given another move of the same thread › the earlier one is withdrawn first', async (t) => {
  const treasury = await openTreasury(t);
  const plan = await fundPlan(treasury);
  const kept = await keep(treasury, plan, 'pause');
  await plan.build('cancel');
  t.is(await isOut(treasury), 1);
  await t.throwsAsync(treasury.app.context.chain.broadcast(kept), { instanceOf: TreasuryError });
  await plan.move('cancel');
  t.like(await plan.shown(), { status: 'CANCELLED' });
});

test('the time witness › given two threads › they never share a ticket', async (t) => {
  const treasury = await openTreasury(t);
  const plans = [await fundPlan(treasury), await fundPlan(treasury)];
  const kept = [];
  for (const plan of plans) kept.push(await keep(treasury, plan, 'pause'));
  t.is(await isOut(treasury), 2);
  const tickets = (await treasury.app.context.store.find(witnessCollection)).items.map(({ ticket }) =>
    outpointText(ticket),
  );
  t.is(new Set(tickets).size, 2);
  for (const ticket of tickets) t.is(kept.filter((raw) => spentBy(raw).includes(ticket)).length, 1);
});

test('the time witness › given several who ask at once › they get one and the same transaction', async (t) => {
  const treasury = await openTreasury(t);
  const plan = await fundPlan(treasury);
  const built = await Promise.all([1, 2, 3].map(() => plan.build('pause')));
  t.is(new Set(built.map(({ wcTransaction }) => JSON.stringify(wcTransaction))).size, 1);
  t.is(await isOut(treasury), 1);
});

test('the time witness › given two processes that withdraw at once › the ticket comes back once, and nothing is left', async (t) => {
  const treasury = await openTreasury(t);
  const { context } = treasury.app;
  await keep(treasury, await fundPlan(treasury), 'pause');
  const failures = await Promise.all([1, 2].map(() => withdrawWitnesses(context, { olderThanSeconds: 0 })));
  t.deepEqual(failures, [0, 0]);
  t.is(await isOut(treasury), 0);
  t.is((await context.chain.coins(authorityLock)).length, 1);
});

/** The same chain, on which a broadcast waits for `mine`. */
const openSlowChain = async (t: ExecutionContext, { home }: Treasury) => {
  const chain = await openLocalChain({
    folder: join(home, 'local'),
    now: () => TEST_TIME,
    automine: false,
  });
  t.teardown(() => chain.close());
  return chain;
};

test('the time witness › given a withdrawal that no block has yet › it is kept until it is safe in one', async (t) => {
  const treasury = await openTreasury(t);
  const { context } = treasury.app;
  const plan = await fundPlan(treasury);
  await keep(treasury, plan, 'pause');
  const chain = await openSlowChain(t, treasury);
  await withdrawWitnesses({ ...context, chain }, { olderThanSeconds: 0 });
  await withdrawWitnesses(context);
  t.is(await isKept(treasury), 1);
  t.deepEqual((await witnessFigures(context)).out, [], 'it is spent, and so it is not out');

  await chain.mine(5);
  await withdrawWitnesses(context);
  t.is(await isKept(treasury), 1);
  await chain.mine(1);
  await withdrawWitnesses(context);
  t.is(await isKept(treasury), 0);
});

test('the time witness › given a withdrawal that no block has yet › another of its thread can be out', async (t) => {
  const treasury = await openTreasury(t);
  const { context } = treasury.app;
  const plan = await fundPlan(treasury);
  await keep(treasury, plan, 'pause');
  const [earlier] = (await context.store.find(witnessCollection)).items;
  const chain = await openSlowChain(t, treasury);
  await withdrawWitnesses({ ...context, chain }, { olderThanSeconds: 0 });
  const other = await keep(treasury, plan, 'cancel');
  t.is(await isKept(treasury), 2);
  t.false(spentBy(other).includes(earlier === undefined ? '' : outpointText(earlier.ticket)));
  t.deepEqual((await witnessFigures(context)).out, ['#BUDGET-0001']);
  await plan.move('cancel');
  t.like(await plan.shown(), { status: 'CANCELLED' });
});

test('the time witness › given a withdrawal that is evicted › it is withdrawn again, and what was kept is refused', async (t) => {
  const treasury = await openTreasury(t);
  const { context } = treasury.app;
  const plan = await fundPlan(treasury);
  const kept = await keep(treasury, plan, 'pause');
  const chain = await openSlowChain(t, treasury);
  let evicted = '';
  const watched = {
    ...chain,
    broadcast: async (raw: string) => (evicted = await chain.broadcast(raw)),
  };
  await withdrawWitnesses({ ...context, chain: watched }, { olderThanSeconds: 0 });
  await chain.reorg(1, { drop: [evicted] });
  t.deepEqual((await witnessFigures(context)).out, ['#BUDGET-0001'], 'it is good again');

  await withdrawWitnesses(context);
  t.is(await isOut(treasury), 0);
  await t.throwsAsync(context.chain.broadcast(kept), { code: 'tx_conflict' });
});

/** The same, at a time when every witness that is out has become too old. */
const tenMinutesLater = (context: Context): Context => ({
  ...context,
  clock: { ...context.clock, now: () => context.clock.now() + WITNESS_SECONDS },
});

test('the time witness › given a refill that is kept in the mempool › it is withdrawn on time, and no period is lost', async (t) => {
  const treasury = await openTreasury(t);
  const { context } = treasury.app;
  const payment = await fundPayment(treasury);
  // A coin of its own for the fee: the pause and the refill share nothing but the thread.
  const build = async (verb: 'pause' | 'refill', input: Record<string, unknown> = {}) =>
    treasury.sign(
      alice,
      (await treasury.ask(alice, `payments.${verb}`, { id: payment.id, ...input }))['wcTransaction'],
    );
  const kept = await build('pause');
  const refill = await build('refill', { periods: 1 });
  const chain = await openSlowChain(t, treasury);
  const refillHash = await chain.broadcast(refill);
  t.is(await withdrawWitnesses(context), 0);
  t.is((await witnessFigures(context)).out.length, 1, 'it is good for ten minutes');

  await withdrawWitnesses(tenMinutesLater(context));
  t.deepEqual((await witnessFigures(context)).out, []);
  await chain.reorg(1, { drop: [refillHash] });
  await t.throwsAsync(context.chain.broadcast(kept), { code: 'tx_conflict' });
  await advance(treasury, 5 * DAY);
  await t.throwsAsync(context.chain.broadcast(kept), { code: 'tx_conflict' });
  t.is((await treasury.ask(bob, 'payments.claim', { id: payment.id }))['periods'], 5);
});

test('the time witness › given a thread that moved, in no block yet › it is withdrawn all the same', async (t) => {
  const treasury = await openTreasury(t);
  const { context } = treasury.app;
  const plan = await fundPlan(treasury);
  await advance(treasury, 11 * DAY);
  const kept = await keep(treasury, plan, 'pause');
  const release = treasury.sign(bob, (await plan.build('release'))['wcTransaction']);
  const chain = await openSlowChain(t, treasury);
  await chain.broadcast(release);
  await withdrawWitnesses(context, { olderThanSeconds: 0 });
  await t.throwsAsync(context.chain.broadcast(kept), { code: 'tx_conflict' });
  const [coin] = await context.chain.coins(authorityLock);
  t.true(coin !== undefined && coin.satoshis < 10_000n, 'the ticket was spent back');
});

test('the time witness › given a thread that the witness moved, in no block yet › it is kept until one has it, and withdrawn when it is evicted', async (t) => {
  const treasury = await openTreasury(t);
  const { context } = treasury.app;
  const plan = await fundPlan(treasury);
  const used = await keep(treasury, plan, 'pause');
  const chain = await openSlowChain(t, treasury);
  const usedHash = await chain.broadcast(used);
  t.is(await withdrawWitnesses(context, { olderThanSeconds: 0 }), 0);
  t.is(await isKept(treasury), 1);
  t.deepEqual((await witnessFigures(context)).out, []);
  t.is(sumSatoshis(await context.chain.coins(authorityLock)), 10_000n, 'nothing was spent on it');

  await chain.reorg(1, { drop: [usedHash] });
  await withdrawWitnesses(context);
  await t.throwsAsync(context.chain.broadcast(used), { code: 'tx_conflict' });
});

test('the time witness › given a thread that moved › it is forgotten once that is safe, and its ticket is not spent', async (t) => {
  const treasury = await openTreasury(t);
  const { context } = treasury.app;
  const plan = await fundPlan(treasury);
  await advance(treasury, 11 * DAY);
  await keep(treasury, plan, 'pause');
  await plan.move('release');
  await withdrawWitnesses(context, { olderThanSeconds: 0 });
  t.is(await isKept(treasury), 1);
  await context.localChain?.mine(5);
  await withdrawWitnesses(context, { olderThanSeconds: 0 });
  t.is(await isKept(treasury), 0);
  t.is(sumSatoshis(await context.chain.coins(authorityLock)), 10_000n);
});

for (const who of ['the witness', 'somebody else'] as const) {
  test(`the time witness › given a move by ${who} that a block had, and that a reorganisation drops › what was signed is withdrawn`, async (t) => {
    const treasury = await openTreasury(t);
    const { context } = treasury.app;
    const plan = await fundPlan(treasury);
    await advance(treasury, 11 * DAY);
    const kept = await keep(treasury, plan, 'cancel');
    const chain = await openSlowChain(t, treasury);
    const release = async () => treasury.sign(bob, (await plan.build('release'))['wcTransaction']);
    const moved = await chain.broadcast(who === 'the witness' ? kept : await release());
    await chain.mine(1);
    await withdrawWitnesses(context, { olderThanSeconds: 0 });

    await chain.reorg(1, { drop: [moved] });
    await withdrawWitnesses(context, { olderThanSeconds: 0 });
    await t.throwsAsync(context.chain.broadcast(kept), { code: 'tx_conflict' });
  });
}

/** The same, but that no key of the authority can sign. */
const without = (context: Context, code: 'authority_locked' | 'authority_missing'): Context => ({
  ...context,
  keys: { ...context.keys, authority: () => Promise.reject(new TreasuryError(code)) },
});

for (const code of ['authority_locked', 'authority_missing'] as const) {
  test(`the time witness › given an authority that signs no more (${code}) › it is withdrawn by what was signed with it`, async (t) => {
    const treasury = await openTreasury(t);
    const { context } = treasury.app;
    const kept = await keep(treasury, await fundPlan(treasury), 'cancel');
    const [witness] = (await context.store.find(witnessCollection)).items;
    t.is(await withdrawWitnesses(without(context, code), { olderThanSeconds: 0 }), 0);
    t.is(await isOut(treasury), 0);
    await t.throwsAsync(context.chain.broadcast(kept), { code: 'tx_conflict' });
    // A satoshi a byte and what is added to it, as everything that is built here pays.
    const [coin] = await context.chain.coins(authorityLock);
    t.is(10_000n - (coin?.satoshis ?? 0n), feeFor(String(witness?.ticket_return).length / 2));
  });
}

test('the time witness › given a record of before returns were stored › its return is signed when it is due', async (t) => {
  const treasury = await openTreasury(t);
  const { context } = treasury.app;
  const kept = await keep(treasury, await fundPlan(treasury), 'cancel');
  const [witness] = (await context.store.find(witnessCollection)).items;
  if (witness === undefined) return t.fail();
  const { ticket_return: _ticketReturn, ...old } = z.encode(witnessCollection.schema, witness);
  const read = z.decode(witnessCollection.schema, old);
  t.is(read.ticket_return, null);
  await context.store.transaction((writer) => {
    writer.put(witnessCollection, read);
  });
  t.is(await withdrawWitnesses(without(context, 'authority_locked'), { olderThanSeconds: 0 }), 1);
  t.is(await isOut(treasury), 1);
  t.is(await withdrawWitnesses(context, { olderThanSeconds: 0 }), 0);
  return t.throwsAsync(context.chain.broadcast(kept), { code: 'tx_conflict' });
});

/** A request to pause a plan, with a builder that spends nothing but what it is told. */
const requestOf = async (
  { app }: Treasury,
  { id }: Plan,
  build: WitnessRequest['build'] = () => {
    throw new Error('nothing is built');
  },
): Promise<WitnessRequest> => {
  const { thread, authority_pubkey: authorityPublicKey, creator } = await plans.find(app.context.store, id);
  if (thread === null) throw new Error('it is not funded');
  return {
    subject: { entityType: 'budget', id, label: '#BUDGET-0001' },
    thread,
    authorityPublicKey,
    move: 'pause',
    signer: parseAddress(creator),
    userPrompt: 'Pause',
    build,
  };
};

test('the time witness › given no coin and no faucet › it is authority_unfunded with the address and the satoshis', async (t) => {
  const treasury = await openTreasury(t);
  const request = await requestOf(treasury, await fundPlan(treasury));
  const context: Context = { ...treasury.app.context, localChain: null };
  const error = await t.throwsAsync(offerWitnessed(request, context), { instanceOf: TreasuryError });
  t.is(error.code, 'authority_unfunded');
  t.deepEqual(error.details, { address: authority.address('local').text, satoshis: 10_000 });
  t.like(await witnessFigures(context), { address: authority.address('local').text, tickets: 0, out: [] });
});

test('the time witness › given one large coin › it is split, and several witnesses can be out', async (t) => {
  const treasury = await openTreasury(t);
  const { context } = treasury.app;
  await context.localChain?.faucet(authorityLock, 1_000_000n);
  const plans = [await fundPlan(treasury), await fundPlan(treasury)];
  for (const plan of plans) await plan.build('pause');
  const coins = plainCoins(await context.chain.coins(authorityLock));
  t.is(coins.length, 9);
  t.deepEqual(await witnessFigures(context).then(({ tickets, out }) => [tickets, out.length]), [7, 2]);
  t.true(sumSatoshis(coins) > 999_000n);
});

test('the time witness › given one large coin behind a server that shows its split late › several can be out', async (t) => {
  const treasury = await openTreasury(t);
  const { context } = treasury.app;
  const { chain, store } = context;
  await context.localChain?.faucet(authorityLock, 1_000_000n);
  const plans = [await fundPlan(treasury), await fundPlan(treasury)];
  const shown = await chain.coins(authorityLock);
  const coins = (lock: string) => (lock === authorityLock ? Promise.resolve([...shown]) : chain.coins(lock));
  Object.assign(context, { chain: { ...chain, coins } });
  for (const plan of plans) await plan.build('pause');
  const tickets = (await store.find(witnessCollection)).items.map(({ ticket }) => outpointText(ticket));
  t.is(new Set(tickets).size, 2, tickets.join());
  const there = (await chain.coins(authorityLock)).map(outpointText);
  t.true(tickets.every((ticket) => there.includes(ticket)));
});

test('the time witness › given a builder that leaves the ticket out › nothing is handed out', async (t) => {
  const treasury = await openTreasury(t);
  const { chain } = treasury.app.context;
  const plan = await fundPlan(treasury);
  const payer = treasury.addressOf(alice);
  const payerCoins = await chain.coins(payer.lockingBytecode);
  const locktime = await chainNow(treasury.app.context);
  const request = await requestOf(treasury, plan, ({ ticketOutput }) =>
    Promise.resolve(
      buildSpend({ network: 'local', inputs: [], outputs: [ticketOutput], payer, payerCoins, locktime }),
    ),
  );
  await t.throwsAsync(offerWitnessed(request, treasury.app.context), { message: /spends its ticket/ });
  t.is(await isOut(treasury), 0);
});

test('the time witness › given a builder that signs at a time gone by › nothing is handed out', async (t) => {
  const treasury = await openTreasury(t);
  const { context } = treasury.app;
  const plan = await fundPlan(treasury);
  const payer = treasury.addressOf(alice);
  const payerCoins = await context.chain.coins(payer.lockingBytecode);
  const locktime = await chainNow(context);
  await advance(treasury, WITNESS_SECONDS);
  const request = await requestOf(treasury, plan, ({ ticket, ticketOutput }) =>
    Promise.resolve(
      buildSpend({
        network: 'local',
        inputs: [ticket],
        outputs: [ticketOutput],
        payer,
        payerCoins,
        locktime,
      }),
    ),
  );
  const error = await t.throwsAsync(offerWitnessed(request, context), { instanceOf: TreasuryError });
  t.is(error.code, 'store_conflict');
  t.is(await isOut(treasury), 0);
});

test('the time witness › given a recipient who claims whenever the sender has one › the sender is not refused another', async (t) => {
  const treasury = await openTreasury(t);
  const stream = await fundStream(treasury, { endTime: TEST_TIME + DAY });
  for (let round = 0; round < 8; round += 1) {
    await advance(treasury, round < 5 ? 30 : 2 * WITNESS_SECONDS);
    await treasury.ask(alice, 'streams.cancel', { id: stream.id });
    await stream.move(bob, 'claim');
  }
  await stream.move(alice, 'cancel');
  t.like(await stream.shown(), { status: 'CANCELLED' });
});

test('the time witness › given a thread that moves in the mempool until its witness is withdrawn › it is not held against the sender', async (t) => {
  const treasury = await openTreasury(t);
  const { context } = treasury.app;
  const plan = await fundPlan(treasury);
  await advance(treasury, 11 * DAY);
  await keep(treasury, plan, 'pause');
  const release = treasury.sign(bob, (await plan.build('release'))['wcTransaction']);
  const chain = await openSlowChain(t, treasury);
  await chain.broadcast(release);
  await withdrawWitnesses(context, { olderThanSeconds: 0 });
  t.is((await context.store.find(withdrawalCollection)).total, 0);
});
