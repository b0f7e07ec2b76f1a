import { parseAddress } from '../../src/bch/address.js';
import test, { type ExecutionContext } from 'ava';
import { alice, authority, bob, dave, mallory, type Person } from '../../fixtures/people.js';
import { openTreasury, type Treasury } from '../treasury.js';
import { advance, DAY, tokenTerms } from '../products/streams/stream.js';
import { putVault } from '../products/budgets/plan.js';
import { fundVault } from '../products/vaults/vault.js';
import { fundAstray } from './stray-fundings.js';

type Json = Record<string, unknown>;
type Asset = 'BCH' | 'tokens';

/** A product whose money may lie astray. */
type Product = {
  readonly noun: string;
  /** Creates a PENDING record of alice, for bob where there is a recipient; returns its id. */
  readonly create: (treasury: Treasury, asset: Json, isCancelable: boolean) => Promise<string>;
  /** What its funding puts in, in the smallest unit; tokens have two decimals. */
  readonly pool: Readonly<Record<Asset, bigint>>;
  /** What bob is owed after 10 days. */
  readonly due: Readonly<Record<Asset, bigint>>;
};

const created = async (treasury: Treasury, operation: string, noun: string, input: Json): Promise<string> => {
  const reply = await treasury.ask(alice, operation, input);
  return (reply[noun] as { readonly id: string }).id;
};

const isToken = (asset: Json): boolean => asset['tokenCategory'] !== undefined;

const products: Readonly<Record<string, Product>> = {
  campaign: {
    noun: 'rewards',
    pool: { BCH: 1_000_000n, tokens: 10_000n },
    due: { BCH: 0n, tokens: 0n },
    create: (treasury, asset) => {
      const amount = isToken(asset) ? '100' : '0.01';
      const terms = { title: 'Bounties', totalPool: amount, maxRewardAmount: amount };
      return created(treasury, 'rewards.create', 'campaign', { ...terms, ...asset });
    },
  },
  plan: {
    noun: 'budgets',
    pool: { BCH: 1_000_000n, tokens: 10_000n },
    due: { BCH: 400_000n, tokens: 4_000n },
    create: async (treasury, asset, cancelable) => {
      const [first, second] = isToken(asset) ? ['40', '60'] : ['0.004', '0.006'];
      return created(treasury, 'budgets.create', 'plan', {
        vaultId: await putVault(treasury),
        recipient: treasury.addressOf(bob).text,
        milestones: [
          { amount: first, durationSeconds: 5 * DAY, description: 'One' },
          { amount: second, durationSeconds: 50 * DAY, description: 'Two' },
        ],
        cancelable,
        ...asset,
      });
    },
  },
  stream: {
    noun: 'streams',
    pool: { BCH: 1_000_000n, tokens: 10_000n },
    due: { BCH: 400_000n, tokens: 4_000n },
    create: async (treasury, asset, cancelable) => {
      const { medianTimePast: now } = await treasury.app.context.chain.tip();
      const total = isToken(asset) ? '100' : '0.01';
      const [first, second] = isToken(asset) ? ['40', '60'] : ['0.004', '0.006'];
      return created(treasury, 'streams.create', 'stream', {
        recipient: treasury.addressOf(bob).text,
        streamType: 'TRANCHE',
        totalAmount: total,
        trancheSchedule: [
          { unlockTime: now + 5 * DAY, amount: first },
          { unlockTime: now + 50 * DAY, amount: second },
        ],
        cancelable,
        ...asset,
      });
    },
  },
  'recurring stream': {
    noun: 'streams',
    pool: { BCH: 1_000_000n, tokens: 10_000n },
    due: { BCH: 500_000n, tokens: 5_000n },
    create: async (treasury, asset, cancelable) => {
      const { medianTimePast: now } = await treasury.app.context.chain.tip();
      return created(treasury, 'streams.create', 'stream', {
        recipient: treasury.addressOf(bob).text,
        streamType: 'RECURRING',
        totalAmount: isToken(asset) ? '100' : '0.01',
        startTime: now,
        endTime: now + 20 * DAY,
        intervalSeconds: 2 * DAY,
        cancelable,
        ...asset,
      });
    },
  },
  payment: {
    noun: 'payments',
    pool: { BCH: 1_200_000n, tokens: 12_000n },
    due: { BCH: 1_000_000n, tokens: 10_000n },
    create: async (treasury, asset, cancelable) => {
      const { medianTimePast: now } = await treasury.app.context.chain.tip();
      return created(treasury, 'payments.create', 'payment', {
        recipient: treasury.addressOf(bob).text,
        amountPerPeriod: isToken(asset) ? '10' : '0.001',
        interval: 'DAILY',
        startDate: now,
        endDate: now + 100 * DAY,
        cancelable,
        ...asset,
      });
    },
  },
};

