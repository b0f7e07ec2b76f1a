/** Where a database is, and how a connection to it is made. What is shown of it has no password. */
import { readFileSync } from 'node:fs';
import { TreasuryError } from '../../errors.js';
import { isLoopback } from '../../settings/loopback.js';

/** A database as a connection takes it. */
export type DatabaseAddress = {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string | undefined;
  readonly database: string;
  /** False: nothing is encrypted. */
  readonly ssl:
    | false
    | { readonly rejectUnauthorized: true; readonly ca?: string; readonly servername?: string };
  /** For people: `postgres://host:port/name`. */
  readonly shown: string;
};

const DEFAULT_PORT = 5432;
/** Ways of TLS that verify the server. There is no half of it: all mean that its certificate and its name are checked. */
const VERIFIED = ['require', 'verify-ca', 'verify-full'];
const PARAMETERS = ['sslmode', 'sslrootcert', 'host'];

const refuse = (expected: string): TreasuryError =>
  new TreasuryError('invalid_setting', {
    setting: 'TREASURY_DATABASE_URL',
    value: '(not shown)',
    expected,
  });

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refuse('a URL in which each % of a user, a password or a name is written %25');
  }
};

const readCertificate = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw refuse(`a file that can be read in sslrootcert, not ${file}`);
  }
};

const tlsOf = (parameters: URLSearchParams, host: string): DatabaseAddress['ssl'] => {
  const isNear = isLoopback(host) || host.startsWith('/');
  const mode = parameters.get('sslmode') ?? (isNear ? 'disable' : 'verify-full');
  if (mode === 'disable') return false;
  if (!VERIFIED.includes(mode)) throw refuse(`sslmode=verify-full or sslmode=disable, not ${mode}`);
  const file = parameters.get('sslrootcert');
  return { rejectUnauthorized: true, ...(file === null ? {} : { ca: readCertificate(file) }) };
};

/**
 * Reads `postgres://user:password@host:port/database`. Beyond this machine TLS is on and the server's certificate is
 * verified; `?sslmode=disable` says otherwise, `?sslrootcert=<file>` names an authority of one's own, `?host=<folder>` a
 * socket of this machine.
 *
 * @throws invalid_setting, which shows nothing of the URL
 */
export const readDatabaseUrl = (text: string): DatabaseAddress => {
  if (!URL.canParse(text) || !/^postgres(?:ql)?:/.test(text))
    throw refuse('a URL such as postgres://user:password@host:5432/treasury');
  const url = new URL(text);
  // What stands behind a question mark may be the rest of a password.
  if ([...url.searchParams.keys()].some((name) => !PARAMETERS.includes(name)))
    throw refuse(`no parameter but ${PARAMETERS.join(', ')}, and each ? of a password written %3F`);
  const host = url.searchParams.get('host') ?? url.hostname.replace(/^\[|\]$/g, '');
  const database = decoded(url.pathname.slice(1));
  const user = decoded(url.username);
  if (host === '' || database === '' || user === '')
    throw refuse('a user, a host and the name of a database');
  const port = url.port === '' ? DEFAULT_PORT : Number(url.port);
  return {
    host,
    port,
    user,
    password: url.password === '' ? undefined : decoded(url.password),
    database,
    ssl: tlsOf(url.searchParams, host),
    shown: `postgres://${host}:${port}/${database}`,
  };
};
