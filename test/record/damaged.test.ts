/** Records whose terms do not give their address, as a flipped bit in a home without checksums leaves them. */
import test from 'ava';
import { alice, bob } from '../../fixtures/people.js';
import type { CovenantRecord, Deployable } from '../../src/record/deployable.js';
import { planCollection } from '../../src/products/budgets/index.js';
import { paymentCollection } from '../../src/products/payments/index.js';
import { campaignCollection } from '../../src/products/rewards/index.js';
import { streamCollection } from '../../src/products/streams/index.js';
import { vaultCollection } from '../../src/products/vaults/index.js';
import { fundPlan } from '../products/budgets/plan.js';
import { fundPayment } from '../products/payments/payment.js';
import { fundCampaign } from '../products/rewards/campaign.js';
import { createVault } from '../products/vaults/vault.js';
import { openTreasury, type Treasury } from '../treasury.js';

/** One digit of it is another. */
const flipHex = (hex: string): string => `${hex.startsWith('0') ? '1' : '0'}${hex.slice(1)}`;

/** Every product: how one of its records comes to life, what a flip does to its terms, and how it is listed. */
const products: readonly {
  readonly name: string;
  readonly collection: Deployable['collection'];
  readonly live: (treasury: Treasury) => Promise<unknown>;
  readonly damage: (record: never) => object;
  readonly list: readonly [operation: string, input: Record<string, unknown>, rows: string];
}[] = [
  {
    name: 'vaults',
    collection: vaultCollection,
    live: async (treasury) => (await createVault(treasury)).deposit('0.1'),
    damage: ({ on_chain_vault_id: id }: { on_chain_vault_id: string }) => ({
      on_chain_vault_id: flipHex(id),
    }),
    list: ['vaults.list', {}, 'all'],
  },
  {
    name: 'rewards',
    collection: campaignCollection,
    live: fundCampaign,
    damage: ({ max_reward_amount: most }: { max_reward_amount: bigint }) => ({
      max_reward_amount: most + 4n,
    }),
    list: ['rewards.list', { creator: alice.address('local').text }, 'campaigns'],
  },
  {
    name: 'streams',
    collection: streamCollection,
    live: async (treasury) => {
      await treasury.give(alice, 10_000_000n);
      const terms = {
        recipient: treasury.addressOf(bob).text,
        totalAmount: '0.01',
        scheduleTemplate: 'linear-cliff',
      };
      const { id } = (await treasury.ask(alice, 'streams.create', terms))['stream'] as { id: string };
      const built = await treasury.ask(alice, 'streams.funding-info', { id });
      const txHash = await treasury.send(alice, built['wcTransaction']);
      return treasury.ask(alice, 'streams.confirm-funding', { id, txHash });
    },
    damage: ({ on_chain_stream_id: id }: { on_chain_stream_id: string }) => ({
      on_chain_stream_id: flipHex(id),
    }),
    list: ['streams.list', { sender: alice.address('local').text }, 'streams'],
  },
  {
    name: 'payments',
    collection: paymentCollection,
    live: fundPayment,
    damage: ({ amount_per_period: amount }: { amount_per_period: bigint }) => ({
      amount_per_period: amount + 1n,
    }),
    list: ['payments.list', { sender: alice.address('local').text }, 'payments'],
  },
  {
    name: 'budgets',
    collection: planCollection,
    live: fundPlan,
    damage: ({ on_chain_budget_id: id }: { on_chain_budget_id: string }) => ({
      on_chain_budget_id: flipHex(id),
    }),
    list: ['budgets.list', {}, 'plans'],
  },
];

for (const { name, collection, live, damage, list } of products) {
  test(`a live record of ${name} › given terms that do not give its address › it is damaged, and never unfunded`, async (t) => {
    const treasury = await openTreasury(t);
    await live(treasury);
    const { store } = treasury.app.context;
    const sound = (await store.find(collection)).items.find(
      ({ tx_hash }) => tx_hash !== null,
    ) as CovenantRecord;
    const shown = await treasury.ask(alice, `${name}.show`, { id: sound.id });
    t.truthy(shown);
    await store.transaction((writer) => {
      writer.put(collection, { ...sound, ...damage(sound as never) });
    });
    const damaged = (await store.get(collection, sound.id)) as CovenantRecord;
    t.notDeepEqual(damaged, sound);

    const error = await treasury.refusal(t, alice, `${name}.show`, { id: sound.id }, 'record_damaged');
    t.is(error.details['found'], sound.contract_address);
    t.regex(error.message, /doctor --restore/);

    const synced = await treasury.ask(null, 'sync', { record: sound.contract_address });
    t.like(synced, { success: false, code: 'record_damaged', summary: { failed: 1, changed: 0 } });
    t.deepEqual(await store.get(collection, sound.id), damaged, 'nothing of it has changed');

    const [operation, input, rows] = list;
    const listed = (await treasury.ask(alice, operation, input))[rows] as { id: string; damaged?: boolean }[];
    t.deepEqual(
      listed.filter((row) => row.damaged === true).map(({ id }) => id),
      [sound.id],
    );
  });
}
