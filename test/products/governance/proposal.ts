/** Proposals and votes in the states that tests start from. */
import { binToHex } from '@bitauth/libauth';
import { alice, bob, carol, type Person } from '../../../fixtures/people.js';
import type { Treasury } from '../../treasury.js';

export const DAY = 86_400;

/** A vault of alice, bob and carol, by alice; returns its id. */
export const createVault = async (treasury: Treasury, isPublic = true): Promise<string> => {
  const signers = [alice, bob, carol];
  const created = await treasury.ask(alice, 'vaults.create', {
    name: 'Commons',
    signers: signers.map((signer) => treasury.addressOf(signer).text),
    signerPubkeys: signers.map(({ publicKey }) => binToHex(publicKey)),
    totalDeposit: '0.001',
    isPublic,
  });
  return String(created['id']);
};

export const terms = { title: 'Hire Dave', quorum: 10, votingDurationDays: 7 };

/** A proposal of alice in a vault of her own; returns its id. */
export const propose = async (
  treasury: Treasury,
  extra: Record<string, unknown> = {},
  vaultId?: string,
): Promise<string> => {
  const inVault = vaultId ?? (await createVault(treasury));
  const proposal = await treasury.ask(alice, 'governance.propose', { vaultId: inVault, ...terms, ...extra });
  return String(proposal['id']);
};

/** Coins to vote with, at output index 0. */
export const fill = async (treasury: Treasury, who: Person): Promise<void> => {
  for (let coin = 0; coin < 3; coin += 1) await treasury.give(who, 100_000n);
};

/** A token with two decimals of which alice has 1000, less what the others get of it. */
export const share = async (
  treasury: Treasury,
  parts: readonly (readonly [who: Person, amount: string])[],
): Promise<string> => {
  await fill(treasury, alice);
  const tokenCategory = await treasury.mint(alice, '1000', 2);
  const outputs = parts.map(([who, amount]) => ({ to: treasury.addressOf(who).text, amount, tokenCategory }));
  const built = await treasury.ask(alice, 'wallet.send', { outputs });
  await treasury.send(alice, built['wcTransaction']);
  for (const [who] of parts) await fill(treasury, who);
  return tokenCategory;
};

export type Vote = {
  readonly proposalId: string;
  readonly voteChoice: 'FOR' | 'AGAINST' | 'ABSTAIN';
  readonly stakeAmount: string | number;
  readonly tokenCategory?: string;
};

/** The built lock of a person's vote. */
export const buildLock = (treasury: Treasury, who: Person, vote: Vote): Promise<Record<string, unknown>> =>
  treasury.ask(null, 'governance.lock', { ...vote, voterAddress: treasury.addressOf(who).text });

/** One whole vote: build, sign, send, confirm; returns the transaction id. */
export const castLock = async (treasury: Treasury, who: Person, vote: Vote): Promise<string> => {
  const built = await buildLock(treasury, who, vote);
  const txHash = await treasury.send(who, built['wcTransaction']);
  const { proposalId } = vote;
  await treasury.ask(null, 'governance.confirm-lock', {
    proposalId,
    voterAddress: treasury.addressOf(who).text,
    txHash,
  });
  return txHash;
};

/** One whole unlock; returns the transaction id. */
export const takeBack = async (treasury: Treasury, who: Person, proposalId: string): Promise<string> => {
  const voterAddress = treasury.addressOf(who).text;
  const built = await treasury.ask(null, 'governance.unlock', { proposalId, voterAddress });
  const txHash = await treasury.send(who, built['wcTransaction']);
  await treasury.ask(null, 'governance.confirm-unlock', { proposalId, voterAddress, txHash });
  return txHash;
};

/** The embedded chain of a treasury. */
export const chainOf = (treasury: Treasury) => {
  const { localChain } = treasury.app.context;
  if (localChain === null) throw new Error('this treasury has no embedded chain');
  return localChain;
};

/** A proposal with its votes and recount. */
export const shown = (treasury: Treasury, proposalId: string): Promise<Record<string, unknown>> =>
  treasury.ask(alice, 'governance.show', { proposalId });
