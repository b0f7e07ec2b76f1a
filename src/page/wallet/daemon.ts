/** What the daemon does for a wallet in the page: logins, and checking what was signed. */
import type { Proof } from '../../wallet-protocols/remote-wallet.js';
import { fields, flag, orNull, readOr, text, whole, type Reader } from '../../wallet-protocols/shape.js';
import { PageFailure } from './failure.js';
import type { AskDaemon, PageWalletSettings, SignedAnswer, WalletTransaction } from './port.js';
import { NO_ANSWER_OF_SERVICE } from './words.js';

const Challenge = fields({ challenge: text });
const Token = fields({ accessToken: text, expiresAt: whole, publicKey: orNull(text) });
const Checked = fields({ transaction: text, txHash: text, complete: flag, publicKey: text });

const post = async <T>(ask: AskDaemon, path: string, body: unknown, reader: Reader<T>): Promise<T> => {
  const read = readOr(reader, await ask('POST', path, body));
  if (read !== null) return read;
  throw new PageFailure('unexpected', {}, { text: NO_ANSWER_OF_SERVICE, retryable: false });
};

/** A token is not used any more when it is good for less, seconds. */
const LEAST_LEFT_SECONDS = 30;

const nowSeconds = (): number => Math.floor(Date.now() / 1_000);

/** Logins. The token is in memory only. */
export const createAccess = ({ ask, facts }: Pick<PageWalletSettings, 'ask' | 'facts'>) => {
  let token: { readonly text: string; readonly address: string; readonly expiresAt: number } | null = null;
  const isGood = (address: string): boolean =>
    token?.address === address && token.expiresAt > nowSeconds() + LEAST_LEFT_SECONDS;
  const proof: Proof = {
    textFor: async ({ text: address }) =>
      facts.trustsAddressHeader
        ? null
        : (await post(ask, '/api/auth/challenge', { address }, Challenge)).challenge,
    check: async ({ address, text: challenge, signature, app }) => {
      const body = { address: address.text, challenge, signature };
      const { accessToken, expiresAt, publicKey } = await post(ask, '/api/auth/token', body, Token).catch(
        (error: unknown) => {
          const code = (error as { readonly code?: unknown }).code;
          if (code !== 'invalid_signature' && code !== 'invalid_input') throw error;
          const reason = 'what it has signed is no signature of it';
          throw new PageFailure('wallet_proof_failed', { app, address: address.text, reason });
        },
      );
      // Where the clocks of daemon and device are apart, the daemon says when it is over.
      const isOver = expiresAt <= nowSeconds() + LEAST_LEFT_SECONDS;
      token = { text: accessToken, address: address.text, expiresAt: isOver ? Infinity : expiresAt };
      // A key that is written in full signs no transaction here.
      return publicKey ?? '';
    },
  };
  return {
    proof,
    needsLogin: (address: string): boolean => !facts.trustsAddressHeader && !isGood(address),
    headers: (address: string): Readonly<Record<string, string>> => {
      if (facts.trustsAddressHeader) return { 'x-user-address': address };
      return token !== null && isGood(address) ? { authorization: `Bearer ${token.text}` } : {};
    },
    forget: (): void => {
      token = null;
    },
  };
};

export type Access = ReturnType<typeof createAccess>;

/** Lets the daemon hold an answer against what was asked. @throws wallet_answer_differs, wallet_account_mismatch, and what it has */
export const checkAnswer = async (
  ask: AskDaemon,
  asked: WalletTransaction,
  answer: string,
  address: string,
): Promise<SignedAnswer> => {
  const body = { asked, answer, address };
  const { transaction, txHash, complete, publicKey } = await post(
    ask,
    '/api/transactions/check',
    body,
    Checked,
  );
  return { transaction, txid: txHash, isComplete: complete, publicKey };
};
