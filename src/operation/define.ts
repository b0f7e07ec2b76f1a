/** What an operation is: declared once; routes, commands and documents derive from it. */
import type { z } from 'zod';
import type { ErrorCode } from '../errors.js';
import type { Caller, Context } from './context.js';
import type { Guide } from './guide.js';
import type { Awaitable, StoreReader } from './ports/store.js';
import type { EachItem, LeftOut, RowFacts, SheetFace } from './many.js';
import type { View } from './view.js';

export * from './declared-errors.js';
export type * from './many.js';
export type * from './view.js';

/**
 * Who may ask.
 * `none`: anyone. `optional`: anyone, and a header or token is read when one is sent.
 * `address`: a caller named by x-user-address or a token. `bearer`: a caller proven by a token.
 */
export type Auth = 'none' | 'optional' | 'address' | 'bearer';

/**
 * What a key for scripts may do with an operation, where its route and its reply do not say it.
 *
 * `never`: it gives somebody power that outlives the key, or is about keys. `open`: everybody is answered, whatever is
 * sent and also where keys are required. `public`: it concerns no record. `measured`: nothing of it moves money, so
 * that a key with a maximum may do it. `unmeasured`: what it moves does not stand in the transaction that it hands out.
 */
export type ForKeys = 'never' | 'open' | 'public' | 'measured' | 'unmeasured';

type CallerOf<A extends Auth> = A extends 'none' ? null : A extends 'optional' ? Caller | null : Caller;

/** What `run` gets: the ports and the caller. */
export type RunContext<A extends Auth = Auth> = Context & { readonly caller: CallerOf<A> };

export type HttpRoute = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** With `:name` segments, which become input fields. */
  readonly path: string;
  /** Default 200. */
  readonly status?: 200 | 201;
  /** True when the operation creates something: `Idempotency-Key` is then honoured. */
  readonly creates?: boolean;
  /** The largest body that is read, in bytes. Default 64 KiB; 16 KiB where nobody is asked who they are. */
  readonly bodyLimit?: number;
  /** Headers of a successful answer: fixed, or worked out from the reply. */
  readonly headers?: Headers | ((reply: Readonly<Record<string, unknown>>) => Headers);
  /** The reply as a text of its own type (CSV); null: JSON, as ever. */
  readonly text?: (reply: Readonly<Record<string, unknown>>) => TextAnswer | null;
  /** Present: it is answered without end, as Server-Sent Events. */
  readonly stream?: StreamFace;
};

/**
 * How an operation is answered without end: it is run again and again, each time from the cursor on that the reply before
 * it came to, and whenever there may be more. So whatever is checked before it runs is checked at each delivery.
 */
export type StreamFace = {
  /** The input field that takes the cursor: the query has it, or the header `Last-Event-ID`. */
  readonly cursor: string;
  /** Where it is another text there may be more. */
  readonly state: (store: StoreReader) => Promise<string>;
  readonly page: (reply: Readonly<Record<string, unknown>>) => StreamPage;
};

/** What one run has to say. */
export type StreamPage = {
  readonly messages: readonly {
    /** The cursor behind it. */
    readonly id: number;
    readonly event: string;
    /** Sent as JSON. */
    readonly data: unknown;
  }[];
  readonly cursor: number;
  /** True: there is more already. */
  readonly hasMore: boolean;
};

type Headers = Readonly<Record<string, string>>;

/** An answer that is no JSON. */
export type TextAnswer = {
  readonly contentType: string;
  /** The name that a browser saves it under. */
  readonly fileName: string;
  readonly text: string;
};

export type CommandFace = {
  /** Default: the last part of the operation's id. */
  readonly verb?: string;
  /** Input fields taken by position, in order; all others are flags. Default: the path's segments. */
  readonly positional?: readonly string[];
  /** Input fields that the caller's own address fills when they are left out. */
  readonly callerFields?: readonly string[];
  /** Input fields that are never asked for or shown as flags. */
  readonly hidden?: readonly string[];
  /** Ends something for good: asks for the record's label, or takes `--confirm <label>`. */
  readonly ending?: boolean;
  /** The home is opened as it is: nothing of it is made, and what cannot be opened answers every question with why. */
  readonly inspectOnly?: boolean;
  /** True: it moves nothing, and no covenant is needed to tell whom one may pay. */
  readonly readsOnly?: true;
  /** True: where there is no home it makes none, and says how one is made. */
  readonly makesNoHome?: true;
  /** True: it touches the files of the home alone, so that no chain is opened for it and no clock but the wall's is right. */
  readonly homeOnly?: true;
  /** What is asked before it is done, for the decoded input; null: nothing. `--yes` answers it. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the input is what the operation's schema decodes
  readonly asks?: (input: any, context: Context) => Awaitable<string | null>;
  /**
   * The asset of the record that the raw input names: amounts with a unit have to be in it. Absent: the `tokenCategory`
   * beside an amount says it.
   *
   * @throws the record's `_not_found` code
   */
  readonly assetOf?: (
    input: Readonly<Record<string, unknown>>,
    store: StoreReader,
  ) => Promise<{ readonly category: string | null; readonly symbol: string } | null>;
  /**
   * What is shown on stderr before it is done: the answer of another operation to as much of the input as that takes.
   * On a terminal `question` is asked then.
   */
  readonly showsFirst?: { readonly operation: AnyOperation; readonly question?: string };
  /** A table of rows that `--file` takes in the place of one of its fields. */
  readonly sheet?: SheetFace;
  /** One example line without the leading `treasury`. */
  readonly example?: string;
  /**
   * How a create is asked for at a terminal, where its schema does not say it. Absent: every operation whose route
   * `creates` is asked field by field; `false`: only what is required is.
   */
  readonly guide?: Guide | false;
  /** What would be made, drawn before it is: of the reply that the operation would give. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the reply is that of the operation
  readonly preview?: (reply: any) => View;
  /** Where the page shows what a reply is about, as a path (`page-paths.ts`); null: nowhere. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the reply is that of the operation
  readonly page?: (reply: any) => string | null;
  /** Columns of lists of objects that are flags of their own, given once for each row: `{ outputs: ['to', 'amount'] }`. */
  readonly rows?: Readonly<Record<string, readonly string[]>>;
};

