/** Questions to a wallet on a phone: one at a time, over the protocol of its session, and kept until they are done with. */
import type { RemoteProtocol, RemoteWallet } from '../../wallet-protocols/remote-wallet.js';
import { checkAnswer, type Access } from './daemon.js';
import { asFailure, PageFailure } from './failure.js';
import type { Keeper, Kept } from './kept.js';
import type { PageWalletSettings, Protocol, SignedAnswer, Tell, WalletTransaction } from './port.js';
import { surroundingsOf, type Asked } from './surroundings.js';
import { createTurn } from './turn.js';
import { UNNAMED } from './words.js';

const protocolOf = async (protocol: Protocol): Promise<RemoteProtocol> =>
  protocol === 'walletconnect'
    ? (await import('../../wallet-protocols/walletconnect/walletconnect.js')).walletconnect
    : (await import('../../wallet-protocols/wizardconnect/wizardconnect.js')).wizardconnect;

/** Failures after which what was asked may still be answered. */
const isOpenStill = ({ code, retryable }: PageFailure): boolean => retryable || code === 'unexpected';

/** What is asked anew; null: what was asked before is gone on with. */
type Fresh = { readonly transaction: WalletTransaction; readonly purpose: unknown } | null;

/** Asks for what is pending, and lets the daemon check the answer. */
const signPending = async (
  { ask }: PageWalletSettings,
  { kept, change }: Keeper,
  fresh: Fresh,
  { protocol, wallet }: { readonly protocol: RemoteProtocol; readonly wallet: RemoteWallet },
): Promise<SignedAnswer> => {
  const askedAt = Math.floor(Date.now() / 1_000);
  if (fresh !== null) change({ pending: { ...fresh, askedAt, answer: null } });
  const pending = kept()?.pending ?? null;
  if (pending === null) throw new PageFailure('nothing_pending');
  try {
    const { transaction } = pending;
    const answer = pending.answer ?? (await protocol.signTransaction(wallet, transaction));
    // Kept before it is checked: the phone does not say it twice.
    change({ pending: { ...pending, answer } });
    const checked = await checkAnswer(ask, transaction, answer, wallet.address.text);
    // Whoever has stopped meanwhile is told that nothing was sent.
    if (wallet.asking.signal?.aborted === true) throw new PageFailure('interrupted');
    change({ publicKey: checked.publicKey });
    return checked;
  } catch (error) {
    const failure = asFailure(error, wallet.name);
    if (!isOpenStill(failure)) change({ pending: null });
    throw failure;
  }
};

export const createQuestions = (settings: PageWalletSettings, keeper: Keeper, access: Access) => {
  const { change, read, write } = keeper;
  const turn = createTurn();

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

  /** Asks the connected wallet. @throws wallet_not_connected, wallet_busy, interrupted, and what is asked throws */
  const withWallet = <T>(
    tell: Tell,
    work: (protocol: RemoteProtocol, wallet: RemoteWallet, found: Kept) => Promise<T>,
  ): Promise<T> =>
    turn.take(read()?.face.app ?? UNNAMED, async (signal) => {
      const found = read();
      if (found === null) throw new PageFailure('wallet_not_connected');
      return work(await protocolOf(found.protocol), walletOf(found, { tell }, signal), found);
    });

  return {
    cancel: turn.cancel,
    withWallet,
    /** @returns the session, kept */
    connect: (protocol: Protocol, asked: Asked): Promise<Kept> =>
      turn.take(UNNAMED, async (signal) => {
        const { connect } = await protocolOf(protocol);
        const surroundings = surroundingsOf(settings, access.proof, asked, signal);
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
        return next;
      }),
    /** @throws nothing_pending, and what `sign` of a page's wallet throws */
    sign: (tell: Tell, fresh: Fresh): Promise<SignedAnswer> =>
      withWallet(tell, (protocol, wallet) => signPending(settings, keeper, fresh, { protocol, wallet })),
  };
};
