/**
 * `Idempotency-Key`: a creation that is asked for twice is made once.
 *
 * A key is claimed in the store before the operation runs, so that of two requests at the same time (even to two
 * daemons on one home) only one runs. Only what succeeded is kept: a request that failed created nothing and may be
 * mended and sent again under the same key. When the program dies between the creation and the keeping of its
 * answer, the claim stands for two minutes and the answer is lost; a repetition after that runs again.
 *
 * Answers are kept on disk: an operation that hands out a secret must not be marked `creates`.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { Hex32, UnixSeconds } from '../bch/fields.js';
import { TreasuryError } from '../errors.js';
import type { Context } from '../operation/context.js';
import { defineCollection, type StoreWriter } from '../operation/ports/store.js';
import { invalidInput } from '../operation/read-input.js';
import type { Answer } from './answer.js';

/** How long an answer is kept. Source: API decisions, section Limits. */
const KEEP_SECONDS = 24 * 60 * 60;
/** How long a claim stands when the one who made it is never heard of again. */
const CLAIM_SECONDS = 120;
/** Expired records that one claim clears away: more than it adds, so that they never pile up. */
const PRUNE_AT_MOST = 10;

const IdempotencyRecord = z.object({
  /** Hash of caller, operation, path and key. */
  id: Hex32,
  /** Hash of the request's input. */
  fingerprint: Hex32,
  /** Which request claimed the key. */
  claim: z.string(),
  /** Null while that request is being answered. */
  answer: z.object({ status: z.int(), body: z.record(z.string(), z.unknown()) }).nullable(),
  expires_at: UnixSeconds,
});

/** Where claims and answers are kept. */
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

const prune = (writer: StoreWriter, now: number): void => {
  const { items } = writer.find(idempotencyCollection, { order: 'oldest', limit: PRUNE_AT_MOST });
  for (const { id, expires_at } of items) if (expires_at <= now) writer.remove(idempotencyCollection, id);
};

/**
 * Checks the header.
 *
 * @throws invalid_input when it is not 1 to 255 visible ASCII characters
 */
export const checkKey = (key: string): string => {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw invalidInput([{ path: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' }]);
};

/** The answer kept for a request, or null when `claim` now holds the key. */
const claimKey = (
  writer: StoreWriter,
  record: z.output<typeof IdempotencyRecord>,
  key: string,
  now: number,
) => {
  const known = writer.get(idempotencyCollection, record.id);
  if (known !== null && known.expires_at > now) {
    if (known.fingerprint !== record.fingerprint) throw new TreasuryError('idempotency_mismatch', { key });
    if (known.answer === null) throw new TreasuryError('idempotency_in_progress', { key });
    return known.answer;
  }
  if (known !== null) writer.remove(idempotencyCollection, known.id);
  prune(writer, now);
  writer.put(idempotencyCollection, record);
  return null;
};

/**
 * Runs `run` once for a key: the first answer, or the one kept of an earlier request.
 *
 * @throws idempotency_mismatch, idempotency_in_progress, and whatever `run` throws
 */
export const answerOnce = async (
  { key, scope, input }: KeyedRequest,
  { store, clock, uuid, log }: Pick<Context, 'store' | 'clock' | 'uuid' | 'log'>,
  run: () => Promise<Answer>,
): Promise<Answer & { readonly replayed: boolean }> => {
  const now = clock.wall();
  const record = {
    id: hash([key, ...scope]),
    fingerprint: hash(sortKeys(input)),
    claim: uuid(),
    answer: null,
    expires_at: now + CLAIM_SECONDS,
  };
  const kept = await store.transaction((writer) => claimKey(writer, record, key, now));
  if (kept !== null) return { ...kept, replayed: true };

  /** Settles the claim, unless it ran out and is another's by now. What was answered stands even if this fails. */
  const settle = async (answer: Answer | null): Promise<void> => {
    try {
      await store.transaction((writer) => {
        if (writer.get(idempotencyCollection, record.id)?.claim !== record.claim) return;
        if (answer === null) writer.remove(idempotencyCollection, record.id);
        else writer.put(idempotencyCollection, { ...record, answer, expires_at: now + KEEP_SECONDS });
      });
    } catch (error) {
      log.error({ err: error }, 'the answer of an Idempotency-Key could not be kept');
    }
  };
  let answer: Answer | null = null;
  try {
    answer = await run();
  } finally {
    await settle(answer !== null && answer.body['success'] !== false ? answer : null);
  }
  return { ...answer, replayed: false };
};
