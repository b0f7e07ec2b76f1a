/**
 * Leases: the coins of a wallet that one process of this home is about to spend, so that another takes others, or waits.
 *
 * A process leases all coins of a wallet while it builds a transaction from them, and those that the transaction spends
 * until that is seen. A lease ends when it is given back, with its process, or after ten minutes. It saves a refusal and
 * nothing else: were two of them to have one coin, because a clock was set or a process is not seen, the chain would
 * still take one spend of it only. So no clock has to be right.
 */
import { z } from 'zod';
import { Hex } from '../bch/fields.js';
import type { Clock, Context } from '../operation/context.js';
import { defineCollection, type StorePort } from '../operation/ports/store.js';

export const CoinLease = z.object({
  /** Drawn by its holder. */
  id: z.string(),
  /** Locking bytecode of the wallet. */
  owner: Hex,
  holder: z.object({ pid: z.int(), startTicks: z.string().nullable(), bootId: z.string().nullable() }),
  /** Outpoints, `txid:vout`; null: all of the wallet, while a transaction is being built from them. */
  coins: z.array(z.string()).nullable(),
  /** Unix seconds of the wall clock. */
  leased_at: z.int(),
});
export type CoinLease = z.output<typeof CoinLease>;

export const coinLeaseCollection = defineCollection({
  name: 'coin_leases',
  schema: CoinLease,
  indexes: { owner: ({ owner }) => owner },
});

/** Time for a person to read what they sign. */
const LONGEST_SECONDS = 600;

type Watching = Pick<Context, 'store' | 'processes'> & { readonly clock: Pick<Clock, 'wall'> };

/** True for a lease of a process of this machine that is gone, or of another time: also of one that is to come, on a clock set back. */
const isOver = ({ holder, leased_at: at }: CoinLease, { store, processes, clock }: Watching): boolean =>
  (!store.isShared && processes.isGone(holder)) || Math.abs(clock.wall() - at) >= LONGEST_SECONDS;

/** What others lease of the coins of a wallet, and the leases that are over. */
export type Leases = { readonly others: readonly CoinLease[]; readonly over: readonly string[] };

/** The leases of a wallet's coins, but for that of `own`. */
export const readLeases = async (owner: string, own: string, context: Watching): Promise<Leases> => {
  await context.store.refresh();
  const { items } = await context.store.find(coinLeaseCollection, { where: { owner } });
  const leases = items.filter(({ id }) => id !== own);
  return {
    others: leases.filter((lease) => !isOver(lease, context)),
    over: leases.filter((lease) => isOver(lease, context)).map(({ id }) => id),
  };
};

/**
 * Leases all coins of a wallet, to build a transaction from those that no other has leased.
 *
 * @param over leases that are over: found before, since a change of the store asks neither clock nor processes
 * @returns what others have leased; null when one of them is building at this moment, and nothing is leased
 */
export const takeLease = (
  store: StorePort,
  lease: CoinLease,
  over: readonly string[],
): Promise<readonly CoinLease[] | null> =>
  store.transaction(async (writer) => {
    const { items } = await writer.find(coinLeaseCollection, { where: { owner: lease.owner } });
    const others = items.filter(({ id }) => id !== lease.id && !over.includes(id));
    if (others.some(({ coins }) => coins === null)) return null;
    for (const { id } of items) if (over.includes(id)) writer.remove(coinLeaseCollection, id);
    writer.put(coinLeaseCollection, lease);
    return others;
  });

/** Keeps of a lease the coins that its transaction spends: a lease of none is given back. */
export const narrowLease = (store: StorePort, lease: CoinLease, coins: readonly string[]): Promise<void> =>
  store.transaction((writer) => {
    if (coins.length === 0) writer.remove(coinLeaseCollection, lease.id);
    else writer.put(coinLeaseCollection, { ...lease, coins: [...coins] });
  });

/** Gives a lease back. Writes nothing when it was given back already. */
export const giveLeaseBack = async (store: StorePort, id: string): Promise<void> => {
  if ((await store.get(coinLeaseCollection, id)) === null) return;
  await store.transaction((writer) => {
    writer.remove(coinLeaseCollection, id);
  });
};
