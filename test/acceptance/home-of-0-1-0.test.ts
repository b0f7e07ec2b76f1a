/**
 * The home that version 0.1.0 left (`fixtures/home-0.1.0`), opened by this program and played to its end. What was
 * deployed then is followed, paid out and ended by its own rules, wherever those of new deployments have gone since.
 */
import test from 'ava';
import type { Person } from '../../fixtures/people.js';
import { parseAddress } from '../../src/bch/address.js';
import { sumTokens } from '../../src/bch/coins.js';
import { recordAt } from '../../src/record/known-record.js';
import type { Json } from './client.js';
import { assetOf, expectEnded, exported, gemsOf, is, openOld, type Noun, type Row } from './old-home.js';
import { ask as askAnybody, openElsewhere } from './story.js';

const DAY = 86_400;

test('a home of 0.1.0 › when it is opened › every record stands at its own address, and every check holds', async (t) => {
  const old = await openOld(t);
  const names: Readonly<Record<Noun, string>> = {
    vaults: 'vaults',
    rewards: 'rewards',
    budgets: 'budget_plans',
    streams: 'streams',
    payments: 'payments',
    governance: 'vote_locks',
  };
  for (const [noun, name] of Object.entries(names) as [Noun, string][]) {
    const addresses = (from: readonly Row[]) => from.map((row) => [row.id, row.contract_address]).sort();
    t.true((exported.records[name]?.length ?? 0) > 0);
    t.deepEqual(addresses(await old.rows(noun)), addresses(exported.records[name] ?? []), noun);
  }
  // One claim is on chain, and nobody told the home of it.
  const isUntold = ({ stream_type: type, description, token_type: asset }: Row) =>
    type === 'STEP' && description === 'Active' && asset === 'BCH';
  const [untold] = await old.rows('streams', isUntold);
  if (untold === undefined) return t.fail();
  t.is(untold['withdrawn_amount'], 0n);
  await old.ask(null, 'streams.show', { id: untold.id });
  t.is((await old.rowOf(untold))['withdrawn_amount'], 1_000_000n);
  await old.ask(null, 'sync', { all: true });

  const { entries, summary } = await old.ask(null, 'deployments.list', { verify: true });
  t.like(summary, { mismatched: 0 });
  for (const { contractAddress } of entries as readonly { contractAddress: string }[]) {
    const verified = await old.ask(null, 'deployments.verify', { address: contractAddress });
    t.true(verified['success'], `${contractAddress}: ${JSON.stringify(verified['audit'])}`);
  }
});

test('a home of 0.1.0 › its file and its chain › give every record to an empty home', async (t) => {
  const old = await openOld(t);
  await old.ask(null, 'sync', { all: true });
  const fresh = (await old.ask(null, 'deployments.export')) as unknown;
  for (const file of [exported, JSON.parse(JSON.stringify(fresh))]) {
    const elsewhere = await openElsewhere(t, old.app);
    const taken = await askAnybody(elsewhere, 'deployments.import', { file });
    t.like(taken, { success: true, summary: { leftOut: 0, notRebuilt: 0 } });
    for (const noun of ['vaults', 'rewards', 'budgets', 'streams', 'payments', 'governance'] as const) {
      for (const row of await old.rows(noun)) {
        const { deployables, context } = elsewhere;
        const found = await recordAt(deployables, context.store, row.contract_address);
        t.is(found?.record.status, row.status, `${noun} ${row.contract_address}`);
      }
    }
  }
});

