/** Something that is signed on a phone: what builds it, where its answer goes, and what confirms it. */
import type { Block, Reply } from '../replies.js';
import type { PageFailure } from '../failure.js';
import type { SignedAnswer, WalletTransaction } from '../wallet/port.js';

/** A request of the API. */
export type Request = { readonly path: string; readonly body: Readonly<Record<string, unknown>> };

/**
 * A step. It is plain JSON: it is kept with what the phone was asked, so that a page that was left goes on with it.
 *
 * @example { title: 'Claim 0.1 BCH', build: { path: '/api/streams/STREAM-0001/claim', body: {} },
 *   confirm: '/api/streams/STREAM-0001/confirm-claim', command: 'streams claim STREAM-0001', page: '/app/streams/STREAM-0001' }
 */
export type Step = {
  /** What it does, as its button says it. */
  readonly title: string;
  /** Answers with a `wcTransaction`, or with the `preparationTransaction` that has to come first. */
  readonly build: Request;
  /** Where what was signed goes, and the field that takes it. Absent: it is broadcast. */
  readonly deliver?: { readonly path: string; readonly field: string };
  /** What confirms it on chain, by its `txHash`; null: it is done once it is delivered. */
  readonly confirm: string | null;
  /** What is said beside `txHash` where it is confirmed. */
  readonly confirmWith?: Readonly<Record<string, unknown>>;
  /** The same at the terminal, without the program's name. */
  readonly command: string;
  /** The page that it belongs to. */
  readonly page: string;
  /** The only address that can sign it. Absent: the daemon says whether who asks may. */
  readonly signer?: string;
};

/** Which of two prompts of the phone it is; null: there is one. */
export type Turn = 'preparation' | 'after-preparation' | null;

/** What is kept with a request to the phone. */
export type Purpose = { readonly step: Step; readonly turn: Turn };

/** What a step needs of the rest of the page. */
export type StepPorts = {
  /** @throws PageFailure */
  readonly post: (path: string, body: unknown) => Promise<Reply>;
  /** Proves to the daemon who asks, where that is needed; the phone may be asked for it. */
  readonly login: (tell: (text: string) => void) => Promise<void>;
  readonly sign: (
    transaction: WalletTransaction,
    purpose: Purpose,
    tell: (text: string) => void,
  ) => Promise<SignedAnswer>;
  /** Goes on waiting for what the phone was asked for this; null: it was asked nothing, or something else. */
  readonly resumeOf: (purpose: Purpose) => ((tell: (text: string) => void) => Promise<SignedAnswer>) | null;
  /** What the phone was asked is done with: nobody goes on with it after a reload. */
  readonly forget: () => void;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly show: (stage: Stage) => void;
};

/** What can be done now. */
export type Go = () => Promise<void>;

/** How far a step is. Whatever the reader may do next stands in it. */
export type Stage =
  | { readonly kind: 'building' }
  /** Shown before it is signed: `agree` asks the phone. */
  | {
      readonly kind: 'review';
      readonly turn: Turn;
      readonly view: readonly Block[];
      readonly digest: string | null;
      readonly agree: Go;
    }
  /** On the phone now. */
  | { readonly kind: 'waiting'; readonly turn: Turn; readonly text: string; readonly digest: string | null }
  | { readonly kind: 'sending' }
  | { readonly kind: 'confirming'; readonly txid: string }
  | { readonly kind: 'done'; readonly txid: string | null; readonly reply: Reply }
  /** There is nothing to sign. */
  | { readonly kind: 'nothing'; readonly view: readonly Block[] }
  /** `again` takes up where it failed; `sent` is what has gone out before. */
  | {
      readonly kind: 'failed';
      readonly failure: PageFailure;
      readonly again: Go;
      readonly sent: string | null;
    };
