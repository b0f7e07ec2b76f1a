/** What is refused before a daemon binds anything. */
import { TreasuryError } from '../errors.js';

type CheckedSettings = {
  readonly port?: number;
  readonly ratePerMinute?: number;
  readonly corsOrigins?: readonly string[];
};

const refuse = (setting: string, value: unknown, expected: string): TreasuryError =>
  new TreasuryError('invalid_setting', { setting, value: String(value), expected });

/** True for an origin as browsers send it: scheme, host and port, nothing after them. */
const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text;

/** @throws invalid_setting for a port, a rate or an origin that is none */
export const checkSettings = ({ port = 0, ratePerMinute = 0, corsOrigins = [] }: CheckedSettings): void => {
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw refuse('port', port, 'a whole number from 0 to 65535');
  }
  if (!Number.isInteger(ratePerMinute) || ratePerMinute < 0) {
    throw refuse('rate per minute', ratePerMinute, 'a whole number, 0 for no limit');
  }
  const wrong = corsOrigins.find((origin) => origin !== '*' && !isOrigin(origin));
  if (wrong !== undefined) {
    throw refuse('CORS origin', wrong, '* or an origin such as https://app.example, without a path');
  }
};