test('a home of 0.1.0 › its campaigns › are funded, distributed, paused and cancelled; a linked one pays the vault', async (t) => {
  const old = await openOld(t);
  const { move, rows, people, addressOf } = old;
  const { alice, dave } = people;
  const category = gemsOf(await rows('rewards'));
  const [vault] = await rows('vaults', is('active'));
  const atVault = async () =>
    sumTokens(
      await old.app.context.chain.coins(parseAddress(vault?.contract_address ?? '').lockingBytecode),
      category,
    );
  const [daves, vaults] = [await old.tokensOf(dave, category), await atVault()];
  for (const row of await rows('rewards', is('PENDING'))) {
    await old.give(alice, 20_000_000n);
    t.is((await move(alice, 'rewards', 'funding', row)).status, 'ACTIVE');
  }
  t.is((await rows('rewards', is('ACTIVE'))).length, 6);
  for (const row of await rows('rewards', is('ACTIVE'))) {
    const amount = assetOf(row) === null ? '0.02' : '2';
    const before = row['distributed_total'] as bigint;
    const paid = await move(alice, 'rewards', 'distribute', row, {
      recipientAddress: addressOf(dave).text,
      amount,
    });
    t.is(paid['distributed_total'], before + (assetOf(row) === null ? 2_000_000n : 200n));
  }
  for (const row of (await rows('rewards', is('ACTIVE'))).filter((_row, index) => index % 2 === 0))
    t.is((await move(alice, 'rewards', 'pause', row)).status, 'PAUSED');
  for (const row of await rows('rewards'))
    t.is((await move(alice, 'rewards', 'cancel', row)).status, 'CANCELLED');
  await expectEnded(t, old, 'rewards');
  t.is((await old.tokensOf(dave, category)) - daves, 600n, 'three rewards');
  t.is((await atVault()) - vaults, 300n, 'what was left of the campaign that is linked to the vault');
});

test('a home of 0.1.0 › its plans › are resumed, released late and cancelled, and nothing is lost', async (t) => {
  const old = await openOld(t);
  const { move, rows, people, addressOf } = old;
  const { alice, bob } = people;
  const category = gemsOf(await rows('budgets'));
  const before = await old.tokensOf(bob, category);
  for (const row of await rows('budgets', is('PENDING'))) {
    await old.give(alice, 20_000_000n);
    await move(alice, 'budgets', 'funding', row);
  }
  for (const row of await rows('budgets', is('PAUSED'))) await move(alice, 'budgets', 'resume', row);
  t.is((await rows('budgets', is('ACTIVE'))).length, 6);
  await old.chain.advance(49 * DAY);
  // All three milestones of four have elapsed; those that were paused are twelve days later, and have two.
  for (const row of await rows('budgets'))
    await move(bob, 'budgets', 'release', row, { recipientAddress: addressOf(bob).text });
  t.is((await rows('budgets', is('COMPLETED'))).length, 4);
  for (const row of await rows('budgets', is('ACTIVE'))) {
    await move(alice, 'budgets', 'pause', row);
    await move(alice, 'budgets', 'resume', row);
    t.is((await move(alice, 'budgets', 'cancel', row)).status, 'CANCELLED');
  }
  await expectEnded(t, old, 'budgets');
  t.is((await old.tokensOf(bob, category)) - before, 500n + 600n + 300n);
});

