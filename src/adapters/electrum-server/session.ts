/** What the server keeps of a client (its version, what it wants to be told), and how it reads the parameters of calls. Refusals are worded as Fulcrum words them. */
import { parseAddress } from '../../bch/address.js';
import { isTxid } from '../../bch/transaction.js';
import { scriptHashOf } from '../electrum/replies.js';
import type { LocalChain } from '../local-chain/local-chain.js';
import { refusal, RPC_CODE } from './json-rpc.js';
import type { ScriptIndex } from './script-index.js';

/** What a client was told last of something; null until the answer to its subscription is known. */
export type Subscription<T> = { told: { readonly value: T } | null };

/** A script that a client wants to be told about. */
export type ScriptSubscription = Subscription<string | null> & {
  /** The method it subscribed with: notifications carry its name. */
  readonly method: string;
  /** What it called the script: an address in its own spelling, or a script hash. */
  readonly alias: string;
};

/** A header as the protocol shows it. */
export type ShownHeader = { readonly height: number; /** 80 bytes. */ readonly hex: string };

export type Session = {
  /** Null before `server.version`. */
  version: string | null;
  /** Null when the client does not want to be told of tips. */
  tip: Subscription<ShownHeader> | null;
  /** By script hash. */
  readonly scripts: Map<string, ScriptSubscription>;
  /** By transaction id: the height, null when it is unknown. */
  readonly transactions: Map<string, Subscription<number | null>>;
  readonly notify: (method: string, params: readonly unknown[]) => void;
};

/**
 * The answer to a subscription that is noted already, so that no change in between is missed: what was read for it,
 * or what a change has brought meanwhile.
 */
export const answerSubscription = async <T>(
  subscription: Subscription<T>,
  read: () => Promise<T>,
): Promise<T> => {
  const value = await read();
  subscription.told ??= { value };
  return subscription.told.value;
};

/** Notes what there is to tell; true when it is news. What comes before the answer goes out with the answer. */
export const isNews = <T>(subscription: Subscription<T>, value: T): boolean => {
  const { told } = subscription;
  subscription.told = { value };
  return told !== null && JSON.stringify(told.value) !== JSON.stringify(value);
};

/** What a method works with. */
export type Site = {
  /** The chain as the index has it. */
  readonly chain: LocalChain;
  /** The chain as the node behind the index has it. */
  readonly node: LocalChain;
  readonly index: ScriptIndex;
  readonly session: Session;
  /** Where the server can be reached. */
  readonly host: string;
  readonly ports: Readonly<Record<string, number>>;
  /** Scripts that one client may be subscribed to. */
  readonly maxSubscriptions: number;
};

/** One method of the protocol. */
export type Method = {
  /** Fewest and most parameters. */
  readonly parameters: readonly [least: number, most: number];
  readonly run: (params: readonly unknown[], site: Site) => unknown;
};

export type MethodTable = Readonly<Record<string, Method>>;

export const createSession = (notify: Session['notify']): Session => ({
  version: null,
  tip: null,
  scripts: new Map(),
  transactions: new Map(),
  notify,
});

/** Oldest and newest protocol version that is spoken. */
export const PROTOCOL_MIN = '1.4.1';
export const PROTOCOL_MAX = '1.6';
/** The first that shows token coins without being asked. Source: Electrum Cash protocol 1.5.0. */
const TOKEN_AWARE = '1.5.0';
/** The first that lists headers one by one. Source: Electrum protocol 1.6. */
export const HEADER_LISTS = '1.6';

/** Below zero when version `a` is older than `b`, above when it is newer. */
export const compareVersions = (a: string, b: string): number => {
  const [left, right] = [a.split('.').map(Number), b.split('.').map(Number)];
  const length = Math.max(left.length, right.length);
  for (let part = 0; part < length; part += 1) {
    const difference = (left[part] ?? 0) - (right[part] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
};

/** True when the client speaks at least that version. One that has not said speaks the oldest. */
export const speaks = ({ version }: Session, least: string): boolean =>
  compareVersions(version ?? PROTOCOL_MIN, least) >= 0;

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
