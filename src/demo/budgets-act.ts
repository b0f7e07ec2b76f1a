/** The act of the budget plans: a grant released late, paused, resumed and cancelled; in BCH and in tokens. */
import { DAY, type Person, type Stage } from './stage.js';

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
    stage.step(who, ['budgets', verb], { what, input: { id, ...input } });

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

/** Plays the act. */
export const playBudgets = async (stage: Stage): Promise<void> => {
  const controller = await stage.person('vera', 900_000_000n);
  const recipient = await stage.person('gwen', 300_000n);
  const signers = [controller, await stage.person('ole'), await stage.person('nina')];
  const vaultId = String((await stage.vault('Grants', signers, '0.01'))['vaultId']);
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
  const category = await stage.mint(controller, { supply: '1000', decimals: 2, symbol: 'SEEDS' });
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
