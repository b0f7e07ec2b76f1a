/** The log of the daemon: one JSON object a line, on stderr. */
import pino, { type DestinationStream } from 'pino';
import { TreasuryError } from '../errors.js';
import type { Log } from '../operation/context.js';

/** From the most to the least that is said. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

export type LogSettings = {
  /** One of {@link LOG_LEVELS}; default `info`. */
  readonly level?: string;
  /** Default: stderr. */
  readonly destination?: DestinationStream;
};

/** Fields that must never be written. Nobody logs them; this is the net under that rule. */
const secretFields = [
  'authorization',
  'accessToken',
  'token',
  'passphrase',
  'password',
  'signature',
  'signedTransaction',
  'mnemonic',
  'wif',
  'privateKey',
  'secret',
];

/**
 * A log that writes JSON lines with level, time (ISO 8601) and message.
 *
 * @throws invalid_setting when the level is none
 */
export const createLog = ({ level = 'info', destination }: LogSettings = {}): Log => {
  if (!LOG_LEVELS.some((name) => name === level)) {
    throw new TreasuryError('invalid_setting', { setting: 'log level', value: level, expected: LOG_LEVELS });
  }
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretFields.flatMap((name) => [name, `*.${name}`]), censor: '[hidden]' },
    },
    destination ?? pino.destination({ dest: 2, sync: true }),
  );
  return {
    info: (fields, message) => {
      logger.info(fields, message);
    },
    warn: (fields, message) => {
      logger.warn(fields, message);
    },
    error: (fields, message) => {
      logger.error(fields, message);
    },
  };
};
