/** The fields of every record whose money lies in the pool of one thread, and how a new one begins. */
import { z } from 'zod';
import { lockOfAddress } from '../bch/address.js';
import { Hex, Hex32 } from '../bch/fields.js';
import { ArtifactFingerprint, newestFingerprint, type ArtifactName } from '../covenant/artifact.js';
import type { Finding } from '../covenant/genesis.js';
import { reserveLock } from '../covenant/reserve.js';
import { ThreadPointer } from '../covenant/thread.js';
import type { Issue } from '../errors.js';
import type { Context } from '../operation/context.js';
import { invalidInput } from '../operation/read-input.js';
import { OwnWordsFields, ownWordsOf } from './own-words.js';

/** They stand behind a record's own: what has changed of a record is told in the order of its fields. */
export const PoolFields = {
  /** Pinned at creation. */
  decimals: z.int().min(0).max(18),
  contract_address: z.string(),
  constructor_params: z.array(z.string()),
  /** The version of the contract that lies at the address. */
  artifact_fingerprint: ArtifactFingerprint,
  /** The authority key that this deployment knows, 33 bytes as hex. */
  authority_pubkey: Hex,
  /** The funding transaction. */
  tx_hash: Hex32.nullable(),
  /** The transaction of the last move. */
  last_tx_hash: Hex32.nullable(),
  thread: ThreadPointer.nullable(),
  created_at: z.int(),
  updated_at: z.int(),
  ...OwnWordsFields,
};

/** The value of the index `live`: the chain may do something to those that stand under it, and they are watched. */
export const LIVE = 'live';

type Threaded = { readonly contract_address: string; readonly thread: ThreadPointer | null };

/**
 * The index of the reserve that belongs to a record's thread: its locking bytecode, hex. What is sent there by anybody else
 * is in no pool.
 */
export const reserveIndex = {
  reserve: ({ contract_address, thread }: Threaded): string | null => {
    if (thread === null) return null;
    const lock = lockOfAddress(contract_address);
    return lock === null ? null : reserveLock(thread.category, lock);
  },
};

/** The indexes of every record whose money lies in the pool of one thread. */
export const poolIndexes = {
  ...reserveIndex,
  live: ({ status, thread }: { readonly status: string; readonly thread: ThreadPointer | null }) =>
    status === 'PENDING' || thread !== null ? LIVE : null,
};

/** A new record before its terms are bound and anything was funded. @throws authority_missing */
export const newPoolFields = async (
  artifact: ArtifactName,
  { uuid, keys, clock, ...context }: Pick<Context, 'uuid' | 'keys' | 'clock' | 'ownWords'>,
) => ({
  ...ownWordsOf(context),
  id: uuid(),
  contract_address: '',
  constructor_params: [],
  artifact_fingerprint: newestFingerprint(artifact),
  authority_pubkey: await keys.authorityPublicKey(),
  status: 'PENDING' as const,
  tx_hash: null,
  last_tx_hash: null,
  thread: null,
  created_at: clock.now(),
  updated_at: clock.now(),
});

/** Refuses terms that are out of their ranges, and what else is wrong with a request. @throws invalid_input */
export const requireTerms = (findings: readonly Finding[], others: readonly Issue[] = []): void => {
  const failed = findings
    .filter(({ ok }) => !ok)
    .map(({ check, detail }) => ({ path: check, message: detail }));
  if (failed.length + others.length > 0) throw invalidInput([...failed, ...others]);
};
