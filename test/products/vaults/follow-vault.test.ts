import test from 'ava';
import { bob, dave } from '../../../fixtures/people.js';
import { followVault } from '../../../src/products/vaults/follow-vault.js';
import { openTreasury } from '../../treasury.js';
import { fundVault } from './vault.js';

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
