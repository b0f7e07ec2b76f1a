/** What a database refuses, and what becomes of a connection, as errors of the table. */
import { isTreasuryError, messageOf, TreasuryError } from '../../errors.js';

const detail = (error: unknown, name: string): string => {
  const value: unknown = (error as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  return typeof value === 'string' ? value : '';
};

/** The five characters that PostgreSQL names an error with, or the system's name of it. */
const codeOf = (error: unknown): string => detail(error, 'code');

/** The server has answered with an error: whatever it was asked for in a transaction has not happened. */
const isAnswer = (error: unknown): boolean =>
  /^[0-9A-Z]{5}$/.test(codeOf(error)) && detail(error, 'severity') !== '';

/** A server that writes nothing: a standby says it already of a serialisable transaction. */
const IS_STANDBY = /hot standby/i;
const isReadOnlyServer = (error: unknown): boolean =>
  codeOf(error) === '25006' || (codeOf(error) === '0A000' && IS_STANDBY.test(messageOf(error)));

/** A server, or a role, that writes nothing. */
export const isReadOnly = (error: unknown): boolean => isReadOnlyServer(error) || codeOf(error) === '42501';

/** The name of the constraint that was broken. */
export const constraintOf = (error: unknown): string => detail(error, 'constraint');

/** Something was made that a change had found missing. */
const isMadeMeanwhile = (error: unknown): boolean =>
  codeOf(error) === '23505' && constraintOf(error).endsWith('_pkey');

/** Another change came between: this one is to be run again. */
export const isConflict = (error: unknown): boolean =>
  ['40001', '40P01'].includes(codeOf(error)) || isMadeMeanwhile(error);

/** Another record has the value. */
export const isTaken = (error: unknown): boolean => codeOf(error) === '23505' && !isMadeMeanwhile(error);

/** The server goes, is not there yet, or takes no more connections for now. */
const IS_GOING = /^(?:57P0[1-5]|08\w{3}|53300|25P0[34])$/;
/** A connection that could not be made, or is no more. */
const SYSTEM =
  /^(?:ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN|ENOTFOUND|EAI_AGAIN|ENOENT|EACCES)$/;
const WORDS =
  /connection (?:terminated|ended|timeout)|timeout exceeded|not queryable|client was closed|read timeout/i;

/** The connection is lost, or none was to be had: who knows what has become of what was sent. */
export const isLost = (error: unknown): boolean => {
  if (isTreasuryError(error)) return false;
  const code = codeOf(error);
  if (isAnswer(error)) return IS_GOING.test(code);
  return SYSTEM.test(code) || WORDS.test(messageOf(error));
};

/** A name that was found has no such server, or a certificate is not the one that was expected: that will not pass. */
const IS_UNTRUSTED = /certificate|self.signed|altname|does not support SSL/i;

/** A limit of the server's own: of time, of waiting for others, of memory. What was asked for has not happened. */
const IS_LIMIT = /^(?:57014|55P03|53\w{3})$/;

const REFUSED = ['28P01', '28000', '3D000', '42501'];
const MISSING = ['42P01', '3F000', '42703'];

/**
 * What is said to people of an error of a database.
 *
 * @param shown - the database without its password
 */
export const databaseFailure = (error: unknown, shown: string): unknown => {
  if (isTreasuryError(error)) return error;
  const code = codeOf(error);
  const reason = messageOf(error);
  const options = { cause: error };
  if (IS_UNTRUSTED.test(reason) || REFUSED.includes(code))
    return new TreasuryError('database_refused', { database: shown, reason }, options);
  if (MISSING.includes(code)) return new TreasuryError('store_not_migrated', { database: shown }, options);
  if (code === '53100') return new TreasuryError('storage_full', { file: shown, reason }, options);
  if (isReadOnlyServer(error))
    return new TreasuryError('storage_read_only', { file: shown, reason }, options);
  if (isLost(error) || IS_LIMIT.test(code))
    return new TreasuryError('store_unreachable', { database: shown, reason }, options);
  if (isConflict(error)) return new TreasuryError('store_conflict', { label: 'The store' }, options);
  return error;
};
