/** Following the event log of this home, without a daemon: what there is after a cursor, and what comes, until somebody ends it. */
import { setTimeout as wait } from 'node:timers/promises';
import { invalidField } from '../../errors.js';
import { operationsOf, type AnyOperation } from '../../operation/define.js';
import { execute, type Reply } from '../../operation/execute.js';
import { newestEvent, type EventEntry } from '../../record/event-reading.js';
import type { Call } from '../call.js';
import { withSession, type Session } from '../session.js';
import { readAddressName } from '../written-names.js';

/** Flags that say which events, as commander gives them. */
export type FollowFlags = {
  readonly since?: string;
  readonly types?: string;
  readonly subject?: string;
  readonly party?: string;
  readonly certainty?: string;
};

/** How often it is looked whether there is more, milliseconds. */
const LOOK_MS = 500;

const NOUN = 'events';
const LIST = 'events.list';

/** The operation that lists events. */
const listOperation = async ({ environment: { nouns } }: Call): Promise<AnyOperation> => {
  const noun = nouns.find((one) => one.noun === NOUN);
  const list = operationsOf((await noun?.load())?.operations ?? []).find(({ id }) => id === LIST);
  if (list === undefined) throw new Error(`there is no ${LIST}`);
  return list;
};

/** Checks that what never ends is not asked for as one document. @throws invalid_input */
export const checkEndless = ({ output, globals }: Call): void => {
  if (globals.jq !== undefined) throw invalidField('jq', 'reads one document, and this never ends its own');
  if (output.mode === 'json')
    throw invalidField('json', 'is one document, and this never ends: with --jsonl each event is a line');
};

/** A whole number as the number that it is; anything else as it stands, for the operation to refuse. */
const numberIn = (text: string): number | string => (/^-?\d{1,15}$/.test(text) ? Number(text) : text);

const inputOf = async ({ types, subject, party, certainty }: FollowFlags, { context }: Session) => ({
  ...(types === undefined ? {} : { types }),
  ...(subject === undefined ? {} : { subject }),
  ...(certainty === undefined ? {} : { certainty }),
  ...(party === undefined ? {} : { party: (await readAddressName(party, context, 'party')).address }),
});

export type Following = {
  readonly session: Session;
  /** Where it begins. */
  readonly cursor: number;
  /** Aborted when somebody ends it. */
  readonly signal: AbortSignal;
  /** The events as they come, a page at a time, until somebody ends it. */
  readonly pages: AsyncGenerator<FollowedPage>;
  readonly list: AnyOperation;
};

export type FollowedPage = Reply & { readonly events: readonly EventEntry[]; readonly cursor: number };

/** Waits until there is something behind a cursor, or somebody ends it. */
const untilMore = async (
  { store }: Session['context'],
  cursor: number,
  signal: AbortSignal,
): Promise<void> => {
  while (!signal.aborted) {
    await store.refresh();
    if ((await newestEvent(store)) > cursor) return;
    await wait(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
};

/**
 * Opens the home of a call and follows its log.
 *
 * @throws invalid_input for flags that cannot be used, and what opening a home throws
 */
export const following = (
  call: Call,
  flags: FollowFlags,
  work: (following: Following) => Promise<number>,
): Promise<number> =>
  withSession(
    call,
    async (session) => {
      const { context, credentials } = session;
      const [list, filters] = await Promise.all([listOperation(call), inputOf(flags, session)]);
      const ended = new AbortController();
      const stopListening = call.environment.onInterrupt?.(() => {
        ended.abort();
      });
      const ask = async (since: number | string): Promise<FollowedPage> =>
        (await execute(list, { ...filters, since }, context, credentials)) as unknown as FollowedPage;
      await context.store.refresh();
      const since = flags.since === undefined ? await newestEvent(context.store) : numberIn(flags.since);
      // What is wrong with the flags is said before anything is said of following.
      const first = await ask(since);
      async function* pages(): AsyncGenerator<FollowedPage> {
        for (let page = first; ; page = await ask(page.cursor)) {
          yield page;
          if (page['hasMore'] !== true) await untilMore(context, page.cursor, ended.signal);
          if (ended.signal.aborted) return;
        }
      }
      try {
        return await work({ session, cursor: Number(since), signal: ended.signal, pages: pages(), list });
      } finally {
        stopListening?.();
      }
    },
    { part: 'home' },
  );
