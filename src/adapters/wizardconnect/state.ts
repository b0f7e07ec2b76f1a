/** A session of WizardConnect as it is kept. */
import { z } from 'zod';

const hex = (bytes: number) => z.string().regex(new RegExp(`^[0-9a-f]{${bytes * 2}}$`));

const Paths = z.array(z.object({ name: z.string(), xpub: z.string() }));

export const WizardState = z.object({
  privateKey: hex(32),
  secret: hex(8),
  relayUrl: z.string(),
  /** Null: nobody has answered yet. */
  walletKey: hex(32).nullable(),
  app: z.string(),
  paths: Paths,
  /** True: the wallet takes long messages in parts. */
  takesParts: z.boolean(),
  /** The highest time of a message of the wallet, unix seconds: what is older is dropped. */
  mark: z.int(),
  /** The highest time of a message to the wallet. */
  lastTime: z.int(),
  nextSequence: z.int(),
  /** Wraps that were taken already. */
  seen: z.array(z.string()),
  /** What waits for an answer: its number, and what was asked. */
  open: z.array(z.object({ sequence: z.int(), digest: z.string() })),
  ended: z.string().nullable(),
});
export type WizardState = z.output<typeof WizardState>;

/** What wallets say. */
export const WalletMessage = z.discriminatedUnion('action', [
  z.object({
    action: z.literal('wallet_ready'),
    time: z.int(),
    supported_protocols: z.array(z.string()),
    wallet_name: z.string().default(''),
    dapp_discovered: z.boolean().default(false),
    public_key: z.string(),
    secret: z.string(),
    session: z.object({ hdwalletv1: z.object({ paths: Paths }) }),
    extensions: z.object({ chunk: z.object({ version: z.int() }).optional() }).default({}),
  }),
  z.object({
    action: z.literal('sign_transaction_response'),
    time: z.int(),
    sequence: z.int(),
    signedTransaction: z.string(),
    error: z.string().nullish(),
  }),
  z.object({
    action: z.literal('disconnect'),
    time: z.int(),
    reason: z.string(),
    message: z.string().optional(),
  }),
  z.object({ action: z.literal('ping'), time: z.int() }),
  z.object({ action: z.literal('pong'), time: z.int() }),
]);
export type WalletMessage = z.output<typeof WalletMessage>;
export type WalletReady = Extract<WalletMessage, { readonly action: 'wallet_ready' }>;
export type SignResponse = Extract<WalletMessage, { readonly action: 'sign_transaction_response' }>;

/** The latest wraps. Those before them are opened again, and found to be old. */
const KEPT_SEEN = 500;

export const withSeen = (state: WizardState, ids: readonly string[]): WizardState => ({
  ...state,
  seen: [...new Set([...state.seen, ...ids])].slice(-KEPT_SEEN),
});
