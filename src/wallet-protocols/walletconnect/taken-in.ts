/** What a wallet says by itself, and what becomes of a session by it. Pure. */
import { asRecord } from '../shape.js';
import type { Incoming, Method, PeerError } from './messages.js';
import { readNamespaces, SESSION_SECONDS, type SessionState } from './state.js';

export type TakenIn = {
  readonly state: SessionState;
  /** Null: it is not answered. */
  readonly answer: { readonly result: true } | { readonly error: PeerError } | null;
};

/** Source: WalletConnect v2, error codes. */
const INVALID_UPDATE: PeerError = { code: 1003, message: 'Invalid update request' };

const takeUpdate = (state: SessionState, id: number, namespaces: unknown): TakenIn => {
  const granted = readNamespaces(namespaces, state.chain);
  if (granted === null || id < state.lastUpdate) return { state, answer: { error: INVALID_UPDATE } };
  const { accounts, methods } = granted;
  return { state: { ...state, accounts, methods, lastUpdate: id }, answer: { result: true } };
};

const takeEvent = (state: SessionState, id: number, event: unknown): TakenIn => {
  // What is older than what was heard already says how it was.
  if (id < state.lastEvent) return { state, answer: null };
  const isMoved = state.isMoved || asRecord(event)['name'] === 'addressesChanged';
  return { state: { ...state, lastEvent: id, isMoved }, answer: { result: true } };
};

/**
 * A request of the wallet.
 *
 * @param now unix seconds
 * @returns the session after it, and what the wallet is answered
 */
export const takeIn = (
  state: SessionState,
  { id, method, params }: Pick<Incoming, 'params'> & { readonly id: number; readonly method: Method },
  now: number,
): TakenIn => {
  const fields = asRecord(params);
  const isNumbered = Number.isSafeInteger(id);
  switch (method) {
    case 'wc_sessionPing':
      return { state, answer: { result: true } };
    case 'wc_sessionUpdate':
      return isNumbered
        ? takeUpdate(state, id, fields['namespaces'])
        : { state, answer: { error: INVALID_UPDATE } };
    case 'wc_sessionExtend':
      return { state: { ...state, expiry: now + SESSION_SECONDS }, answer: { result: true } };
    case 'wc_sessionEvent':
      return isNumbered ? takeEvent(state, id, fields['event']) : { state, answer: null };
    case 'wc_sessionDelete':
      return { state: { ...state, ended: `${state.app} has ended it` }, answer: { result: true } };
    // A second settlement changes nothing, and nothing is asked of this side.
    default:
      return { state, answer: null };
  }
};
