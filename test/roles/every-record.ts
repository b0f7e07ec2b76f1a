/** A treasury with one record of each product in a private vault, none of them funded, and who is what to them. */
import { binToHex } from '@bitauth/libauth';
import { people, type Person } from '../../fixtures/people.js';
import type { Treasury } from '../treasury.js';

/** What somebody is to the records; everything is created by the creator, and goes to the counterpart. */
export const ROLES = ['nobody', 'stranger', 'counterpart', 'viewer', 'signer', 'creator'] as const;
export type Role = (typeof ROLES)[number];

/** Who plays a role; the creator is a signer too. */
export const PLAYERS: Readonly<Record<Exclude<Role, 'nobody'>, Person>> = {
  stranger: people.mallory,
  counterpart: people.dave,
  viewer: people.erin,
  signer: people.bob,
  creator: people.alice,
};

export type EveryRecord = {
  /** The vault's id. */
  readonly vaultId: string;
  readonly batchId: string;
  readonly proposalId: string;
  readonly spendId: string;
  /** A token of which the creator has some, 64 hex digits. */
  readonly tokenCategory: string;
  /** Labels and ids by the noun of the operations that take them as `id`. */
  readonly ids: Readonly<Record<string, string>>;
};

/** Makes the records. The vault alone has money in it, since a spend needs some. */
export const createEveryRecord = async (treasury: Treasury): Promise<EveryRecord> => {
  const { alice, bob, carol, dave } = treasury.people;
  const textOf = (who: Person): string => treasury.addressOf(who).text;
  for (const who of [alice, alice, alice, bob]) await treasury.give(who, 50_000_000n);
  const tokenCategory = await treasury.mint(alice, '1000', 2);
  const signers = [alice, bob, carol];
  const vault = await treasury.ask(alice, 'vaults.create', {
    name: 'Quiet',
    signers: signers.map(textOf),
    signerPubkeys: signers.map(({ publicKey }) => binToHex(publicKey)),
    totalDeposit: 0.1,
    isPublic: false,
  });
  const vaultId = String(vault['id']);
  await treasury.ask(alice, 'vaults.add-signer', { id: vaultId, signerAddress: textOf(PLAYERS.viewer) });
  const deposit = await treasury.ask(alice, 'vaults.deposit', { id: vaultId });
  const txid = await treasury.send(alice, deposit['wcTransaction']);
  await treasury.ask(alice, 'vaults.update-balance', { id: vaultId, txid });
  const spend = await treasury.ask(alice, 'vaults.spend-create', {
    id: vaultId,
    outputs: [{ to: textOf(dave), amount: '0.01' }],
  });
  const [sender, recipient] = [textOf(alice), textOf(dave)];
  const stream = { recipient, totalAmount: 0.1, streamType: 'LINEAR' };
  await treasury.ask(alice, 'streams.create', { sender, ...stream, vaultId });
  const batch = await treasury.ask(alice, 'streams.batch-create', {
    vaultId,
    senderAddress: sender,
    entries: [stream],
  });
  const month = { amountPerPeriod: 0.001, interval: 'MONTHLY' };
  await treasury.ask(alice, 'payments.create', { sender, recipient, ...month, vaultId });
  const pool = { totalPool: 0.1, maxRewardAmount: 0.01 };
  await treasury.ask(alice, 'rewards.create', { title: 'Thanks', ...pool, vaultId });
  const milestones = [{ amount: 0.1, durationSeconds: 60, description: 'One' }];
  await treasury.ask(alice, 'budgets.create', { vaultId, recipient, tokenType: 'BCH', milestones });
  const terms = { title: 'Secret', description: 'Plans', quorum: 1, votingDurationDays: 1, vaultId };
  const proposal = await treasury.ask(alice, 'governance.propose', terms);
  return {
    vaultId,
    batchId: String(batch['batchId']),
    proposalId: String(proposal['id']),
    spendId: String(spend['id']),
    tokenCategory,
    ids: {
      vaults: vaultId,
      streams: 'STREAM-0001',
      payments: 'PAY-0001',
      rewards: 'REWARD-0001',
      budgets: 'BUDGET-0001',
    },
  };
};