/** A treasury in which alice can pay in an asset, and bob has a coin for fees. */
const open = async (t: ExecutionContext, asset: Asset): Promise<{ treasury: Treasury; terms: Json }> => {
  const treasury = await openTreasury(t);
  await treasury.give(authority, 1_000_000n);
  await treasury.give(bob, 100_000n);
  if (asset === 'BCH') return { treasury, terms: {} };
  const { category } = await tokenTerms(treasury);
  return { treasury, terms: { tokenType: 'CASHTOKENS', tokenCategory: category } };
};

const fund = async (treasury: Treasury, { noun }: Product, id: string): Promise<string> => {
  await treasury.give(alice, 50_000_000n);
  const built = await treasury.ask(alice, `${noun}.funding-info`, { id });
  const txHash = await treasury.send(alice, built['wcTransaction']);
  await treasury.ask(alice, `${noun}.confirm-funding`, { id, txHash });
  return txHash;
};

type Shown = { readonly record: Json; readonly strays: readonly Json[] };

const NOUNS: Readonly<Record<string, string>> = {
  rewards: 'campaign',
  budgets: 'plan',
  streams: 'stream',
  payments: 'payment',
};

const show = async (treasury: Treasury, { noun }: Product, id: string): Promise<Shown> => {
  const reply = await treasury.ask(alice, `${noun}.show`, { id });
  return {
    record: reply[NOUNS[noun] ?? ''] as Json,
    strays: reply['unexpectedFunding'] as readonly Json[],
  };
};

/** What does not depend on the clock. */
const lasting = ({ record }: Shown): Json =>
  Object.fromEntries(['status', 'tx_hash', 'thread', 'contract_address'].map((name) => [name, record[name]]));

const recover = async (treasury: Treasury, who: Person, { noun }: Product, input: Json): Promise<Json> => {
  const built = await treasury.ask(who, `${noun}.recover`, input);
  const txHash = await treasury.send(who, built['wcTransaction']);
  const confirmed = await treasury.ask(who, `${noun}.confirm-recover`, { id: input['id'], txHash });
  return { ...built, txHash, confirmed };
};

const held = (treasury: Treasury, who: Person, terms: Json): Promise<bigint> =>
  isToken(terms) ? treasury.tokensOf(who, String(terms['tokenCategory'])) : treasury.satoshisOf(who);

/** Fees and dust of a recovery are less than this. */
const FEES = 12_000n;

const isAbout = (found: bigint, expected: bigint, terms: Json): boolean =>
  isToken(terms) ? found === expected : found > expected - FEES && found < expected + FEES;

