/**
 * What the registry, the audit, the monitor and the rebuild need to know of a covenant product.
 *
 * Each product's `index.ts` exports its own; those who use them receive the list and import no product.
 */
import type { Address } from '../bch/address.js';
import type { ContractTerms } from '../bch/fields.js';
import type { Network } from '../bch/network.js';
import { artifactOf, pinnedFingerprint } from '../covenant/artifact.js';
import type { CovenantContract } from '../covenant/covenant-contract.js';
import type { Finding, GenesisMember } from '../covenant/genesis.js';
import type { StrayThread } from '../covenant/stray.js';
import type { StrayTerms } from '../covenant/stray-terms.js';
import type { EventRecord } from './events.js';
import type { Need } from './kept-record.js';
import type { Movement } from './movement.js';
import type { Context } from '../operation/context.js';
import { followRecord, rebuildRecord, type Following } from './follow.js';
import type { Awaitable, Collection, StoreReader } from '../operation/ports/store.js';
import type { Feed } from './order-by-time.js';
import type { Topic } from './tell-move.js';

/** The fields that every covenant record has. */
export type CovenantRecord = {
  readonly id: string;
  readonly status: string;
  readonly contract_address: string;
  readonly constructor_params: readonly string[];
  /** Which version of its contract it is. */
  readonly artifact_fingerprint: string | null;
  readonly tx_hash: string | null;
  readonly created_at: number;
};

/** The contract of a record as documents name it. */
export const recordTerms = (
  { artifact_fingerprint, constructor_params }: CovenantRecord,
  contract: string,
): ContractTerms => {
  const name = artifactOf(contract);
  if (name === undefined) throw new Error(`there is no contract ${contract}`);
  const fingerprint = pinnedFingerprint(name, artifact_fingerprint);
  return { contract, fingerprint, constructorParams: [...constructor_params] };
};

/** What a product says of the strays at its covenants. */
export type StrayRules<R> = {
  /** True for a commitment that the covenant reads as a state. */
  readonly isState: (record: R, commitment: string) => boolean;
  /** Who takes a thread out, and by what: `its creator cancels it`. */
  readonly way: (record: R) => string;
  /** What a thread allows by its own state, to its sender and its recipient; left out where its funder alone recovers. */
  readonly terms?: (record: R, stray: StrayThread, network: Network) => StrayTerms;
  /** What its recipient gets of one: `what has elapsed`. */
  readonly due?: string;
};

