/** A wallet on a phone for the page: asked by the same protocols as at the terminal. */
import { createAccess } from './daemon.js';
import { asFailure } from './failure.js';
import { createKeeper, type Kept } from './kept.js';
import type { OpenPageWallet, PageWallet, WalletSession } from './port.js';
import { createQuestions } from './questions.js';
import { UNNAMED } from './words.js';

const showSession = ({ protocol, address, publicKey, face }: Kept): WalletSession => ({
  protocol,
  address: address.text,
  publicKey,
  name: face.app,
  expires: face.endsAt,
  signsMessages: protocol === 'walletconnect',
});

const shown = (found: Kept | null): WalletSession | null => (found === null ? null : showSession(found));

const silent = (): void => undefined;

export const openPageWallet: OpenPageWallet = (settings): PageWallet => {
  const keeper = createKeeper(settings);
  const access = createAccess(settings);
  const questions = createQuestions(settings, keeper, access);
  const { kept, read, change, write } = keeper;
  const { withWallet } = questions;
  return {
    session: () => shown(kept()),
    restore: () => shown(read()),
    connect: async ({ protocol, ...asked }) => showSession(await questions.connect(protocol, asked)),
    needsLogin: () => access.needsLogin(kept()?.address.text ?? ''),
    login: (tell) =>
      withWallet(tell, async (protocol, wallet, { address }) => {
        const text = access.needsLogin(address.text) ? await access.proof.textFor(address) : null;
        if (text === null) return;
        const signature = await protocol.signMessage(wallet, text);
        const publicKey = await access.proof.check({ address, text, signature, app: wallet.name });
        if (publicKey !== '') change({ publicKey });
      }),
    forgetLogin: access.forget,
    headers: () => {
      const found = kept();
      return found === null ? {} : access.headers(found.address.text);
    },
    sign: (transaction, { tell, purpose }) => questions.sign(tell, { transaction, purpose }),
    pending: () => {
      const pending = kept()?.pending ?? null;
      if (pending === null) return null;
      const { transaction, purpose, askedAt } = pending;
      return { transaction, purpose, askedAt };
    },
    resume: (tell) => questions.sign(tell, null),
    forget: () => {
      change({ pending: null });
    },
    signMessage: (text, tell) => withWallet(tell, (protocol, wallet) => protocol.signMessage(wallet, text)),
    cancel: questions.cancel,
    disconnect: async () => {
      const untold = await withWallet(silent, (protocol, wallet) => protocol.disconnect(wallet)).then(
        () => null,
        (error: unknown) => asFailure(error, UNNAMED).message,
      );
      write(null);
      access.forget();
      return untold;
    },
  };
};
