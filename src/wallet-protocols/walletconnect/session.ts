/**
 * Asking a wallet over its session. An answer that came while nobody waited is taken by whoever asks the same next.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { hexText, utf8 } from '../bytes.js';
import { readCashAddress } from '../cash-address.js';
import { WalletFailure } from '../failure.js';
import { plainText, walletFailed, type Whom } from '../remote-wallet.js';
import { list, readOr, text } from '../shape.js';
import { waitFor } from '../waiting.js';
import type { Conversation, SessionOwner } from './conversation.js';
import { readError } from './messages.js';
import type { Relay } from './relay.js';
import { prefixOf, SESSION_SECONDS, type Answer, type OpenRequest, type SessionState } from './state.js';

/** Wallets keep a request at least that long, seconds. Source: WalletConnect v2, session request expiry. */
const LEAST_EXPIRY_SECONDS = 300;
/** An answer that comes later is none any more, seconds. */
const FORGOTTEN_SECONDS = 86_400;
/** A request that ends sooner is asked anew, seconds. */
const LEAST_LEFT_SECONDS = 5;
/** What needs nobody's finger is answered within that, seconds. */
const QUICK_SECONDS = 10;
/** Requests are taken back within that, or not, seconds: whoever has pressed Ctrl-C waits for it. */
const TAKE_BACK_SECONDS = 3;
/** The request has expired on the phone. */
const EXPIRED = 8000;
const CANCEL = 'bch_cancelPendingRequests';

export type WalletRequest = {
  readonly method: 'bch_signTransaction' | 'bch_signMessage';
  readonly params: Readonly<Record<string, unknown>>;
  /** `sign this message`. */
  readonly what: string;
};

/** An open session of a wallet. */
export type Session = Conversation & { readonly relay: Relay; readonly owner: SessionOwner };

const nowSeconds = ({ owner }: Session): number => Math.floor(owner.nowMs() / 1_000);

/** What was asked, whatever words go with it. */
const digestOf = ({ method, params: { userPrompt: _, ...params } }: WalletRequest): string =>
  hexText(sha256(utf8(JSON.stringify([method, params]))));

const whomOf = ({ owner, state }: Session): Whom => ({ app: state().app, wallet: owner.name });

const isRefusal = (answer: Answer): boolean => answer.error !== undefined;

/** True for the codes of a wallet whose owner has said no. Source: WalletConnect v2, error codes. */
export const isDeclined = (code: number): boolean => code >= 5000 && code <= 5003;

const endedError = ({ owner, state }: Session): WalletFailure =>
  new WalletFailure('wallet_session_ended', {
    wallet: owner.name,
    reason: state().ended ?? 'nobody has said why',
  });

/** @throws wallet_session_ended */
const requireLive = async (session: Session): Promise<void> => {
  const { state, keep } = session;
  if (state().ended === null && state().expiry <= nowSeconds(session))
    await keep((current) => ({ ...current, ended: 'its time is over' }));
  if (state().ended !== null) throw endedError(session);
};

const silent = (session: Session, isThere: boolean, remedy: string): WalletFailure => {
  const { name: wallet, waitSeconds: seconds } = session.owner;
  return isThere
    ? new WalletFailure('wallet_silent', { wallet, seconds, remedy })
    : new WalletFailure('wallet_offline', { wallet, seconds, app: session.state().app });
};

const refusalOf = (session: Session, { error }: Answer, { what }: WalletRequest): WalletFailure => {
  const read = readError(error);
  const { name: wallet } = session.owner;
  if (isDeclined(read.code)) return new WalletFailure('wallet_declined', { wallet, what });
  if (read.code === EXPIRED) return silent(session, true, 'the request has expired on the phone; ask again');
  return walletFailed(wallet, read);
};

const sendRequest = (
  session: Session,
  id: number,
  request: { readonly method: string; readonly params: unknown },
  expiresAt: number,
) =>
  session.send(id, {
    method: 'wc_sessionRequest',
    params: {
      request: { method: request.method, params: request.params, expiryTimestamp: expiresAt },
      chainId: session.state().chain,
    },
    ttl: Math.max(LEAST_EXPIRY_SECONDS, expiresAt - nowSeconds(session)),
  });

/** A list of them, or a single one. */
const readAddresses = (value: unknown): readonly string[] | null =>
  typeof value === 'string' ? [value] : readOr(list(text), value);

