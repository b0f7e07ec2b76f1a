import test, { type ExecutionContext } from 'ava';
import { alice, bob, carol, type Person } from '../../fixtures/people.js';
import { openApp, type App } from '../../src/app.js';
import { outpointText, plainCoins, sameOutpoint, type Outpoint } from '../../src/bch/coins.js';
import { decodeTransaction } from '../../src/bch/transaction.js';
import type { WalletTransaction } from '../../src/bch/wallet-transaction.js';
import { parseAddress } from '../../src/bch/address.js';
import { buildFunding } from '../../src/covenant/funding.js';
import { handOut } from '../../src/offer/hand-out.js';
import { auditGenesis } from '../../src/covenant/genesis.js';
import { TreasuryError } from '../../src/errors.js';
import { choosePinned } from '../../src/offer/funding-pins.js';
import type { ChainPort } from '../../src/operation/ports/chain.js';
import { campaignCollection } from '../../src/products/rewards/index.js';
import { campaigns } from '../../src/products/rewards/product.js';
import { campaignGenesis } from '../../src/products/rewards/transactions.js';
import { execute } from '../../src/operation/execute.js';
import { openTreasury, TEST_TIME, type Treasury } from '../treasury.js';
import { buildLock, chainOf, DAY, propose, share } from '../products/governance/proposal.js';
import { vaultTerms } from '../products/vaults/vault.js';
import { putVault } from '../products/budgets/plan.js';
import { runOn } from '../cli/real-environment.js';

type Json = Record<string, unknown>;

/** Something of alice's that waits for its funding, and how its funding is asked for. */
type Waiting = { readonly label: string; readonly ask: () => Promise<Json> };

const idIn = (created: Json, noun: string): string => (created[noun] as { readonly id: string }).id;

const campaign = async (treasury: Treasury): Promise<Waiting & { readonly id: string }> => {
  const created = await treasury.ask(alice, 'rewards.create', {
    title: 'Bounties',
    totalPool: '0.01',
    maxRewardAmount: '0.01',
  });
  const id = idIn(created, 'campaign');
  const { campaign_id: label } = created['campaign'] as { readonly campaign_id: string };
  return { id, label, ask: () => treasury.ask(alice, 'rewards.funding-info', { id }) };
};

const stream = async (treasury: Treasury): Promise<Waiting & { readonly id: string }> => {
  const recipient = treasury.addressOf(bob).text;
  const terms = { recipient, streamType: 'LINEAR', totalAmount: '0.01' };
  const created = await treasury.ask(alice, 'streams.create', terms);
  const id = idIn(created, 'stream');
  return { id, label: 'a stream', ask: () => treasury.ask(alice, 'streams.funding-info', { id }) };
};

const plan = async (treasury: Treasury): Promise<Waiting> => {
  const created = await treasury.ask(alice, 'budgets.create', {
    vaultId: await putVault(treasury),
    recipient: treasury.addressOf(bob).text,
    milestones: [{ amount: '0.01', durationSeconds: DAY, description: 'All of it' }],
  });
  const id = idIn(created, 'plan');
  return { label: 'a budget plan', ask: () => treasury.ask(alice, 'budgets.funding-info', { id }) };
};

const payment = async (treasury: Treasury): Promise<Waiting> => {
  const created = await treasury.ask(alice, 'payments.create', {
    recipient: treasury.addressOf(bob).text,
    amountPerPeriod: '0.001',
    interval: 'DAILY',
  });
  const id = idIn(created, 'payment');
  return { label: 'a payment', ask: () => treasury.ask(alice, 'payments.funding-info', { id }) };
};

const vault = async (treasury: Treasury): Promise<Waiting> => {
  const { id } = await treasury.ask(alice, 'vaults.create', vaultTerms({ totalDeposit: '0.01' }));
  return { label: 'a first deposit', ask: () => treasury.ask(alice, 'vaults.deposit', { id }) };
};

const batch = async (treasury: Treasury): Promise<Waiting> => {
  const recipient = treasury.addressOf(bob).text;
  const built = await treasury.ask(alice, 'streams.batch-create', {
    vaultId: await putVault(treasury),
    senderAddress: treasury.addressOf(alice).text,
    entries: [
      { recipient, streamType: 'LINEAR', totalAmount: '0.01' },
      { recipient: treasury.addressOf(carol).text, streamType: 'LINEAR', totalAmount: '0.01' },
    ],
  });
  const [first, second] = built['streamIds'] as readonly string[];
  let asked = 0;
  return {
    label: 'a batch, by its creation and by each of its members',
    ask: () => {
      asked += 1;
      if (asked === 1) return Promise.resolve(built);
      return treasury.ask(alice, 'streams.funding-info', { id: asked === 2 ? second : first });
    },
  };
};