for (const asset of ['BCH', 'tokens'] as const) {
  for (const [name, product] of Object.entries(products)) {
    test(`recover › given a second funding of a ${name} in ${asset} › whoever may cancel takes it out, and the record is as it was`, async (t) => {
      const { treasury, terms } = await open(t, asset);
      const id = await product.create(treasury, terms, true);
      await fund(treasury, product, id);
      const txid = await fundAstray(treasury, id, { payer: alice });
      await advance(treasury, 10 * DAY);
      const before = await show(treasury, product, id);
      t.like(before.strays, [{ txid, amountOnChain: String(product.pool[asset]), recoverable: true }]);
      t.is(before.strays.length, 1);
      const [hers, his] = [await held(treasury, alice, terms), await held(treasury, bob, terms)];
      const recovered = await recover(treasury, alice, product, { id });
      t.like(recovered, { txid, rule: 'cancel', recipientAmountOnChain: String(product.due[asset]) });
      t.like(recovered['confirmed'], { state: 'confirmed', status: 'ACTIVE', recovered: [{ txid }] });
      const back = (await held(treasury, alice, terms)) - hers;
      const rest = product.pool[asset] - product.due[asset];
      t.true(isAbout(back, rest, terms), `${back} came back of ${rest}`);
      t.is((await held(treasury, bob, terms)) - his, product.due[asset]);
      const after = await show(treasury, product, id);
      t.deepEqual(lasting(after), lasting(before));
      t.deepEqual(after.strays, []);
    });

    test(`recover › given a funding of a ${name} in ${asset} with a wrong sum before the right one › the record waits, and the money comes back`, async (t) => {
      const { treasury, terms } = await open(t, asset);
      const id = await product.create(treasury, terms, true);
      const wrong = product.pool[asset] + (isToken(terms) ? 700n : 70_000n);
      const txid = await fundAstray(treasury, id, { payer: alice, pool: wrong });
      const before = await show(treasury, product, id);
      t.is(before.record['status'], 'PENDING');
      t.like(before.strays, [{ txid, amountOnChain: String(wrong), recoverable: true }]);
      const hers = await held(treasury, alice, terms);
      await recover(treasury, alice, product, { id });
      const back = (await held(treasury, alice, terms)) - hers;
      t.true(isAbout(back, wrong, terms), `${back} came back of ${wrong}`);
      t.like(await show(treasury, product, id), { record: { status: 'PENDING' }, strays: [] });
      await fund(treasury, product, id);
      t.like(await show(treasury, product, id), { record: { status: 'ACTIVE' }, strays: [] });
    });

    test(`recover › given a funding of a ${name} in ${asset} with too little › what there is comes back, or it is said what lacks`, async (t) => {
      const { treasury, terms } = await open(t, asset);
      const id = await product.create(treasury, terms, true);
      const wrong = product.pool[asset] / 2n;
      await fundAstray(treasury, id, { payer: alice, pool: wrong });
      const hers = await held(treasury, alice, terms);
      if (name === 'campaign' && asset === 'tokens') {
        const error = await treasury.refusal(t, alice, 'rewards.recover', { id }, 'not_recoverable');
        const reserve = /send 50 more to (bchtest:\w+)/.exec(error.message)?.[1];
        t.truthy(reserve, error.message);
        const gift = { to: reserve, amount: '50', tokenCategory: terms['tokenCategory'] };
        await treasury.give(alice, 100_000n);
        await treasury.send(alice, (await treasury.ask(alice, 'wallet.send', gift))['wcTransaction']);
        await recover(treasury, alice, product, { id });
        t.is((await held(treasury, alice, terms)) - hers, wrong);
        return;
      }
      await recover(treasury, alice, product, { id });
      const back = (await held(treasury, alice, terms)) - hers;
      t.true(isAbout(back, wrong, terms), `${back} came back of ${wrong}`);
      t.deepEqual((await show(treasury, product, id)).strays, []);
    });

    if (name === 'campaign') continue;

    test(`recover › given a second funding of an irrevocable ${name} in ${asset} › the recipient takes what is due, and the rest when it is`, async (t) => {
      const { treasury, terms } = await open(t, asset);
      const id = await product.create(treasury, terms, false);
      await fund(treasury, product, id);
      const txid = await fundAstray(treasury, id, { payer: alice });
      const error = await treasury.refusal(t, alice, `${product.noun}.recover`, { id }, 'not_recoverable');
      t.regex(error.message, /irrevocable/);
      const nothing = name === 'plan' ? 'nothing_releasable' : 'nothing_claimable';
      await treasury.refusal(t, bob, `${product.noun}.recover`, { id }, nothing);
      await advance(treasury, 10 * DAY);
      const before = await show(treasury, product, id);
      const his = await held(treasury, bob, terms);
      const first = await recover(treasury, bob, product, { id });
      t.like(first, { txid, rule: 'claim', recipientAmountOnChain: String(product.due[asset]) });
      const taken = (await held(treasury, bob, terms)) - his;
      t.true(isAbout(taken, product.due[asset], terms), `${taken} were taken`);
      const between = await show(treasury, product, id);
      t.deepEqual(lasting(between), lasting(before));
      t.like(between.strays, [
        { txid: first['txHash'], amountOnChain: String(product.pool[asset] - product.due[asset]) },
      ]);
      await advance(treasury, 100 * DAY);
      await recover(treasury, bob, product, { id });
      const all = (await held(treasury, bob, terms)) - his;
      t.true(isAbout(all, product.pool[asset], terms), `${all} were taken in all`);
      const after = await show(treasury, product, id);
      t.deepEqual(lasting(after), lasting(before));
      // The last claim of a payment that goes on leaves an empty thread.
      t.true(after.strays.every(({ amountOnChain }) => amountOnChain === '0'));
    });
  }
}