/** Records that events are about. */
export type ToldRecords = {
  /** The `kind` of the events' subject. */
  readonly kind: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly collection: Collection<any>;
  /** Which of them somebody may read. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly readable: (caller: Address | null, store: StoreReader) => Promise<(record: any) => boolean>;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly topic: (record: any) => Topic;
};

export type Deployable<R extends CovenantRecord = CovenantRecord> = {
  /** The contract's name: `RewardCampaign`. */
  readonly contractType: (record: R) => string;
  /** The product's folder: `rewards`. */
  readonly module: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly collection: Collection<any>;
  readonly label: (record: R) => string;
  /** What else it is called: the label of what has a name too. */
  readonly otherNames: (record: R) => readonly string[];
  /** What its labels begin with, `REWARD` of `#REWARD-0001`; null: they are names, and not counted. */
  readonly labelKind: string | null;
  /** What the labels begin with that are its home's own, `VAULT` of `#VAULT-0001`; null: it has none. */
  readonly localLabelKind: string | null;
  /** The singular noun that its events carry as `entity_type`. */
  readonly entityType: string;
  /** The contract that the record's terms give. */
  readonly contract: (record: R, network: Network) => CovenantContract;
  /** The parameter check of covenants rule 16. */
  readonly checkTerms: (record: R) => readonly Finding[];
  /** What the funding transaction must mint: all members when it funded a batch. Empty: this product mints no thread. */
  readonly genesis: (
    record: R,
    context: Pick<Context, 'network' | 'store'>,
  ) => Awaitable<readonly GenesisMember[]>;
  /** The records that one funding transaction funds together with it, itself among them: all of a batch, in order. */
  readonly fundedTogether: (record: R, context: Pick<Context, 'store'>) => Awaitable<readonly R[]>;
  /** True when its parties can spend whatever anybody sends to its address. */
  readonly takesPayments: boolean;
  /** What the state says that the pool still holds, smallest unit; null when the thread has ended or has no pool. */
  readonly remaining: (record: R) => bigint | null;
  /** Null for a pool of BCH. */
  readonly tokenCategory: (record: R) => string | null;
  /** What else may lie at its address; null: whatever comes there is the record's own (a vault). */
  readonly strays: StrayRules<R> | null;
  /**
   * What an event says of money; those of nothing are left out. `held`: what the contract held before it, smallest unit.
   * The record is null for an event that stands under another id than its own.
   */
  readonly movements: (event: EventRecord, record: R | null, held: bigint) => readonly Movement[];
  /**
   * What its recipient could take at a time (unix seconds) of a record with a live thread, smallest unit; null: what it
   * pays is never owed before it is paid.
   */
  readonly unclaimed: ((record: R, at: number) => bigint) | null;
  /** Parties by role, as addresses: `{ creator, recipient }`. */
  readonly parties: (record: R) => Readonly<Record<string, string>>;
  readonly following: (context: Context) => Following<R>;
  /** The records that its events are about, and who may read them. */
  readonly told: ToldRecords;
  /**
   * The record of an id as the chain has it now; the store has it before this returns.
   * @throws chain_unavailable, store_conflict
   */
  readonly follow: (id: string, context: Context) => Promise<R>;
  /**
   * {@link follow}, but from before the funding on, whatever the store says.
   * @throws chain_unavailable, store_conflict
   */
  readonly rebuild: (id: string, context: Context) => Promise<R>;
  /** The record with nothing in it that the chain determines. */
  readonly reset: (record: R, context: Context) => R;
  /**
   * False when the chain can do no more to it than to take something back. The index `live` of its collection has those
   * of which it is true.
   */
  readonly isLive: (record: R, context: Context) => boolean;
  /** The id under which the events of a record stand. */
  readonly eventsId: (record: R) => string;
  /** The ids of the records whose events stand under an id; there need be none of them. */
  readonly idsOfEvents: (eventsId: string, store: StoreReader) => Awaitable<readonly string[]>;
  /** Records that it cannot be read or followed without. */
  readonly needs: (record: R) => readonly Need[];
  /** What else tells of its moves, beside the events. */
  readonly feeds: readonly Feed[];
};

/** What follows from `following` for a covenant that lives in one thread and hangs on nothing. */
type Derived =
  | 'otherNames'
  | 'labelKind'
  | 'localLabelKind'
  | 'strays'
  | 'unclaimed'
  | 'takesPayments'
  | 'fundedTogether'
  | 'follow'
  | 'rebuild'
  | 'reset'
  | 'isLive'
  | 'eventsId'
  | 'idsOfEvents'
  | 'needs'
  | 'feeds';

/** Declares a deployable and forgets its record's type. What is derived of its thread can be declared otherwise. */
export const defineDeployable = <R extends CovenantRecord>(
  declared: Omit<Deployable<R>, Derived> & Partial<Pick<Deployable<R>, Derived>>,
): Deployable => {
  const { following } = declared;
  const deployable: Deployable<R> = {
    otherNames: () => [],
    labelKind: null,
    localLabelKind: null,
    fundedTogether: (record) => [record],
    takesPayments: false,
    follow: (id, context) => followRecord(id, following(context), context),
    rebuild: (id, context) => rebuildRecord(id, following(context), context),
    reset: (record, context) => following(context).followed.unfunded(record),
    isLive: (record, context) => {
      const { thread, isPending } = following(context).followed;
      return isPending(record) || thread(record) !== null;
    },
    eventsId: ({ id }) => id,
    idsOfEvents: (id) => [id],
    strays: null,
    unclaimed: null,
    needs: () => [],
    feeds: [],
    ...declared,
  };
  return deployable as unknown as Deployable;
};
