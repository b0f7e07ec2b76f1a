/** The act of the reward campaigns: create, fund, pay twice, pause, cancel with refund; in BCH and in tokens. */
import type { Person, Stage } from './stage.js';

type Asset = {
  readonly name: string;
  readonly terms: Record<string, unknown>;
  readonly show: (units: bigint) => string;
  /** Units a display unit has. */
  readonly scale: bigint;
  readonly balanceOf: (person: Person) => Promise<bigint>;
};

const POOL = 30n;
const REWARDS = [5n, 7n] as const;

/** One campaign from its creation to its refund. Amounts in tenths of a display unit. */
const playCampaign = async (stage: Stage, creator: Person, recipients: readonly Person[], asset: Asset) => {
  const decimal = (tenths: bigint) => `${tenths / 10n}.${tenths % 10n}`;
  const units = (tenths: bigint) => (tenths * asset.scale) / 10n;
  const before = { assets: await asset.balanceOf(creator), fees: stage.feesOf(creator) };

  const created = await stage.ask(creator, 'rewards.create', {
    title: `Bug bounties in ${asset.name}`,
    rewardCategory: 'ACHIEVEMENT',
    totalPool: decimal(POOL),
    maxRewardAmount: '1',
    ...asset.terms,
  });
  const {
    id,
    campaign_id: label,
    contract_address: contract,
  } = created['campaign'] as Record<string, string>;
  stage.say(`\n${label ?? ''} in ${asset.name}, at ${contract ?? ''}`);
  const step = (verb: string, what: string, input: Record<string, unknown> = {}) =>
    stage.step(creator, ['rewards', verb], { what, input: { id, ...input } });

  await step('funding', `${creator.name} funds ${asset.show(units(POOL))}`);
  for (const [index, recipient] of recipients.entries()) {
    const reward = REWARDS[index] ?? 0n;
    const before = await asset.balanceOf(recipient);
    await step('distribute', `${recipient.name} gets ${asset.show(units(reward))}`, {
      recipientAddress: recipient.address.text,
      amount: decimal(reward),
    });
    stage.check(`${recipient.name} received`, units(reward), (await asset.balanceOf(recipient)) - before);
  }
  await step('pause', 'no further distributions');
  await step(
    'cancel',
    `the rest, ${asset.show(units(POOL - REWARDS[0] - REWARDS[1]))}, goes back to ${creator.name}`,
  );

  const spent = before.assets - (await asset.balanceOf(creator));
  const fees = stage.feesOf(creator) - before.fees;
  return { spent, fees, paid: units(REWARDS[0] + REWARDS[1]) };
};

/** Plays the act. */
export const playRewards = async (stage: Stage): Promise<void> => {
  const { keys } = stage.app.context;
  await keys.create({ name: 'authority', passphrase: null, isAuthority: true });
  const ann = await stage.person('ann', 900_000_000n);
  const recipients = [await stage.person('ben'), await stage.person('cleo')];

  const inBch = await playCampaign(stage, ann, recipients, {
    name: 'BCH',
    terms: {},
    show: (satoshis) => `${Number(satoshis) / 1e8} BCH`,
    scale: 100_000_000n,
    balanceOf: stage.satoshisOf,
  });
  stage.check('ann spent the rewards and the fees, nothing else', inBch.paid + inBch.fees, inBch.spent);

  stage.say('');
  const category = await stage.mint(ann, { supply: '1000', decimals: 2, symbol: 'GEMS' });
  const inTokens = await playCampaign(stage, ann, recipients, {
    name: 'GEMS',
    terms: { tokenType: 'FUNGIBLE_TOKEN', tokenCategory: category },
    show: (units) => `${Number(units) / 100} GEMS`,
    scale: 100n,
    balanceOf: (person) => stage.tokensOf(person, category),
  });
  stage.check('ann spent the rewards, and no token was burned', inTokens.paid, inTokens.spent);
};
