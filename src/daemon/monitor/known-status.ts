/**
 * What a record's address looks like to a server when nothing has happened there that the record does not know: then it
 * need not be followed when the service starts. A server that shows anything else has something to tell.
 */
import { scriptStatus } from '../../bch/script-status.js';
import type { Context } from '../../operation/context.js';
import type { CovenantRecord, Deployable } from '../../record/deployable.js';
import { eventCollection } from '../../record/events.js';

const inChainOrder = (
  a: { readonly txid: string; readonly height: number },
  b: { readonly txid: string; readonly height: number },
): number => (a.height === b.height ? (a.txid < b.txid ? -1 : 1) : a.height - b.height);

/**
 * The status of a record's address as the record knows it: null where it waits for its first transaction; undefined where
 * more than its thread tells what it is, or a transaction of it has no block yet. A wrong one costs one more look.
 */
export const knownStatus = async (
  deployable: Deployable,
  record: CovenantRecord,
  context: Context,
): Promise<string | null | undefined> => {
  const { followed, fold } = deployable.following(context);
  if (fold !== undefined) return undefined;
  if (followed.isPending(record)) return null;
  const { items } = await context.store.find(eventCollection, {
    where: { entity: deployable.eventsId(record) },
  });
  const heights = new Map<string, number>();
  for (const { tx_hash: txid, height } of items) {
    if (txid === null) continue;
    if (height === null) return undefined;
    heights.set(txid, height);
  }
  return scriptStatus(Array.from(heights, ([txid, height]) => ({ txid, height })).toSorted(inChainOrder));
};
