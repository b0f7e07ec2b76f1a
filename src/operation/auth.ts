/**
 * Who is asking.
 *
 * Over HTTP a caller is named by the header `x-user-address` (enough on a loopback daemon, or behind a gateway
 * that has checked it), proven by a Bearer token, or acted for by a key for scripts in the place of a token. At the
 * terminal the caller is the operator's own wallet.
 */
import { parseAddress, type Address } from '../bch/address.js';
import { TreasuryError } from '../errors.js';
import type { Network } from '../bch/network.js';
import type { Context } from './context.js';
import type { AnyOperation, Auth } from './define.js';
import { findKey } from './script-keys/live-key.js';
import { isWithin } from './script-keys/networks.js';
import { isKeyToken, keyInWords, type ScriptKeyRecord } from './script-keys/script-key.js';
import { isOpen, lacksFor } from './script-keys/scope.js';
import { noteRefusal, noteUse } from './script-keys/refusals.js';

export type Credentials =
  | { readonly kind: 'operator'; readonly address: Address | null }
  | {
      readonly kind: 'http';
      /** The Authorization header. */
      readonly authorization?: string | undefined;
      /** The x-user-address header. */
      readonly userAddress?: string | undefined;
      /** True where the header alone is taken. */
      readonly trustAddressHeader: boolean;
      /** True where keys for scripts are taken and nothing else. */
      readonly requireKeys?: boolean;
      /** The IP address of the other end of the connection. */
      readonly remoteAddress?: string | undefined;
    };

type HttpCredentials = Extract<Credentials, { kind: 'http' }>;

/**
 * True when an operation's {@link AnyOperation.callerField} may name the caller: no credentials were sent, and the header
 * would be taken on its word.
 */
const namesItsCaller = (
  { callerField }: Pick<AnyOperation, 'callerField'>,
  credentials: Credentials,
): boolean =>
  callerField !== undefined &&
  credentials.kind === 'http' &&
  credentials.trustAddressHeader &&
  credentials.authorization === undefined &&
  credentials.userAddress === undefined;

/** Who asks, once that was found out. */
export type Identity = {
  readonly caller: Address | null;
  /** True: nobody has said it yet; a field of the input may. */
  readonly isNamedInside: boolean;
  /** The key that was sent, which the caller is acted for by; null: none was. */
  readonly key?: ScriptKeyRecord | null;
  /** True for the operator at the terminal. */
  readonly isOperator: boolean;
};

const bearerOf = (authorization: string | undefined): string | null => {
  if (authorization === undefined) return null;
  const match = /^Bearer ([\w.~+/-]+=*)$/i.exec(authorization.trim());
  if (match?.[1] === undefined) {
    throw new TreasuryError('invalid_token', { reason: 'expected "Authorization: Bearer <token>"' });
  }
  return match[1];
};

/** True for credentials with what looks like a key, whoever may do what is asked. */
const bringsKey = ({ authorization }: HttpCredentials): boolean =>
  isKeyToken(authorization?.trim().replace(/^Bearer +/i, '') ?? '');

/**
 * The key that credentials bring, or null.
 *
 * @throws invalid_token, invalid_key, key_expired, key_revoked
 */
const keyIn = async (
  credentials: Credentials,
  context: Pick<Context, 'store' | 'clock'>,
): Promise<ScriptKeyRecord | null> =>
  credentials.kind === 'http' && bringsKey(credentials)
    ? findKey(bearerOf(credentials.authorization) ?? '', context)
    : null;

/** The address that a token or a key is good for. */
const provenBy = async (
  credentials: HttpCredentials,
  context: Pick<Context, 'access' | 'network' | 'store' | 'clock'>,
): Promise<Address | null> => {
  const key = await keyIn(credentials, context);
  if (key !== null) return parseAddress(key.address, context.network, 'key');
  const token = bearerOf(credentials.authorization);
  return token === null
    ? null
    : parseAddress(await context.access.verify(token), context.network, 'access token');
};

