/** Which events a webhook is told of, as far as the event itself says it. */
import { matchesTypes, reaches, type LoggedEvent } from '../event-log.js';
import { normaliseLabel } from '../labels.js';
import type { WebhookRecord } from './webhook.js';

export type WebhookFilter = Pick<WebhookRecord, 'types' | 'record' | 'certainty'>;

const isAbout = ({ subject }: Pick<LoggedEvent, 'subject'>, record: string): boolean =>
  subject !== null && (subject.id === record || normaliseLabel(subject.label) === normaliseLabel(record));

/**
 * True for an event that a webhook asks for. With a certainty it is told of each move once, when that is reached, and
 * again when that is withdrawn; what has no transaction is told in any case.
 */
export const isAskedFor = (
  event: Pick<LoggedEvent, 'type' | 'subject' | 'certainty' | 'was' | 'reverts'>,
  { types, record, certainty }: WebhookFilter,
): boolean =>
  (types.length === 0 || matchesTypes(event.type, types)) &&
  (record === null || isAbout(event, record)) &&
  (certainty === null || event.certainty === null || reaches(event, certainty));

/** Where an endpoint that has been told of everything may hear of it: what its body says. */
export const bodyOf = (event: LoggedEvent & { readonly sequence: number }): string =>
  JSON.stringify({
    type: event.type,
    timestamp: new Date(event.time * 1000).toISOString(),
    data: event,
  });
