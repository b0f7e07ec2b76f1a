/** A wallet asked to sign. It is greeted first, since both sides have to be there at once. */
import { sha256 } from '@noble/hashes/sha2.js';
import { hexText, utf8 } from '../bytes.js';
import { WalletFailure } from '../failure.js';
import { walletFailed, type RemoteWallet, type WalletTransaction, type Whom } from '../remote-wallet.js';
import { waitFor } from '../waiting.js';
import { inputsToSign } from './asked-inputs.js';
import { greet, hello, isReady, next, offline, requireLive, untilEnded } from './greeting.js';
import type { Link } from './link.js';
import { isYes, type Answer, type SignResponse, type WalletMessage, type WizardState } from './state.js';

/** A wallet is asked for a sign of life that often, milliseconds; one that gives none for so long is not there. */
const PING_MS = 10_000;
const DEAD_MS = 75_000;
/** A request is taken back within that, or not, seconds. */
const TAKE_BACK_SECONDS = 3;
/** Requests of runs that were ended before they could take theirs back, which are still known. */
const MOST_OPEN = 20;

/** True for the words of a wallet whose owner has said no: the protocol has no code for it. */
const isNo = (words: string): boolean => /reject|declin|denied|deny|cancel|refus/i.test(words);

/** @throws wallet_declined, wallet_failed */
const resultOf = (answer: Answer, { name: wallet }: RemoteWallet): string => {
  const { signedTransaction, error } = answer;
  if (error === null || isYes(answer)) return signedTransaction;
  if (isNo(error)) throw new WalletFailure('wallet_declined', { wallet, what: 'sign this transaction' });
  throw walletFailed(wallet, { code: 0, message: error });
};

const whomOf = ({ state }: Link, { name }: RemoteWallet): Whom => ({ app: state().app, wallet: name });

type SignRequest = Readonly<Record<string, unknown>> & { readonly sequence: number };

const without =
  (sequence: number) =>
  (state: WizardState): WizardState => ({
    ...state,
    open: state.open.filter((one) => one.sequence !== sequence),
  });

/** Asks for signs of life, and says once when there are none any more. @returns how to stop */
const keepAwake = (link: Link, { nowMs, asking, words }: RemoteWallet): (() => void) => {
  let isTold = false;
  const timer = setInterval(() => {
    link.send({ action: 'ping' }).catch(() => undefined);
    const isDead = nowMs() - link.heardAt() > DEAD_MS;
    if (isDead && !isTold) asking.tell(words.appIsGone(link.state().app));
    isTold = isDead;
  }, PING_MS);
  return () => {
    clearInterval(timer);
  };
};

/** A wallet that comes back has lost what it was asked: it is asked again, under the same number and with a new time. */
const askAgain = (link: Link, request: SignRequest): (() => void) =>
  link.listen((message) => {
    if (!isReady(message)) return;
    (message.dapp_discovered ? Promise.resolve() : link.send(hello(true)))
      .then(() => link.send(request))
      .catch(() => undefined);
  });

/** Takes a request back from the phone. @returns whether it could be sent */
const takeBack = async (link: Link, sequence: number): Promise<boolean> => {
  const sent = link.send({ action: 'sign_cancel', sequence, reason: 'nobody waits for it any more' });
  const found = await waitFor(sent, TAKE_BACK_SECONDS, {}).catch(() => null);
  if (found !== null) await link.keep(without(sequence));
  return found !== null;
};

const silent = (link: Link, wallet: RemoteWallet, isTakenBack: boolean): WalletFailure => {
  if (wallet.nowMs() - link.heardAt() > DEAD_MS) return offline(wallet, link.state());
  const remedy = isTakenBack ? wallet.words.takenBack : wallet.words.notTakenBack;
  return new WalletFailure('wallet_silent', {
    wallet: wallet.name,
    seconds: wallet.settings.walletWait,
    remedy,
  });
};

