/** What an operation may touch: the ports, and nothing else. */
import type { Address } from '../bch/address.js';
import type { Network } from '../bch/network.js';
import type { PhonePlaces } from '../settings/phone-places.js';
import type { AccessPort } from './ports/access.js';
import type { ChainPort, LocalChainPort } from './ports/chain.js';
import type { KnownCovenants } from './ports/covenants.js';
import type { TellEvent } from './ports/events.js';
import type { KeysPort } from './ports/keys.js';
import type { MessengerPort } from './ports/messenger.js';
import type { MetersPort } from './ports/meters.js';
import type { PricePort } from './ports/price.js';
import type { ProbesPort } from './ports/probes.js';
import type { ProcessesPort } from './ports/processes.js';
import type { TextFilesPort } from './ports/text-files.js';
import type { Spending } from './ports/spending.js';
import type { StorePort, StoreWriter } from './ports/store.js';
import type { Surroundings } from './ports/surroundings.js';

/** Time, in unix seconds. */
export type Clock = {
  /** The service's clock; on `local` it is the chain's. */
  readonly now: () => number;
  /** The wall clock. */
  readonly wall: () => number;
};

/** A log of one line per call; `fields` never hold a token, passphrase or signature. */
export type Log = {
  readonly info: (fields: Record<string, unknown>, message: string) => void;
  readonly warn: (fields: Record<string, unknown>, message: string) => void;
  readonly error: (fields: Record<string, unknown>, message: string) => void;
};

/** What whoever makes a record calls it, and notes. */
export type OwnWords = { readonly label: string | null; readonly note: string | null };

export type Context = {
  readonly network: Network;
  /** The data folder. */
  readonly home: string;
  /** Name and version of this program. */
  readonly program: { readonly name: string; readonly version: string };
  readonly store: StorePort;
  /** Calls back after each commit of this process; returns how to stop that. Those of others are seen by `refresh`. */
  readonly onCommit?: (listener: () => void) => () => void;
  readonly chain: ChainPort;
  /** The embedded chain's own controls; null on every other network. */
  readonly localChain: LocalChainPort | null;
  readonly keys: KeysPort;
  readonly access: AccessPort;
  readonly price: PricePort;
  readonly probes: ProbesPort;
  readonly meters: MetersPort;
  /** Signed messages to addresses that others name. */
  readonly messenger: MessengerPort;
  /** The covenants of this home, for whoever pays somebody. */
  readonly covenants: KnownCovenants;
  readonly processes: ProcessesPort;
  readonly textFiles: TextFilesPort;
  /** What the home stands on; only where it was opened as it is. */
  readonly surroundings?: Surroundings;
  readonly clock: Clock;
  /** That many random bytes. */
  readonly random: (length: number) => Uint8Array;
  /** A random uuid. */
  readonly uuid: () => string;
  readonly log: Log;
  /** True where the operator asks, at the terminal. */
  readonly isOperator?: boolean;
  /** What is said of the record that is made now; only where a request may say it. */
  readonly ownWords?: OwnWords;
  /** What tells events, loaded before the change that it is to tell in; left out where there is no log. */
  readonly eventTeller?: () => Promise<TellEvent>;
  /** What keeps a request under the maximum of its key; only where it came with a key that has one. */
  readonly spending?: Spending;
  /** How the home is served: as it is by the daemon that asks, or would be with the settings of a command. */
  readonly serving?: Serving;
  /** True where the operator asks, at the terminal. */
  readonly isAtTerminal?: boolean;
  /** Keeps a reply in the commit that made what it tells of; only where a repetition of the request may ask for it. */
  readonly keepAnswer?: (writer: StoreWriter, reply: Readonly<Record<string, unknown>>) => Promise<void>;
};

/** How a home is served. */
export type Serving = {
  /** True where `x-user-address` is taken without a token. */
  readonly trustsAddressHeader: boolean;
  /** True where keys for scripts are taken and nothing else. */
  readonly requiresKeys: boolean;
  /** Where the page reaches phones; null: no page is served. */
  readonly phones?: PhonePlaces | null;
};

/** Who is asking, as far as it is known. */
export type Caller = Address;
