/** What a phone can be ordered to do: each order with its arguments and what it answers. */
import type { Behaviour, Meeting, PhoneOptions } from './behaviour.js';
import type { WizManner } from './wizardconnect.js';

export type Orders = {
  /** Scans a `wc:` or `wiz:` code, and waits for what comes. */
  readonly scan: (uri: string) => void;
  /** What is done with the next proposals, one after another; after them, and without: accepted. */
  readonly meet: (...meetings: Meeting[]) => void;
  /** What is done with the next requests, one after another; after them, and without: signed. */
  readonly plan: (...behaviours: Behaviour[]) => void;
  /** Decides what waits on the screen. Answers how many that were. */
  readonly tap: (behaviour: Behaviour) => number;
  /** Cuts the line. */
  readonly leave: () => void;
  /** Is back on the line, and picks up what has waited. */
  readonly come: () => void;
  /** Turns to another account of the seed; announces it by an update, an event, or neither; `id` is theirs (an old one). */
  readonly switchAccount: (
    index: number,
    say?: { readonly update?: boolean; readonly event?: boolean; readonly id?: number },
  ) => void;
  /** Ends the session (WizardConnect: `message` is the reason). */
  readonly endSession: (code?: number, message?: string) => void;
  /** WalletConnect: any request of the wallet on its session. Answers its id. */
  readonly request: (method: string, params: unknown, with_?: { readonly id?: number }) => number;
  /** WalletConnect: the same, and the answer of the other side. */
  readonly ask: (
    method: string,
    params: unknown,
    milliseconds?: number,
  ) => { readonly result?: unknown; readonly error?: unknown };
  /** WalletConnect: any envelope on the session's topic. */
  readonly sendRaw: (message: string, tag: number) => void;
  /** Any JSON, sealed as it should be. */
  readonly sendSealed: (body: unknown, tag?: number) => void;
  /** WizardConnect: says any message of its protocol, as itself or as somebody else. */
  readonly say: (body: unknown, manner?: WizManner) => void;
  /** The address that it signs for now, its public key as hex, and the address of the stranger whose key lies use. */
  readonly account: () => {
    readonly address: string;
    readonly publicKey: string;
    readonly foreignAddress: string;
  };
};

export type OrderName = keyof Orders;
/** From the test to the phone. The first one is `options`. */
export type OrderMessage =
  | { readonly options: PhoneOptions }
  | { readonly id: number; readonly order: OrderName; readonly args: readonly unknown[] };
/** From the phone to the test. */
export type PhoneMessage =
  | { readonly event: { readonly kind: string } & Record<string, unknown> }
  | { readonly id: number; readonly result?: unknown; readonly error?: string };
