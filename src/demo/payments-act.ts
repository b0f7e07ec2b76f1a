/** The act of the recurring payments: a salary that is claimed late, paused, resumed, refilled and cancelled; in BCH and in tokens. */
import { chainNow } from '../operation/chain-now.js';
import { DAY, type Person, type Stage } from './stage.js';

type Asset = {
  readonly name: string;
  readonly terms: Record<string, unknown>;
  /** One period, smallest unit. */
  readonly period: bigint;
  readonly show: (units: bigint) => string;
  readonly balanceOf: (person: Person) => Promise<bigint>;
};

type Parties = { readonly sender: Person; readonly recipient: Person };

/** One payment from its creation to its cancellation: 13 days due with 12 funded, then a pause, a refill, and 1 more day. */
const playPayment = async (stage: Stage, { sender, recipient }: Parties, asset: Asset): Promise<void> => {
  const { chain, localChain } = stage.app.context;
  const { period, show } = asset;
  const before = { sender: await asset.balanceOf(sender), recipient: await asset.balanceOf(recipient) };
  const fees = () => (asset.name === 'BCH' ? stage.feesOf(sender) : 0n);
  const feesBefore = { sender: fees(), recipient: stage.feesOf(recipient) };

  const created = await stage.ask(sender, 'payments.create', {
    recipient: recipient.address.text,
    interval: 'DAILY',
    startDate: await chainNow({ chain }),
    ...asset.terms,
  });
  const { id, payment_id: label, contract_address: contract } = created['payment'] as Record<string, string>;
  stage.say(
    `\n${label ?? ''}, ${show(period)} a day from ${sender.name} to ${recipient.name}, at ${contract ?? ''}`,
  );
  const step = (who: Person, verb: string, what: string, input: Record<string, unknown> = {}) =>
    stage.step(who, ['payments', verb], { what, input: { id, ...input } });

  await step(sender, 'funding', `${sender.name} funds 12 days`);
  await localChain?.advance(3 * DAY);
  await step(recipient, 'claim', `${recipient.name} claims 3 days at once`);
  await localChain?.advance(10 * DAY);
  await step(sender, 'pause', `13 days were due and 12 funded: the pause pays the other 9`);
  await step(sender, 'refill', `${sender.name} puts 2 more days in`, { periods: 2 });
  await step(sender, 'resume', 'the next day falls due a day from now');
  await localChain?.advance(DAY);
  await step(sender, 'cancel', `1 day to ${recipient.name}, 1 day back to ${sender.name}`);

  const paid = 13n * period;
  const earned = (await asset.balanceOf(recipient)) - before.recipient;
  const claimFee = asset.name === 'BCH' ? stage.feesOf(recipient) - feesBefore.recipient : 0n;
  const spent = before.sender - (await asset.balanceOf(sender));
  stage.check(
    `${recipient.name} has 13 days in ${asset.name}, less the fee of the claim`,
    paid,
    earned + claimFee,
  );
  stage.check(
    `${sender.name} spent the 13 days and the fees, nothing else`,
    paid + fees() - feesBefore.sender,
    spent,
  );
};

/** Plays the act. */
export const playPayments = async (stage: Stage): Promise<void> => {
  const sender = await stage.person('kim', 300_000_000n);
  const recipient = await stage.person('rob', 300_000n);
  await playPayment(
    stage,
    { sender, recipient },
    {
      name: 'BCH',
      terms: { amountPerPeriod: '0.05' },
      period: 5_000_000n,
      show: (satoshis) => `${Number(satoshis) / 1e8} BCH`,
      balanceOf: stage.satoshisOf,
    },
  );

  stage.say('');
  const category = await stage.mint(sender, { supply: '500', decimals: 1, symbol: 'HOURS' });
  await playPayment(
    stage,
    { sender, recipient },
    {
      name: 'HOURS',
      terms: { amountPerPeriod: '7.5', tokenType: 'FUNGIBLE_TOKEN', tokenCategory: category },
      period: 75n,
      show: (units) => `${Number(units) / 10} HOURS`,
      balanceOf: (person) => stage.tokensOf(person, category),
    },
  );
};
