/** The specification's reward flow, through a real socket, with a wallet that knows only wc2-bch-bcr. */
import type { Person } from '../../fixtures/people.js';
import { openTreasury } from '../treasury.js';
import { serve, type Json } from './client.js';
import { onEveryChain } from './on-every-chain.js';

for (const asset of ['BCH', 'FUNGIBLE_TOKEN'] as const) {
  const title = `the reward flow of the specification, in ${asset}, through HTTP with a wc2-bch-bcr wallet`;
  onEveryChain(title, [], async (t, world) => {
    const treasury = await openTreasury(t, world);
    const { alice, authority, bob, carol, mallory } = treasury.people;
    await treasury.give(authority, 10_000n);
    const textOf = (who: Person) => treasury.addressOf(who).text;
    for (let coin = 0; coin < 4; coin += 1) await treasury.give(alice, 5_000_000n);
    const category = asset === 'BCH' ? null : await treasury.mint(alice, '500', 2);
    const { call, logIn, send } = await serve(t, treasury);
    const token = { token: await logIn(alice) };
    const balanceOf = (who: Person) =>
      category === null ? treasury.satoshisOf(who) : treasury.tokensOf(who, category);

    // Create
    const created = await call(
      'POST',
      '/api/rewards/create',
      {
        title: 'Contributors of the year',
        description: 'For what was merged',
        rewardCategory: 'LOYALTY',
        tokenType: asset,
        tokenCategory: category,
        totalPool: 0.05,
        maxRewardAmount: 0.02,
        ...(category === null ? {} : { totalPool: 50, maxRewardAmount: 20 }),
      },
      token,
    );
    t.is(created.status, 200, JSON.stringify(created.body));
    t.like(created.body, { success: true, campaign: { status: 'PENDING' } });
    const id = String((created.body['campaign'] as Json)['id']);
    const path = `/api/rewards/${id}`;

    // Fund
    const funding = await call('GET', `${path}/funding-info`);
    t.like(funding.body, { success: true, fundingInfo: { tokenType: asset } });
    const early = await call('POST', `${path}/confirm-funding`, { txHash: '00'.repeat(32) }, token);
    t.is(early.status, 409);
    t.like(early.body, { success: false, code: 'tx_not_indexed', state: 'pending', retryable: true });
    const funded = await send(alice, funding.body['wcTransaction']);
    t.is(funded.status, 200, JSON.stringify(funded.body));
    const confirmedFunding = await call(
      'POST',
      `${path}/confirm-funding`,
      { txHash: funded.body['txHash'] },
      token,
    );
    t.like(confirmedFunding.body, { success: true, status: 'ACTIVE', state: 'confirmed', retryable: false });

    // Distribute, twice
    const scale = category === null ? 0.001 : 1;
    const units = category === null ? 100_000n : 100n;
    for (const [who, reward] of [
      [bob, 20],
      [carol, 7],
    ] as const) {
      const before = await balanceOf(who);
      const terms = {
        recipientAddress: textOf(who),
        amount: Number((reward * scale).toFixed(8)),
      };
      const built = await call('POST', `${path}/distribute`, terms, token);
      t.is(built.status, 200, JSON.stringify(built.body));
      const sent = await send(alice, built.body['wcTransaction']);
      t.is(sent.status, 200, JSON.stringify(sent.body));
      const confirmed = await call(
        'POST',
        `${path}/confirm-distribute`,
        { ...terms, txHash: sent.body['txHash'] },
        token,
      );
      t.like(confirmed.body, { success: true, state: 'confirmed' });
      t.is((await balanceOf(who)) - before, BigInt(reward) * units);
    }

    // What is refused
    const outsider = { token: await logIn(mallory) };
    t.is((await call('POST', `${path}/pause`, undefined, outsider)).status, 403);
    t.is((await call('POST', `${path}/pause`)).status, 401);
    const greedy = { recipientAddress: textOf(bob), amount: Number((21 * scale).toFixed(8)) };
    t.like((await call('POST', `${path}/distribute`, greedy, token)).body, {
      code: 'amount_exceeds_max_reward',
    });

    // Pause, cancel
    const paused = await call('POST', `${path}/pause`, undefined, token);
    t.like(paused.body, { success: true, nextStatus: 'PAUSED' });
    const pause = await send(alice, paused.body['wcTransaction']);
    t.like((await call('POST', `${path}/confirm-pause`, { txHash: pause.body['txHash'] }, token)).body, {
      status: 'PAUSED',
    });
    t.is((await call('POST', `${path}/distribute`, { ...greedy, amount: scale }, token)).status, 409);
    const cancelled = await call('POST', `${path}/cancel`, undefined, token);
    t.like(cancelled.body, {
      nextStatus: 'CANCELLED',
      signerMatchesReturn: true,
      remainingPool: String(23n * units),
    });
    const before = await balanceOf(alice);
    const cancel = await send(alice, cancelled.body['wcTransaction']);
    t.like((await call('POST', `${path}/confirm-cancel`, { txHash: cancel.body['txHash'] }, token)).body, {
      status: 'CANCELLED',
    });
    const back = (await balanceOf(alice)) - before;
    t.true(category === null ? back > 23n * units - 2_000n : back === 23n * units);

    // The record tells it
    const { body } = await call('GET', path);
    t.like(body, { campaign: { status: 'CANCELLED', distributed_count: 2 } });
    t.deepEqual(
      (body['events'] as Json[]).map((event) => event['event_type']),
      ['cancelled', 'paused', 'distribution', 'distribution', 'funded', 'created'],
    );
    t.is((body['distributions'] as Json[]).length, 2);
    const list = await call('GET', `/api/rewards?creator=${encodeURIComponent(textOf(alice))}`);
    t.like(list.body, { success: true, total: 1 });
  });
}
