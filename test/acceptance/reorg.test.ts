/** Blocks that are taken off take nothing with them: what is followed stays as it was, once. */
import { openTreasury } from '../treasury.js';
import { serve, type Json } from './client.js';
import { onEveryChain } from './on-every-chain.js';

const title =
  'a campaign › given a reorg under its funding and a distribution › both count once, and mature again';

onEveryChain(title, ['reorg'], async (t, world) => {
  const treasury = await openTreasury(t, world);
  const { alice, authority, bob } = treasury.people;
  for (const satoshis of [20_000_000n, 20_000_000n, 20_000_000n]) await treasury.give(alice, satoshis);
  await treasury.give(authority, 10_000n);
  await treasury.chain.mine(1);
  const { call, logIn, send } = await serve(t, treasury);
  const token = { token: await logIn(alice) };
  const terms = { title: 'Built on sand', totalPool: 0.03, maxRewardAmount: 0.01 };
  const created = await call('POST', '/api/rewards/create', terms, token);
  const path = `/api/rewards/${String((created.body['campaign'] as Json)['id'])}`;

  const funding = await call('GET', `${path}/funding-info`, undefined, token);
  const funded = await send(alice, funding.body['wcTransaction']);
  const reward = { recipientAddress: treasury.addressOf(bob).text, amount: 0.01 };
  const fundingClaim = { txHash: funded.body['txHash'] };
  await call('POST', `${path}/confirm-funding`, fundingClaim, token);
  const built = await call('POST', `${path}/distribute`, reward, token);
  const sent = await send(alice, built.body['wcTransaction']);
  const claim = { ...reward, txHash: sent.body['txHash'] };
  await treasury.chain.mine(1);
  const confirm = async () => {
    const answers = [
      await call('POST', `${path}/confirm-funding`, fundingClaim, token),
      await call('POST', `${path}/confirm-distribute`, claim, token),
    ];
    for (const { status, body } of answers) t.is(status, 200, JSON.stringify(body));
    return answers.map(({ body }) => Number(body['confirmations']));
  };
  const settled = await confirm();
  t.true(
    settled.every((confirmations) => confirmations > 0),
    settled.join(),
  );

  // Off, deep enough for both, and back in a block.
  await treasury.chain.reorg(3);
  t.deepEqual(await confirm(), [0, 0]);
  await treasury.chain.mine(1);
  t.deepEqual(await confirm(), [1, 1]);

  t.is(await treasury.satoshisOf(bob), 1_000_000n);
  const { body } = await call('GET', path);
  t.like(body, { campaign: { status: 'ACTIVE', distributed_count: 1 } });
  t.is((body['distributions'] as Json[]).length, 1);
  t.deepEqual(
    (body['events'] as Json[]).map((event) => event['event_type']),
    ['distribution', 'funded', 'created'],
  );
});
