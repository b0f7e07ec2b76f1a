/** Who reads the page: nobody yet, an address that was typed, or a phone that is connected. */
import { cell, useCell } from './state.js';
import type { PageWallet, PhoneFacts, WalletSession } from './wallet/port.js';

export type Who = {
  /** Cash address with its prefix; null: nobody in particular. */
  readonly address: string | null;
  readonly session: WalletSession | null;
};

/** What `GET /api` says. */
export type ServiceFacts = {
  readonly network: string;
  readonly version: string;
  /** Null where no page is served: phones cannot be asked. */
  readonly page: PhoneFacts | null;
};

const KEPT = 'treasury.address';

const kept = (): string | null => {
  try {
    return sessionStorage.getItem(KEPT);
  } catch {
    return null;
  }
};

/** Who reads; nothing secret of it is stored. */
export const who = cell<Who>({ address: kept(), session: null });
/** What the daemon says of itself; null: not asked yet. */
export const service = cell<ServiceFacts | null>(null);
/** The wallet's side, once it is loaded. */
export const wallet = cell<PageWallet | null>(null);

/** Who reads, as it changes. */
export const useWho = (): Who => useCell(who);
/** What the daemon says of itself, once it is known. */
export const useService = (): ServiceFacts | null => useCell(service);

/** The page is read for this address from now on, until the tab is closed; null: for nobody. */
export const readAs = (address: string | null, session: WalletSession | null = null): void => {
  try {
    if (address === null) sessionStorage.removeItem(KEPT);
    else sessionStorage.setItem(KEPT, address);
  } catch {
    // A browser that keeps nothing shows it until the page is left.
  }
  who.set({ address, session });
};

/** True where the daemon takes an address on its word. */
export const isTrusted = (): boolean => service.get()?.page?.trustsAddressHeader ?? true;

/** The headers that name whoever reads: what the wallet has proven, or the address where that is taken on its word. */
export const credentials = (): Readonly<Record<string, string>> => {
  const { address, session } = who.get();
  if (session !== null) return wallet.get()?.headers() ?? {};
  return address !== null && isTrusted() ? { 'x-user-address': address } : {};
};

/**
 * The daemon does not take a login any more that was sent to it: it is proven anew by whoever wants to. One that was given meanwhile
 * stays.
 */
export const loseLogin = (sent: Readonly<Record<string, string>>): void => {
  if (sent['authorization'] !== credentials()['authorization']) return;
  wallet.get()?.forgetLogin();
  who.set({ ...who.get() });
};

const PREFIXES: Readonly<Record<string, string>> = {
  mainnet: 'bitcoincash',
  regtest: 'bchreg',
};

/** An address as it was typed, with its prefix and in small letters. The daemon says whether it is one. */
export const withPrefix = (typed: string, network: string): string => {
  const text = typed.trim().toLowerCase();
  return text === '' || text.includes(':') ? text : `${PREFIXES[network] ?? 'bchtest'}:${text}`;
};

/** True for two spellings of one address: `z` is `q` and `r` is `p` with tokens, which answers do not use. */
export const isSame = (one: string | null | undefined, other: string | null): boolean =>
  one != null && one === other;
