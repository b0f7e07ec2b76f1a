/** A wallet on a phone for the page: asked by the same protocols as at the terminal. */
import type {
  RemoteProtocol,
  RemoteSurroundings,
  RemoteWallet,
} from '../../wallet-protocols/remote-wallet.js';
import { openSocket, random } from './browser.js';
import { checkAnswer, createAccess } from './daemon.js';
import { asFailure, PageFailure } from './failure.js';
import { createKeeper, type Kept } from './kept.js';
import type {
  OpenPageWallet,
  PageWallet,
  PageWalletSettings,
  Protocol,
  Tell,
  WalletSession,
} from './port.js';
import { createTurn } from './turn.js';
import { sentenceOf, UNNAMED, WORDS } from './words.js';

const protocolOf = async (protocol: Protocol): Promise<RemoteProtocol> =>
  protocol === 'walletconnect'
    ? (await import('../../wallet-protocols/walletconnect/walletconnect.js')).walletconnect
    : (await import('../../wallet-protocols/wizardconnect/wizardconnect.js')).wizardconnect;

const showSession = ({ protocol, address, publicKey, face }: Kept): WalletSession => ({
  protocol,
  address: address.text,
  publicKey,
  name: face.app,
  expires: face.endsAt,
  signsMessages: protocol === 'walletconnect',
});

const silent = (): void => undefined;

/** Failures after which what was asked may still be answered. */
const isOpenStill = ({ code, retryable }: PageFailure): boolean => retryable || code === 'unexpected';

type Asked = { readonly tell: Tell; readonly onUri?: (uri: string, picture: string) => void };

const surroundingsOf = (
  { facts, origin }: PageWalletSettings,
  proof: RemoteSurroundings['proof'],
  { tell, onUri = silent }: Asked,
  signal: AbortSignal,
): RemoteSurroundings => ({
  settings: {
    walletconnectRelayUrl: facts.walletconnect?.relay ?? '',
    walletconnectProjectId: facts.walletconnect?.projectId ?? null,
    wizardconnectRelayUrl: facts.wizardconnect.isUsual ? null : (facts.wizardconnect.relays[0] ?? null),
    walletWait: facts.wait,
  },
  network: facts.network,
  random,
  nowMs: Date.now,
  asking: {
    tell,
    show: (uri, picture = uri) => {
      onUri(uri, picture);
    },
    signal,
  },
  words: {
    ...WORDS,
    sayFailure: (error) => {
      const { code, details, message } = asFailure(error, UNNAMED);
      return sentenceOf(code, details) ?? message;
    },
  },
  proof,
  openSocket,
  origin,
  platform: 'browser/page',
});

export const openPageWallet: OpenPageWallet = (settings): PageWallet => {
  const { ask } = settings;
  const { kept, write, change, read } = createKeeper(settings);
  const access = createAccess(settings);
  const turn = createTurn();

  const requireKept = (): Kept => {
    const found = read();
    if (found === null) throw new PageFailure('wallet_not_connected');
    return found;
  };
  const walletOf = (
    { face, address, publicKey, state }: Kept,
    asked: Asked,
    signal: AbortSignal,
  ): RemoteWallet => ({
    ...surroundingsOf(settings, access.proof, asked, signal),
    name: face.app,
    address,
    publicKey,
    face,
    state,
    save: (nextState, nextFace) => {
      change({ state: nextState, face: nextFace });
      return Promise.resolve();
    },
  });
  /** Asks the connected wallet, one question at a time. */
  const withWallet = <T>(
    tell: Tell,
    work: (protocol: RemoteProtocol, wallet: RemoteWallet, found: Kept) => Promise<T>,
  ): Promise<T> =>
    turn.take(read()?.face.app ?? UNNAMED, async (signal) => {
      const found = requireKept();
      return work(await protocolOf(found.protocol), walletOf(found, { tell }, signal), found);
    });

  const signPending = (tell: Tell): ReturnType<PageWallet['sign']> =>
    withWallet(tell, async (protocol, wallet) => {
      const pending = kept()?.pending ?? null;
      if (pending === null) throw new PageFailure('nothing_pending');
      const transaction = pending.transaction as Parameters<PageWallet['sign']>[0];
      try {
        const answer = pending.answer ?? (await protocol.signTransaction(wallet, transaction));
        // Kept before it is checked: the phone does not say it twice.
        change({ pending: { ...pending, answer } });
        const checked = await checkAnswer(ask, transaction, answer, wallet.address.text);
        change({ publicKey: checked.publicKey });
        return checked;
      } catch (error) {
        const failure = asFailure(error, wallet.name);
        if (!isOpenStill(failure)) change({ pending: null });
        throw failure;
      }
    });

  return {
    session: () => {
      const found = kept();
      return found === null ? null : showSession(found);
    },
    restore: () => {
      const found = read();
      return found === null ? null : showSession(found);
    },
    connect: ({ protocol, onUri, tell }) =>
      turn.take(UNNAMED, async (signal) => {
        const surroundings = surroundingsOf(settings, access.proof, { tell, onUri }, signal);
        const { connect } = await protocolOf(protocol);
        const { address, publicKey, face, state } = await connect(surroundings, UNNAMED);
        const next: Kept = {
          version: 1,
          protocol,
          network: settings.facts.network,
          address,
          publicKey: publicKey === '' ? null : publicKey,
          face,
          state,
          pending: null,
        };
        write(next);
        return showSession(next);
      }),
    needsLogin: () => access.needsLogin(kept()?.address.text ?? ''),
    login: (tell) =>
      withWallet(tell, async (protocol, wallet, { address }) => {
        if (!access.needsLogin(address.text)) return;
        const text = await access.proof.textFor(address);
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
    sign: async (transaction, { tell, purpose }) => {
      if (turn.isTaken()) throw new PageFailure('wallet_busy', { wallet: kept()?.face.app ?? UNNAMED });
      requireKept();
      const askedAt = Math.floor(Date.now() / 1_000);
      change({ pending: { transaction, purpose, askedAt, answer: null } });
      return signPending(tell);
    },
    pending: () => {
      const pending = kept()?.pending ?? null;
      if (pending === null) return null;
      const { transaction, purpose, askedAt } = pending;
      return { transaction: transaction as Parameters<PageWallet['sign']>[0], purpose, askedAt };
    },
    resume: signPending,
    forget: () => {
      change({ pending: null });
    },
    signMessage: (text, tell) => withWallet(tell, (protocol, wallet) => protocol.signMessage(wallet, text)),
    cancel: turn.cancel,
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
