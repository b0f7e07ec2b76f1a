/** The act of the budget plans: a grant released late, paused, resumed and cancelled; in BCH and in tokens. */
import type { Person, Stage } from './stage.js';

const DAY = 86_400;

type Asset = {
  readonly name: string;
  readonly terms: Record<string, unknown>;
  /** Display units of the three milestones. */
  readonly amounts: readonly [string, string, string];
  /** The same in the smallest unit. */
  readonly units: readonly [bigint, bigint, bigint];
  readonly balanceOf: (person: Person) => Promise<bigint>;
  /** True when fees are paid in the asset itself. */
  readonly carriesFees: boolean;
};

type Cast = { readonly controller: Person; readonly recipient: Person; readonly vaultId: string };

/** One grant of three milestones: two are released at once, the third returns. */
const playGrant = async (stage: Stage, { controller, recipient, vaultId }: Cast, asset: Asset) => {
  const { localChain } = stage.app.context;
  const { amounts, units, balanceOf } = asset;
  const feesOf = (who: Person) => (asset.carriesFees ? stage.feesOf(who) : 0n);
  const before = {
    controller: (await balanceOf(controller)) + feesOf(controller),
    recipient: (await balanceOf(recipient)) + feesOf(recipient),
  };

  const created = await stage.ask(controller, 'budgets.create', {
    vaultId,
    recipient: recipient.address.text,
    recipientName: recipient.name,
    milestones: [
      { amount: amounts[0], durationSeconds: 10 * DAY, description: 'Design' },
      { amount: amounts[1], durationSeconds: 20 * DAY, description: 'Code' },
      { amount: amounts[2], durationSeconds: 30 * DAY, description: 'Review' },
    ],
    ...asset.terms,
  });
  const {
    id,
    budget_id: label,
    contract_address: contract,
  } = created['plan'] as Readonly<Record<string, string>>;
  stage.say(`\n${label ?? ''} in ${asset.name}, at ${contract ?? ''}`);
  const step = (who: Person, verb: string, what: string, input: Record<string, unknown> = {}) =>
    stage.carryOut(who, {
      what,
      build: verb === 'funding' ? 'budgets.funding-info' : `budgets.${verb}`,
      confirm: `budgets.confirm-${verb}`,
      input: { id, ...input },
    });

  await step(controller, 'funding', `${controller.name} funds three milestones`);
  await localChain?.advance(31 * DAY);
  await step(recipient, 'release', `31 days later ${recipient.name} releases two at once`, {
    recipientAddress: recipient.address.text,
  });
  await step(controller, 'pause', 'the clock stands still, witnessed by the authority');
  await localChain?.advance(100 * DAY);
  await step(controller, 'resume', '100 days later it runs on');
  await step(controller, 'cancel', `the third milestone, ${amounts[2]}, goes back to ${controller.name}`);

  const earned = (await balanceOf(recipient)) + feesOf(recipient) - before.recipient;
  stage.check(`${recipient.name} received two milestones in ${asset.name}`, units[0] + units[1], earned);
  const spent = before.controller - feesOf(controller) - (await balanceOf(controller));
  return { spent, paid: units[0] + units[1] };
};

/** A public vault of three people, for the plans to belong to. */
const openVault = async (stage: Stage, signers: readonly Person[]): Promise<string> => {
  const [creator] = signers;
  if (creator === undefined) throw new Error('a vault has signers');
  const keys = await Promise.all(signers.map(({ name }) => stage.app.context.keys.show(name)));
  const created = await stage.ask(creator, 'vaults.create', {
    name: 'Grants',
    signers: signers.map(({ address }) => address.text),
    signerPubkeys: keys.map(({ publicKey }) => publicKey),
    totalDeposit: '0.01',
    isPublic: true,
  });
  return String(created['vaultId']);
};

/** Plays the act. */
export const playBudgets = async (stage: Stage): Promise<void> => {
  const controller = await stage.person('vera', 900_000_000n);
  const recipient = await stage.person('gwen', 300_000n);
  const vaultId = await openVault(stage, [controller, await stage.person('ole'), await stage.person('nina')]);
  const cast = { controller, recipient, vaultId };

  const inBch = await playGrant(stage, cast, {
    name: 'BCH',
    terms: {},
    amounts: ['0.5', '1.25', '0.75'],
    units: [50_000_000n, 125_000_000n, 75_000_000n],
    balanceOf: stage.satoshisOf,
    carriesFees: true,
  });
  stage.check('vera spent two milestones and the fees, nothing else', inBch.paid, inBch.spent);

  stage.say('');
  await stage.carryOut(controller, {
    what: 'vera mints 1000 SEEDS',
    build: 'tokens.create',
    confirm: 'tokens.confirm-create',
    input: { supply: '1000', decimals: 2, symbol: 'SEEDS' },
  });
  const tokens = (await stage.ask(controller, 'tokens.list', {}))['tokens'] as {
    category: string;
    symbol: string;
  }[];
  const category = tokens.find(({ symbol }) => symbol === 'SEEDS')?.category ?? '';
  const inTokens = await playGrant(stage, cast, {
    name: 'SEEDS',
    terms: { tokenType: 'FUNGIBLE_TOKEN', tokenCategory: category },
    amounts: ['100', '250', '150'],
    units: [10_000n, 25_000n, 15_000n],
    balanceOf: (person) => stage.tokensOf(person, category),
    carriesFees: false,
  });
  stage.check('vera spent two milestones, and no token was burned', inTokens.paid, inTokens.spent);
};
