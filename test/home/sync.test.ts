import test from 'ava';
import { alice, bob } from '../../fixtures/people.js';
import { parseAddress } from '../../src/bch/address.js';
import { exitOf } from '../../src/cli/show-reply.js';
import { EXIT, TreasuryError } from '../../src/errors.js';
import type { App } from '../../src/app.js';
import { eventCollection, eventsOf } from '../../src/record/events.js';
import { campaignCollection } from '../../src/products/rewards/index.js';
import { openTreasury, type Treasury } from '../treasury.js';
import { createCampaign, fundCampaign } from '../products/rewards/campaign.js';
import { fundVault } from '../products/vaults/vault.js';

type Json = Record<string, unknown>;

const sync = (treasury: Treasury, input: Json) => treasury.ask(null, 'sync', input);

/** Writes something else into a campaign. */
const damage = ({ app }: Treasury, id: string, changes: Json): Promise<void> =>
  app.context.store.transaction(async (writer) => {
    const campaign = await writer.get(campaignCollection, id);
    if (campaign !== null) writer.put(campaignCollection, { ...campaign, ...changes });
  });

test('sync › given neither a record nor --all › it says what to give', async (t) => {
  const treasury = await openTreasury(t);
  const neither = await treasury.refusal(t, null, 'sync', {}, 'invalid_input');
  t.regex(neither.message, /label.*--all/);
  const both = await treasury.refusal(t, null, 'sync', { record: 'REWARD-0001', all: true }, 'invalid_input');
  t.regex(both.message, /not both/);
});

test('sync › given a name of no record › deployment_not_found', async (t) => {
  const treasury = await openTreasury(t);
  const error = await treasury.refusal(t, null, 'sync', { record: 'REWARD-0001' }, 'deployment_not_found');
  t.regex(error.message, /REWARD-0001/);
});

test('sync › given a label, an id or a contract address › that record alone is rebuilt', async (t) => {
  const treasury = await openTreasury(t);
  await createCampaign(treasury);
  const campaign = await fundCampaign(treasury);
  const address = String((await campaign.shown())['contract_address']);
  const vault = await fundVault(treasury);
  for (const record of ['REWARD-0002', '#reward-0002', campaign.id, address, address.split(':')[1]]) {
    const reply = await sync(treasury, { record });
    t.like(reply, { summary: { total: 1, same: 1 }, records: [{ id: campaign.id, after: 'ACTIVE' }] });
  }
  t.like(await sync(treasury, { record: 'common funds' }), { records: [{ id: vault.id, module: 'vaults' }] });
});

test('sync › given a record that lies › it is as the chain has it, and the reply says what has changed', async (t) => {
  const treasury = await openTreasury(t);
  await createCampaign(treasury);
  const campaign = await fundCampaign(treasury);
  await campaign.pay(bob, '0.005');
  const before = await treasury.app.context.store.get(campaignCollection, campaign.id);
  await damage(treasury, campaign.id, { status: 'CANCELLED', thread: null, distributed_total: 7n });
  const reply = await sync(treasury, { all: true });
  t.is(exitOf(reply), EXIT.done);
  t.like(reply, { success: true, failures: [], summary: { total: 2, same: 1, changed: 1, failed: 0 } });
  t.deepEqual((reply['records'] as Json[])[1], {
    module: 'rewards',
    label: '#REWARD-0002',
    id: campaign.id,
    before: 'CANCELLED',
    after: 'ACTIVE',
    changed: ['status', 'distributed_total', 'thread'],
    events: { added: 0, removed: 0, changed: 0 },
  });
  t.deepEqual(await treasury.app.context.store.get(campaignCollection, campaign.id), before);
});

test('sync › given events that are missing › they are there again, in the order of time', async (t) => {
  const treasury = await openTreasury(t);
  const vault = await fundVault(treasury);
  const { localChain, store } = treasury.app.context;
  await localChain?.advance(60);
  await treasury.give(bob, 1_000_000n);
  await vault.gift(bob, '0.002');
  await localChain?.advance(60);
  const { id } = await vault.propose([{ to: bob, amount: '0.01' }]);
  for (const signer of [alice, bob]) await vault.sign(signer, id);
  await vault.broadcast(id);
  await localChain?.advance(60);
  await vault.shown();
  const before = await eventsOf(store, vault.id);
  t.deepEqual(
    before.map(({ event_type }) => event_type),
    ['spent', 'deposited', 'deposited', 'created'],
  );
  await store.transaction((writer) => {
    for (const event of before.filter(({ event_type }) => event_type === 'deposited'))
      writer.remove(eventCollection, event.id);
  });
  t.like(await sync(treasury, { record: vault.id }), {
    records: [{ events: { added: 2, removed: 0, changed: 0 } }],
  });
  const said = async () => (await eventsOf(store, vault.id)).map(({ told: _, ...event }) => event);
  t.deepEqual(
    await said(),
    before.map(({ told: _, ...event }) => event),
  );
});

test('sync › given one record that cannot be rebuilt › the others are, and the exit code is that of the failure', async (t) => {
  const treasury = await openTreasury(t);
  const first = await fundCampaign(treasury);
  const second = await fundCampaign(treasury);
  for (const { id } of [first, second]) await damage(treasury, id, { distributed_count: 9 });
  const before = await treasury.app.context.store.get(campaignCollection, first.id);
  const { lockingBytecode } = parseAddress(String(before?.contract_address));
  const app = treasury.app as { -readonly [Key in keyof App]: App[Key] };
  const { chain } = app.context;
  const history: typeof chain.history = (lock) =>
    lock === lockingBytecode
      ? Promise.reject(new TreasuryError('chain_unavailable', { reason: 'it is away' }))
      : chain.history(lock);
  app.context = { ...app.context, chain: { ...chain, history } };
  const reply = await sync(treasury, { all: true });
  t.like(reply, {
    success: false,
    code: 'chain_unavailable',
    failures: [{ label: '#REWARD-0001', code: 'chain_unavailable' }],
    summary: { total: 2, changed: 1, failed: 1 },
  });
  t.is(exitOf(reply), EXIT.network);
  t.is(await app.context.store.get(campaignCollection, first.id), before);
});

test('sync › for people › what changed is listed, and the rest is one line', async (t) => {
  const treasury = await openTreasury(t);
  await createCampaign(treasury);
  const campaign = await fundCampaign(treasury);
  await damage(treasury, campaign.id, { status: 'PAUSED' });
  const reply = await sync(treasury, { all: true });
  const { view } = treasury.app.operations.find(({ id }) => id === 'sync') ?? {};
  const blocks = (view?.(reply) ?? []).map((block) =>
    block.kind === 'table'
      ? { ...block, head: block.head.map((one) => (typeof one === 'string' ? one : one.title)) }
      : block,
  );
  t.deepEqual(blocks, [
    {
      kind: 'table',
      head: ['Record', 'Before', 'After', 'Changed', 'Events'],
      rows: [['rewards #REWARD-0002', 'PAUSED', 'ACTIVE', 'status', '']],
    },
    { kind: 'text', text: '2 in all: 1 the same as before, 1 changed, 0 not rebuilt.' },
  ]);
});