/** Sends a request and waits. @throws wallet_silent, wallet_offline, wallet_session_ended, and an interruption */
const awaitAnswer = async (link: Link, request: SignRequest, wallet: RemoteWallet): Promise<Answer> => {
  const { sequence } = request;
  const isAnswer = (message: WalletMessage): message is SignResponse =>
    message.action === 'sign_transaction_response' && message.sequence === sequence;
  const answer = Promise.race([next(link, isAnswer), untilEnded(link, wallet)]);
  answer.catch(() => undefined);
  const sent = async (): Promise<Answer> => {
    await link.send(request);
    wallet.asking.tell(wallet.words.asked(whomOf(link, wallet), 'sign this transaction', true));
    return answer;
  };
  const stops = [askAgain(link, request), keepAwake(link, wallet)];
  try {
    // Ctrl-C is heard before anything is said of it.
    const found = await waitFor(sent(), wallet.settings.walletWait, wallet.asking);
    if (found !== null) return found.value;
  } catch (error) {
    if (link.state().ended === null) await takeBack(link, sequence);
    throw error;
  } finally {
    for (const stop of stops) stop();
  }
  const trouble = link.trouble();
  const isTakenBack = await takeBack(link, sequence);
  throw trouble ?? silent(link, wallet, isTakenBack);
};

/** A yes to what an earlier run has asked. A no is nothing to whoever asks again. */
const takeLate = async ({ state, keep }: Link, digest: string): Promise<Answer | null> => {
  const answers = state().open.flatMap((one) => (one.digest === digest ? (one.answer ?? []) : []));
  const yes = answers.find(isYes);
  if (yes !== undefined) return yes;
  if (answers.length > 0)
    await keep((current) => ({
      ...current,
      open: current.open.filter((one) => one.digest !== digest || one.answer === null),
    }));
  return null;
};

/** The number of a request: that of an earlier run that asked the same, or the next one. */
const sequenceOf = async ({ state, keep }: Link, digest: string): Promise<number> => {
  const known = state().open.find((one) => one.digest === digest);
  if (known !== undefined) return known.sequence;
  const sequence = state().nextSequence;
  // Kept before it is sent: its answer may come when this program has ended.
  await keep((current) => ({
    ...current,
    nextSequence: sequence + 2,
    open: [...current.open, { sequence, digest, answer: null }].slice(-MOST_OPEN),
  }));
  return sequence;
};

/** What is sent: the transaction, and which key each input waits for. */
const requestOf = (
  { sourceOutputs, transaction: raw, userPrompt }: WalletTransaction,
  sequence: number,
  { name, index }: WizardState['path'],
  wallet: RemoteWallet,
): SignRequest => {
  const inputs = inputsToSign({ sourceOutputs }, wallet);
  const prompt = userPrompt === undefined ? {} : { userPrompt };
  return {
    action: 'sign_transaction_request',
    sequence,
    transaction: { transaction: raw, sourceOutputs, broadcast: false, ...prompt },
    inputPaths: inputs.map((input) => [input, name, index]),
  };
};

/**
 * What the wallet answers: raw hex. An answer that came while nobody waited is taken by whoever asks the same next.
 *
 * @throws wallet_offline, wallet_account_mismatch, wallet_declined, wallet_failed, wallet_silent, wallet_session_ended,
 *   wallet_unsupported, relay_unavailable, and an interruption
 */
export const askToSign = async (
  link: Link,
  wallet: RemoteWallet,
  transaction: WalletTransaction,
): Promise<string> => {
  const { transaction: raw, sourceOutputs } = transaction;
  const digest = hexText(sha256(utf8(JSON.stringify([raw, sourceOutputs]))));
  const late = await takeLate(link, digest);
  if (late === null) {
    requireLive(link, wallet);
    await greet(link, wallet);
  } else wallet.asking.tell(wallet.words.agreedMeanwhile(whomOf(link, wallet)));
  const sequence = await sequenceOf(link, digest);
  const answer =
    late ?? (await awaitAnswer(link, requestOf(transaction, sequence, link.state().path, wallet), wallet));
  await link.keep((state) => ({ ...state, open: state.open.filter((one) => one.digest !== digest) }));
  return resultOf(answer, wallet);
};
