/** A session of WizardConnect as it is kept, what wallets say, and what becomes of a session by it. Pure. */
import { z } from 'zod';

const hex = (bytes: number) => z.string().regex(new RegExp(`^[0-9a-f]{${bytes * 2}}$`));

const Paths = z.array(z.object({ name: z.string(), xpub: z.string() }));

/** What a wallet has said to a request: raw hex, or its words for why not. */
const Answer = z.object({ signedTransaction: z.string(), error: z.string().nullable() });
export type Answer = z.output<typeof Answer>;

/** What was asked and is not over yet. */
const OpenRequest = z.object({
  sequence: z.int(),
  /** Of what was asked: the same command asks the same. */
  digest: z.string(),
  /** Null: there is none yet. */
  answer: Answer.nullable(),
});
export type OpenRequest = z.output<typeof OpenRequest>;

export const WizardState = z.object({
  privateKey: hex(32),
  secret: hex(8),
  relayUrls: z.array(z.string()).min(1),
  /** Null: nobody has answered yet. */
  walletKey: hex(32).nullable(),
  app: z.string(),
  paths: Paths,
  /** Which of these keys is the wallet's. */
  path: z.object({ name: z.string(), index: z.int() }),
  /** True: the wallet takes long messages in parts. */
  takesParts: z.boolean(),
  /** The highest time of a message of the wallet, unix seconds: what is older is dropped. */
  mark: z.int(),
  /** The highest time of a message to the wallet. */
  lastTime: z.int(),
  nextSequence: z.int(),
  /** Wraps that were taken already. */
  seen: z.array(z.string()),
  open: z.array(OpenRequest),
  /** Why the session is over; null: it is not. */
  ended: z.string().nullable(),
});
export type WizardState = z.output<typeof WizardState>;

/** What wallets say. What one adds of its own is passed by. */
export const WalletMessage = z.discriminatedUnion('action', [
  z.object({
    action: z.literal('wallet_ready'),
    time: z.int(),
    supported_protocols: z.array(z.string()),
    wallet_name: z.string().catch(''),
    dapp_discovered: z.boolean().catch(false),
    public_key: z.string(),
    secret: z.string(),
    session: z.object({ hdwalletv1: z.object({ paths: Paths }) }).catch({ hdwalletv1: { paths: [] } }),
    extensions: z.object({ chunk: z.object({ version: z.literal(1) }).optional() }).catch({}),
  }),
  z.object({
    action: z.literal('sign_transaction_response'),
    time: z.int(),
    sequence: z.int(),
    signedTransaction: z.string().catch(''),
    error: z.string().nullable().catch(null),
  }),
  z.object({
    action: z.literal('disconnect'),
    time: z.int(),
    reason: z.string().catch(''),
    message: z.string().catch(''),
  }),
  z.object({ action: z.literal('ping'), time: z.int() }),
  z.object({ action: z.literal('pong'), time: z.int() }),
]);
export type WalletMessage = z.output<typeof WalletMessage>;
export type WalletReady = Extract<WalletMessage, { readonly action: 'wallet_ready' }>;
export type SignResponse = Extract<WalletMessage, { readonly action: 'sign_transaction_response' }>;
export type Disconnect = Extract<WalletMessage, { readonly action: 'disconnect' }>;

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