/** Nobody asks, since this home has no wallet on the network. */
export const noWallet = (network: Network): TreasuryError =>
  new TreasuryError('unauthenticated', {
    reason: `This home has no wallet on ${network}: run \`treasury --network ${network} init\`, then \`treasury --network ${network} wallet create main\``,
  });

/**
 * The caller of a request, or null where none is needed and none is named.
 *
 * What a key may do is not asked here: see {@link identify}.
 *
 * @throws unauthenticated, invalid_token, token_expired, invalid_key, key_expired, key_revoked, address_token_mismatch,
 *   invalid_address
 */
export const authenticate = async (
  auth: Auth,
  credentials: Credentials,
  context: Pick<Context, 'access' | 'network' | 'store' | 'clock'>,
): Promise<Address | null> => {
  if (auth === 'none') return null;
  if (credentials.kind === 'operator') {
    if (credentials.address !== null || auth === 'optional') return credentials.address;
    throw noWallet(context.network);
  }
  const proven = await provenBy(credentials, context);
  const named =
    credentials.userAddress === undefined
      ? null
      : parseAddress(credentials.userAddress, context.network, 'x-user-address');
  if (proven !== null && named !== null && proven.text !== named.text) {
    throw new TreasuryError('address_token_mismatch', { address: named.text, tokenAddress: proven.text });
  }
  if (proven !== null) return proven;
  if (auth === 'bearer') {
    throw new TreasuryError('unauthenticated', {
      reason:
        'This needs "Authorization: Bearer <token>": get one at POST /api/auth/challenge and /api/auth/token',
    });
  }
  if (named !== null && credentials.trustAddressHeader) return named;
  if (auth === 'optional' && named === null) return null;
  throw new TreasuryError('unauthenticated', {
    reason:
      named === null
        ? 'This needs the header x-user-address with your cash address'
        : 'This service does not take x-user-address on its word: send a Bearer token of that address too',
  });
};

/** What a key lacks where it is asked with; null: nothing. */
const lacks = (
  operation: AnyOperation,
  key: ScriptKeyRecord,
  { remoteAddress }: Pick<HttpCredentials, 'remoteAddress'>,
): string | null => {
  if (key.networks.length > 0 && !isWithin(remoteAddress, key.networks))
    return `it is taken from ${key.networks.join(', ')} alone, not from ${remoteAddress ?? 'an unknown address'}`;
  return lacksFor(operation, key);
};

/**
 * The key that a request brings, once it may be asked with at all; null: none is needed, and none was sent.
 *
 * @throws key_required, key_not_allowed, and as {@link keyIn}
 */
const admitKey = async (
  operation: AnyOperation,
  credentials: Credentials,
  context: Identifying,
): Promise<ScriptKeyRecord | null> => {
  if (credentials.kind === 'operator' || isOpen(operation)) return null;
  const key = await keyIn(credentials, context);
  if (key === null) {
    if (credentials.requireKeys === true) throw new TreasuryError('key_required');
    return null;
  }
  const missing = lacks(operation, key, credentials);
  if (missing === null) return key;
  const refusal = new TreasuryError('key_not_allowed', { keyName: keyInWords(key), missing });
  await noteRefusal(key, refusal, operation.id, context);
  throw refusal;
};

type Identifying = Pick<Context, 'access' | 'network' | 'store' | 'clock' | 'log'>;

/**
 * Who asks for an operation, and whether a key that was sent may do it. Credentials come first: a request without them is
 * `unauthenticated`, whatever else is wrong with it.
 *
 * @throws key_required, key_not_allowed, and as {@link authenticate}
 */
export const identify = async (
  operation: AnyOperation,
  credentials: Credentials,
  context: Identifying,
): Promise<Identity> => {
  const key = await admitKey(operation, credentials, context);
  const isNamedInside = namesItsCaller(operation, credentials);
  const auth = isNamedInside ? 'optional' : operation.auth;
  const caller = await authenticate(auth, credentials, context);
  if (key !== null) await noteUse(key, context);
  return { caller, isNamedInside, isOperator: credentials.kind === 'operator', key };
};