test('a home of 0.1.0 › its streams › are funded, claimed, sent on, paused, refilled and ended', async (t) => {
  const old = await openOld(t);
  const { move, rows, people, addressOf } = old;
  const { alice, bob, carol } = people;
  const category = gemsOf(await rows('streams'));
  const inTokens = async (field: string) =>
    (await rows('streams', (row) => assetOf(row) !== null)).reduce(
      (sum, row) => sum + (row[field] as bigint),
      0n,
    );
  const held = async () => (await old.tokensOf(bob, category)) + (await old.tokensOf(carol, category));
  await old.ask(null, 'sync', { all: true });
  const before = { held: await held(), taken: await inTokens('withdrawn_amount') };
  // The pause that 0.1.0 witnessed was never sent: an hour later it is taken back, and another one is signed.
  await old.chain.advance(3_600);
  for (const row of await rows(
    'streams',
    ({ stream_type: type, batch_id: batch }) => type === 'HYBRID' && batch === null,
  )) {
    t.is((await move(alice, 'streams', 'pause', row)).status, 'PAUSED');
    t.is((await move(alice, 'streams', 'resume', row)).status, 'ACTIVE');
  }
  for (const row of (await rows('streams', is('PENDING'))).filter(({ batch_id: batch }) => batch === null)) {
    await old.give(alice, 20_000_000n);
    await move(alice, 'streams', 'funding', row);
  }
  for (const row of await rows('streams', is('PENDING'))) {
    if ((await old.rowOf(row)).status !== 'PENDING') continue;
    await old.give(alice, 50_000_000n);
    await move(alice, 'streams', 'funding', row);
  }
  t.is((await rows('streams', is('PENDING'))).length, 0, 'the batch is funded through any of its streams');
  for (const row of await rows('streams', is('PAUSED'))) await move(alice, 'streams', 'resume', row);
  for (const row of await rows('streams', ({ refillable }) => refillable === true))
    await move(alice, 'streams', 'refill', row, { refillAmount: assetOf(row) === null ? '0.01' : '1' });
  await old.chain.advance(25 * DAY);

  const owners = new Map<string, Person>();
  const ownerOf = ({ id }: Row) => owners.get(id) ?? bob;
  await old.give(carol, 1_000_000n);
  for (const row of (await rows('streams', ({ transferable }) => transferable === true)).slice(0, 4)) {
    await move(bob, 'streams', 'transfer', row, { newRecipientAddress: addressOf(carol).text });
    owners.set(row.id, carol);
  }
  const claim = async (row: Row): Promise<void> => {
    const info = await old.ask(null, 'streams.show', { id: row.id });
    const claimable = BigInt(String((info['stream'] as Json)['claimable_amountOnChain']));
    if (claimable > 0n)
      await move(ownerOf(row), 'streams', 'claim', row, { recipientAddress: addressOf(ownerOf(row)).text });
  };
  for (const row of await rows('streams', is('ACTIVE'))) await claim(row);
  for (const [index, row] of (await rows('streams', is('ACTIVE'))).entries()) {
    if (index % 4 === 0) {
      await move(alice, 'streams', 'pause', row);
      await move(alice, 'streams', 'resume', row);
    }
    if (index % 3 === 0) t.is((await move(alice, 'streams', 'cancel', row)).status, 'CANCELLED');
  }
  await old.chain.advance(200 * DAY);
  for (const row of await rows('streams', is('ACTIVE'))) await claim(row);
  for (const row of await rows('streams', is('ACTIVE'))) await move(alice, 'streams', 'cancel', row);

  await expectEnded(t, old, 'streams');
  for (const row of await rows('streams')) {
    const [taken, back] = [row['withdrawn_amount'], row['returned_amount']] as [bigint, bigint];
    const refilled = row['refillable'] === true ? (assetOf(row) === null ? 1_000_000n : 100n) : 0n;
    const whole = (row['total_amount'] as bigint) + refilled;
    t.is(taken + back, whole, `${String(row['stream_id'])} ${row.status}`);
  }
  // What the records say is what the recipients hold.
  const taken = (await inTokens('withdrawn_amount')) - before.taken;
  t.true(taken > 5_000n, `${taken}`);
  t.is((await held()) - before.held, taken);
});

test('a home of 0.1.0 › its payments › are claimed, resumed, refilled and ended, fixed and open-ended', async (t) => {
  const old = await openOld(t);
  const { move, rows, people } = old;
  const { alice, bob } = people;
  const category = gemsOf(await rows('payments'));
  const named = (name: string) => rows('payments', ({ recipient_name: given }) => given === name);
  const before = await old.tokensOf(bob, category);
  for (const row of await named('Pending')) {
    await old.give(alice, 20_000_000n);
    await move(alice, 'payments', 'funding', row);
  }
  for (const row of [...(await named('Fixed')), ...(await named('Pending'))])
    t.is((await move(bob, 'payments', 'claim', row)).status, 'COMPLETED');
  for (const row of await named('Open-ended')) {
    t.is((await move(bob, 'payments', 'claim', row)).status, 'ACTIVE');
    await move(alice, 'payments', 'refill', row, { periods: 2 });
  }
  for (const row of await named('Paused')) await move(alice, 'payments', 'resume', row);
  await old.chain.advance(DAY);
  for (const row of [...(await named('Open-ended')), ...(await named('Paused'))]) {
    await move(alice, 'payments', 'pause', row);
    await move(alice, 'payments', 'resume', row);
    t.is((await move(alice, 'payments', 'cancel', row)).status, 'CANCELLED');
  }
  await expectEnded(t, old, 'payments');
  t.is((await old.tokensOf(bob, category)) - before, 100n * (3n + 3n + 9n + 1n + 1n));
});

