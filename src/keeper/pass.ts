/** One pass of a keeper: what is under way is brought to its end, then each rule is followed, one thing after the other. */
import { isTreasuryError } from '../errors.js';
import type { Session } from '../cli/session.js';
import { chainNow } from '../operation/chain-now.js';
import { actsOfDay, keeperActCollection, keeperFaultCollection, type KeeperAct } from '../record/keeper.js';
import { isLeaseLost, type Held } from '../record/leases.js';
import { pendingStepCollection } from '../record/pending-steps.js';
import { carryOn, settleAct, takeItem, type Done, type Standing } from './act.js';
import { endFault, everybody, exitOfFault, isWaiting, noteFault, type Subject } from './faults.js';
import { isWithin } from './hours.js';
import { byWorth, itemKey, type Item } from './items.js';
import { knowRule, mostFees, type KnownRule } from './known-rule.js';
import { feesOf } from './limits.js';
import { isLeft, reasonOf } from './leaving.js';
import { askerOf, type Table } from './reading.js';
import type { Rule, Rules } from './rules.js';
import { fateOfSpend, sendSpend } from './send.js';
import { itemsOf } from './sources/index.js';

/** What became of one thing. */
export type Outcome = {
  readonly result: 'done' | 'left' | 'failed';
  readonly task: string;
  readonly label: string;
  readonly wallet: string;
  readonly rule: string;
  readonly txHash: string | null;
  /** Satoshis. */
  readonly fee: bigint | null;
  /** What was done, why it is left alone, or what is wrong. */
  readonly message: string;
  /** Of a fault its exit code; else 0. */
  readonly exit: number;
};

/** What a pass stands on. What is in `memory` is forgotten with the program, and costs only looks. */
export type Passing = {
  readonly base: Session;
  readonly table: Table;
  readonly rules: Rules;
  readonly held: Held;
  readonly memory: Memory;
  readonly isStopped: () => boolean;
  /** True: what is left alone after a fault is tried again now. */
  readonly again: boolean;
  /** Called before each thing: the lease is renewed. @throws keeper_busy */
  readonly beat: () => Promise<void>;
  readonly onOutcome: (outcome: Outcome) => void;
};

export type Memory = {
  /** Until when what is over is not looked at again, by its key: chain time. */
  readonly over: Map<string, number>;
  /** Until when an item that was not worth it is not built again, by its key: unix seconds. */
  readonly leftUntil: Map<string, number>;
};

export const newMemory = (): Memory => ({ over: new Map(), leftUntil: new Map() });

/** How long what was not worth it is left alone, seconds. */
const LEFT_SECONDS = 600;

type Pass = Passing & {
  readonly standing: Standing;
  readonly outcomes: Outcome[];
  /** Keys of what may still be at fault: all other faults are over. */
  readonly alive: Set<string>;
};

const say = (pass: Pass, outcome: Outcome): void => {
  pass.outcomes.push(outcome);
  pass.onOutcome(outcome);
};

/** Another keeper has taken over: nothing more is done. */
const isReplaced = (error: unknown): boolean =>
  isLeaseLost(error) || (isTreasuryError(error) && error.code === 'keeper_busy');

const fail = async (
  pass: Pass,
  subject: Subject,
  about: Pick<Outcome, 'wallet' | 'rule'>,
  error: unknown,
): Promise<void> => {
  if (isReplaced(error)) throw error;
  pass.alive.add(subject.key);
  const { context } = pass.base;
  const parties = subject.parties.length === 0 ? await everybody(context) : subject.parties;
  await noteFault(context, { ...subject, parties }, error, pass.standing.held);
  const { task, label } = subject;
  const told = { ...about, task, label, txHash: null, fee: null };
  say(pass, { ...told, result: 'failed', message: reasonOf(error), exit: exitOfFault(error) });
};

/** True while a fault of that key is left alone. */
const waits = async ({ base: { context }, alive, again }: Pass, key: string): Promise<boolean> => {
  const fault = await context.store.get(keeperFaultCollection, key);
  if (fault === null || again || !isWaiting(fault, context.clock.now())) return false;
  alive.add(key);
  return true;
};

