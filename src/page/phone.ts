/** The wallet on the reader's phone: loaded when somebody connects it, or has connected it in this tab before. */
import { askAsNobody } from './api.js';
import { PageFailure } from './failure.js';
import { say } from './say.js';
import type { PageWallet } from './wallet/port.js';
import { readAs, service, wallet, who } from './who.js';

/** Under this the wallet keeps its session in the tab; see `wallet/kept.ts`. */
const KEPT = 'treasury.wallet';

const isKept = (): boolean => {
  try {
    return sessionStorage.getItem(KEPT) !== null;
  } catch {
    return false;
  }
};

/** The wallet's side of the page. @throws PageFailure where the daemon serves nothing for phones */
export const openWallet = async (): Promise<PageWallet> => {
  const open = wallet.get();
  if (open !== null) return open;
  const facts = service.get()?.page ?? null;
  if (facts === null)
    throw new PageFailure(say('phone.none'), { code: 'wallet_unsupported', retryable: false });
  const { openPageWallet } = await import('./wallet/open-wallet.js');
  const { origin } = location;
  const made = openPageWallet({ ask: askAsNobody, facts, storage: sessionStorage, origin });
  wallet.set(made);
  return made;
};

/** Who reads, by what the wallet has now: a session may have ended, or begun to be proven. */
export const noteSession = (): void => {
  const session = wallet.get()?.session() ?? null;
  readAs(session?.address ?? who.get().address, session);
};

/** Takes up the phone that was connected before a reload. */
export const restorePhone = async (): Promise<void> => {
  if (service.get()?.page == null || !isKept()) return;
  const open = await openWallet();
  open.restore();
  noteSession();
};

/** Lets go of the phone, and of who reads. @returns why its app was not told; null: it was */
export const leave = async (): Promise<string | null> => {
  const said = who.get().session === null ? null : await wallet.get()?.disconnect();
  readAs(null);
  return said ?? null;
};