test('a home of 0.1.0 › its vaults and its vote › the half-signed spend is sent, the votes count, the stakes return', async (t) => {
  const old = await openOld(t);
  const { rows, people, addressOf, ask } = old;
  const { alice, carol, dave, mallory } = people;
  const [vault] = await rows('vaults', is('active'));
  const [pending] = await rows('vaults', is('pending'));
  const category = gemsOf(await rows('rewards'));

  // The spend has one signature from then
  const { spends } = await ask(alice, 'vaults.spend-list', { id: vault?.id });
  const [spend] = spends as Json[];
  t.like(spend, { status: 'PENDING', memo: 'Security review' });
  t.like(await ask(carol, 'vaults.spend-sign', { spendId: spend?.['id'] }), { status: 'READY' });
  const sent = await ask(alice, 'vaults.spend-broadcast', { id: vault?.id, spendId: spend?.['id'] });
  t.like(sent, { status: 'SPENT', state: 'confirmed' });
  t.is(await old.satoshisOf(mallory), 2_100_000n + 1_000n);
  t.is(await old.tokensOf(mallory, category), 10_050n);
  // And one that is made now
  const again = await ask(alice, 'vaults.spend-create', {
    id: vault?.id,
    outputs: [{ to: addressOf(dave).text, amount: '199.5', tokenCategory: category }],
  });
  for (const who of [alice, carol]) await ask(who, 'vaults.spend-sign', { spendId: again['id'] });
  await ask(alice, 'vaults.spend-broadcast', { id: vault?.id, spendId: again['id'] });
  t.like(await ask(alice, 'vaults.show', { id: vault?.id }), { spends: 2, tokens: [] });
  // The vault that nobody funded
  await old.give(alice, 20_000_000n);
  const deposit = await ask(alice, 'vaults.deposit', { id: pending?.id });
  const txid = await old.send(alice, deposit['wcTransaction']);
  t.like(await ask(alice, 'vaults.update-balance', { id: pending?.id, txid }), { status: 'active' });

  // The vote
  const { proposals } = await ask(alice, 'governance.list', { vaultId: vault?.id });
  const proposalId = (proposals as Json[])[0]?.['id'];
  await old.chain.advance(8 * DAY);
  t.like(await ask(null, 'governance.show', { proposalId }), {
    status: 'PASSED',
    votesFor: 50.5,
    votesAgainst: 20,
    recount: { agrees: true, votesFor: 50.5, votesAgainst: 20 },
  });
  for (const [who, whole] of [
    [carol, 50_100n],
    [dave, 50_000n + 19_950n],
  ] as const) {
    const built = await ask(who, 'governance.unlock', { proposalId, voterAddress: addressOf(who).text });
    const txHash = await old.send(
      who,
      (built['unlockTransaction'] as Json | undefined)?.['wcTransaction'] ?? built['wcTransaction'],
    );
    await ask(who, 'governance.confirm-unlock', { proposalId, voterAddress: addressOf(who).text, txHash });
    t.is(await old.tokensOf(who, category), whole, who.name);
  }
  for (const { contract_address: address } of [...(await rows('vaults')), ...(await rows('governance'))])
    t.true((await ask(null, 'deployments.verify', { address }))['success'], address);
});
