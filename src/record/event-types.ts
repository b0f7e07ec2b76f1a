/** The types of events that can be asked for: what each begins with, and the patterns that stand for several. */
import { invalidField } from '../errors.js';
import { nearestName } from '../nearest-name.js';

/** What the type of every event begins with. */
export const EVENT_KINDS = [
  'stream',
  'campaign',
  'vault',
  'payment',
  'budget',
  'proposal',
  'vote',
  'runway',
  'unexpected',
  'chain',
  'service',
  'keeper',
  'key',
  'webhook',
] as const;

/** Patterns that one question may name. */
const MOST_PATTERNS = 30;
const PATTERN = /^[a-z]+(?:[._][a-z]+)*(?:\.\*)?$/;

const checkPattern = (pattern: string): void => {
  if (pattern === '*') return;
  const [kind = ''] = pattern.split('.', 1);
  const isKnown = EVENT_KINDS.some((one) => one === kind);
  if (isKnown && PATTERN.test(pattern)) return;
  const nearest = nearestName(kind, EVENT_KINDS);
  const meant = isKnown || nearest === null ? '' : ` (is "${nearest}.*" meant?)`;
  throw invalidField(
    'types',
    `"${pattern.slice(0, 60)}" is no type of an event: expected one such as stream.claimed or payment.*, or *${meant}; they begin with ${EVENT_KINDS.join(', ')}`,
  );
};

/** The patterns of a text with commas between them. @throws invalid_input */
export const readTypes = (text: string): readonly string[] => {
  const patterns = text.split(',').map((one) => one.trim());
  if (patterns.length > MOST_PATTERNS) throw invalidField('types', `expected ${MOST_PATTERNS} at most`);
  for (const pattern of patterns) checkPattern(pattern);
  return patterns;
};
