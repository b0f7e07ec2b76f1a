/** Sending a vault's spend that two signers have signed: nothing is signed by it, and its payees are held against the list. */
import { z } from 'zod';
import { lockOfAddress } from '../bch/address.js';
import type { Output } from '../bch/coins.js';
import { TreasuryError } from '../errors.js';
import type { Context } from '../operation/context.js';
import { actsOfDay, type KeeperAct } from '../record/keeper.js';
import { actOf, bookAct, settleAct, type Done, type Order, type Standing } from './act.js';
import { itemKey, type Item } from './items.js';
import { checkLimits } from './limits.js';
import { checkEffect, effectOf, type Effect, type Moves } from './look.js';
import { askerOf, read, Units, type Asker } from './reading.js';

const Token = z
  .object({
    category: z.string(),
    amount: Units,
    nft: z
      .object({ capability: z.enum(['none', 'mutable', 'minting']), commitment: z.string() })
      .exactOptional(),
  })
  .exactOptional();

const Shown = z.object({
  status: z.string(),
  txHash: z.string().nullable(),
  transaction: z.object({
    inputs: z.array(z.object({ txid: z.string(), vout: z.number() })),
    outputs: z.array(z.object({ address: z.string(), satoshis: z.number(), token: Token })),
  }),
});
type Shown = z.output<typeof Shown>;

const shownSpend = async (asker: Asker, { input }: Pick<Item, 'input'>): Promise<Shown> =>
  read(Shown, await asker.ask('vaults.spend-show', input));

/** What its transaction does: of the inputs, what the chain says of them. */
const effectOfSpend = async (
  { transaction: { inputs, outputs } }: Shown,
  { chain }: Pick<Context, 'chain'>,
): Promise<Effect> => {
  const spent: Output[] = [];
  for (const { txid, vout } of inputs) {
    const output = (await chain.transaction(txid))?.transaction.outputs[vout];
    if (output === undefined) throw new TreasuryError('tx_missing_inputs', { outpoint: `${txid}:${vout}` });
    spent.push(output);
  }
  const made = outputs.map(({ address, satoshis, token }): Output => ({
    // What is no address stands there as its script.
    lockingBytecode: lockOfAddress(address) ?? address,
    satoshis: BigInt(satoshis),
    ...(token === undefined ? {} : { token }),
  }));
  return effectOf(spent, made);
};

/** What sending it would pay, held against its rule and the limits. @throws keeper_refused, and what reading throws */
export const examineSpend = async (order: Order, asker: Asker, context: Context): Promise<Moves> => {
  const { item, rule } = order;
  const effect = await effectOfSpend(await shownSpend(asker, item), context);
  return checkEffect(effect, rule, item, context);
};

const bookId = ({ item, rule }: Order): string => itemKey(item, rule.wallet);

const Sent = z.object({ txHash: z.string(), message: z.string() });

/** Books a spend, sends it, and marks it as sent. @throws keeper_refused, keeper_busy, and what sending throws */
export const sendSpend = async (order: Order, standing: Standing): Promise<Done> => {
  const { item, rule } = order;
  const { context } = standing.base;
  const asker = askerOf(standing.table, context, rule.signer);
  const moves = await examineSpend(order, asker, context);
  const act = actOf(bookId(order), order, moves, context.clock.now());
  const others = (await actsOfDay(context.store, act.booked_at)).filter(({ id }) => id !== act.id);
  const asked = { rule, label: item.label, moves, mostFees: standing.mostFees };
  await checkLimits(asked, others, context.store);
  await context.store.transaction((writer) => bookAct(writer, act, order, standing));
  const { txHash, message } = read(Sent, await asker.ask('vaults.spend-broadcast', item.input));
  await settleAct(act, standing, [rule.signer.address.text], txHash);
  return { act, txHash, message };
};

/** What became of a spend that was booked: sent, given up, or still to be sent. */
export const fateOfSpend = async (
  act: KeeperAct,
  { base: { context }, table }: Pick<Standing, 'base' | 'table'>,
): Promise<{ readonly fate: 'sent' | 'over' | 'open'; readonly txHash: string | null }> => {
  const asker = askerOf(table, context, await context.keys.show(act.wallet));
  const { status, txHash } = await shownSpend(asker, act);
  return { fate: status === 'SPENT' ? 'sent' : status === 'READY' ? 'open' : 'over', txHash };
};
