/** A story over all products, and homes on its chain: what was told of it here, and what can be told of it again. */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { openApp, type App } from '../../src/app.js';
import type { Address } from '../../src/bch/address.js';
import { collections } from '../../src/collections.js';
import { playBudgets } from '../../src/demo/budgets-act.js';
import { playGovernance } from '../../src/demo/governance-act.js';
import { playPayments } from '../../src/demo/payments-act.js';
import { playRewards } from '../../src/demo/rewards-act.js';
import { setStage, type Person, type Stage } from '../../src/demo/stage.js';
import { playStreams } from '../../src/demo/streams-act.js';
import { playVaults } from '../../src/demo/vaults-act.js';
import { tokenCollection } from '../../src/record/assets.js';
import { execute, type Reply } from '../../src/operation/execute.js';
import { streamCollection } from '../../src/products/streams/index.js';
import { vaultCollection } from '../../src/products/vaults/index.js';

/** One operation as the operator of a home. */
export const ask = (
  { operations, context }: App,
  operationId: string,
  input: Record<string, unknown> = {},
  address: Address | null = null,
): Promise<Reply> => {
  const operation = operations.find(({ id }) => id === operationId);
  if (operation === undefined) throw new Error(`there is no operation ${operationId}`);
  return execute(operation, input, context, { kind: 'operator', address });
};

type Rows = readonly Readonly<Record<string, unknown>>[];

const personNamed = async ({ app }: Stage, name: string): Promise<Person> => ({
  name,
  address: (await app.context.keys.show(name)).address,
});

/** What the acts leave out: spends that are half signed, signed and cancelled, tokens from strangers, a transfer. */
export const playRest = async (stage: Stage): Promise<void> => {
  const [tara, tim, emil, fee, wes, vic, ann] = await Promise.all(
    ['tara', 'tim', 'emil', 'fee', 'wes', 'vic', 'ann'].map((name) => personNamed(stage, name)),
  );
  if (!tara || !tim || !emil || !fee || !wes || !vic || !ann) throw new Error('the acts have other people');
  const { store } = stage.app.context;
  const every = { limit: Number.MAX_SAFE_INTEGER };
  const vaults = (await store.find(vaultCollection, every)).items;
  const vault = vaults.find(({ name }) => name === 'Common funds');
  const voice = (await store.find(tokenCollection, { where: { symbol: 'voice' } })).items[0]?.id;

  await stage.carryOut(wes, {
    what: 'wes, a stranger, sends tokens to the vault',
    build: 'wallet.send',
    confirm: 'wallet.confirm-send',
    input: { outputs: [{ to: vault?.contract_address, amount: '3', tokenCategory: voice }] },
  });
  const propose = (memo: string) =>
    stage.ask(tara, 'vaults.spend-create', {
      id: vault?.id,
      memo,
      outputs: [{ to: fee.address.text, amount: '0.01' }],
    });
  const cancelled = await propose('Never mind');
  await stage.ask(tara, 'vaults.spend-cancel', { id: vault?.id, spendId: cancelled['id'] });
  const half = await propose('Half signed');
  await stage.ask(tim, 'vaults.spend-sign', { spendId: half['id'] });

  const transferable = (await store.find(streamCollection, every)).items.find(
    ({ stream_type, status, recipient }) =>
      stream_type === 'STEP' && status === 'ACTIVE' && recipient === emil.address.text,
  );
  await stage.carryOut(emil, {
    what: 'emil gives a stream to fee',
    build: 'streams.transfer',
    confirm: 'streams.confirm-transfer',
    input: { id: transferable?.id, newRecipientAddress: fee.address.text },
  });

  // One that nobody funds, one that goes on, and a vote that stays locked.
  for (const title of ['Nobody funds this', 'This goes on']) {
    const created = await stage.ask(ann, 'rewards.create', {
      title,
      totalPool: '0.02',
      maxRewardAmount: '0.01',
    });
    const { id } = created['campaign'] as { id: string };
    if (title === 'This goes on')
      await stage.carryOut(ann, {
        what: 'ann funds it',
        build: 'rewards.funding-info',
        confirm: 'rewards.confirm-funding',
        input: { id },
      });
  }
  const proposal = await stage.ask(vic, 'governance.propose', {
    vaultId: vaults.find(({ name }) => name === 'The commons')?.id,
    title: 'Keep the gardener',
    quorum: 50,
    votingDurationDays: 7,
    tokenCategory: voice,
  });
  const proposalId = proposal['id'];
  await stage.ask(vic, 'governance.vote', { proposalId, vote: 'FOR' });
  await stage.carryOut(wes, {
    what: 'wes locks 5 VOICE FOR',
    build: 'governance.lock',
    confirm: 'governance.confirm-lock',
    input: { proposalId, voterAddress: wes.address.text, voteChoice: 'FOR', stakeAmount: '5' },
  });
};

/** Plays everything on a fresh chain, and mines it. Each record has taken in what happened to it. */
export const playStory = async (): Promise<Stage> => {
  const stage = await setStage(() => undefined);
  const acts = [playVaults, playRewards, playBudgets, playStreams, playPayments, playGovernance, playRest];
  for (const act of acts) await act(stage);
  if (stage.checks.some(({ ok }) => !ok)) throw new Error('a sum of the story does not hold');
  await stage.app.context.localChain?.mine(1);
  return stage;
};

/** A home with an empty store on the chain of another one, and with its keys unless it is somebody else's. */
export const openElsewhere = async (
  t: ExecutionContext,
  { context }: App,
  { hasKeys = true }: { readonly hasKeys?: boolean } = {},
): Promise<App> => {
  const home = mkdtempSync(join(tmpdir(), 'treasury-'));
  mkdirSync(join(home, 'local'));
  for (const name of ['local-chain.journal', ...(hasKeys ? ['keystore.json'] : [])]) {
    const [from = '', to = ''] = [context.home, home].map((folder) => join(folder, 'local', name));
    copyFileSync(from, to);
  }
  const app = await openApp({ home, network: 'local', wall: context.clock.wall });
  t.teardown(async () => {
    await app.close();
    rmSync(home, { recursive: true, force: true });
  });
  return app;
};

/**
 * Work in progress of one home (tickets, pinned coins, half finished steps, replayed requests, what its monitor saw and told), its
 * keys, webhooks and keeper, and its operator's address book. None is a record of a deployment.
 */
const OF_THE_HOME = [
  'witnesses',
  'witness_withdrawals',
  'funding_pins',
  'pending_steps',
  'coin_leases',
  'idempotency',
  'used_challenges',
  'seen_blocks',
  'contacts',
  'told_times',
  'told_strays',
  'script_keys',
  'key_builds',
  'webhooks',
  'webhook_states',
  'webhook_deliveries',
  'leases',
  'lease_holders',
  'reorg_work',
  'rate_counts',
  'keeper_acts',
  'keeper_faults',
  'chains',
];

export type Told = Readonly<Record<string, Rows>>;

/** Every record of a home by the names of collections, each with its fields. Events are in the order they are told. */
export const tell = async ({ context }: App): Promise<Told> =>
  Object.fromEntries(
    await Promise.all(
      collections
        .filter(({ name }) => !OF_THE_HOME.includes(name))
        .map(
          async (collection) =>
            [
              collection.name,
              (await context.store.find(collection, { order: 'oldest', limit: Number.MAX_SAFE_INTEGER }))
                .items as Rows,
            ] as const,
        ),
    ),
  );