const sayDone = (
  pass: Pass,
  about: Pick<Outcome, 'task' | 'label' | 'wallet' | 'rule'>,
  done: Done,
): void => {
  const { txHash, message, act } = done;
  say(pass, { ...about, result: 'done', txHash, fee: act?.fee ?? null, message, exit: 0 });
};

/** Brings an act to its end that an earlier run has signed. @returns false while its item has to be left alone */
const carryAct = async (act: KeeperAct, pass: Pass): Promise<boolean> => {
  const { standing, base } = pass;
  const { store, chain, keys } = base.context;
  const { address } = await keys.show(act.wallet);
  if (act.task === 'vaults spend broadcast') {
    const { fate, txHash } = await fateOfSpend(act, standing);
    if (fate === 'sent') await settleAct(act, standing, [address.text], txHash ?? act.id);
    if (fate === 'over') await strike(pass, act);
    return true;
  }
  const { total } = await store.find(pendingStepCollection, { where: { txid: act.id }, limit: 0 });
  if (total > 0) {
    const { task, label, wallet, rule } = act;
    sayDone(pass, { task, label, wallet, rule }, await carryOn(act, standing));
  } else if ((await chain.transaction(act.id)) === null) await strike(pass, act);
  // Somebody else has seen it confirmed.
  else await settleAct(act, standing, [address.text]);
  return true;
};

const strike = ({ base: { context } }: Pass, { id }: KeeperAct): Promise<void> =>
  context.store.transaction((writer) => {
    writer.remove(keeperActCollection, id);
  });

/** Brings what is under way to its end. @returns the keys of what is still under way */
const carryAll = async (pass: Pass): Promise<ReadonlySet<string>> => {
  const { items } = await pass.base.context.store.find(keeperActCollection, { where: { state: 'signed' } });
  const open = new Set<string>();
  for (const act of items) {
    if (pass.isStopped() || (await waits(pass, act.item))) {
      open.add(act.item);
      continue;
    }
    try {
      await pass.beat();
      await carryAct(act, pass);
    } catch (error) {
      if (isLeft(error)) continue;
      open.add(act.item);
      const { item: key, task, label, wallet, rule } = act;
      await fail(pass, { key, task, label, parties: [] }, { wallet, rule }, error);
    }
  }
  return open;
};

/** True when the wallet of a rule can sign now; else that is told, and left alone for a while. */
const canSign = async (rule: KnownRule, pass: Pass): Promise<boolean> => {
  // What two signers have signed needs no other.
  if (rule.flow === 'sends') return true;
  const { keys } = pass.base.context;
  const subject: Subject = {
    key: `wallet ${rule.wallet}`,
    task: '',
    label: rule.wallet,
    parties: [rule.signer.address.text],
  };
  if (await waits(pass, subject.key)) return false;
  try {
    await keys.unlock(rule.wallet);
    return true;
  } catch (error) {
    await fail(pass, subject, { wallet: rule.wallet, rule: rule.name }, error);
    return false;
  }
};

const takeOne = async (item: Item, rule: KnownRule, pass: Pass): Promise<void> => {
  const { memory, standing, base } = pass;
  const key = itemKey(item, rule.wallet);
  const about = { task: item.task, label: item.label, wallet: rule.wallet, rule: rule.name };
  const { clock } = base.context;
  try {
    await pass.beat();
    const order = { item, rule };
    const done = await (rule.flow === 'sends' ? sendSpend(order, standing) : takeItem(order, standing));
    memory.leftUntil.delete(key);
    sayDone(pass, about, done);
  } catch (error) {
    if (!isLeft(error)) {
      const subject = { key, task: item.task, label: item.label, parties: [rule.signer.address.text] };
      await fail(pass, subject, about, error);
      return;
    }
    memory.leftUntil.set(key, clock.now() + LEFT_SECONDS);
    say(pass, { ...about, result: 'left', txHash: null, fee: null, message: reasonOf(error), exit: 0 });
  }
};