const inputsOf = (built: Json): readonly Outpoint[] =>
  decodeTransaction((built['wcTransaction'] as WalletTransaction).transaction).inputs;

/** The coin that a funding starts its threads from. */
const genesisOf = (built: Json): Outpoint => {
  const [first] = inputsOf(built);
  if (first === undefined) throw new Error('a transaction has inputs');
  return first;
};

const codeOf = async (promise: Promise<unknown>): Promise<string> => {
  try {
    await promise;
  } catch (error) {
    if (!(error instanceof TreasuryError)) throw error;
    const { code } = error as TreasuryError;
    return code;
  }
  return 'none';
};

const give = async (treasury: Treasury, who: Person, ...coins: readonly bigint[]): Promise<void> => {
  for (const satoshis of coins) await treasury.give(who, satoshis);
};

for (const [name, make] of Object.entries({ campaign, stream, plan, payment, vault, batch })) {
  test(`one funding › given two fundings of one ${name}, asked for before and after other coins came › the second is tx_conflict`, async (t) => {
    const treasury = await openTreasury(t);
    // Two coins are needed, so that the second funding is another transaction than the first.
    const each = name === 'batch' ? 1_100_000n : 700_000n;
    await give(treasury, alice, each, each);
    const waiting = await make(treasury);
    const first = await waiting.ask();
    await give(treasury, alice, 50_000_000n, 3_000_000n, 5_000_000n);
    const second = await waiting.ask();
    await treasury.send(alice, first['wcTransaction']);
    t.is(await codeOf(treasury.send(alice, second['wcTransaction'])), 'tx_conflict');
  });
}

test('one funding › given it is asked for twice › it is the same transaction', async (t) => {
  const treasury = await openTreasury(t);
  await give(treasury, alice, 20_000_000n, 30_000_000n);
  const { ask } = await campaign(treasury);
  t.deepEqual(await ask(), await ask());
});

test('one funding › given a vote that is built twice, for and against › the second lock is tx_conflict', async (t) => {
  const treasury = await openTreasury(t);
  const proposalId = await propose(treasury);
  const tokenCategory = await share(treasury, [[bob, '50']]);
  const vote = { proposalId, tokenCategory, stakeAmount: '5' };
  const first = await buildLock(treasury, bob, { ...vote, voteChoice: 'FOR' });
  // More of the token and another coin come in between, so that nothing else makes the two conflict.
  await give(treasury, bob, 5_000_000n);
  const more = { to: treasury.addressOf(bob).text, amount: '100', tokenCategory };
  await treasury.send(alice, (await treasury.ask(alice, 'wallet.send', more))['wcTransaction']);
  const second = await buildLock(treasury, bob, { ...vote, voteChoice: 'AGAINST' });
  await treasury.send(bob, first['wcTransaction']);
  t.is(await codeOf(treasury.send(bob, second['wcTransaction'])), 'tx_conflict');
});

const builders: Readonly<Record<string, (treasury: Treasury) => Promise<Json>>> = {
  'a send': (treasury) =>
    treasury.ask(alice, 'wallet.send', { to: treasury.addressOf(carol).text, amount: '0.05' }),
  'a send of everything': (treasury) =>
    treasury.ask(alice, 'wallet.send', { to: treasury.addressOf(carol).text, max: true }),
  'the funding of another record': async (treasury) => (await stream(treasury)).ask(),
  'a new token': (treasury) =>
    treasury.ask(alice, 'tokens.create', { supply: '10', decimals: 0, symbol: 'X' }),
  'a first deposit': async (treasury) => (await vault(treasury)).ask(),
  'a batch': async (treasury) => (await batch(treasury)).ask(),
};

for (const [name, build] of Object.entries(builders)) {
  test(`the lease › given ${name} while a funding waits › its coin is left alone`, async (t) => {
    const treasury = await openTreasury(t);
    await give(treasury, alice, 20_000_000n);
    const waiting = await campaign(treasury);
    const pinned = genesisOf(await waiting.ask());
    await give(treasury, alice, 10_000_000n);
    const built = await build(treasury);
    t.false(inputsOf(built).some((input) => sameOutpoint(input, pinned)));
    await treasury.send(alice, built['wcTransaction']);
    await treasury.send(alice, (await waiting.ask())['wcTransaction']);
  });
}

