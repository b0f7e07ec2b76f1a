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
const secretFields = new Set([
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
]);

/** True where nothing can be hidden: no field of such a name, and none that has fields of its own. Every request has such a line. */
const isHarmless = (fields: Record<string, unknown>): boolean => {
  for (const name in fields) {
    const value = fields[name];
    if (secretFields.has(name) || (typeof value === 'object' && value !== null)) return false;
  }
  return true;
};

/** Stderr, which is written to once in a turn of the program, and before it ends. */
const stderrByTurns = (): DestinationStream => {
  const stderr = pino.destination({ dest: 2, sync: true });
  let lines = '';
  const flush = (): void => {
    if (lines === '') return;
    const written = lines;
    lines = '';
    stderr.write(written);
  };
  process.once('exit', flush);
  return {
    write: (line) => {
      if (lines === '') setImmediate(flush);
      lines += line;
    },
  };
};

/** The time of a line, which many lines of a millisecond share. */
const timeOfLine = (): (() => string) => {
  let [at, text] = [NaN, ''];
  return () => {
    const now = Date.now();
    if (now !== at) [at, text] = [now, `,"time":"${new Date(now).toISOString()}"`];
    return text;
  };
};

/**
 * A log that writes JSON lines with level, time (ISO 8601) and message.
 *
 * @throws invalid_setting when the level is none
 */
export const createLog = ({ level = 'info', destination }: LogSettings = {}): Log => {
  if (!LOG_LEVELS.some((name) => name === level)) {
    throw new TreasuryError('invalid_setting', { setting: 'log level', value: level, expected: LOG_LEVELS });
  }
  const stream = destination ?? stderrByTurns();
  const form = {
    level,
    base: null,
    timestamp: timeOfLine(),
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const redact = { paths: [...secretFields].flatMap((name) => [name, `*.${name}`]), censor: '[hidden]' };
  const [redacting, plain] = [pino({ ...form, redact }, stream), pino(form, stream)];
  const write =
    (of: keyof Log): Log['info'] =>
    (fields, message) => {
      (isHarmless(fields) ? plain : redacting)[of](fields, message);
    };
  return { info: write('info'), warn: write('warn'), error: write('error') };
};
