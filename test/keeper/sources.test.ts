/** What there is to do, as a keeper that goes on remembers it from pass to pass. */
import test from 'ava';
import { bob } from '../../fixtures/people.js';
import type { LocalChain } from '../../src/adapters/local-chain/local-chain.js';
import { nouns } from '../../src/app.js';
import type { KnownRule } from '../../src/keeper/known-rule.js';
import { askerOf, tableOf } from '../../src/keeper/reading.js';
import { unlocks } from '../../src/keeper/sources/governance.js';
import { castLock, propose, share } from '../products/governance/proposal.js';
import { advance, DAY, fundPayment } from '../products/payments/payment.js';
import { openTreasury } from '../treasury.js';
import { CLAIMS, once, remembered, writeRules } from './home.js';

test('unlocks › a vote that was taken back, and whose block the chain withdraws › it is due again', async (t) => {
  const treasury = await openTreasury(t);
  const { context } = treasury.app;
  const tokenCategory = await share(treasury, [[bob, '5']]);
  const proposalId = await propose(treasury, { tokenCategory });
  await castLock(treasury, bob, { proposalId, voteChoice: 'FOR', stakeAmount: '5', tokenCategory });
  await advance(treasury, 8 * DAY);
  writeRules(treasury, [{ do: 'governance unlock', wallet: 'bob' }]);
  const unlocked = String((await once(treasury)).results[0]?.txHash);
  const signer = await context.keys.show('bob');
  const rule = { do: 'governance unlock', labels: null, signer } as unknown as KnownRule;
  const asker = askerOf(tableOf(nouns), context, signer);
  const over = new Map<string, number>();
  const look = async () => {
    const now = (await context.chain.tip()).medianTimePast;
    return (await unlocks({ rule, asker, now, ahead: false, over })).length;
  };
  t.is(await look(), 0);
  await (context.localChain as LocalChain).reorg(1, { drop: [unlocked] });
  await treasury.ask(bob, 'governance.recount', { proposalId });
  await advance(treasury, 2 * 3_600);
  t.is(await look(), 1);
});

test('claims › a claim whose block the chain withdraws and drops › it is due again, and taken again once', async (t) => {
  const treasury = await openTreasury(t);
  const payment = await fundPayment(treasury);
  await treasury.give(bob, 500_000n);
  await advance(treasury, DAY);
  writeRules(treasury, [CLAIMS]);
  const before = await treasury.satoshisOf(bob);
  const first = String((await once(treasury)).results[0]?.txHash);
  await (treasury.app.context.localChain as LocalChain).reorg(1, { drop: [first] });
  t.is(await treasury.satoshisOf(bob), before);
  await advance(treasury, 60);
  const { exit, results } = await once(treasury);
  t.is(exit, 0, JSON.stringify(results));
  t.like(results[0], { result: 'done' }, JSON.stringify(results));
  t.deepEqual((await once(treasury)).results, []);
  t.is((await payment.executions()).length, 1);
  t.is(await treasury.satoshisOf(bob), before + 100_000n - BigInt(results[0]?.fee ?? 0));
  t.deepEqual((await remembered(treasury)).faults, []);
});
