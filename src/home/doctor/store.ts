/** The store: whether it opens, who holds its locks, and what waits in it: whole steps, and events without a block. */
import { atOnce } from '../../operation/at-once.js';
import type { LockFacts } from '../../operation/ports/surroundings.js';
import { faultsOfLog } from '../../record/check-log.js';
import { eventCollection, EVERY_RECORD, type EventRecord } from '../../record/events.js';
import { pendingStepCollection, type PendingStep } from '../../record/pending-steps.js';
import type { CovenantRecord } from '../../record/deployable.js';
import { commandOf } from '../step-command.js';
import {
  bytesText,
  countText,
  listText,
  ok,
  problemOf,
  shellWord,
  spanText,
  warning,
  type Check,
  type Finding,
  type Subject,
} from './check.js';

const sizeText = (bytes: number | null): string => (bytes === null ? 'none' : bytesText(bytes));

const contentFinding = async ({ context: { store }, surroundings, scope }: Subject): Promise<Finding> => {
  const { snapshotBytes, journalBytes, logBytes, schema } = surroundings.store;
  const totals = (
    await Promise.all(
      scope.collections.map(async (collection) => ({
        name: collection.name,
        total: (await store.find(collection, { limit: 0 })).total,
      })),
    )
  ).filter(({ total }) => total > 0);
  const records = totals.reduce((sum, { total }) => sum + total, 0);
  const each = listText(
    totals.map(({ name, total }) => `${name} ${total}`),
    totals.length,
  );
  const held = `${countText(records, 'record')}${each === '' ? '' : ` (${each})`}`;
  if (store.isShared) return ok(`opens; the records are in a database: ${held}`);
  return ok(
    `opens; schema ${schema}, snapshot ${sizeText(snapshotBytes)}, journal ${sizeText(journalBytes)}, ` +
      `log ${sizeText(logBytes === 0 ? null : logBytes)}, ${held}`,
  );
};

const lockFinding = ({ path, pid, isHeld }: LockFacts): Finding => {
  const holder = pid === null ? 'a process' : `process ${pid}`;
  return ok(
    isHeld
      ? `${path} was held by ${holder}, which was at work`
      : `${path} was left by ${holder}, which is gone: whoever writes next takes it over`,
  );
};

export const store: Check = {
  name: 'store',
  needs: ['folder'],
  look: async (subject) => {
    const { failures, locks } = subject.surroundings;
    const content = failures.store === null ? await contentFinding(subject) : problemOf(failures.store);
    return [content, ...locks.map(lockFinding)];
  },
};

/** Whether the chain has the transaction; null when it cannot say. */
const isOnChain = async (txid: string, { context, chainFailure }: Subject): Promise<boolean | null> => {
  if (chainFailure !== null) return null;
  const found = await context.chain.transaction(txid).catch(() => undefined);
  return found === undefined ? null : found !== null;
};

const stepFinding = async (step: PendingStep, subject: Subject): Promise<Finding> => {
  const { context, scope } = subject;
  const command = commandOf(step, scope.actions, shellWord);
  const isSent = await isOnChain(step.txid, subject);
  const place = isSent === null ? 'may be on chain' : isSent ? 'is on chain' : 'is not on chain';
  const age = spanText(context.clock.wall() - step.created_at);
  return warning(
    `\`${command}\` of ${step.caller} stopped ${age} ago: ${step.txid} is signed and ${place}, and not confirmed`,
    `run \`treasury ${command}\` again with what it was given: it goes on with that transaction and pays nothing ` +
      'twice (`--start-over` builds another in its place)',
  );
};

export const steps: Check = {
  name: 'steps',
  needs: ['folder', 'store'],
  look: async (subject) => {
    const { items } = await subject.context.store.find(pendingStepCollection);
    if (items.length === 0) return [ok('no whole step is unfinished')];
    return Promise.all(items.map((step) => stepFinding(step, subject)));
  },
};

const DAY = 86_400;
/** Transactions that are looked for at once. */
const AT_ONCE = 100;

/** What the record of an event is called. */
const labelOf = async (
  { entity_id: id, entity_type: type }: EventRecord,
  { context: { store }, scope }: Subject,
): Promise<string> => {
  for (const deployable of scope.deployables.filter(({ entityType }) => entityType === type))
    for (const known of await deployable.idsOfEvents(id, store)) {
      const record = (await store.get(deployable.collection, known)) as CovenantRecord | null;
      if (record !== null) return deployable.label(record);
    }
  return id;
};

/** Null when a block has it by now. */
const eventFinding = async (event: EventRecord, subject: Subject): Promise<Finding | null> => {
  const { context } = subject;
  const txid = event.tx_hash ?? '';
  const found = await context.chain.transaction(txid);
  const age = spanText(context.clock.now() - event.created_at);
  const label = await labelOf(event, subject);
  const what = `the event ${event.event_type} of ${label} (${txid})`;
  if (found === null) {
    return warning(`${what}, seen ${age} ago, has left the chain`, `treasury sync ${shellWord(label)}`);
  }
  if (found.height !== null) return null;
  return warning(
    `${what} has waited for a block for ${age}`,
    'look at its fee on a block explorer; the wallet that made it can send it again',
  );
};

export const events: Check = {
  name: 'events',
  needs: ['folder', 'store', 'chain'],
  look: async (subject) => {
    const { store, clock } = subject.context;
    const { items } = await store.find(eventCollection, {
      where: { unsettled: EVERY_RECORD },
      filter: ({ height, created_at: at }) => height === null && clock.now() - at > DAY,
    });
    const found = await atOnce(AT_ONCE, items, (event) => eventFinding(event, subject));
    const findings = found.filter((finding) => finding !== null);
    return findings.length === 0 ? [ok('no event has waited for a block for over a day')] : findings;
  },
};

/** Contradictions that are told. */
const SHOWN = 5;

export const log: Check = {
  name: 'log',
  needs: ['folder', 'store'],
  look: async ({ context: { store } }) => {
    const faults = await faultsOfLog(store);
    if (faults.length === 0) return [ok('the event log tells what the records say')];
    const more = faults.length > SHOWN ? `; and ${faults.length - SHOWN} more` : '';
    return [warning(`${faults.slice(0, SHOWN).join('; ')}${more}`, 'treasury sync --all')];
  },
};
