/** Tells the event log of reorganisations: each once, however often the service is stopped while it follows one. */
import type { Context } from '../../operation/context.js';
import type { Tip } from '../../operation/ports/chain.js';
import { tellEvent } from '../../record/event-log.js';
import { toldTimeCollection } from '../../record/timetable.js';
import type { Reorg } from './seen-blocks.js';

const TYPE = 'chain.reorg';

const tellOnce = (
  { depth, forkHeight, from }: Reorg,
  { height, hash }: Tip,
  { store, clock }: Pick<Context, 'store' | 'clock'>,
): Promise<void> => {
  const time = clock.now();
  const mark = `${forkHeight} ${from.height} ${from.hash}`;
  return store.transaction(async (writer) => {
    // Who was stopped before the new branch was written down notices the same one again.
    if ((await writer.get(toldTimeCollection, TYPE))?.told[TYPE] === mark) return;
    writer.put(toldTimeCollection, { id: TYPE, told: { [TYPE]: mark } });
    const data = { depth, forkHeight, from: { height: from.height, hash: from.hash }, to: { height, hash } };
    await tellEvent(writer, { type: TYPE, time, subject: null, data });
  });
};

/** Reorganisations that are yet to be told. */
export const createReorgTeller = (context: Pick<Context, 'store' | 'clock'>) => {
  const waiting: (readonly [reorg: Reorg, tip: Tip])[] = [];
  return {
    add: (reorg: Reorg, tip: Tip): void => {
      waiting.push([reorg, tip]);
    },
    /** What the disk does not take waits for the next look. @throws as `transaction` of the store */
    tell: async (): Promise<void> => {
      for (let [first] = waiting; first !== undefined; [first] = waiting) {
        await tellOnce(...first, context);
        waiting.shift();
      }
    },
  };
};