const { campaign, stream } = products as { readonly campaign: Product; readonly stream: Product };

test('recover › given the funding of a stranger › the record waits, and its own sender takes it', async (t) => {
  const { treasury } = await open(t, 'BCH');
  const id = await stream.create(treasury, {}, true);
  const txid = await fundAstray(treasury, id, { payer: mallory });
  t.like(await show(treasury, stream, id), { record: { status: 'PENDING' }, strays: [{ txid }] });
  await treasury.refusal(t, mallory, 'streams.recover', { id }, 'not_sender');
  await treasury.give(alice, 100_000n);
  await recover(treasury, alice, stream, { id });
  t.like(await show(treasury, stream, id), { record: { status: 'PENDING' }, strays: [] });
});

test('recover › given plain coins and a stranger’s NFT at the address › it says that no rule moves them', async (t) => {
  const { treasury } = await open(t, 'BCH');
  const id = await campaign.create(treasury, {}, true);
  await fund(treasury, campaign, id);
  const { record } = await show(treasury, campaign, id);
  await treasury.give(mallory, 1_000_000n);
  const { lockingBytecode } = parseAddress(String(record['contract_address']));
  const txid = await treasury.payAnywhere(mallory, [{ lockingBytecode, satoshis: 100_000n }]);
  const { strays } = await show(treasury, campaign, id);
  t.like(strays, [{ txid, recoverable: false, satoshis: '100000' }]);
  t.regex(String(strays[0]?.['detail']), /lost/);
  const error = await treasury.refusal(t, alice, 'rewards.recover', { id, txid }, 'not_recoverable');
  t.regex(error.message, /lost/);
  await treasury.refusal(t, alice, 'rewards.recover', { id, txid: 'ab'.repeat(32) }, 'nothing_to_recover');
});

test('recover › given nothing unexpected › it is nothing_to_recover, and no transaction', async (t) => {
  const { treasury } = await open(t, 'BCH');
  const id = await campaign.create(treasury, {}, true);
  await treasury.refusal(t, alice, 'rewards.recover', { id }, 'nothing_to_recover');
  await treasury.refusal(t, mallory, 'rewards.recover', { id }, 'not_creator');
  const other = await stream.create(treasury, {}, true);
  for (const party of [alice, bob])
    await treasury.refusal(t, party, 'streams.recover', { id: other }, 'nothing_to_recover');
  await treasury.refusal(t, mallory, 'streams.recover', { id: other }, 'not_sender');
  const txHash = await fund(treasury, campaign, id);
  await treasury.refusal(t, alice, 'rewards.recover', { id }, 'nothing_to_recover');
  await treasury.refusal(t, alice, 'rewards.confirm-recover', { id, txHash }, 'tx_mismatch');
});

