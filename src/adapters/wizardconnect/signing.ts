/** A wallet asked to sign: it is greeted first, since both sides have to be there at once. */
import { createHash } from 'node:crypto';
import { hexOf } from '../../bch/hex.js';
import { addressOfPublicKey } from '../../bch/keys.js';
import { inputsToSign } from '../../bch/wallet-answer.js';
import { decodeWalletTransaction, type WalletTransaction } from '../../bch/wallet-transaction.js';
import { TreasuryError } from '../../errors.js';
import { plainName, waitFor, walletFailed, type RemoteWallet } from '../remote-wallet.js';
import { ready, type Inbox } from './inbox.js';
import { keyOf, PATH } from './keys.js';
import type { Link } from './link.js';
import type { SignResponse, WalletReady, WizardState } from './state.js';

export const PROTOCOL = 'hdwalletv1';
/** A wallet is asked for a sign of life that often, milliseconds. */
const PING_MS = 10_000;

export const hello = (isDiscovered: boolean): Readonly<Record<string, unknown>> => ({
  action: 'dapp_ready',
  supported_protocols: [PROTOCOL],
  wallet_discovered: isDiscovered,
  selected_protocol: PROTOCOL,
  dapp_name: 'treasury',
  extensions: { chunk: { version: 1 } },
});

export const withReady = (state: WizardState, message: WalletReady): WizardState => ({
  ...state,
  app: plainName(message.wallet_name),
  paths: message.session.hdwalletv1.paths,
  takesParts: message.extensions.chunk !== undefined,
});

export const endedError = (wallet: RemoteWallet, reason: string): TreasuryError =>
  new TreasuryError('wallet_session_ended', { wallet: wallet.name, reason });

/** The wallet says that it is there, with the keys that it had. @throws wallet_offline, wallet_account_mismatch */
const greet = async (link: Link, inbox: Inbox, wallet: RemoteWallet): Promise<void> => {
  const { walletWait: seconds } = wallet.settings;
  const answer = ready(inbox, seconds, wallet);
  answer.catch(() => undefined);
  await link.send(hello(false));
  const { app } = link.state();
  wallet.asking.tell(
    `Open ${app} on the phone: WizardConnect needs both sides at once. Ctrl-C stops waiting.`,
  );
  const found = await answer;
  if (found === 'over') throw endedError(wallet, `${app} has ended it`);
  if (found === null)
    throw link.trouble() ?? new TreasuryError('wallet_offline', { wallet: wallet.name, seconds, app });
  const { message } = found;
  const publicKey = keyOf(message.session.hdwalletv1.paths, app, wallet);
  if (hexOf(publicKey) !== wallet.publicKey)
    throw new TreasuryError('wallet_account_mismatch', {
      wallet: wallet.name,
      expected: wallet.address.text,
      found: addressOfPublicKey(publicKey, wallet.network).text,
      app,
    });
  await link.keep((state) => withReady(state, message));
  if (!message.dapp_discovered) await link.send(hello(true));
};

/** True for the words of a wallet whose owner has said no: the protocol has no code for it. */
const isNo = (words: string): boolean => /reject|declin|denied|deny|cancel|refus/i.test(words);

const isYes = ({ error, signedTransaction }: Pick<SignResponse, 'error' | 'signedTransaction'>): boolean =>
  (error ?? '') === '' && signedTransaction !== '';

const resultOf = ({ signedTransaction, error }: SignResponse, wallet: RemoteWallet): string => {
  if (isYes({ error, signedTransaction })) return signedTransaction;
  if (isNo(error ?? ''))
    throw new TreasuryError('wallet_declined', { wallet: wallet.name, what: 'sign this transaction' });
  throw walletFailed(wallet.name, { code: 0, message: error ?? '' });
};

type SignRequest = Readonly<Record<string, unknown>> & { readonly sequence: number };

