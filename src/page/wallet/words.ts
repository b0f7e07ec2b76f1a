/**
 * What is said of wallets on phones in the page. The codes are those of the command line, and so are the words, but where the
 * command line names a command. English; a test holds each against the table of errors.
 */
import type { Words } from '../../wallet-protocols/remote-wallet.js';

type FailureWords = {
  readonly text: string;
  /** True when the same may succeed later without being changed. */
  readonly retryable?: true;
};

/** By the codes of `src/errors.ts`. `{name}` is filled from the details. */
export const FAILURES: Readonly<Record<string, FailureWords>> = {
  project_id_missing: {
    text: 'This service has no project id for WalletConnect: choose WizardConnect, or ask whoever runs it to set TREASURY_WALLETCONNECT_PROJECT_ID.',
  },
  project_id_refused: {
    text: 'The relay {relay} refuses the project id {projectId} ({reason}): choose WizardConnect, or ask whoever runs this service to look at TREASURY_WALLETCONNECT_PROJECT_ID.',
  },
  relay_unavailable: {
    text: 'The relay {relay} cannot be reached ({reason}). Try again shortly.',
    retryable: true,
  },
  wallet_account_mismatch: {
    text: 'The wallet {wallet} is {expected}, and {app} speaks for {found} now: choose the first one in the app, or connect the other.',
  },
  wallet_answer_differs: {
    text: 'What {wallet} has signed is not what it was asked to sign ({reason}): nothing was sent.',
  },
  wallet_busy: {
    text: 'The wallet {wallet} is being asked already: answer that on the phone, or cancel it.',
    retryable: true,
  },
  wallet_declined: {
    text: 'The wallet {wallet} has declined to {what}: nothing was signed and nothing was sent.',
  },
  wallet_failed: {
    text: 'The wallet {wallet} answers with an error of its own ({reason}): nothing was sent.',
  },
  wallet_network_mismatch: {
    text: 'The wallet {app} is on {found}, and this service works on {network} ({chain}): change the network in the wallet.',
  },
  wallet_not_paired: { text: 'No wallet has answered within {seconds} seconds: {remedy}.', retryable: true },
  wallet_offline: {
    text: 'The wallet {wallet} does not answer, nor does it say that it is there ({seconds} seconds): open {app} on the phone, then ask again.',
    retryable: true,
  },
  wallet_proof_failed: {
    text: 'The wallet {app} has not proven that {address} is its own ({reason}): it was not connected.',
  },
  wallet_session_ended: { text: 'The session with {wallet} has ended ({reason}): connect it again.' },
  wallet_silent: {
    text: 'The wallet {wallet} is there, and nobody has answered within {seconds} seconds: {remedy}.',
    retryable: true,
  },
  wallet_unsupported: { text: '{app} cannot do this: {reason}.' },
  // The page's own.
  interrupted: { text: 'You have stopped waiting: nothing was sent.' },
  nothing_pending: { text: 'Nothing waits for a signature.' },
  wallet_not_connected: { text: 'No wallet is connected: connect one first.' },
};

/** A wallet without a name yet. */
export const UNNAMED = 'on the phone';

export const NO_CONNECTION = 'no connection';
export const NO_CONNECTION_IN_TIME = 'no connection in time';
export const DEVICE_OFFLINE = 'this device is offline';
export const NO_ANSWER_OF_SERVICE = 'the service has answered nothing that can be read';

/** What the page says while somebody is waited for. */
export const WORDS: Omit<Words, 'sayFailure'> = {
  description: 'The page of a treasury',
  asked: ({ app }, what) => `${app} is asked to ${what}: look at the phone.`,
  askedAlready: ({ app }, what) => `${app} was asked to ${what} already, and still is: look at the phone.`,
  agreedMeanwhile: ({ app }) => `${app} has agreed to it meanwhile.`,
  openApp: (app) => `Open ${app} on the phone: WizardConnect needs both sides at once.`,
  appIsGone: (app) => `${app} is not there any more: open it on the phone to go on.`,
  takenBack: 'the request was taken back from the phone; ask again',
  stillThere:
    'the request may still be on the phone; agree to it there, and ask for the same again, which takes the answer',
  notTakenBack: 'the request could not be taken back from the phone; decline it there, or ask again',
  nobodyCame: (network) =>
    `scan anew; a wallet on another network does not answer, and this service works on ${network}`,
};

/** The sentence of a failure. A detail that is not there stays a gap. */
export const sentenceOf = (code: string, details: Readonly<Record<string, unknown>>): string | null =>
  FAILURES[code]?.text.replace(/\{(\w+)\}/g, (gap, name: string) => {
    const value = details[name];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : gap;
  }) ?? null;
