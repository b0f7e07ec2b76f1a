/** The types of events that can be asked for, and the patterns that stand for several. */
import { invalidField } from '../errors.js';
import { nearestName } from '../nearest-name.js';
import { EVENT_KINDS, EVENT_TYPES, isEventType } from './event-names.js';

/** Patterns that one question may name. */
const MOST_PATTERNS = 30;

/** What `stream.*` begins with, `stream.`; null for what is no such pattern. */
const beginningOf = (pattern: string): string | null =>
  pattern.endsWith('.*') ? pattern.slice(0, -1) : null;

const checkPattern = (pattern: string): void => {
  const beginning = beginningOf(pattern);
  const isKnown =
    beginning === null ? isEventType(pattern) : EVENT_TYPES.some((type) => type.startsWith(beginning));
  if (pattern === '*' || isKnown) return;
  const [kind = ''] = pattern.split('.', 1);
  const ofKind = EVENT_TYPES.filter((type) => type.startsWith(`${kind}.`));
  const nearest = nearestName(pattern, ofKind.length > 0 ? ofKind : EVENT_KINDS.map((one) => `${one}.*`));
  const meant = nearest === null ? '' : ` (is "${nearest}" meant?)`;
  const known =
    ofKind.length > 0 ? `there are ${ofKind.join(', ')}` : `they begin with ${EVENT_KINDS.join(', ')}`;
  throw invalidField(
    'types',
    `"${pattern.slice(0, 60)}" is no type of an event: expected one such as stream.claimed or payment.*, or *${meant}; ${known}`,
  );
};

/** The patterns of a text with commas between them. @throws invalid_input */
export const readTypes = (text: string): readonly string[] => {
  const patterns = text.split(',').map((one) => one.trim());
  if (patterns.length > MOST_PATTERNS) throw invalidField('types', `expected ${MOST_PATTERNS} at most`);
  for (const pattern of patterns) checkPattern(pattern);
  return patterns;
};