export type Operation<
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
  A extends Auth = Auth,
> = {
  /** `noun.verb`, unique. */
  readonly id: string;
  /** One sentence without a full stop. */
  readonly summary: string;
  readonly description?: string;
  /** Absent: no route. */
  readonly http?: HttpRoute;
  /** `false`: no command. */
  readonly cli?: CommandFace | false;
  readonly auth: A;
  /**
   * The input field that names the caller where no header does and the header would be taken on its word. What an
   * operation stores in somebody's name is then stored in the name of who asks.
   */
  readonly callerField?: string;
  readonly input: Input;
  readonly output: Output;
  /** The codes that `run` can throw; those that every operation can meet are added by {@link errorsOf}. */
  readonly errors: readonly ErrorCode[];
  /** What keys for scripts may do with it beyond what its route and its reply say. */
  readonly forKeys?: ForKeys;
  /** Other names of input fields: `{ recipient: 'recipientAddress' }`. */
  readonly aliases?: Readonly<Record<string, string>>;
  readonly run: (input: z.output<Input>, context: RunContext<A>) => Promise<z.output<Output>>;
  /**
   * True: it answers everybody the same for as long as the program runs, since it reads nothing. What it answers is
   * worked out and written once.
   */
  readonly isConstant?: true;
  /** How a reply reads for people. */
  readonly view?: (reply: z.input<Output>) => View;
};

/** Any operation, its types forgotten. */
export type AnyOperation = Omit<Operation, 'run' | 'view'> & {
  /* eslint-disable @typescript-eslint/no-explicit-any -- what `execute` passes was decoded by `input` */
  readonly run: (input: any, context: any) => Promise<any>;
  readonly view?: (reply: any) => View;
  /* eslint-enable @typescript-eslint/no-explicit-any */
};

/** Declares an operation. */
export const defineOperation = <Input extends z.ZodType, Output extends z.ZodType, const A extends Auth>(
  operation: Operation<Input, Output, A>,
): Operation<Input, Output, A> => operation;

/** What `--all` goes through: everything that a list finds for the caller. */
export type Each = {
  readonly list: AnyOperation;
  /** Raw input of the list, for the caller's cash address; `min` as it was typed, where `--min` was given. */
  readonly listInput: (caller: string, min?: string) => Readonly<Record<string, unknown>>;
  /** The listed things, in the order in which they are gone through. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the reply is that of `list`
  readonly items: (reply: any) => readonly EachItem[];
  /** What of the list is left alone. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the reply is that of `list`
  readonly leftOut: (reply: any) => LeftOut;
  /** Said when there is none: a sentence. */
  readonly none: string;
};

/** An on-chain action: what builds its transaction and what confirms it, in one file. */
export type Action = {
  readonly kind: 'action';
  readonly build: AnyOperation;
  readonly confirm: AnyOperation;
  /** The verb of the whole step (build, sign, broadcast, confirm): `treasury <noun> <verb>`. */
  readonly verb: string;
  readonly summary: string;
  /**
   * The record that the first `:segment` of the build's path names, by whatever finds it. Steps under way are told apart
   * by it. Absent: every one of them is about something new.
   *
   * @throws its `_not_found` code
   */
  readonly record?: (store: StoreReader, name: string) => Promise<{ readonly id: string }>;
  /** What `--dry-run` runs in place of the build, where building stores something. It takes the same input. */
  readonly check?: AnyOperation;
  /** What it comes to, shown before it is agreed to. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the reply is that of `build`
  readonly totals?: (reply: any) => View;
  /** What building has stored and nothing funds while its transaction is not sent, and how to go on with it. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the reply is that of `build`
  readonly left?: (reply: any) => View;
  /**
   * True: which coins it spends means nothing to whoever signs. When somebody else was quicker with one of them, the
   * step is built once more, where `--yes` has agreed to it.
   */
  readonly rebuilds?: true;
  /** Present: the step can be taken for all that this finds, with `--all`. */
  readonly each?: Each;
  /** Present: the step can be taken for each row of a file, of the record that the input names. @throws its `_not_found` */
  readonly rows?: (store: StoreReader, input: Readonly<Record<string, unknown>>) => Promise<RowFacts>;
};

/** Ties two operations into one whole step of the command line. */
export const defineAction = (action: Omit<Action, 'kind'>): Action => ({ kind: 'action', ...action });

/** What a product offers: operations and actions in README order. */
export type Offer = AnyOperation | Action;

/** The operations of a list of offers, in order. */
export const operationsOf = (offers: readonly Offer[]): AnyOperation[] =>
  offers.flatMap((offer) => {
    if (!('kind' in offer)) return [offer];
    const { build, confirm, check } = offer;
    return check === undefined ? [build, confirm] : [build, confirm, check];
  });

/** A noun of the command line and what it loads. The table of these is light: help for all nouns loads none. */
export type Noun = {
  readonly noun: string;
  readonly summary: string;
  /** Verbs that are loaded alone, so that a light one waits for no other. */
  readonly alone?: Readonly<Record<string, () => Promise<AnyOperation>>>;
  readonly load: () => Promise<{ readonly operations: readonly Offer[] }>;
};