/** Sends a request, again whenever the wallet comes back, and waits. @throws wallet_silent, and an interruption */
const awaitResponse = async (
  link: Link,
  inbox: Inbox,
  request: SignRequest,
  wallet: RemoteWallet,
): Promise<SignResponse> => {
  const { walletWait: seconds } = wallet.settings;
  const { sequence } = request;
  const response = inbox.responseTo(sequence);
  const ended = new Promise<never>((_resolve, reject) => {
    inbox.over.addEventListener('abort', () => {
      reject(endedError(wallet, `${link.state().app} has ended it`));
    });
  });
  ended.catch(() => undefined);
  const stopReady = inbox.onReady((message) => {
    void (message.dapp_discovered ? Promise.resolve() : link.send(hello(true)))
      .then(() => link.send(request))
      .catch(() => undefined);
  });
  const pings = setInterval(() => void link.send({ action: 'ping' }).catch(() => undefined), PING_MS);
  const answered = async (): Promise<SignResponse> => {
    await link.send(request);
    wallet.asking.tell(
      `${link.state().app} (${wallet.name}) is asked to sign this transaction: look at the phone. Ctrl-C takes it back.`,
    );
    return Promise.race([response, ended]);
  };
  try {
    // Ctrl-C is heard before anything is said of it.
    const found = await waitFor(answered(), seconds, wallet.asking);
    if (found !== null) return found.value;
    const remedy = 'the request was taken back from the phone; run the same command to ask again';
    throw link.trouble() ?? new TreasuryError('wallet_silent', { wallet: wallet.name, seconds, remedy });
  } catch (error) {
    if (!inbox.over.aborted) await link.send({ action: 'sign_cancel', sequence }).catch(() => undefined);
    await link.keep((state) => ({ ...state, open: state.open.filter((one) => one.sequence !== sequence) }));
    throw error;
  } finally {
    clearInterval(pings);
    stopReady();
  }
};

/** What an earlier run has asked and was answered while nobody waited. A no is nothing to whoever asks again. */
const takeLate = async (link: Link, inbox: Inbox, digest: string): Promise<SignResponse | null> => {
  const open = link.state().open.filter((one) => one.digest === digest);
  const answers = open.flatMap(({ sequence }) => inbox.responses.get(sequence) ?? []);
  const yes = answers.find(isYes);
  if (yes !== undefined) return yes;
  const isOver = (sequence: number): boolean => answers.some((one) => one.sequence === sequence);
  await link.keep((state) => ({ ...state, open: state.open.filter((one) => !isOver(one.sequence)) }));
  return null;
};

/** The number of a request: that of an earlier run that asked the same, or the next one. */
const sequenceOf = async (link: Link, digest: string): Promise<number> => {
  const known = link.state().open.find((one) => one.digest === digest);
  if (known !== undefined) return known.sequence;
  const sequence = link.state().nextSequence;
  await link.keep((state) => ({
    ...state,
    nextSequence: sequence + 2,
    open: [...state.open, { sequence, digest }],
  }));
  return sequence;
};

/**
 * What the wallet answers: raw hex. An answer that came while nobody waited is taken by whoever asks the same next.
 *
 * @throws wallet_offline, wallet_account_mismatch, wallet_declined, wallet_failed, wallet_silent, wallet_session_ended,
 *   wallet_unsupported, relay_unavailable, and an interruption
 */
export const askToSign = async (
  link: Link,
  inbox: Inbox,
  wallet: RemoteWallet,
  transaction: WalletTransaction,
): Promise<string> => {
  const { sourceOutputs, transaction: raw, userPrompt } = transaction;
  const digest = createHash('sha256')
    .update(JSON.stringify([raw, sourceOutputs]))
    .digest('hex');
  const late = await takeLate(link, inbox, digest);
  if (late !== null) wallet.asking.tell(`${link.state().app} (${wallet.name}) has agreed to it meanwhile.`);
  else await greet(link, inbox, wallet);
  const owner = {
    address: wallet.address,
    publicKey: new Uint8Array(Buffer.from(wallet.publicKey, 'hex')),
  };
  const inputs = inputsToSign(decodeWalletTransaction(transaction), owner);
  const sequence = await sequenceOf(link, digest);
  const request = {
    action: 'sign_transaction_request',
    sequence,
    transaction: {
      transaction: raw,
      sourceOutputs,
      broadcast: false,
      ...(userPrompt === undefined ? {} : { userPrompt }),
    },
    inputPaths: inputs.map((input) => [input, PATH.name, PATH.index]),
  };
  const response = late ?? (await awaitResponse(link, inbox, request, wallet));
  await link.keep((state) => ({ ...state, open: state.open.filter((one) => one.digest !== digest) }));
  return resultOf(response, wallet);
};
