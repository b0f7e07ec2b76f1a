/** Payments in the states that tests start from. */
import { alice, bob, type Person } from '../../../fixtures/people.js';
import { chainNow } from '../../../src/operation/chain-now.js';
import type { Treasury } from '../../treasury.js';

export const DAY = 86_400;

export type Payment = {
  readonly id: string;
  /** One whole step of the sender (a claim: of the recipient); returns the transaction id. */
  readonly move: (
    verb: 'funding' | 'claim' | 'push' | 'pause' | 'resume' | 'refill' | 'cancel',
    input?: Record<string, unknown>,
  ) => Promise<string>;
  readonly shown: () => Promise<Record<string, unknown>>;
  readonly executions: () => Promise<readonly Record<string, unknown>[]>;
};

export const terms = { amountPerPeriod: '0.001', interval: 'DAILY' };

/** Moves the chain's clock on. */
export const advance = async ({ app }: Treasury, seconds: number): Promise<void> => {
  await app.context.localChain?.advance(seconds);
};

export const nowOf = ({ app }: Treasury): Promise<number> => chainNow(app.context);

/** A PENDING payment of alice to bob, for which alice has coins. */
export const createPayment = async (
  treasury: Treasury,
  extra: Record<string, unknown> = {},
): Promise<Payment> => {
  for (let coin = 0; coin < 3; coin += 1) await treasury.give(alice, 10_000_000n);
  const recipient = treasury.addressOf(bob).text;
  const created = await treasury.ask(alice, 'payments.create', { ...terms, recipient, ...extra });
  const { id } = created['payment'] as { id: string };
  const move: Payment['move'] = async (verb, input = {}) => {
    const who: Person = verb === 'claim' ? bob : alice;
    const build = verb === 'funding' ? 'payments.funding-info' : `payments.${verb}`;
    const built = await treasury.ask(who, build, { id, ...input });
    const txHash = await treasury.send(who, built['wcTransaction']);
    await treasury.ask(null, `payments.confirm-${verb}`, { id, txHash });
    return txHash;
  };
  const show = () => treasury.ask(alice, 'payments.show', { id });
  return {
    id,
    move,
    shown: async () => (await show())['payment'] as Record<string, unknown>,
    executions: async () => (await show())['payment_executions'] as Record<string, unknown>[],
  };
};

/** An ACTIVE payment. */
export const fundPayment = async (
  treasury: Treasury,
  extra: Record<string, unknown> = {},
): Promise<Payment> => {
  const payment = await createPayment(treasury, extra);
  await payment.move('funding');
  return payment;
};

/** An ACTIVE payment of 2.5 a day in a token with two decimals, of which alice minted 1000. */
export const fundTokenPayment = async (
  treasury: Treasury,
  extra: Record<string, unknown> = {},
): Promise<Payment & { readonly category: string }> => {
  await treasury.give(alice, 1_000_000n);
  const category = await treasury.mint(alice, '1000', 2);
  const payment = await fundPayment(treasury, {
    tokenType: 'CASHTOKENS',
    tokenCategory: category,
    amountPerPeriod: '2.5',
    ...extra,
  });
  return { ...payment, category };
};
