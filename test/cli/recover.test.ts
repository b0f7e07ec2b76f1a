import test from 'ava';
import { alice, authority, bob } from '../../fixtures/people.js';
import { fundAstray } from '../offer/stray-fundings.js';
import { fundCampaign } from '../products/rewards/campaign.js';
import { fundStream } from '../products/streams/stream.js';
import { openTreasury } from '../treasury.js';
import { runOn } from './real-environment.js';

type Json = Record<string, unknown>;

test('recover › given a second funding of a campaign › one command builds, shows, signs, sends and confirms', async (t) => {
  const treasury = await openTreasury(t);
  const { id, shown } = await fundCampaign(treasury);
  const txid = await fundAstray(treasury, id, { payer: alice });
  const before = await shown();
  const seen = await runOn(treasury, ['rewards', 'show', 'REWARD-0001', '--wallet', 'alice']);
  t.regex(seen.stdout, new RegExp(`${txid}:\\d`));
  t.regex(seen.stdout, /rewards recover REWARD-0001 --txid/);

  const { exit, stdout, stderr } = await runOn(treasury, [
    'rewards',
    'recover',
    'REWARD-0001',
    '--wallet',
    'alice',
    '--yes',
    '--json',
  ]);
  t.is(exit, 0, stderr);
  t.like(JSON.parse(stdout), { state: 'confirmed', status: 'ACTIVE', recovered: [{ txid }] });
  t.deepEqual({ ...(await shown()), confirmations: 0 }, { ...before, confirmations: 0 });
  t.deepEqual((await treasury.ask(null, 'rewards.show', { id }))['unexpectedFunding'], []);

  const again = await runOn(treasury, [
    'rewards',
    'recover',
    'REWARD-0001',
    '--wallet',
    'alice',
    '--yes',
    '--json',
  ]);
  t.is(again.exit, 5);
  t.like(JSON.parse(again.stdout === '' ? again.stderr : again.stdout), { code: 'nothing_to_recover' });
});

test('recover › given two strays of a stream › the command run twice takes both', async (t) => {
  const treasury = await openTreasury(t);
  await treasury.give(authority, 1_000_000n);
  await treasury.give(bob, 100_000n);
  const { id } = await fundStream(treasury);
  for (const pool of [11_000_000n, 12_000_000n]) await fundAstray(treasury, id, { payer: alice, pool });
  for (const left of [1, 0]) {
    const { exit, stderr } = await runOn(treasury, [
      'streams',
      'recover',
      'STREAM-0001',
      '--wallet',
      'alice',
      '--yes',
    ]);
    t.is(exit, 0, stderr);
    const { unexpectedFunding } = await treasury.ask(null, 'streams.show', { id });
    t.is((unexpectedFunding as Json[]).length, left);
  }
});
