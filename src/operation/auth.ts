/**
 * Who is asking.
 *
 * Over HTTP a caller is named by the header `x-user-address` (enough on a loopback daemon, or behind a gateway
 * that has checked it) or proven by a Bearer token. At the terminal the caller is the operator's own wallet.
 */
import { parseAddress, type Address } from '../bch/address.js';
import { TreasuryError } from '../errors.js';
import type { Network } from '../bch/network.js';
import type { Context } from './context.js';
import type { AnyOperation, Auth } from './define.js';

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
    };

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
};

const bearerOf = (authorization: string | undefined): string | null => {
  if (authorization === undefined) return null;
  const match = /^Bearer ([\w.~+/-]+=*)$/i.exec(authorization.trim());
  if (match?.[1] === undefined) {
    throw new TreasuryError('invalid_token', { reason: 'expected "Authorization: Bearer <token>"' });
  }
  return match[1];
};

/** Nobody asks, since this home has no wallet on the network. */
export const noWallet = (network: Network): TreasuryError =>
  new TreasuryError('unauthenticated', {
    reason: `This home has no wallet on ${network}: run \`treasury --network ${network} init\`, then \`treasury --network ${network} wallet create main\``,
  });

/**
 * The caller of a request, or null where none is needed and none is named.
 *
 * @throws unauthenticated, invalid_token, token_expired, address_token_mismatch, invalid_address
 */
export const authenticate = async (
  auth: Auth,
  credentials: Credentials,
  context: Pick<Context, 'access' | 'network'>,
): Promise<Address | null> => {
  if (auth === 'none') return null;
  if (credentials.kind === 'operator') {
    if (credentials.address !== null || auth === 'optional') return credentials.address;
    throw noWallet(context.network);
  }
  const token = bearerOf(credentials.authorization);
  const proven =
    token === null ? null : parseAddress(await context.access.verify(token), context.network, 'access token');
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

/**
 * Who asks for an operation. Credentials come first: a request without them is `unauthenticated`, whatever else is wrong
 * with it.
 *
 * @throws as {@link authenticate}
 */
export const identify = async (
  operation: Pick<AnyOperation, 'auth' | 'callerField'>,
  credentials: Credentials,
  context: Pick<Context, 'access' | 'network'>,
): Promise<Identity> => {
  const isNamedInside = namesItsCaller(operation, credentials);
  const auth = isNamedInside ? 'optional' : operation.auth;
  return { caller: await authenticate(auth, credentials, context), isNamedInside };
};
