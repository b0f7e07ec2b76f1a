/** `treasury events tail`: prints what happens as it happens. */
import { EXIT } from '../../errors.js';
import type { Call } from '../call.js';
import { plainJson } from '../plain-text.js';
import { eventLine } from './event-line.js';
import { checkEndless, following, type FollowFlags } from './follow.js';

/**
 * Prints events until somebody ends it.
 *
 * @returns 0: being ended is how it ends
 * @throws invalid_input, and what opening a home throws
 */
export const tailEvents = (call: Call, flags: FollowFlags): Promise<number> => {
  checkEndless(call);
  return following(call, flags, async ({ session, cursor, pages }) => {
    const { output } = session.call;
    const from = flags.since === undefined ? 'from here on' : 'from there on';
    output.talk(`Following what happens ${from} (cursor ${cursor}). Ctrl-C ends it.`);
    for await (const { events } of pages)
      for (const event of events)
        output.data(
          output.mode === 'text' ? await eventLine(event, session) : plainJson(JSON.stringify(event)),
        );
    return EXIT.done;
  });
};
