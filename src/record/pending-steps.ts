/**
 * Whole steps under way: what was signed, written down before it is broadcast.
 *
 * If anything fails between the broadcast and the confirmation, the same command finds its step here and goes on with
 * the transaction that was signed, so that nothing is paid twice.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { Hex, Hex32 } from '../bch/fields.js';
import { TreasuryError } from '../errors.js';
import type { Context } from '../operation/context.js';
import { normaliseLabel } from './labels.js';
import {
  defineCollection,
  type StorePort,
  type StoreReader,
  type StoreWriter,
} from '../operation/ports/store.js';

/** A transaction that was signed, and what confirms it. */
const Signed = z.object({
  /** Signed raw transaction. */
  transaction: Hex,
  txid: Hex32,
  /** Raw input of the operation that confirms it. */
  confirm_input: z.record(z.string(), z.unknown()),
});
export type SignedStep = z.output<typeof Signed>;

export const PendingStep = Signed.extend({
  /** {@link stepKey}. */
  id: Hex32,
  /** {@link stepSubject}. */
  subject: Hex32,
  /** Id of the operation that built it. */
  operation: z.string(),
  /** Cash address. */
  caller: z.string(),
  /** Unix seconds. */
  created_at: z.int(),
  /** What it was built in the place of, oldest first. A server that was given one of these may still have it. */
  instead_of: z.array(Signed).optional(),
});
export type PendingStep = z.output<typeof PendingStep>;

export const pendingStepCollection = defineCollection({
  name: 'pending_steps',
  schema: PendingStep,
  indexes: {
    subject: ({ subject }) => subject,
    txid: ({ txid, instead_of: before = [] }) => [txid, ...before.map((one) => one.txid)],
  },
  unique: ['subject'],
  many: ['txid'],
});

/** What makes two commands the same one. */
export type StepIdentity = {
  readonly network: Context['network'];
  /** Id of the operation that builds. */
  readonly operation: string;
  /** Cash address. */
  readonly caller: string;
  /** Raw input of the operation that builds. */
  readonly input: Readonly<Record<string, unknown>>;
};

const LABEL = /^\s*#?[a-z]+-\d{4,}\s*$/i;

/** One spelling of a value: keys sorted, labels normalised, absent and undefined the same. */
const canonical = (value: unknown): unknown => {
  if (typeof value === 'string') return LABEL.test(value) ? normaliseLabel(value) : value.trim();
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, child]) => child !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, child]) => [key, canonical(child)]),
  );
};

const hash = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(canonical(value)))
    .digest('hex');

/** The key of a step: the hash of network, operation, caller and input. */
export const stepKey = (identity: StepIdentity): string => hash(identity);

/** The record that a step is about. */
export type StepRecord = {
  readonly id: string;
  /** The input field that names it: by its id, its label, or whatever finds it. */
  readonly field: string;
};

/**
 * What a step is about, however its record was named: the hash of network, operation, caller, the record's id, and the
 * input without what names the record. Null: it is about no record, and all of the input counts.
 *
 * Steps of 0.1.0 have a subject without the record, which is never this one: they are found by their key alone.
 */
export const stepSubject = ({ input, ...identity }: StepIdentity, record: StepRecord | null): string =>
  hash({
    ...identity,
    record: record?.id ?? null,
    input: Object.fromEntries(Object.entries(input).filter(([name]) => name !== record?.field)),
  });

/** The step of a key, or null. */
export const findPendingStep = (store: StorePort, key: string): Promise<PendingStep | null> =>
  store.get(pendingStepCollection, key);

/** The step of a subject, or null. */
export const findPendingStepBySubject = async (
  store: StorePort,
  subject: string,
): Promise<PendingStep | null> =>
  (await store.find(pendingStepCollection, { where: { subject }, limit: 1, isCounted: false })).items[0] ??
  null;

/** All that a step takes the place of. */
const beforeIt = ({ txid }: PendingStep, instead: PendingStep): SignedStep[] => {
  const { transaction, txid: last, confirm_input: input, instead_of: before = [] } = instead;
  return [...before, { transaction, txid: last, confirm_input: input }].filter((one) => one.txid !== txid);
};

/**
 * Writes a step down. It is on disk when this returns.
 *
 * @param instead the step whose place it takes, if it takes one's, which it remembers
 * @param also what is written in the same commit
 * @returns the step as it is written
 * @throws store_conflict when another process has written the same step down meanwhile: its transaction stands
 */
export const savePendingStep = (
  store: StorePort,
  step: PendingStep,
  instead: PendingStep | null = null,
  also?: (writer: StoreWriter, step: PendingStep) => Promise<void>,
): Promise<PendingStep> =>
  store.transaction(async (writer) => {
    const sameSubject = await writer.find(pendingStepCollection, {
      where: { subject: step.subject },
      limit: 1,
    });
    const sameKey = await writer.get(pendingStepCollection, step.id);
    const standing = [...sameSubject.items, ...(sameKey === null ? [] : [sameKey])];
    if (standing.some(({ txid }) => txid !== instead?.txid)) {
      throw new TreasuryError('store_conflict', { label: 'What this command is about' });
    }
    await also?.(writer, step);
    // Its record may have been named otherwise.
    for (const { id } of standing) if (id !== step.id) writer.remove(pendingStepCollection, id);
    const written = instead === null ? step : { ...step, instead_of: beforeIt(step, instead) };
    writer.put(pendingStepCollection, written);
    return written;
  });

/** Forgets a step, unless another has taken its place. @param also what is written in the same commit */
export const removePendingStep = (
  store: StorePort,
  { id, txid }: PendingStep,
  also?: (writer: StoreWriter, txid: string) => void,
): Promise<void> =>
  store.transaction(async (writer) => {
    if ((await writer.get(pendingStepCollection, id))?.txid === txid)
      writer.remove(pendingStepCollection, id);
    also?.(writer, txid);
  });

/** Forgets the steps of a transaction, since it was confirmed another way. Writes nothing when there are none. */
export const removePendingStepsOf = async (store: StorePort, txid: string): Promise<void> => {
  const stepsOf = (reader: StoreReader) => reader.find(pendingStepCollection, { where: { txid } });
  if ((await stepsOf(store)).total === 0) return;
  await store.transaction(async (writer) => {
    for (const { id } of (await stepsOf(writer)).items) writer.remove(pendingStepCollection, id);
  });
};
