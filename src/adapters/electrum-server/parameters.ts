/** How the parameters of calls are read. Refusals are worded as Fulcrum words them. */
import { parseAddress } from '../../bch/address.js';
import { isTxid } from '../../bch/transaction.js';
import { scriptHashOf } from '../electrum/script-hash.js';
import { refusal, RPC_CODE } from './json-rpc.js';
import { speaks, TOKEN_AWARE, type Session, type Site } from './session.js';

/** 64 hex digits in lower case. */
export const readHash = (value: unknown, message: string): string => {
  const hash = typeof value === 'string' ? value.toLowerCase() : '';
  if (!isTxid(hash)) throw refusal(message);
  return hash;
};

/** A whole number from 0 on; the fallback when there is none. */
export const readHeight = (value: unknown, message: string, fallback?: number): number => {
  const height = value === undefined || value === null ? fallback : Number(value);
  if (height === undefined || !Number.isSafeInteger(height) || height < 0) throw refusal(message);
  return height;
};

export const readSwitch = (value: unknown, message: string): boolean => {
  if (value === undefined || value === null || value === false || value === 0) return false;
  if (value === true || value === 1) return true;
  throw refusal(message);
};

/** Which coins are meant. */
export type TokenFilter = 'exclude_tokens' | 'include_tokens' | 'tokens_only';

const FILTERS: readonly TokenFilter[] = ['exclude_tokens', 'include_tokens', 'tokens_only'];

/** The filter that was asked for; without one, clients that know tokens see them. */
export const readTokenFilter = (value: unknown, session: Session): TokenFilter => {
  if (value === undefined) return speaks(session, TOKEN_AWARE) ? 'include_tokens' : 'exclude_tokens';
  const filter = FILTERS.find((name) => name === value);
  if (filter !== undefined) return filter;
  const names = FILTERS.map((name) => `"${name}"`).join(', ');
  throw refusal(`Invalid token filtering option. Specify one of: ${names}`, RPC_CODE.invalidParams);
};

/** The script that a call is about. */
export type Target = {
  readonly scriptHash: string;
  /** As the client wrote it. */
  readonly alias: string;
  /** Hex; null when the chain has never seen the script. */
  readonly lockingBytecode: string | null;
};

/** How a family of methods names scripts. */
export type TargetKind = 'address' | 'scripthash';

const PREFIXES = ['bchtest', 'bchreg', 'bitcoincash'] as const;

/** Addresses of every network are taken: a script is the same on all of them, and this chain stands in for any. */
const lockingBytecodeOf = (text: string): string => {
  const spellings = text.includes(':') ? [text] : PREFIXES.map((prefix) => `${prefix}:${text}`);
  for (const spelling of spellings) {
    try {
      return parseAddress(spelling).lockingBytecode;
    } catch {
      // The next prefix may fit its checksum.
    }
  }
  throw refusal(`Invalid address: ${text}`);
};

export const readTarget = async (kind: TargetKind, value: unknown, { index }: Site): Promise<Target> => {
  if (kind === 'address') {
    const alias = String(value).slice(0, 128).trim();
    const lockingBytecode = lockingBytecodeOf(alias);
    return { alias, lockingBytecode, scriptHash: scriptHashOf(lockingBytecode) };
  }
  const scriptHash = readHash(value, 'Invalid scripthash');
  return { scriptHash, alias: scriptHash, lockingBytecode: await index.find(scriptHash) };
};