test('the lease › given a fee that only the pinned coin could pay › it says what keeps it, and how to spend it', async (t) => {
  const treasury = await openTreasury(t);
  await give(treasury, alice, 20_000_000n);
  const { label, ask } = await campaign(treasury);
  await ask();
  const to = treasury.addressOf(carol).text;
  const error = await treasury.refusal(t, alice, 'wallet.send', { to, amount: '0.05' }, 'insufficient_funds');
  t.true(error.message.includes(label), error.message);
  t.regex(error.message, /--use-pinned/);
  t.like(error.details, { pinned: [{ label, satoshis: '20000000' }] });
  const built = await treasury.ask(alice, 'wallet.send', { to, amount: '0.05', usePinned: true });
  await treasury.send(alice, built['wcTransaction']);
  const after = await ask();
  t.is(after['requiresPreparation'], true, 'the coin is gone, and its change is at another index');
});

test('the lease › given the moves of a live record › their fees leave the pinned coin alone', async (t) => {
  const treasury = await openTreasury(t);
  await give(treasury, alice, 20_000_000n);
  const live = await campaign(treasury);
  await treasury.send(alice, (await live.ask())['wcTransaction']);
  await give(treasury, alice, 30_000_000n);
  const pinned = genesisOf(await (await stream(treasury)).ask());
  const pause = await treasury.ask(alice, 'rewards.pause', { id: live.id });
  t.false(inputsOf(pause).some((input) => sameOutpoint(input, pinned)));
});

test('the lease › given one coin at index 0 and two records › the second needs a preparation, which leaves the coin alone', async (t) => {
  const treasury = await openTreasury(t);
  await give(treasury, alice, 20_000_000n, 30_000_000n);
  const first = await campaign(treasury);
  const pinned = genesisOf(await first.ask());
  // What is left is moved to index 1.
  const to = treasury.addressOf(bob).text;
  await treasury.send(
    alice,
    (await treasury.ask(alice, 'wallet.send', { to, amount: '0.01' }))['wcTransaction'],
  );
  const second = await stream(treasury);
  const prepared = await second.ask();
  t.is(prepared['requiresPreparation'], true);
  const preparation = prepared['preparationTransaction'] as WalletTransaction;
  t.false(decodeTransaction(preparation.transaction).inputs.some((input) => sameOutpoint(input, pinned)));
  await treasury.send(alice, preparation);
  t.false(sameOutpoint(genesisOf(await second.ask()), pinned));
});

test('the lease › given a stranger who asks for the funding of what waits › it is pinned, and kept from nobody until its payer asks', async (t) => {
  const treasury = await openTreasury(t);
  await give(treasury, alice, 20_000_000n);
  const { id } = await campaign(treasury);
  const to = treasury.addressOf(carol).text;
  const send = { to, amount: '0.05' };
  const pinned = [];
  for (const stranger of [null, bob]) {
    pinned.push(outpointText(genesisOf(await treasury.ask(stranger, 'rewards.funding-info', { id }))));
    await treasury.ask(alice, 'wallet.send', send);
  }
  pinned.push(outpointText(genesisOf(await treasury.ask(alice, 'rewards.funding-info', { id }))));
  t.is(new Set(pinned).size, 1);
  await treasury.refusal(t, alice, 'wallet.send', send, 'insufficient_funds');
  await treasury.ask(null, 'rewards.funding-info', { id });
  await treasury.refusal(t, alice, 'wallet.send', send, 'insufficient_funds');
});

test('the lease › given a stranger who asks what its payer cannot pay › what waits is not told', async (t) => {
  const treasury = await openTreasury(t);
  await give(treasury, alice, 20_000_000n);
  const { label, id } = await campaign(treasury);
  await treasury.ask(alice, 'rewards.funding-info', { id });
  const other = await stream(treasury);
  const input = { id: other.id };
  const told = await treasury.refusal(t, alice, 'streams.funding-info', input, 'insufficient_funds');
  t.true(told.message.includes(label), told.message);
  for (const stranger of [null, bob]) {
    const error = await treasury.refusal(t, stranger, 'streams.funding-info', input, 'insufficient_funds');
    t.false(error.message.includes(label), error.message);
    t.is(error.details['pinned'], undefined);
  }
});

