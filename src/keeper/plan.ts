/** What a keeper would do, when, and what it would cost. Nothing is signed, sent or booked. */
import { decodeWalletTransaction } from '../bch/wallet-transaction.js';
import { fieldsOf } from '../cli/fields.js';
import { fillCaller } from '../cli/gather-input.js';
import { transactionOf } from '../cli/build-step.js';
import { chainNow } from '../operation/chain-now.js';
import type { Context } from '../operation/context.js';
import { actsOfDay, keeperFaultCollection, type KeeperAct } from '../record/keeper.js';
import { actOf, type Order } from './act.js';
import { isWaiting } from './faults.js';
import { isWithin, nextWithin } from './hours.js';
import { isLeft, reasonOf } from './leaving.js';
import { byWorth, itemKey, type Item } from './items.js';
import { knowRule, mostFees, type KnownRule } from './known-rule.js';
import { checkLimits, feesOf } from './limits.js';
import { checkEffect, lookAt, refused, type Moves } from './look.js';
import { labelProblem, unknownLabels } from './named-records.js';
import { askerOf, type Asker, type Table } from './reading.js';
import { badField, type Rule, type Rules } from './rules.js';
import { examineSpend } from './send.js';
import { itemsOf } from './sources/index.js';

/** `due` would be done now, `later` at its time, `left` is left alone for now, `failed` needs somebody. */
export type Verdict = 'due' | 'later' | 'left' | 'failed';

export type Entry = {
  readonly verdict: Verdict;
  readonly rule: string;
  readonly task: string;
  /** Empty where it is about the rule itself. */
  readonly label: string;
  readonly wallet: string;
  /** Unix seconds; null: now. */
  readonly at: number | null;
  readonly amount: Item['amount'];
  /** Satoshis; null: not known yet. */
  readonly fee: bigint | null;
  /** Why it is left alone, or what is wrong; null: nothing. */
  readonly reason: string | null;
  /** The error of what failed. */
  readonly error: unknown;
};

export type Plan = {
  readonly entries: readonly Entry[];
  /** Satoshis, of the last 24 hours. */
  readonly feesPaid: bigint;
  readonly mostFees: bigint;
};

/** What a plan stands on. */
export type Planning = { readonly context: Context; readonly table: Table; readonly rules: Rules };

/** Builds the transaction of an item, and holds it against its rule. @throws keeper_refused, and what building throws */
const examine = async ({ item, rule }: Order, asker: Asker, context: Context): Promise<Moves> => {
  if (rule.flow === 'sends') return examineSpend({ item, rule }, asker, context);
  const { build } = await asker.table.action(item.task);
  const input = fillCaller(fieldsOf(build), item.input, asker.address);
  const transaction = transactionOf(await asker.ask(build.id, input));
  if (transaction === null) throw refused(item.label, 'there is nothing to sign');
  const effect = await lookAt(decodeWalletTransaction(transaction), item.label, context);
  return checkEffect(effect, rule, item, context);
};

const entryOf = (rule: Pick<Rule, 'name' | 'do' | 'wallet'>, item: Item | null): Entry => ({
  verdict: 'due',
  rule: rule.name,
  task: rule.do,
  label: item?.label ?? '',
  wallet: rule.wallet,
  at: null,
  amount: item?.amount ?? null,
  fee: null,
  reason: null,
  error: null,
});

type Site = Planning & {
  readonly asker: Asker;
  readonly most: bigint;
  /** Acts of the last 24 hours, and those that the plan has found so far. */
  readonly acts: KeeperAct[];
  /** Of the service's clock. */
  readonly now: number;
};

const planItem = async (item: Item, rule: KnownRule, site: Site): Promise<Entry> => {
  const { context, rules, now, acts, asker, most } = site;
  const entry = entryOf(rule, item);
  if (item.at !== null)
    return { ...entry, verdict: 'later', at: nextWithin(rule.hours, item.at, rules.zone) };
  const key = itemKey(item, rule.wallet);
  const open = acts.find((act) => act.item === key && act.state === 'signed');
  if (open !== undefined)
    return { ...entry, fee: open.fee, reason: `is signed already (${open.id}): it is brought to its end` };
  const fault = await context.store.get(keeperFaultCollection, key);
  if (fault !== null && isWaiting(fault, now))
    return {
      ...entry,
      verdict: 'failed',
      at: fault.next_at,
      reason: `${fault.message} It is tried again then.`,
    };
  try {
    const moves = await examine({ item, rule }, asker, context);
    await checkLimits({ rule, label: item.label, moves, mostFees: most }, acts, context.store);
    const isOpen = isWithin(rule.hours, now, rules.zone);
    if (isOpen) acts.push({ ...actOf(`planned ${acts.length}`, { item, rule }, moves, now), state: 'done' });
    const [at, verdict] = isOpen
      ? ([null, 'due'] as const)
      : ([nextWithin(rule.hours, now, rules.zone), 'later'] as const);
    return { ...entry, verdict, at, fee: moves.fee };
  } catch (error) {
    return { ...entry, verdict: isLeft(error) ? 'left' : 'failed', reason: reasonOf(error), error };
  }
};

/** Far enough ahead to see the next month, seconds. */
const AHEAD = 35 * 86_400;

const planRule = async (rule: Rule, site: Omit<Site, 'asker'>): Promise<readonly Entry[]> => {
  const { context, table } = site;
  try {
    const known = await knowRule(rule, context);
    const asker = askerOf(table, context, known.signer);
    const now = await chainNow(context);
    const items = await itemsOf({ rule: known, asker, now, ahead: true, over: new Map() });
    const unknown = await unknownLabels(known, table, context);
    const entries: Entry[] = [];
    if (unknown.length > 0) {
      const reason = labelProblem(unknown);
      const error = badField(rule, '', reason);
      entries.push({ ...entryOf(rule, null), verdict: 'failed', reason, error });
    }
    for (const item of items.toSorted(byWorth))
      if (item.at === null || item.at <= now + AHEAD)
        entries.push(await planItem(item, known, { ...site, asker }));
    return entries;
  } catch (error) {
    return [{ ...entryOf(rule, null), verdict: 'failed', reason: reasonOf(error), error }];
  }
};

const byTime = (a: Entry, b: Entry): number => (a.at ?? 0) - (b.at ?? 0);

/** Makes a plan. @throws invalid_input for limits of the whole file, and what reading the store throws */
export const makePlan = async (planning: Planning): Promise<Plan> => {
  const { context, rules } = planning;
  await context.store.refresh();
  const most = await mostFees(rules, context);
  const now = context.clock.now();
  const paid = await actsOfDay(context.store, now);
  const acts = [...paid];
  const entries: Entry[] = [];
  for (const rule of rules.rules.filter(({ off }) => off !== true))
    entries.push(...(await planRule(rule, { ...planning, most, acts, now })));
  return { entries: entries.sort(byTime), feesPaid: feesOf(paid), mostFees: most };
};