/** True for what was not worth it a moment ago. A clock that was set back counts for nothing. */
const isLeftAlone = ({ memory, base }: Pass, key: string): boolean => {
  const until = memory.leftUntil.get(key);
  const now = base.context.clock.now();
  return until !== undefined && now < until && until - now <= LEFT_SECONDS;
};

const followKnown = async (rule: KnownRule, pass: Pass, open: ReadonlySet<string>): Promise<void> => {
  const { base, rules, table, memory, alive } = pass;
  const { context } = base;
  const asker = askerOf(table, context, rule.signer);
  const now = await chainNow(context);
  const items = await itemsOf({ rule, asker, now, ahead: false, over: memory.over });
  for (const item of items) alive.add(itemKey(item, rule.wallet));
  if (!isWithin(rule.hours, context.clock.now(), rules.zone)) return;
  const keyOf = (item: Item) => itemKey(item, rule.wallet);
  const ready: Item[] = [];
  for (const item of items) {
    const key = keyOf(item);
    const isOpen = open.has(key) && rule.flow !== 'sends';
    if (item.at === null && !isOpen && !isLeftAlone(pass, key) && !(await waits(pass, key))) ready.push(item);
  }
  if (ready.length === 0 || !(await canSign(rule, pass))) return;
  for (const item of ready.toSorted(byWorth)) {
    if (pass.isStopped()) return;
    await takeOne(item, rule, pass);
  }
};

/** What the items of a rule are remembered under begins and ends so. */
const isOfRule = (id: string, { do: task, wallet }: Rule): boolean =>
  id.startsWith(`${task} `) && id.endsWith(` ${wallet}`);

const followRule = async (rule: Rule, pass: Pass, open: ReadonlySet<string>): Promise<boolean> => {
  const subject: Subject = { key: `rule ${rule.name}`, task: rule.do, label: rule.name, parties: [] };
  if (await waits(pass, subject.key)) return false;
  try {
    await followKnown(await knowRule(rule, pass.base.context), pass, open);
    return true;
  } catch (error) {
    await fail(pass, subject, { wallet: rule.wallet, rule: rule.name }, error);
    return false;
  }
};

/** Forgets the faults of what is over: done by somebody else, ended, or of a rule that is gone. */
const sweep = async ({ base: { context }, alive }: Pass, unread: readonly Rule[]): Promise<void> => {
  const { items } = await context.store.find(keeperFaultCollection);
  const over = items.filter(({ id }) => !alive.has(id) && !unread.some((rule) => isOfRule(id, rule)));
  const now = context.clock.now();
  if (over.length === 0) return;
  await context.store.transaction(async (writer) => {
    for (const { id } of over) await endFault(writer, id, now);
  });
};

const measure = async ({ base: { context } }: Pass): Promise<void> => {
  const { store, meters, clock } = context;
  const { total } = await store.find(keeperFaultCollection, { limit: 0 });
  meters.set('keeper_faults_open', total);
  meters.set('keeper_fees_day', Number(feesOf(await actsOfDay(store, clock.now()))));
};

/**
 * Does what is due.
 *
 * @throws keeper_busy when another keeper has taken over, invalid_input for limits of the whole file, and what the store
 *   throws
 */
export const makePass = async (passing: Passing): Promise<readonly Outcome[]> => {
  const { base, table, rules, held } = passing;
  const standing = { base, table, held, mostFees: await mostFees(rules, base.context) };
  const pass: Pass = { ...passing, standing, outcomes: [], alive: new Set() };
  const open = await carryAll(pass);
  const unread: Rule[] = [];
  for (const rule of rules.rules) {
    if (rule.off === true) continue;
    if (pass.isStopped()) return pass.outcomes;
    if (!(await followRule(rule, pass, open))) unread.push(rule);
  }
  await sweep(pass, unread);
  await measure(pass);
  return pass.outcomes;
};
