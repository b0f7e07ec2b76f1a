/** Campaigns in the states that tests start from. */
import type { Person } from '../../../fixtures/people.js';
import type { Treasury } from '../../treasury.js';

export type Campaign = {
  readonly id: string;
  /** One whole step of the creator; returns the transaction id. */
  readonly move: (
    verb: 'funding' | 'distribute' | 'pause' | 'cancel',
    input?: Record<string, unknown>,
  ) => Promise<string>;
  readonly pay: (who: Person, amount: string) => Promise<string>;
  readonly shown: () => Promise<Record<string, unknown>>;
};

export const terms = { title: 'Bug bounties', totalPool: '0.03', maxRewardAmount: '0.01' };

/** A PENDING campaign of alice, who has coins to fund it. */
export const createCampaign = async (
  treasury: Treasury,
  extra: Record<string, unknown> = {},
): Promise<Campaign> => {
  const { alice } = treasury.people;
  for (let coin = 0; coin < 3; coin += 1) await treasury.give(alice, 10_000_000n);
  const created = await treasury.ask(alice, 'rewards.create', { ...terms, ...extra });
  const { id } = created['campaign'] as { id: string };
  const move: Campaign['move'] = async (verb, input = {}) => {
    const build = verb === 'funding' ? 'rewards.funding-info' : `rewards.${verb}`;
    const built = await treasury.ask(alice, build, { id, ...input });
    const txHash = await treasury.send(alice, built['wcTransaction']);
    await treasury.ask(alice, `rewards.confirm-${verb}`, { id, ...input, txHash });
    return txHash;
  };
  return {
    id,
    move,
    pay: (who, amount) => move('distribute', { recipientAddress: treasury.addressOf(who).text, amount }),
    shown: async () =>
      (await treasury.ask(null, 'rewards.show', { id }))['campaign'] as Record<string, unknown>,
  };
};

/** An ACTIVE campaign of alice. */
export const fundCampaign = async (
  treasury: Treasury,
  extra: Record<string, unknown> = {},
): Promise<Campaign> => {
  const campaign = await createCampaign(treasury, extra);
  await campaign.move('funding');
  return campaign;
};

/** An ACTIVE campaign of alice in a token with two decimals, of which she minted 1000. */
export const fundTokenCampaign = async (
  treasury: Treasury,
): Promise<Campaign & { readonly category: string }> => {
  const { alice } = treasury.people;
  await treasury.give(alice, 1_000_000n);
  const category = await treasury.mint(alice, '1000', 2);
  const campaign = await fundCampaign(treasury, {
    tokenType: 'CASHTOKENS',
    tokenCategory: category,
    totalPool: '30.00',
    maxRewardAmount: '10',
  });
  return { ...campaign, category };
};
