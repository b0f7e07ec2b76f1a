/**
 * `Idempotency-Key`: a creation that is asked for twice is made once.
 *
 * The answer is kept in the commit that makes what it tells of (`operation/commit-answer.ts`), so whatever ends the
 * program, both are there or neither is. Of two requests at the same time one process runs one and refuses the other;
 * of two processes on one home that both run it, the one that commits second finds the answer there, makes nothing and
 * gives that one. Only what succeeded is kept: a request that failed created nothing and may be mended and sent again
 * under the same key.
 *
 * Answers are kept on disk: an operation that hands out a secret must not be marked `creates`.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { Hex32, UnixSeconds } from '../bch/fields.js';
import { invalidField, TreasuryError } from '../errors.js';
import type { Context } from '../operation/context.js';
import {
  defineCollection,
  type StorePort,
  type StoreReader,
  type StoreWriter,
} from '../operation/ports/store.js';
import type { Answer } from './exchange.js';

/** How long an answer is kept. Source: docs/design/api.md, Limits. */
const KEEP_SECONDS = 24 * 60 * 60;
/** Expired records that one answer clears away: more than it adds, so that they never pile up. */
const PRUNE_AT_MOST = 10;

const IdempotencyRecord = z.object({
  /** Hash of caller, operation, path and key. */
  id: Hex32,
  /** Hash of the request's input. */
  fingerprint: Hex32,
  /** Null in what version 0.1.0 left of a request that it did not answer. */
  answer: z
    .object({
      status: z.int(),
      /** As JSON, so that it is the same to the byte whatever keeps it; a version before kept the value. */
      body: z.union([z.string(), z.record(z.string(), z.unknown())]),
    })
    .nullable(),
  expires_at: UnixSeconds,
});

/** Where answers are kept. */
export const idempotencyCollection = defineCollection({
  name: 'idempotency',
  schema: IdempotencyRecord,
  indexes: {},
});

/** A request that may be a repetition. */
export type KeyedRequest = {
  /** The Idempotency-Key header. */
  readonly key: string;
  /** Whose key it is: caller, operation and path. A key of another scope is another key. */
  readonly scope: readonly unknown[];
  /** What is asked for; a repetition asks for the same. */
  readonly input: Readonly<Record<string, unknown>>;
};

const hash = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex');

/** The same value whatever the order in which its keys were written. */
const sortKeys = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sortKeys);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, child]) => [name, sortKeys(child)]));
};

const prune = async (writer: StoreWriter, now: number): Promise<void> => {
  const { items } = await writer.find(idempotencyCollection, {
    order: 'oldest',
    limit: PRUNE_AT_MOST,
    isCounted: false,
  });
  for (const { id, expires_at } of items) if (expires_at <= now) writer.remove(idempotencyCollection, id);
};

/** Checks the header. @throws invalid_input when it is not 1 to 255 visible ASCII characters */
export const checkKey = (key: string): string => {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw invalidField('Idempotency-Key', 'must be 1 to 255 visible ASCII characters');
};

/** A request with its key, as the store knows it. */
type Keyed = {
  readonly id: string;
  readonly fingerprint: string;
  readonly key: string;
  readonly now: number;
};

/** Thrown out of a commit that would make again what another process has made meanwhile. */
class AlreadyAnswered extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super('another process has answered this request');
    this.answer = answer;
  }
}

/** The answer kept for a request, or null. @throws idempotency_mismatch */
const keptAnswer = async (
  store: StoreReader,
  { id, fingerprint, key, now }: Keyed,
): Promise<Answer | null> => {
  const known = await store.get(idempotencyCollection, id);
  if (known === null || known.answer === null || known.expires_at <= now) return null;
  if (known.fingerprint !== fingerprint) throw new TreasuryError('idempotency_mismatch', { key });
  const { status, body } = known.answer;
  return { status, body: typeof body === 'string' ? (JSON.parse(body) as Answer['body']) : body };
};

const putAnswer = async (
  writer: StoreWriter,
  { id, fingerprint, now }: Keyed,
  answer: Answer,
): Promise<void> => {
  // Those that expire first stand first.
  if ((await writer.get(idempotencyCollection, id)) !== null) writer.remove(idempotencyCollection, id);
  await prune(writer, now);
  const kept = { status: answer.status, body: JSON.stringify(answer.body) };
  writer.put(idempotencyCollection, { id, fingerprint, answer: kept, expires_at: now + KEEP_SECONDS });
};

/** What each store's requests under way ask for, by their keys: in this process. */
const underWay = new WeakMap<StorePort, Map<string, string>>();

/** Takes the key for one request of this process; returns how to give it back. @throws idempotency_in_progress */
const takeKey = (store: StorePort, { id, fingerprint, key }: Keyed): (() => void) => {
  const taken = underWay.get(store) ?? new Map<string, string>();
  underWay.set(store, taken);
  const other = taken.get(id);
  if (other !== undefined)
    throw new TreasuryError(other === fingerprint ? 'idempotency_in_progress' : 'idempotency_mismatch', {
      key,
    });
  taken.set(id, fingerprint);
  return () => {
    taken.delete(id);
  };
};

/** Keeps what `run` itself has not kept. What was answered stands even if this fails. */
const keepLate = async (
  request: Keyed,
  answer: Answer,
  { store, log }: Pick<Context, 'store' | 'log'>,
): Promise<void> => {
  try {
    await store.transaction(async (writer) => {
      if ((await keptAnswer(writer, request)) === null) await putAnswer(writer, request, answer);
    });
  } catch (error) {
    log.error({ err: error }, 'the answer of an Idempotency-Key could not be kept');
  }
};

/**
 * Runs `run` once for a key: the first answer, or the one kept of an earlier request.
 *
 * @param run - is given what keeps the answer in the commit that it answers for
 * @throws idempotency_mismatch, idempotency_in_progress, and whatever `run` throws
 */
export const answerOnce = async (
  { key, scope, input }: KeyedRequest,
  { store, clock, log }: Pick<Context, 'store' | 'clock' | 'log'>,
  run: (keep: (writer: StoreWriter, answer: Answer) => Promise<void>) => Promise<Answer>,
): Promise<Answer & { readonly replayed: boolean }> => {
  const request = { id: hash([key, ...scope]), fingerprint: hash(sortKeys(input)), key, now: clock.wall() };
  await store.refresh();
  const kept = await keptAnswer(store, request);
  if (kept !== null) return { ...kept, replayed: true };

  const giveBack = takeKey(store, request);
  const keeping = { isDone: false };
  try {
    const answer = await run(async (writer, made) => {
      const other = await keptAnswer(writer, request);
      if (other !== null) throw new AlreadyAnswered(other);
      await putAnswer(writer, request, made);
      keeping.isDone = true;
    });
    if (!keeping.isDone && answer.body['success'] !== false) await keepLate(request, answer, { store, log });
    return { ...answer, replayed: false };
  } catch (error) {
    if (error instanceof AlreadyAnswered) return { ...error.answer, replayed: true };
    throw error;
  } finally {
    giveBack();
  }
};