/** The addresses of a wallet that has said that they changed. */
const askAddresses = async (session: Session): Promise<void> => {
  const { owner, state, keep, nextId } = session;
  const expiresAt = nowSeconds(session) + LEAST_EXPIRY_SECONDS;
  const { answer } = await sendRequest(
    session,
    nextId(),
    { method: 'bch_getAddresses', params: {} },
    expiresAt,
  );
  const found = await waitFor(answer, Math.min(QUICK_SECONDS, owner.waitSeconds), owner.asking);
  const given = readAddresses(found?.value.result);
  if (given === null) return;
  const prefix = prefixOf(state());
  const accounts = given.map((one) => (one.includes(':') ? one : `${prefix}:${one}`));
  await keep((current) => ({ ...current, accounts, isMoved: false }));
};

/** The wallet still speaks for the account that was connected. @throws wallet_account_mismatch */
const requireAccount = async (session: Session): Promise<void> => {
  const { owner, state } = session;
  if (state().isMoved && state().methods.includes('bch_getAddresses')) await askAddresses(session);
  const { accounts, app, chain } = state();
  const isOwn = (account: string): boolean =>
    readCashAddress(account, prefixOf(state()))?.lockingBytecode === owner.address.lockingBytecode;
  // Some name the form of an address that takes tokens.
  if (accounts.some((account) => isOwn(account))) return;
  const found = plainText(accounts[0] ?? `no address of ${chain}`);
  throw new WalletFailure('wallet_account_mismatch', {
    wallet: owner.name,
    expected: owner.address.text,
    found,
    app,
  });
};

/** A yes that came too late for whoever asked. A no is nothing to whoever asks again. */
const takeLate = async ({ state, keep }: Session, digest: string): Promise<Answer | null> => {
  const answers = state().open.flatMap((one) => (one.digest === digest ? (one.answer ?? []) : []));
  const yes = answers.find((answer) => !isRefusal(answer));
  if (yes !== undefined) return yes;
  if (answers.length === 0) return null;
  const isOver = (one: OpenRequest): boolean => one.digest === digest && one.answer !== null;
  await keep((current) => ({ ...current, open: current.open.filter((one) => !isOver(one)) }));
  return null;
};

/** Takes back all that the phone still shows, where the wallet lets that be done. @returns whether it does */
const takeBack = async (session: Session): Promise<boolean> => {
  const { state, keep, nextId } = session;
  if (state().ended !== null || !state().methods.includes(CANCEL)) return false;
  // It names none of them: those of earlier runs go too.
  const cancelled = (one: OpenRequest) => ({ ...one, isCancelled: true });
  await keep((current) => ({ ...current, open: current.open.map(cancelled) }));
  const expiresAt = nowSeconds(session) + LEAST_EXPIRY_SECONDS;
  const sent = sendRequest(session, nextId(), { method: CANCEL, params: {} }, expiresAt);
  return (await waitFor(sent, TAKE_BACK_SECONDS, {}).catch(() => null)) !== null;
};

/** Asks for a sign of life and for a longer session: nobody's finger is needed for them. */
const greet = async (session: Session): Promise<{ readonly isThere: () => boolean }> => {
  let isThere = false;
  const hear = (message: Answer): boolean => {
    isThere = true;
    return !isRefusal(message);
  };
  const ping = await session.send(session.nextId(), { method: 'wc_sessionPing', params: {} });
  void ping.answer.then(hear);
  const extend = await session.send(session.nextId(), { method: 'wc_sessionExtend', params: {} });
  const prolong = (state: SessionState) => ({ ...state, expiry: nowSeconds(session) + SESSION_SECONDS });
  void extend.answer.then((message) => (hear(message) ? session.keep(prolong) : undefined));
  return { isThere: () => isThere };
};

/** Sends what is kept, and keeps that the relay has it. */
const sendOpened = async (
  session: Session,
  request: WalletRequest,
  { id, expiresAt }: OpenRequest,
): Promise<{ readonly answer: Promise<Answer> }> => {
  const { owner, keep } = session;
  const sent = await sendRequest(session, id, request, expiresAt);
  owner.asking.tell(owner.words.asked(whomOf(session), request.what, false));
  const taken = (one: OpenRequest): OpenRequest => (one.id === id ? { ...one, isSent: true } : one);
  await keep((current) => ({ ...current, open: current.open.map(taken) }));
  return sent;
};

