/**
 * Limits that all daemons on a store keep together: counted in the store, in pieces.
 *
 * A daemon takes a piece of what a caller may have, a twentieth, and gives of it from memory: a commit for each request
 * would cost more than most requests. So nobody has more than the limit, however many daemons they ask; and one who asks
 * several may be refused before the last pieces are used up, up to a twentieth for each other daemon.
 */
import { z } from 'zod';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import RateLimiterStoreAbstract from 'rate-limiter-flexible/lib/RateLimiterStoreAbstract.js';
import { defineCollection, type StorePort, type StoreWriter } from '../operation/ports/store.js';

const RateCount = z.object({
  /** What is counted: an address, an IP, its bytes. */
  id: z.string(),
  points: z.int(),
  /** Milliseconds since 1970, by the store's time. */
  expires_at: z.int(),
});
type RateCount = z.output<typeof RateCount>;

export const rateCountCollection = defineCollection({
  name: 'rate_counts',
  schema: RateCount,
  indexes: {},
});

/** Counts that are over and that one count clears away: more than it adds, so that they never pile up. */
const PRUNE_AT_MOST = 10;

const prune = async (writer: StoreWriter, now: number): Promise<void> => {
  const { items } = await writer.find(rateCountCollection, {
    order: 'oldest',
    limit: PRUNE_AT_MOST,
    isCounted: false,
  });
  for (const { id, expires_at: at } of items) if (at <= now) writer.remove(rateCountCollection, id);
};

type Counted = RateCount & { readonly now: number };

/** The limiter of the package, over the port. */
class StoreLimiter extends RateLimiterStoreAbstract {
  readonly #store: StorePort;

  constructor(points: number, store: StorePort) {
    // A store that does not answer limits nobody: each daemon counts for itself meanwhile.
    const insuranceLimiter = new RateLimiterMemory({ points, duration: 60 });
    // Who has had all is refused without asking the store.
    super({
      points,
      duration: 60,
      keyPrefix: '',
      storeClient: store,
      insuranceLimiter,
      inMemoryBlockOnConsumed: points + 1,
    });
    this.#store = store;
  }

  async _upsert(id: string, points: number, milliseconds: number, isNew: boolean): Promise<Counted> {
    const now = await this.#store.time();
    return this.#store.transaction(async (writer) => {
      const known = await writer.get(rateCountCollection, id);
      const isOn = known !== null && known.expires_at > now && !isNew;
      const count = isOn
        ? { ...known, points: known.points + points }
        : { id, points, expires_at: now + milliseconds };
      // Those that end first stand first.
      if (known !== null && !isOn) writer.remove(rateCountCollection, id);
      await prune(writer, now);
      writer.put(rateCountCollection, count);
      return { ...count, now };
    });
  }

  _getRateLimiterRes(_id: string, changed: number, { points, expires_at: at, now }: Counted): RateLimiterRes {
    return new RateLimiterRes(
      Math.max(0, this.points - points),
      Math.max(0, at - now),
      points,
      points === changed,
    );
  }
}

/** Takes so many points of a key. Rejects with a `RateLimiterRes` when there are no more. */
export type Consume = (key: string, points: number) => Promise<void>;

/** Pieces of a limit. */
const PIECES = 20;
/** Keys of which pieces are kept; the oldest are let go of, and what was left of them is lost to their caller. */
const MOST_KEPT = 10_000;

/** A limit of that many points a minute for each key, over all daemons on the store. */
export const createSharedLimit = (points: number, store: StorePort): Consume => {
  const limiter = new StoreLimiter(points, store);
  const piece = Math.max(1, Math.floor(points / PIECES));
  const kept = new Map<string, { readonly left: number; readonly until: number }>();
  const leftOf = (key: string): number => {
    const known = kept.get(key);
    return known !== undefined && performance.now() < known.until ? known.left : 0;
  };
  const keep = (key: string, left: number, until: number): void => {
    kept.delete(key);
    kept.set(key, { left, until });
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  };
  return async (key, count) => {
    const left = leftOf(key);
    if (left >= count) {
      keep(key, left - count, kept.get(key)?.until ?? 0);
      return;
    }
    const taken = Math.ceil(count / piece) * piece;
    const { msBeforeNext } = await limiter.consume(key, taken);
    keep(key, leftOf(key) + taken - count, performance.now() + msBeforeNext);
  };
};