test('recover › given a stranger’s thread that owes the stranger more than it holds › nobody pays the difference', async (t) => {
  const { treasury } = await open(t, 'BCH');
  const id = await stream.create(treasury, {}, true);
  await fund(treasury, stream, id);
  await advance(treasury, 60 * DAY);
  await fundAstray(treasury, id, { payer: mallory, pool: 10_000n });
  const error = await treasury.refusal(t, alice, 'streams.recover', { id }, 'not_recoverable');
  t.regex(error.message, /pay the difference/);
});

test('recover › given a thread below a campaign’s pool, whose refund is another’s › the creator pays the difference only when asked to', async (t) => {
  const { treasury } = await open(t, 'BCH');
  const id = await campaign.create(treasury, { refundAddress: treasury.addressOf(bob).text }, true);
  const his = await treasury.satoshisOf(bob);
  await fundAstray(treasury, id, { payer: mallory, pool: 10_000n });
  await treasury.give(alice, 50_000_000n);
  const error = await treasury.refusal(t, alice, 'rewards.recover', { id }, 'not_recoverable');
  t.regex(error.message, /topUp/);
  await recover(treasury, alice, campaign, { id, topUp: true });
  t.is((await treasury.satoshisOf(bob)) - his, 1_000_000n);
});

test('recover › given a vault whose first deposit was made twice › two signers spend what lies in the second thread', async (t) => {
  const { treasury } = await open(t, 'BCH');
  const vault = await fundVault(treasury);
  const txid = await fundAstray(treasury, vault.id, { payer: alice, pool: 30_000_000n });
  const before = await vault.shown();
  const his = await treasury.satoshisOf(dave);
  // More than the vault's own thread holds.
  const { id } = await vault.propose([{ to: dave, amount: '0.29' }]);
  await vault.sign(alice, id);
  await vault.sign(bob, id);
  await vault.broadcast(id);
  t.is((await treasury.satoshisOf(dave)) - his, 29_000_000n);
  t.false((await vault.coins()).some((coin) => coin.txid === txid && coin.vout === 0));
  const after = await vault.shown();
  t.deepEqual([after['thread'], after['status']], [before['thread'], 'active']);
});

test('recover › given two strays › each is taken by its txid', async (t) => {
  const { treasury } = await open(t, 'BCH');
  const id = await campaign.create(treasury, {}, true);
  await fund(treasury, campaign, id);
  const small = await fundAstray(treasury, id, { payer: alice, pool: 1_100_000n });
  const large = await fundAstray(treasury, id, { payer: alice, pool: 1_200_000n });
  t.like(await show(treasury, campaign, id), { strays: [{ txid: large }, { txid: small }] });
  await recover(treasury, alice, campaign, { id, txid: small });
  t.like(await show(treasury, campaign, id), { strays: [{ txid: large }] });
  await recover(treasury, alice, campaign, { id });
  t.deepEqual((await show(treasury, campaign, id)).strays, []);
});

test('recover › given the record is folded anew after its second funding was recovered › it stands on its own', async (t) => {
  const { treasury } = await open(t, 'BCH');
  const id = await stream.create(treasury, {}, true);
  const first = await fundAstray(treasury, id, { payer: alice });
  await show(treasury, stream, id);
  const second = await fundAstray(treasury, id, { payer: alice });
  const before = await show(treasury, stream, id);
  t.is(before.record['tx_hash'], first);
  t.like(before.strays, [{ txid: second }]);
  await recover(treasury, alice, stream, { id });
  await treasury.ask(alice, 'sync', { all: true });
  t.deepEqual(lasting(await show(treasury, stream, id)), lasting(before));
});
