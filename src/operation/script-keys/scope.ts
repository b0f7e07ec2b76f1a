/**
 * What a key may do with an operation, worked out of what the operation declares: whoever adds one has it covered.
 *
 * What no rule allows is refused. A key reaches what has a route and nothing else.
 */
import type { AnyOperation } from '../define.js';
import { cut } from '../../errors.js';
import { outputSchema, type FieldSchema } from '../coerce.js';
import { fieldNames } from '../read-input.js';
import type { ScriptKeyRecord } from './script-key.js';

type Fields = Readonly<Record<string, unknown>>;

const hasTransaction = (schema: FieldSchema): boolean =>
  (schema.anyOf ?? []).some(hasTransaction) ||
  (schema.items !== undefined && hasTransaction(schema.items)) ||
  Object.entries(schema.properties ?? {}).some(
    ([name, child]) => name === 'sourceOutputs' || hasTransaction(child),
  );

const handing = new WeakMap<AnyOperation, boolean>();

/** True for what hands out a transaction to be signed: its reply says so. */
export const handsOut = (operation: AnyOperation): boolean => {
  const known = handing.get(operation);
  if (known !== undefined) return known;
  const found = hasTransaction(outputSchema(operation));
  handing.set(operation, found);
  return found;
};

/** True for what only reads: a GET that hands out no transaction. */
export const isRead = (operation: AnyOperation): boolean =>
  operation.http?.method === 'GET' && !handsOut(operation);

/** True for what is answered whatever is sent with it, also where keys are asked for: who balances load asks it. */
export const isOpen = ({ forKeys }: Pick<AnyOperation, 'forKeys'>): boolean => forKeys === 'open';

/** True for what concerns no record and nobody: what is read of it is the same for all. */
const isPublic = (operation: AnyOperation): boolean =>
  operation.forKeys === 'public' || (operation.auth === 'none' && isRead(operation));

/** What an operation is called in `--allow`: `streams:claim` for `streams.claim`. */
export const permissionOf = ({ id }: Pick<AnyOperation, 'id'>): string => id.replace('.', ':');

/** True when one of these patterns covers an operation. */
export const isCovered = (operation: AnyOperation, allow: readonly string[]): boolean => {
  const permission = permissionOf(operation);
  const [noun = ''] = permission.split(':');
  return allow.some(
    (pattern) =>
      pattern === permission ||
      pattern === `${noun}:*` ||
      ((pattern === `${noun}:read` || pattern === '*:read') && isRead(operation)),
  );
};

/** True where a maximum can be kept: it moves nothing, or what it hands out says how much it moves. */
const isMeasured = (operation: AnyOperation): boolean => {
  const { forKeys } = operation;
  if (forKeys === 'unmeasured') return false;
  return isRead(operation) || handsOut(operation) || forKeys === 'measured' || forKeys === 'public';
};

/** What a key lacks for an operation, whatever it is asked with; null: nothing. */
export const lacksFor = (
  operation: AnyOperation,
  { allow, maximums }: Pick<ScriptKeyRecord, 'allow' | 'maximums'>,
): string | null => {
  const permission = permissionOf(operation);
  if (operation.http === undefined || operation.forKeys === 'never')
    return `${permission} is for people: no key may do it, whatever it allows`;
  if (!isCovered(operation, allow)) return `it does not allow ${permission}`;
  if (maximums.length > 0 && !isMeasured(operation))
    return `it has a maximum, and what ${permission} moves cannot be measured`;
  return null;
};

/** Input fields that name a record of their own. */
const OWN_FIELDS: readonly string[] = ['id', 'proposalId', 'subject'];
/** Input fields that name the record that something else belongs to. */
const OWNER_FIELDS: readonly string[] = ['vaultId'];
/** Input fields whose records are parts of the one that a path names, which their operations check. */
const PART_FIELDS: readonly string[] = ['spendId', 'batchId', 'streamIds'];
/** Every input field that names a record. A test holds the inputs of all routes against these. */
export const RECORD_FIELDS: readonly string[] = [...OWN_FIELDS, ...OWNER_FIELDS, ...PART_FIELDS];

/** A name as it is compared: labels are taken in any case, and without their `#`. */
const plainName = (name: unknown): string => String(name).trim().replace(/^#/, '').toUpperCase();

/**
 * What a key that is for some records lacks for a request; null: nothing.
 *
 * Every record that the request names must be one of them, and it names one: a list is refused, since it shows others.
 *
 * @param named the input under the names of its fields
 */
export const lacksRecord = (
  operation: AnyOperation,
  named: Fields,
  { records }: Pick<ScriptKeyRecord, 'records'>,
): string | null => {
  if (records === null || isPublic(operation)) return null;
  const allowed = new Set(records.flatMap(({ id, name }) => [plainName(id), plainName(name)]));
  const mine = records.map(({ name }) => name).join(', ');
  const isGiven = (field: string): boolean => named[field] !== undefined && named[field] !== null;
  const other = [...OWN_FIELDS, ...OWNER_FIELDS].find(
    (field) => isGiven(field) && !allowed.has(plainName(named[field])),
  );
  if (other !== undefined) return `it is for ${mine} alone, not for ${cut(plainName(named[other]))}`;
  // A field that is none of the operation's own is ignored by it, and names nothing.
  const takes = fieldNames(operation);
  const names = (fields: readonly string[]): boolean =>
    fields.some((field) => takes.includes(field) && isGiven(field));
  // What reads by the record that others belong to is a list of those.
  const isNamed = names(OWN_FIELDS) || (names(OWNER_FIELDS) && !isRead(operation));
  return isNamed
    ? null
    : `it is for ${mine} alone, and ${permissionOf(operation)} is not about one of these: ask for the record itself`;
};
