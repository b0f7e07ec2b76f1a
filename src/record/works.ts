/** The parts of a service's work that one daemon does for all, by the names of their leases. */
import type { StoreReader } from '../operation/ports/store.js';
import { activeWebhooks, webhookWork } from './webhooks/webhook.js';

/** Shards of the records: those of one are followed by one daemon. */
export const SHARDS = 64;

const nameOfShard = (shard: number): string => `shard ${shard}`;

export const shards: readonly string[] = Array.from({ length: SHARDS }, (_, shard) => nameOfShard(shard));

const [FNV_OFFSET, FNV_PRIME] = [0x811c9dc5, 0x01000193];

/** The work that a record is followed under: a hash of its id (FNV-1a), which spreads them evenly and never changes. */
export const shardOf = (recordId: string): string => {
  let hash = FNV_OFFSET;
  for (let at = 0; at < recordId.length; at += 1)
    hash = Math.imul(hash ^ recordId.charCodeAt(at), FNV_PRIME) >>> 0;
  return nameOfShard(((hash ^ (hash >>> 16)) >>> 0) % SHARDS);
};

/** Works that are one each. */
export const WORKERS = {
  /** Notices blocks that are taken back, and tells of them. */
  blocks: 'blocks',
  /** Withdraws time witnesses. */
  witnesses: 'witnesses',
  /** Tells what time brings. */
  times: 'times',
  /** Tells how the service feels. */
  health: 'health',
} as const;

/** Works of a kind: each daemon has as many of them as any other, or one more. */
export type Pool = readonly string[];

/** All works of a service now. */
export const poolsOf = async (store: StoreReader): Promise<readonly Pool[]> => [
  shards,
  Object.values(WORKERS),
  (await activeWebhooks(store)).map(({ id }) => webhookWork(id)),
];

/** What somebody has, in figures: shards, and the works beside them. */
export const sumOf = (works: readonly string[]) => ({
  shards: works.filter((work) => work.startsWith('shard ')).length,
  webhooks: works.filter((work) => work.startsWith('webhook ')).length,
  workers: works.filter((work) => !work.includes(' ')).toSorted(),
});