test('the pin › given its coin was spent on something else › a new one is pinned', async (t) => {
  const treasury = await openTreasury(t);
  await give(treasury, alice, 20_000_000n);
  const { ask } = await campaign(treasury);
  const first = await ask();
  const pinned = genesisOf(first);
  const send = { to: treasury.addressOf(carol).text, max: true, usePinned: true };
  await treasury.send(alice, (await treasury.ask(alice, 'wallet.send', send))['wcTransaction']);
  await give(treasury, alice, 30_000_000n);
  const second = await ask();
  t.false(sameOutpoint(genesisOf(second), pinned));
  t.deepEqual(await ask(), second);
  await treasury.send(alice, second['wcTransaction']);
  t.is(await codeOf(treasury.send(alice, first['wcTransaction'])), 'tx_conflict');
});

test('the lease › given everything is sent at the terminal › what is left alone is shown before it is signed', async (t) => {
  const treasury = await openTreasury(t);
  await give(treasury, alice, 20_000_000n);
  const { label, ask } = await campaign(treasury);
  await ask();
  await give(treasury, alice, 10_000_000n);
  const words = [
    'wallet',
    'send',
    '--to',
    treasury.addressOf(carol).text,
    '--max',
    '--wallet',
    'alice',
    '--yes',
  ];
  const { exit, stderr } = await runOn(treasury, words);
  t.is(exit, 0, stderr);
  t.regex(stderr, new RegExp(`Left alone +0.2 BCH, for the funding of ${label}`));
});

/** What a funding is chosen from while the chain says something else than it does. */
const chooseWith = async (treasury: Treasury, id: string, changes: Partial<ChainPort>): Promise<unknown> => {
  const { context } = treasury.app;
  const { campaign_id: label, creator } = await campaigns.find(context.store, id);
  const subject = { id, label, record: { collection: campaignCollection.name, id } };
  const members = [campaignGenesis(await campaigns.find(context.store, id), 'local')];
  return choosePinned(
    subject,
    parseAddress(creator),
    (transaction) => auditGenesis(transaction, members).ok,
    { ...context, chain: { ...context.chain, ...changes } },
  );
};

test('the pin › given its coin was spent by this very funding, which the record has not followed yet › no second one is built', async (t) => {
  const treasury = await openTreasury(t);
  await give(treasury, alice, 20_000_000n, 30_000_000n);
  const { id, ask } = await campaign(treasury);
  await treasury.send(alice, (await ask())['wcTransaction']);
  t.is(await codeOf(chooseWith(treasury, id, {})), 'store_conflict');
});

test('the pin › given a first deposit that the vault’s index does not show yet › none of another amount is built', async (t) => {
  const treasury = await openTreasury(t);
  await give(treasury, alice, 20_000_000n, 30_000_000n);
  const { id } = await treasury.ask(alice, 'vaults.create', vaultTerms({ totalDeposit: '0.1' }));
  const first = await treasury.ask(alice, 'vaults.deposit', { id, amount: '0.01' });
  const { lockingBytecode } = parseAddress(String(first['contractAddress']));
  await treasury.send(alice, first['wcTransaction']);
  const { context } = treasury.app;
  const { chain } = context;
  const late: Pick<ChainPort, 'coins' | 'history'> = {
    coins: (lock) => (lock === lockingBytecode ? Promise.resolve([]) : chain.coins(lock)),
    history: (lock) => (lock === lockingBytecode ? Promise.resolve([]) : chain.history(lock)),
  };
  Object.assign(context, { chain: { ...chain, ...late } });
  await treasury.refusal(t, alice, 'vaults.deposit', { id, amount: '0.02' }, 'store_conflict');
});

test('the pin › given a server that hides its coin › no other is pinned', async (t) => {
  const treasury = await openTreasury(t);
  await give(treasury, alice, 20_000_000n, 30_000_000n);
  const { id, ask } = await campaign(treasury);
  const pinned = genesisOf(await ask());
  const { chain } = treasury.app.context;
  const coins = async (lock: string) =>
    (await chain.coins(lock)).filter((coin) => !sameOutpoint(coin, pinned));
  t.is(await codeOf(chooseWith(treasury, id, { coins })), 'chain_unavailable');
  t.true(sameOutpoint(genesisOf(await ask()), pinned));
});

/** The coins of alice that a send of everything takes. */
const spendable = async (treasury: Treasury): Promise<readonly string[]> => {
  const send = { to: treasury.addressOf(carol).text, max: true };
  return inputsOf(await treasury.ask(alice, 'wallet.send', send)).map(outpointText);
};

