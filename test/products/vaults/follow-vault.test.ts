import test from 'ava';
import { alice, bob, dave } from '../../../fixtures/people.js';
import { followVault } from '../../../src/products/vaults/follow-vault.js';
import type { LocalChain } from '../../../src/adapters/local-chain/local-chain.js';
import { parseAddress } from '../../../src/bch/address.js';
import type { Coin } from '../../../src/bch/coins.js';
import { encodeRaw, toLibauthTransaction } from '../../../src/bch/transaction.js';
import { createFaults } from '../../../src/adapters/electrum/faults.js';
import { lyingChain } from '../../adapters/electrum/lying-chain.js';
import { openTreasury, type Treasury } from '../../treasury.js';
import { createVault, fundVault, type Json, type TestVault } from './vault.js';

/** Follows a vault where the server shows a transaction that nobody could sign. */
const followLied = async (
  { app: { context } }: Treasury,
  { id }: TestVault,
  { spends, paysTo }: { readonly spends: readonly Coin[]; readonly paysTo: string },
) => {
  const liar = lyingChain(context.localChain as LocalChain);
  await liar.show(
    encodeRaw(
      toLibauthTransaction({
        version: 2,
        locktime: 0,
        inputs: spends.map((coin) => ({
          txid: coin.txid,
          vout: coin.vout,
          sequence: 0,
          unlockingBytecode: '',
        })),
        outputs: [{ lockingBytecode: paysTo, satoshis: 700_000n }],
      }),
    ),
  );
  const transaction = async (asked: string) => (await liar.transaction(asked))?.transaction ?? null;
  const distrust = (): void => undefined;
  const faultOf = createFaults({ transaction, server: () => null, distrust, log: context.log });
  const vault = await followVault(id, { ...context, chain: { ...liar, faultOf } });
  return vault;
};

test('a vault on a server that makes up a deposit › given coins that it shows of it › they are not counted', async (t) => {
  const treasury = await openTreasury(t);
  const vault = await fundVault(treasury);
  await treasury.give(dave, 20_000_000n);
  const before = await followVault(vault.id, treasury.app.context);
  const spends = await treasury.app.context.chain.coins(treasury.addressOf(dave).lockingBytecode);
  const paysTo = parseAddress(vault.address).lockingBytecode;
  const after = await followLied(treasury, vault, { spends, paysTo });
  t.deepEqual(after, before);
});

test('a vault whose coins a liar shows and whose history another server › given a coin that no transaction pays › it is not counted', async (t) => {
  const treasury = await openTreasury(t);
  const vault = await fundVault(treasury);
  const { context } = treasury.app;
  const before = await followVault(vault.id, context);
  const { lockingBytecode } = parseAddress(vault.address);
  const coin = { txid: 'ab'.repeat(32), vout: 0, height: null, lockingBytecode, satoshis: 700_000n };
  const coins = async (lock: string) => [...(await context.chain.coins(lock)), coin];
  const after = await followVault(vault.id, { ...context, chain: { ...context.chain, coins } });
  t.deepEqual(after, before);
});

for (const part of ['its thread', 'a gift', 'all'] as const)
  test(`a vault on a server that makes up a spend of ${part} › given coins that it hides for it › they are counted`, async (t) => {
    const treasury = await openTreasury(t);
    const vault = await fundVault(treasury);
    await treasury.give(dave, 20_000_000n);
    const gift = await vault.gift(dave, '0.01');
    const before = await followVault(vault.id, treasury.app.context);
    const coins = await vault.coins();
    const spends = coins.filter(({ txid }) => part === 'all' || (txid === gift) === (part === 'a gift'));
    const paysTo = treasury.addressOf(dave).lockingBytecode;
    const after = await followLied(treasury, vault, { spends, paysTo });
    t.deepEqual(after, before);
  });

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
