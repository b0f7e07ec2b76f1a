/** A session of WizardConnect as it is kept, what wallets say, and what becomes of a session by it. Pure. */
import {
  asRecord,
  exactly,
  fields,
  flag,
  hex,
  list,
  notEmpty,
  orElse,
  orNull,
  otherwise,
  readOr,
  text,
  whole,
  type Read,
} from '../shape.js';

const Paths = list(fields({ name: text, xpub: text }));

/** What a wallet has said to a request: raw hex, or its words for why not. */
const Answer = fields({ signedTransaction: text, error: orNull(text) });
export type Answer = Read<typeof Answer>;

/** What was asked and is not over yet. */
const OpenRequest = fields({
  sequence: whole,
  /** Of what was asked: the same command asks the same. */
  digest: text,
  /** Null: there is none yet. */
  answer: orNull(Answer),
});
export type OpenRequest = Read<typeof OpenRequest>;

export const WizardState = fields({
  privateKey: hex(32),
  secret: hex(8),
  relayUrls: notEmpty(list(text)),
  /** Null: nobody has answered yet. */
  walletKey: orNull(hex(32)),
  app: text,
  paths: Paths,
  /** Which of these keys is the wallet's. */
  path: fields({ name: text, index: whole }),
  /** True: the wallet takes long messages in parts. */
  takesParts: flag,
  /** The highest time of a message of the wallet, unix seconds: what is older is dropped. */
  mark: whole,
  /** The highest time of a message to the wallet. */
  lastTime: whole,
  nextSequence: whole,
  /** Wraps that were taken already. */
  seen: list(text),
  open: list(OpenRequest),
  /** Why the session is over; null: it is not. */
  ended: orNull(text),
});
export type WizardState = Read<typeof WizardState>;

/** What wallets say, by their `action`. What one adds of its own is passed by. */
const MESSAGES = {
  wallet_ready: fields({
    action: exactly('wallet_ready'),
    time: whole,
    supported_protocols: list(text),
    wallet_name: otherwise(text, ''),
    dapp_discovered: otherwise(flag, false),
    public_key: text,
    secret: text,
    session: otherwise(fields({ hdwalletv1: fields({ paths: Paths }) }), { hdwalletv1: { paths: [] } }),
    extensions: otherwise<{ chunk?: { version: 1 } | undefined }>(
      fields({ chunk: orElse<{ version: 1 } | undefined>(fields({ version: exactly(1) }), undefined) }),
      {},
    ),
  }),
  sign_transaction_response: fields({
    action: exactly('sign_transaction_response'),
    time: whole,
    sequence: whole,
    signedTransaction: otherwise(text, ''),
    error: otherwise<string | null>(text, null),
  }),
  disconnect: fields({
    action: exactly('disconnect'),
    time: whole,
    reason: otherwise(text, ''),
    message: otherwise(text, ''),
  }),
  ping: fields({ action: exactly('ping'), time: whole }),
  pong: fields({ action: exactly('pong'), time: whole }),
};
export type WalletMessage = Read<(typeof MESSAGES)[keyof typeof MESSAGES]>;
export type WalletReady = Extract<WalletMessage, { readonly action: 'wallet_ready' }>;
export type SignResponse = Extract<WalletMessage, { readonly action: 'sign_transaction_response' }>;
export type Disconnect = Extract<WalletMessage, { readonly action: 'disconnect' }>;

const isAction = (action: unknown): action is keyof typeof MESSAGES =>
  typeof action === 'string' && Object.hasOwn(MESSAGES, action);

/** Null for what no wallet says. */
export const readWalletMessage = (value: unknown): WalletMessage | null => {
  const { action } = asRecord(value);
  return isAction(action) ? readOr<WalletMessage>(MESSAGES[action], value) : null;
};

/** A message of the wallet itself, with the wrap that it came in. */
export type Heard = { readonly id: string; readonly from: string; readonly message: WalletMessage };

/** As many wraps are known again, which is more than relays give at once; and by so many digits of their ids. */
const KEPT_SEEN = 500;
const KEPT_DIGITS = 16;

const shortId = (id: string): string => id.slice(0, KEPT_DIGITS);

/** True for a wrap that was taken already. */
export const isSeen = ({ seen }: Pick<WizardState, 'seen'>, id: string): boolean =>
  seen.includes(shortId(id));

/** The session with wraps that need not be opened again. */
export const withSeen = (state: WizardState, ids: readonly string[]): WizardState => {
  const fresh = ids.filter((id) => !isSeen(state, id)).map(shortId);
  return fresh.length === 0 ? state : { ...state, seen: [...state.seen, ...fresh].slice(-KEPT_SEEN) };
};

/** The session once a message was taken in; the same where it is old, or was taken before. */
export const withHeard = (state: WizardState, { id, from, message }: Heard): WizardState => {
  const isStranger = state.walletKey !== null && state.walletKey !== from;
  if (isStranger || message.time < state.mark || isSeen(state, id) || state.ended !== null) return state;
  const next: WizardState = {
    ...withSeen(state, [id]),
    walletKey: from,
    mark: message.time,
  };
  if (message.action === 'disconnect')
    return { ...next, ended: [`${state.app} has ended it`, message.message].filter(Boolean).join(': ') };
  if (message.action !== 'sign_transaction_response') return next;
  const { sequence, signedTransaction, error } = message;
  // The first answer counts.
  const answered = (one: OpenRequest): OpenRequest =>
    one.sequence === sequence && one.answer === null ? { ...one, answer: { signedTransaction, error } } : one;
  return { ...next, open: next.open.map(answered) };
};

/** True for an answer with a signature in it, whatever that is. */
export const isYes = ({ signedTransaction, error }: Answer): boolean =>
  error === null || (error === '' && signedTransaction !== '');
