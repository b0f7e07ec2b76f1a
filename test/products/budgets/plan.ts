/** Budget plans in the states that tests start from. */
import { binToHex } from '@bitauth/libauth';
import { newestFingerprint } from '../../../src/covenant/artifact.js';
import { alice, bob, carol, dave, type Person } from '../../../fixtures/people.js';
import type { Tip } from '../../../src/operation/ports/chain.js';
import { vaultCollection, type VaultRecord } from '../../../src/products/vaults/index.js';
import { TEST_TIME, type Treasury } from '../../treasury.js';

export const DAY = 86_400;

/** Not uniform on purpose: three amounts, three durations. */
export const milestones = [
  { amount: '0.001', durationSeconds: 10 * DAY, description: 'Design' },
  { amount: '0.0025', durationSeconds: 20 * DAY, description: 'Code' },
  { amount: '0.004', durationSeconds: 5 * DAY, description: 'Review' },
];

export type Plan = {
  readonly id: string;
  /** One whole step of whoever makes the move; returns the transaction id. */
  readonly move: (verb: 'funding' | 'release' | 'push' | 'pause' | 'resume' | 'cancel') => Promise<string>;
  readonly build: (
    verb: 'release' | 'push' | 'pause' | 'resume' | 'cancel',
  ) => Promise<Record<string, unknown>>;
  readonly shown: () => Promise<Record<string, unknown>>;
};

/** A vault of alice, carol and dave, put straight into the store: plans ask for no more than its members. */
export const putVault = async ({ app }: Treasury, isPublic = true): Promise<string> => {
  const { store, uuid } = app.context;
  const address = (who: Person) => who.address('local').text;
  const vault: VaultRecord = {
    id: uuid(),
    label: null,
    on_chain_vault_id: binToHex(app.context.random(32)),
    name: 'Foundation',
    creator: address(alice),
    signers: [alice, carol, dave].map(address),
    signer_pubkeys: [alice, carol, dave].map(({ publicKey }) => binToHex(publicKey)),
    viewers: [],
    total_deposit: 0n,
    is_public: isPublic,
    contract_address: address(alice),
    artifact_fingerprint: newestFingerprint('vault'),
    constructor_params: [],
    status: 'pending',
    tx_hash: null,
    genesis_satoshis: null,
    last_tx_hash: null,
    thread: null,
    spends: 0,
    balance: 0n,
    spendable: 0n,
    stuck: 0n,
    tokens: [],
    created_at: TEST_TIME,
    updated_at: TEST_TIME,
    own_label: null,
    own_note: null,
  };
  await store.transaction((writer) => {
    writer.put(vaultCollection, vault);
  });
  return vault.id;
};

/** Moves chain time on. */
export const advance = ({ app }: Treasury, seconds: number): Promise<Tip> =>
  app.context.localChain?.advance(seconds) ?? Promise.reject(new Error('not on local'));

/** A plan by its id, with its moves. */
export const planOf = (treasury: Treasury, id: string): Plan => {
  const build: Plan['build'] = (verb) =>
    verb === 'release'
      ? treasury.ask(null, 'budgets.release', { id, recipientAddress: treasury.addressOf(bob).text })
      : treasury.ask(alice, `budgets.${verb}`, { id });
  return {
    id,
    build,
    move: async (verb) => {
      const built =
        verb === 'funding' ? await treasury.ask(alice, 'budgets.funding-info', { id }) : await build(verb);
      const txHash = await treasury.send(verb === 'release' ? bob : alice, built['wcTransaction']);
      await treasury.ask(null, `budgets.confirm-${verb}`, { id, txHash });
      return txHash;
    },
    shown: async () => (await treasury.ask(alice, 'budgets.show', { id }))['plan'] as Record<string, unknown>,
  };
};

/** A PENDING plan of alice for bob; she has coins to fund it. */
export const createPlan = async (treasury: Treasury, extra: Record<string, unknown> = {}): Promise<Plan> => {
  for (let coin = 0; coin < 3; coin += 1) await treasury.give(alice, 2_000_000n);
  const created = await treasury.ask(alice, 'budgets.create', {
    vaultId: await putVault(treasury),
    recipient: treasury.addressOf(bob).text,
    milestones,
    ...extra,
  });
  return planOf(treasury, (created['plan'] as { id: string }).id);
};

/** An ACTIVE plan of alice for bob. */
export const fundPlan = async (treasury: Treasury, extra: Record<string, unknown> = {}): Promise<Plan> => {
  const plan = await createPlan(treasury, extra);
  await plan.move('funding');
  return plan;
};

/** An ACTIVE plan in a token with two decimals; bob has a coin for fees. */
export const fundTokenPlan = async (
  treasury: Treasury,
  extra: Record<string, unknown> = {},
): Promise<Plan & { readonly category: string }> => {
  await treasury.give(alice, 1_000_000n);
  await treasury.give(bob, 100_000n);
  const category = await treasury.mint(alice, '1000', 2);
  const plan = await fundPlan(treasury, {
    tokenType: 'CASHTOKENS',
    tokenCategory: category,
    milestones: milestones.map(({ amount, ...row }) => ({ ...row, amount: String(Number(amount) * 10_000) })),
    ...extra,
  });
  return { ...plan, category };
};