test('the lease › given the record is funded, or removed › it has ended', async (t) => {
  const treasury = await openTreasury(t);
  await give(treasury, alice, 20_000_000n, 30_000_000n, 40_000_000n);
  const all = plainCoins(await treasury.app.context.chain.coins(treasury.addressOf(alice).lockingBytecode));
  const { id, ask } = await campaign(treasury);
  const pinned = outpointText(genesisOf(await ask()));
  t.false((await spendable(treasury)).includes(pinned));
  await treasury.ask(alice, 'rewards.remove', { id });
  t.deepEqual([...(await spendable(treasury))].sort(), all.map(outpointText).sort());
});

test('the lease › given the record was funded by a wallet of its own › it has ended, and comes back when the chain takes that back', async (t) => {
  const treasury = await openTreasury(t);
  await give(treasury, alice, 20_000_000n);
  const { id, ask } = await campaign(treasury);
  const first = await ask();
  const pinned = genesisOf(first);
  // Another home of alice funds it with another coin.
  await give(treasury, alice, 30_000_000n);
  const other = await foreignFunding(t, treasury, id);
  const txid = await treasury.send(alice, other);
  await treasury.ask(null, 'rewards.show', { id });
  t.true((await spendable(treasury)).includes(outpointText(pinned)));
  await chainOf(treasury).mine(1);
  await (
    treasury.app.context.localChain as unknown as { reorg: (n: number, how: object) => Promise<unknown> }
  ).reorg(3, { drop: [txid] });
  await treasury.ask(null, 'rewards.show', { id });
  t.false((await spendable(treasury)).includes(outpointText(pinned)));
  t.true(sameOutpoint(genesisOf(await ask()), pinned));
});

/** The funding of a campaign as a home would build it that knows no pin: from the largest coin. */
const foreignFunding = async (t: ExecutionContext, treasury: Treasury, id: string): Promise<unknown> => {
  const { context } = treasury.app;
  const payer = treasury.addressOf(alice);
  const payerCoins = (await context.chain.coins(payer.lockingBytecode)).filter(
    ({ satoshis }) => satoshis === 30_000_000n,
  );
  const members = [campaignGenesis(await campaigns.find(context.store, id), 'local')];
  const funding = buildFunding({ payer, payerCoins, members });
  t.is(funding.kind, 'ready');
  return handOut(funding.payment, payer, 'Fund', context);
};

/** A second process on the same home. */
const secondProcess = async (t: ExecutionContext, treasury: Treasury): Promise<App> => {
  const app = await openApp({ home: treasury.home, network: 'local', wall: () => TEST_TIME });
  t.teardown(() => app.close());
  return app;
};

const askIn = (app: App, id: string, input: Json): Promise<Json> => {
  const operation = app.operations.find((one) => one.id === id);
  if (operation === undefined) throw new Error(`there is no operation ${id}`);
  return execute(operation, input, app.context, { kind: 'operator', address: alice.address('local') });
};

test('two processes › given one record › both hand out fundings with one genesis coin', async (t) => {
  const treasury = await openTreasury(t);
  await give(treasury, alice, 20_000_000n, 30_000_000n, 40_000_000n);
  const { id, ask } = await campaign(treasury);
  const other = await secondProcess(t, treasury);
  const fundings = await Promise.all([ask(), askIn(other, 'rewards.funding-info', { id }), ask()]);
  t.is(new Set(fundings.map((built) => outpointText(genesisOf(built)))).size, 1);
});

test('two processes › given two records and as many coins › each has a coin of its own', async (t) => {
  const treasury = await openTreasury(t);
  const other = await secondProcess(t, treasury);
  await give(treasury, alice, 20_000_000n, 30_000_000n, 40_000_000n, 50_000_000n);
  const records = [];
  for (let count = 0; count < 4; count += 1) records.push(await campaign(treasury));
  const fundings = await Promise.all(
    records.map(({ id, ask }, index) =>
      index % 2 === 0 ? ask() : askIn(other, 'rewards.funding-info', { id }),
    ),
  );
  t.is(new Set(fundings.map((built) => outpointText(genesisOf(built)))).size, 4);
  for (const { wcTransaction } of fundings) await treasury.send(alice, wcTransaction);
  for (const { id } of records) {
    const shown = await treasury.ask(null, 'rewards.show', { id });
    t.like(shown, { campaign: { status: 'ACTIVE' } });
  }
});
