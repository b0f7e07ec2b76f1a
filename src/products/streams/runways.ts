/** How long streams that live on refills last. */
import type { RunwaysOf } from '../../record/runway.js';
import { runwayOf } from './recurring.js';
import { remainingPool } from './rules.js';
import { streamCollection } from './stream.js';

export const runways: RunwaysOf = async (store, refilled) => {
  const { items } = await store.find(streamCollection, { where: { refilled } });
  return items
    .filter(({ thread }) => thread !== null)
    .map((stream) => ({
      label: stream.stream_id,
      to: stream.recipient,
      toName: null,
      held: { units: remainingPool(stream), decimals: stream.decimals, category: stream.token_category },
      at: runwayOf(stream),
    }));
};
