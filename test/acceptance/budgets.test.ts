/** The specification's budget plan flow, through a real socket, with a wallet that knows only wc2-bch-bcr. */
import { binToHex } from '@bitauth/libauth';
import type { Person } from '../../fixtures/people.js';
import { openTreasury } from '../treasury.js';
import { serve, type Json } from './client.js';
import { onEveryChain } from './on-every-chain.js';

const DAY = 86_400;

for (const asset of ['BCH', 'FUNGIBLE_TOKEN'] as const) {
  const title = `a budget plan in ${asset}, through HTTP: funded, released late, paused, resumed, cancelled`;
  onEveryChain(title, ['advance'], async (t, world) => {
    const treasury = await openTreasury(t, world);
    const { alice, authority, bob, carol, dave, mallory } = treasury.people;
    await treasury.give(authority, 10_000n);
    for (let coin = 0; coin < 4; coin += 1) await treasury.give(alice, 5_000_000n);
    const category = asset === 'BCH' ? null : await treasury.mint(alice, '500', 2);
    if (category !== null) await treasury.give(bob, 50_000n);
    const unit = category === null ? 1_000n : 100n;
    const amount = (units: number) => (category === null ? (units / 100_000).toFixed(5) : units);
    const { call, send } = await serve(t, treasury);
    const by = (who: Person) => ({ address: treasury.addressOf(who).text });
    const balanceOf = (who: Person) =>
      category === null ? treasury.satoshisOf(who) : treasury.tokensOf(who, category);
    const signers = [alice, carol, dave];

    // A public vault, and a plan in it
    const vault = await call(
      'POST',
      '/api/vaults',
      {
        name: 'Foundation',
        signers: signers.map((who) => by(who).address),
        signerPubkeys: signers.map(({ publicKey }) => binToHex(publicKey)),
        totalDeposit: 0.1,
        isPublic: true,
      },
      by(alice),
    );
    t.is(vault.status, 201, JSON.stringify(vault.body));
    const vaultId = String(vault.body['vaultId']);
    const terms = {
      recipient: by(bob).address,
      tokenType: asset,
      tokenCategory: category,
      milestones: [
        { amount: amount(10), durationSeconds: 10 * DAY, description: 'Design' },
        { amount: amount(25), durationSeconds: 20 * DAY, description: 'Code' },
        { amount: amount(40), durationSeconds: 30 * DAY, description: 'Review' },
        { amount: amount(5), durationSeconds: 1, description: 'Thanks' },
      ],
    };
    t.is((await call('POST', `/api/vaults/${vaultId}/budget-plans`, terms)).status, 401);
    const created = await call('POST', `/api/vaults/${vaultId}/budget-plans`, terms, by(alice));
    t.is(created.status, 201, JSON.stringify(created.body));
    t.like(created.body, {
      success: true,
      plan: { status: 'PENDING', current_milestone: 0, releases: [] },
      deployment: { fundingRequired: true },
    });
    const path = `/api/budget-plans/${String((created.body['plan'] as Json)['id'])}`;

    /** Builds as `who`, signs with their wallet, broadcasts, confirms; the reply of the build. */
    const step = async (
      who: Person,
      verb: string,
      { method = 'POST', build = verb, body = {}, confirm = {} } = {},
    ): Promise<Json> => {
      const built = await call(method, `${path}/${build}`, method === 'GET' ? undefined : body, by(who));
      t.is(built.status, 200, JSON.stringify(built.body));
      const sent = await send(who, built.body['wcTransaction']);
      t.is(sent.status, 200, JSON.stringify(sent.body));
      const txHash = sent.body['txHash'];
      const confirmed = await call('POST', `${path}/confirm-${verb}`, { txHash, ...confirm });
      t.like(confirmed.body, { success: true, state: 'confirmed', txHash }, JSON.stringify(confirmed.body));
      return built.body;
    };

    // Fund
    const before = { alice: await balanceOf(alice), bob: await balanceOf(bob) };
    t.is((await call('GET', `${path}/funding-info`, undefined, by(mallory))).status, 403);
    await step(alice, 'funding', { method: 'GET', build: 'funding-info' });

    // Nothing yet, then two milestones at once
    const body = { recipientAddress: by(bob).address };
    const early = await call('POST', `${path}/release`, body);
    t.is(early.status, 422);
    t.like(early.body, { code: 'nothing_releasable' });
    t.true(Number(early.body['nextUnlock']) > 0);
    t.is((await call('POST', `${path}/release`, { recipientAddress: by(mallory).address })).status, 403);
    await treasury.chain.advance(31 * DAY);
    const released = await step(bob, 'release', { body, confirm: { releasedAmount: amount(35) } });
    t.like(released, { milestonesReleasable: 2, releasableAmountOnChain: String(35n * unit) });
    const paid = (await balanceOf(bob)) - before.bob;
    if (category === null) t.true(paid > 35n * unit - 2_000n && paid < 35n * unit);
    else t.is(paid, 35n * unit);

    // Pause, stand still for 100 days, resume
    t.is((await call('POST', `${path}/pause`, undefined, by(bob))).status, 403);
    t.like(await step(alice, 'pause'), { nextStatus: 'PAUSED' });
    await treasury.chain.advance(100 * DAY);
    t.is((await call('POST', `${path}/release`, body)).status, 409);
    t.like(await step(alice, 'resume'), { nextStatus: 'ACTIVE' });
    t.is((await call('POST', `${path}/release`, body)).status, 422);

    // Cancel before the third milestone: nothing more has elapsed
    await treasury.chain.advance(28 * DAY);
    t.like(await step(alice, 'cancel'), {
      nextStatus: 'CANCELLED',
      controllerAddress: by(alice).address,
      vestedAmountOnChain: '0',
      unvestedAmountOnChain: String(45n * unit),
    });
    t.is((await call('POST', `${path}/cancel`, undefined, by(alice))).status, 409);

    // Sums: what went in is what came out
    t.is((await balanceOf(bob)) - before.bob, paid, 'a cancellation takes nothing back');
    const spent = before.alice - (await balanceOf(alice));
    if (category === null) t.true(spent > 35n * unit && spent < 35n * unit + 8_000n, `${spent}`);
    else t.is(spent, 35n * unit);
    const tickets = await treasury.satoshisOf(authority);
    t.is(tickets, 10_000n, 'the ticket came back both times');

    // The record tells it
    const shown = await call('GET', path);
    t.like(shown.body, { plan: { status: 'CANCELLED', current_milestone: 2, thread: null } });
    t.deepEqual(
      (shown.body['events'] as Json[]).map((event) => event['event_type']),
      ['cancelled', 'resumed', 'paused', 'released', 'funded', 'created'],
    );
    t.is(((shown.body['plan'] as Json)['releases'] as Json[]).length, 2);
    t.like((await call('GET', `/api/vaults/${vaultId}/budget-plans`)).body, { success: true, total: 1 });
    t.like((await call('GET', '/api/budget-plans')).body, { success: true, total: 1 });
  });
}
