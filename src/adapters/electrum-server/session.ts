/** What the server keeps of a client: its protocol version and what it wants to be told. */
import type { LocalChain } from '../local-chain/local-chain.js';
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
export const TOKEN_AWARE = '1.5.0';
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
