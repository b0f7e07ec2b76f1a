/** Transactions of events that have waited in the mempool for more than a day. */
import { eventCollection, EVERY_RECORD, type EventRecord } from '../../record/events.js';
import type { Check, Subject } from './check.js';
import { eachRecord } from './each-record.js';
import { ok, shellWord, spanText, warning, type Finding } from './finding.js';

const DAY = 86_400;
const EVERY = Number.MAX_SAFE_INTEGER;
/** Transactions that are looked for at once. */
const AT_ONCE = 100;

/** What the record of an event is called. */
const labelOf = async ({ entity_id: id }: EventRecord, { context, scope }: Subject): Promise<string> => {
  const known = (await eachRecord(scope.deployables, context.store)).find(
    ({ deployable, record }) => deployable.eventsId(record) === id,
  );
  return known === undefined ? id : known.deployable.label(known.record);
};

/** Null when a block has it by now. */
const eventFinding = async (event: EventRecord, subject: Subject): Promise<Finding | null> => {
  const { context } = subject;
  const txid = event.tx_hash ?? '';
  const found = await context.chain.transaction(txid);
  const age = spanText(context.clock.now() - event.created_at);
  const label = await labelOf(event, subject);
  const what = `the event ${event.event_type} of ${label} (${txid})`;
  if (found === null) {
    return warning(`${what}, seen ${age} ago, has left the chain`, `treasury sync ${shellWord(label)}`);
  }
  if (found.height !== null) return null;
  return warning(
    `${what} has waited for a block for ${age}`,
    'look at its fee on a block explorer; the wallet that made it can send it again',
  );
};

export const events: Check = {
  name: 'events',
  needs: ['folder', 'store', 'chain'],
  look: async (subject) => {
    const { store, clock } = subject.context;
    const { items } = await store.find(eventCollection, {
      where: { unsettled: EVERY_RECORD },
      filter: ({ height, created_at: at }) => height === null && clock.now() - at > DAY,
      limit: EVERY,
    });
    const findings: Finding[] = [];
    for (let start = 0; start < items.length; start += AT_ONCE) {
      const part = items.slice(start, start + AT_ONCE);
      const found = await Promise.all(part.map((event) => eventFinding(event, subject)));
      findings.push(...found.filter((finding) => finding !== null));
    }
    return findings.length === 0 ? [ok('no event has waited for a block for over a day')] : findings;
  },
};
