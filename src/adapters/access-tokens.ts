/**
 * Access tokens and challenges.
 *
 * A token is a JWT (HS256) for one address on one network. A challenge is a text for people; its nonce carries an
 * HMAC over all that the text says, so nothing is stored until it is answered. Both stand on one secret in the
 * data folder, which all processes share: replacing it voids everything that was given out.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { errors as joseErrors, jwtVerify, SignJWT } from 'jose';
import type { Network } from '../bch/network.js';
import { TreasuryError } from '../errors.js';
import type { AccessPort } from '../operation/ports/access.js';
import { openSecretFile } from './secret-file.js';

export type AccessTokenSettings = {
  /** The data folder; made when it is missing. */
  readonly folder: string;
  readonly network: Network;
  /** The domain that challenges name. */
  readonly domain: string;
  /** The wall clock, unix seconds. */
  readonly wall: () => number;
  /** That many random bytes. */
  readonly random: (length: number) => Uint8Array;
  /** A file of the secret that several daemons have; default the home's own. */
  readonly secretFile?: string | null;
  /** How long a token is good; default 12 hours. */
  readonly tokenSeconds?: number;
  /** How long a challenge is good; default 5 minutes. */
  readonly challengeSeconds?: number;
};

const FILE_NAME = 'access.secret';
const ISSUER = 'treasury';
const ALGORITHM = 'HS256';
const NONCE_BYTES = 16;
const HOUR = 3_600;

// Tokens

const readToken = async (
  accessToken: string,
  secret: Uint8Array,
  { network, wall }: AccessTokenSettings,
): Promise<string> => {
  try {
    const { payload } = await jwtVerify(accessToken, secret, {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience: network,
      requiredClaims: ['sub', 'exp'],
      currentDate: new Date(wall() * 1000),
    });
    return payload.sub ?? '';
  } catch (error) {
    if (error instanceof joseErrors.JWTExpired)
      throw new TreasuryError('token_expired', {}, { cause: error });
    if (!(error instanceof joseErrors.JOSEError)) throw error;
    throw new TreasuryError('invalid_token', { reason: error.message }, { cause: error });
  }
};

const issueToken = async (
  address: string,
  secret: Uint8Array,
  { network, wall, tokenSeconds = 12 * HOUR }: AccessTokenSettings,
): ReturnType<AccessPort['issue']> => {
  const issuedAt = wall();
  const expiresAt = issuedAt + tokenSeconds;
  const accessToken = await new SignJWT()
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
    .setIssuer(ISSUER)
    .setAudience(network)
    .setSubject(address)
    .setIssuedAt(issuedAt)
    .setExpirationTime(expiresAt)
    .sign(secret);
  return { accessToken, expiresAt };
};

// Challenges

type Challenge = { readonly address: string; readonly random: string; readonly expiresAt: number };

const macOf = (
  { address, random, expiresAt }: Challenge,
  secret: Uint8Array,
  { domain, network }: AccessTokenSettings,
): string =>
  createHmac('sha256', secret)
    .update(JSON.stringify(['challenge', domain, network, address, random, expiresAt]))
    .digest('hex');

const writeChallenge = (
  nonce: string,
  { address, expiresAt }: Challenge,
  { domain, network }: AccessTokenSettings,
): string =>
  [
    `${domain} asks you to show that this address is yours.`,
    '',
    `Domain: ${domain}`,
    `Address: ${address}`,
    `Network: ${network}`,
    `Nonce: ${nonce}`,
    `Expires: ${new Date(expiresAt * 1000).toISOString()}`,
    '',
    'Signing this costs nothing and moves no money.',
  ].join('\n');

const noncePattern = /^Nonce: ([0-9a-f]{32})([0-9a-f]{64})$/m;
const expiryPattern = /^Expires: (\S+)$/m;

const makeChallenge = (
  address: string,
  secret: Uint8Array,
  settings: AccessTokenSettings,
): Awaited<ReturnType<AccessPort['challenge']>> => {
  const expiresAt = settings.wall() + (settings.challengeSeconds ?? 300);
  const random = Buffer.from(settings.random(NONCE_BYTES)).toString('hex');
  const challenge = { address, random, expiresAt };
  const nonce = random + macOf(challenge, secret, settings);
  return { challenge: writeChallenge(nonce, challenge, settings), expiresAt };
};

const checkChallenge = (
  text: string,
  address: string,
  secret: Uint8Array,
  settings: AccessTokenSettings,
): Awaited<ReturnType<AccessPort['checkChallenge']>> => {
  const refuse = (reason: string) => new TreasuryError('invalid_challenge', { address, reason });

  // Check: the nonce is ours for this address and expiry, and the text is word for word what we wrote.
  const [, random = '', mac = ''] = noncePattern.exec(text) ?? [];
  const expiresAt = Date.parse(expiryPattern.exec(text)?.[1] ?? '') / 1000;
  if (random === '' || !Number.isSafeInteger(expiresAt)) throw refuse('it is not a text of this service');
  const challenge = { address, random, expiresAt };
  const expected = Buffer.from(macOf(challenge, secret, settings));
  const nonce = random + mac;
  if (!timingSafeEqual(Buffer.from(mac), expected)) {
    throw refuse('it was given to another address or network, or was voided');
  }
  if (text !== writeChallenge(nonce, challenge, settings)) throw refuse('its text was changed');
  if (settings.wall() >= expiresAt) throw new TreasuryError('challenge_expired');
  return { nonce, expiresAt };
};

/**
 * Opens access control for a data folder. The secret (`access.secret`, readable by its owner only) is made when it
 * is first needed, and one that another process has put in its place is noticed at the next call.
 *
 * Addresses are taken as they are: callers give the `q` form.
 * Beside the port's errors, any call may throw store_damaged (the secret), and store_locked when it must be made.
 */
export const openAccessTokens = (settings: AccessTokenSettings): AccessPort => {
  const { read, rotate } = openSecretFile({
    folder: settings.folder,
    name: FILE_NAME,
    remedy: 'remove it, and everybody asks for a new token',
    random: settings.random,
    mounted: settings.secretFile ?? null,
  });
  return {
    issue: async (address) => issueToken(address, await read(), settings),
    verify: async (accessToken) => readToken(accessToken, await read(), settings),
    challenge: async (address) => makeChallenge(address, await read(), settings),
    checkChallenge: async (text, address) => checkChallenge(text, address, await read(), settings),
    revokeAll: rotate,
  };
};
