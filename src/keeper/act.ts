/**
 * Doing one thing: the whole step of its command, with a rule in the place of the person who agrees. It looks at the
 * transaction before it is signed; what it costs and moves is booked in the commit that writes the signed transaction down,
 * under the fence of its lease: only then is it broadcast.
 */
import { decodeWalletTransaction } from '../bch/wallet-transaction.js';
import type { Deputy } from '../cli/deputy.js';
import { fieldsOf } from '../cli/fields.js';
import { fillCaller } from '../cli/gather-input.js';
import type { Session } from '../cli/session.js';
import { runStep } from '../cli/whole-step.js';
import type { StoreWriter } from '../operation/ports/store.js';
import { actsOfDay, forgetOldActs, keeperActCollection, type KeeperAct } from '../record/keeper.js';
import { requireHeld, type Held } from '../record/leases.js';
import { endFault } from './faults.js';
import { itemKey, type Item } from './items.js';
import type { KnownRule } from './known-rule.js';
import { checkLimits } from './limits.js';
import { checkEffect, lookAt, refused, type Moves } from './look.js';
import type { Table } from './reading.js';
import { sessionOf } from './session.js';
import { tellActed } from './tell.js';

/** What acting stands on. */
export type Standing = {
  readonly base: Session;
  readonly table: Table;
  readonly held: Held;
  /** Of all rules in 24 hours, satoshis. */
  readonly mostFees: bigint;
};

/** What is to be done, by which rule. */
export type Order = { readonly item: Item; readonly rule: KnownRule };

/** What was done. `act` is null where somebody else's step was brought to its end. */
export type Done = { readonly act: KeeperAct | null; readonly txHash: string; readonly message: string };

export const actOf = (id: string, { item, rule }: Order, { fee, moved }: Moves, now: number): KeeperAct => ({
  id,
  item: itemKey(item, rule.wallet),
  rule: rule.name,
  task: item.task,
  label: item.label,
  wallet: rule.wallet,
  input: { ...item.input },
  fee,
  moved: [...moved].map(([category, units]) => ({ category, units })),
  state: 'signed',
  booked_at: now,
});

/** Writes an act down, within the limits and under the fence. @throws keeper_refused, keeper_busy */
export const bookAct = async (
  writer: StoreWriter,
  act: KeeperAct,
  { rule, item }: Order,
  { held, mostFees }: Pick<Standing, 'held' | 'mostFees'>,
): Promise<void> => {
  await requireHeld(writer, held);
  const acts = await actsOfDay(writer, act.booked_at);
  // What it takes the place of is not paid.
  const replaced = acts.filter((one) => one.item === act.item && one.state === 'signed');
  const others = acts.filter((one) => !replaced.includes(one));
  const moved = new Map(act.moved.map(({ category, units }) => [category, units]));
  await checkLimits({ rule, label: item.label, moves: { fee: act.fee, moved }, mostFees }, others, writer);
  for (const { id } of replaced) writer.remove(keeperActCollection, id);
  await forgetOldActs(writer, act.booked_at);
  writer.put(keeperActCollection, act);
};

/** Agrees by a rule. */
const deputyOf = (order: Order, standing: Standing): Deputy => {
  const { item, rule } = order;
  const { context } = standing.base;
  let seen: { readonly moves: Moves; readonly now: number } | null = null;
  return {
    look: async (transaction) => {
      const effect = await lookAt(decodeWalletTransaction(transaction), item.label, context);
      const moves = await checkEffect(effect, rule, item, context);
      const now = context.clock.now();
      const acts = await actsOfDay(context.store, now);
      const others = acts.filter((one) => one.item !== itemKey(item, rule.wallet) || one.state === 'done');
      const { mostFees } = standing;
      await checkLimits({ rule, label: item.label, moves, mostFees }, others, context.store);
      seen = { moves, now };
    },
    book: async (writer, { txid }) => {
      if (seen === null) throw refused(item.label, 'its transaction was not looked at');
      await bookAct(writer, actOf(txid, order, seen.moves, seen.now), order, standing);
    },
    strike: (writer, txid) => {
      writer.remove(keeperActCollection, txid);
    },
  };
};

/** Goes on with what is signed already, and signs nothing. */
const carrierOf = (label: string): Deputy => ({
  look: () => Promise.reject(refused(label, 'what was signed cannot be mined any more')),
  book: () => Promise.reject(refused(label, 'what was signed cannot be mined any more')),
  strike: (writer, txid) => {
    writer.remove(keeperActCollection, txid);
  },
});

/** Marks an act as done, forgets its fault, and tells of it: once, whoever comes to it. */
export const settleAct = async (
  act: KeeperAct,
  { base: { context } }: Pick<Standing, 'base'>,
  parties: readonly string[],
  txHash = act.id,
): Promise<void> => {
  const now = context.clock.now();
  const isSettled = await context.store.transaction(async (writer) => {
    const known = await writer.get(keeperActCollection, act.id);
    if (known === null || known.state === 'done') return false;
    writer.put(keeperActCollection, { ...known, state: 'done' });
    await endFault(writer, act.item, now);
    await tellActed(writer, { act, time: now, parties, txHash });
    return true;
  });
  if (!isSettled) return;
  const { task, label, rule, fee } = act;
  context.meters.count('keeper_acts');
  context.log.info({ event: 'keeper.acted', task, label, rule, fee: fee.toString(), txHash }, 'keeper.acted');
};

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The act of an item that was signed last. */
const openAct = async ({ context: { store } }: Session, key: string): Promise<KeeperAct | null> => {
  const { items } = await store.find(keeperActCollection, { where: { state: 'signed' } });
  return items.find(({ item }) => item === key) ?? null;
};

/**
 * Takes the whole step of an item.
 *
 * @throws keeper_refused, keeper_busy, and what its operations, the wallet and the chain throw
 */
export const takeItem = async (order: Order, standing: Standing): Promise<Done> => {
  const { item, rule } = order;
  const { base, table } = standing;
  const action = await table.action(item.task);
  // As its command would have it: a step under way is found by its input.
  const input = fillCaller(fieldsOf(action.build), item.input, rule.signer.address.text);
  const deputy = deputyOf({ item: { ...item, input }, rule }, standing);
  const { session, document } = sessionOf(base, rule.signer, deputy);
  await runStep({ session, action, input, flags: {} });
  const act = await openAct(base, itemKey(item, rule.wallet));
  if (act !== null) await settleAct(act, standing, [rule.signer.address.text]);
  const reply = document();
  return { act, txHash: act?.id ?? text(reply['txHash']), message: text(reply['message']) };
};

/** Goes on with an act whose step is under way. @throws as {@link takeItem} */
export const carryOn = async (act: KeeperAct, standing: Standing): Promise<Done> => {
  const { base, table } = standing;
  const wallet = await base.context.keys.show(act.wallet);
  const action = await table.action(act.task as Item['task']);
  const { session, document } = sessionOf(base, wallet, carrierOf(act.label));
  await runStep({ session, action, input: act.input, flags: {} });
  await settleAct(act, standing, [wallet.address.text]);
  return { act, txHash: act.id, message: text(document()['message']) };
};
