import test from 'ava';
import { alice, bob, dave } from '../../../fixtures/people.js';
import { followVault } from '../../../src/products/vaults/follow-vault.js';
import type { LocalChain } from '../../../src/adapters/local-chain/local-chain.js';
import { openTreasury } from '../../treasury.js';
import { createVault, fundVault, type Json } from './vault.js';

test('a vault that two follow at once › given a deposit that the other one has seen › its balance stands, whoever writes last', async (t) => {
  const treasury = await openTreasury(t);
  const vault = await fundVault(treasury);
  const { context } = treasury.app;
  for (const person of [bob, dave]) await treasury.give(person, 20_000_000n);
  await vault.gift(bob, '0.01');
  let isFirst = true;
  const slow = {
    ...context,
    price: {
      ...context.price,
      reading: async () => {
        if (isFirst) {
          isFirst = false;
          await vault.gift(dave, '0.02');
          await followVault(vault.id, context);
        }
        return context.price.reading();
      },
    },
  };
  const { balance } = await followVault(vault.id, slow);
  t.is(balance, await vault.satoshis());
});

test('a vault that nobody asked for meanwhile › given a gift that came before the first deposit › its events stand in the order of their blocks', async (t) => {
  const treasury = await openTreasury(t);
  const vault = await createVault(treasury);
  await treasury.give(dave, 20_000_000n);
  const { wcTransaction } = await treasury.ask(alice, 'vaults.deposit', { id: vault.id });
  await vault.gift(dave, '0.01');
  await treasury.send(alice, wcTransaction);
  const { events } = await vault.shown();
  t.deepEqual(
    (events as Json[]).map(({ event_type, amount }) => [event_type, amount]),
    [
      ['deposited', 0.1],
      ['deposited', 0.01],
      ['created', 0.1],
    ],
  );
});

test('a vault whose last move came into a later block › given a gift that is found with it › it was touched when that block was made', async (t) => {
  const treasury = await openTreasury(t);
  await treasury.give(dave, 20_000_000n);
  const vault = await fundVault(treasury);
  const { updatedAt } = await vault.shown();
  const chain = treasury.app.context.localChain as LocalChain;
  await chain.reorg(1);
  await chain.advance(86_400);
  await vault.gift(dave, '0.01');
  const shown = await vault.shown();
  const { created_at } =
    (shown['events'] as Json[]).find(({ tx_hash }) => tx_hash === shown['tx_hash']) ?? {};
  t.true(Number(created_at) > Number(updatedAt));
  t.is(shown['updatedAt'], created_at);
});