/** What is on the phone already, or is put there. @returns its answer, in time */
const putOnPhone = async (
  session: Session,
  request: WalletRequest,
  digest: string,
): Promise<{ readonly answer: Promise<Answer> }> => {
  const { owner, state, keep, nextId, answerTo } = session;
  const now = nowSeconds(session);
  const known = state().open.find(
    (one) => one.digest === digest && !one.isCancelled && one.expiresAt > now + LEAST_LEFT_SECONDS,
  );
  if (known !== undefined) {
    // Under its old number it is on the phone once, however often it is sent.
    if (!known.isSent && known.answer === null) return sendOpened(session, request, known);
    owner.asking.tell(owner.words.askedAlready(whomOf(session), request.what));
    return { answer: known.answer === null ? answerTo(known.id) : Promise.resolve(known.answer) };
  }
  const expiresAt = now + Math.max(LEAST_EXPIRY_SECONDS, owner.waitSeconds);
  // Kept before it is sent: its answer may come when this program has ended.
  const id = nextId();
  const opened: OpenRequest = { id, digest, expiresAt, isCancelled: false, isSent: false, answer: null };
  await keep((current) => ({ ...current, lastId: id, open: [...current.open, opened] }));
  return sendOpened(session, request, opened);
};

/** Waits for an answer, and takes the request back where none is waited for any more. */
const awaitAnswer = async (session: Session, request: WalletRequest, digest: string): Promise<Answer> => {
  const { owner, relay, ended } = session;
  const greeted = { isThere: () => false };
  const asked = async (): Promise<Promise<Answer>[]> => {
    Object.assign(greeted, await greet(session));
    const { answer } = await putOnPhone(session, request, digest);
    const over = ended.then(() => {
      throw endedError(session);
    });
    over.catch(() => undefined);
    return [answer, over];
  };
  // Ctrl-C is heard before anything is said of it; the time to answer begins once the phone is asked.
  const wait = <T>(of: Promise<T>) => waitFor(of, owner.waitSeconds, owner.asking);
  let found: { readonly value: Answer } | null;
  try {
    const onPhone = await wait(asked());
    found = onPhone === null ? null : await wait(Promise.race(onPhone.value));
  } catch (error) {
    if (relay.trouble() === null) await takeBack(session);
    throw error;
  }
  if (found !== null) return found.value;
  const trouble = relay.trouble();
  if (trouble !== null) throw trouble;
  const isTakenBack = await takeBack(session);
  throw silent(session, greeted.isThere(), isTakenBack ? owner.words.takenBack : owner.words.stillThere);
};

/**
 * Asks the wallet, or takes its answer to an earlier run that asked the same.
 *
 * @throws wallet_session_ended, wallet_unsupported, wallet_account_mismatch, wallet_declined, wallet_failed, wallet_silent,
 *   wallet_offline, relay_unavailable, and an interruption
 */
export const ask = async (session: Session, request: WalletRequest): Promise<unknown> => {
  const { owner, state, keep } = session;
  await requireLive(session);
  if (!state().methods.includes(request.method)) {
    const reason = `it does not offer ${request.method}`;
    throw new WalletFailure('wallet_unsupported', { app: state().app, wallet: owner.name, reason });
  }
  const digest = digestOf(request);
  const late = await takeLate(session, digest);
  if (late === null) await requireAccount(session);
  else owner.asking.tell(owner.words.agreedMeanwhile(whomOf(session)));
  const message = late ?? (await awaitAnswer(session, request, digest));
  const isKept = (one: OpenRequest): boolean =>
    one.digest !== digest && one.expiresAt + FORGOTTEN_SECONDS > nowSeconds(session);
  await keep((current) => ({ ...current, open: current.open.filter(isKept) }));
  if (isRefusal(message)) throw refusalOf(session, message, request);
  return message.result;
};

/** Ends a session on both sides. @throws relay_unavailable, project_id_refused */
export const endSession = async ({ state, keep, nextId, send, relay }: Session): Promise<void> => {
  if (state().ended !== null) return;
  await send(nextId(), { method: 'wc_sessionDelete', params: { code: 6000, message: 'User disconnected.' } });
  await keep((current) => ({ ...current, ended: 'it was ended here' }));
  await relay.unsubscribe(state().topic).catch(() => undefined);
};
