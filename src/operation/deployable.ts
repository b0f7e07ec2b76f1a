/**
 * What the registry, the audit, the monitor and the rebuild need to know of a covenant product.
 *
 * Each product's `index.ts` exports its own; those who use them receive the list and import no product.
 */
import type { Network } from '../bch/network.js';
import type { CovenantContract } from '../covenant/covenant-contract.js';
import type { Finding, GenesisMember } from '../covenant/genesis.js';
import type { Context } from './context.js';
import type { Following } from './follow-record.js';
import type { Collection } from './ports/store.js';

/** The fields that every covenant record has. */
export type CovenantRecord = {
  readonly id: string;
  readonly status: string;
  readonly contract_address: string;
  readonly constructor_params: readonly string[];
  readonly tx_hash: string | null;
  readonly created_at: number;
};

export type Deployable<R extends CovenantRecord = CovenantRecord> = {
  /** The contract's name: `RewardCampaign`. */
  readonly contractType: string;
  /** The product's folder: `rewards`. */
  readonly module: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly collection: Collection<any>;
  readonly label: (record: R) => string;
  /** The contract that the record's terms give. */
  readonly contract: (record: R, network: Network) => CovenantContract;
  /** The parameter check of covenants rule 16. */
  readonly checkTerms: (record: R) => readonly Finding[];
  /** What the funding transaction must mint: all members when it funded a batch. Empty: this product mints no thread. */
  readonly genesis: (record: R, context: Pick<Context, 'network' | 'store'>) => readonly GenesisMember[];
  /** What the state says that the pool still holds, smallest unit; null when the thread has ended or has no pool. */
  readonly remaining: (record: R) => bigint | null;
  /** Null for a pool of BCH. */
  readonly tokenCategory: (record: R) => string | null;
  /** Parties by role, as addresses: `{ creator, recipient }`. */
  readonly parties: (record: R) => Readonly<Record<string, string>>;
  readonly following: (context: Context) => Following<R>;
};

/** Declares a deployable and forgets its record's type. */
export const defineDeployable = <R extends CovenantRecord>(deployable: Deployable<R>): Deployable =>
  deployable as unknown as Deployable;
