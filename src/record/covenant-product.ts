/**
 * The one declaration of a product whose money lies in covenants: what it is, how its records follow the chain, and who
 * may move them. Finding, following, labels, spends, fundings, confirmations, recoveries, the registry, the audit, the
 * ledger, the monitor, sync, the doctor and the export derive from it; they receive the list and import no product.
 */
import type { z } from 'zod';
import { parseAddress, type Address } from '../bch/address.js';
import type { ContractTerms } from '../bch/fields.js';
import type { Network } from '../bch/network.js';
import type { ChainTransaction } from '../bch/transaction.js';
import { moved, type Followed, type Observed } from '../covenant/follow.js';
import { auditGenesis, type GenesisAudit, type GenesisMember } from '../covenant/genesis.js';
import type { ThreadPointer } from '../covenant/thread.js';
import type { Context } from '../operation/context.js';
import type { Awaitable, Collection, StoreReader } from '../operation/ports/store.js';
import { BCH, tokenAsset, type Asset } from './assets.js';
import {
  defineDeployable,
  recordTerms,
  type CovenantRecord,
  type Deployable,
  type StrayRules,
} from './deployable.js';
import { eventCollection, type EventRecord } from './events.js';
import { findRecord, type NotFound } from './find.js';
import { poolMovements, type Paid } from './movement.js';
import { followRecord, type Following } from './follow.js';
import type { Need } from './kept-record.js';
import { checksOf, type MoveChecks, type MoveRule, type Role } from './move-checks.js';
import { defineFeed } from './order-by-time.js';
import type { Topic } from './tell-move.js';

/** The fields of every record whose money lies in the pool of one thread. */
export type PoolRecord = CovenantRecord & {
  /** Pinned at creation. */
  readonly decimals: number;
  readonly thread: ThreadPointer | null;
  /** The transaction of the last move. */
  readonly last_tx_hash: string | null;
  readonly updated_at: number;
  /** False: nobody takes it back, or stops it. */
  readonly cancelable?: boolean;
  /** The authority key that this deployment knows, 33 bytes as hex. */
  readonly authority_pubkey?: string;
};

/** Rows of a product's own beside the event of a move. The same move has the same rows, however often it is seen. */
export type Rows<R> = {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly collection: Collection<any>;
  /** The ids of an event's rows; default its own id. */
  readonly ids?: (event: EventRecord) => readonly string[];
  /** The rows of an event; `record` as the move left it. */
  readonly of: (record: R, event: EventRecord) => readonly { readonly id: string }[];
  /** The field that says when it was, unix seconds; left out where its event, of the same id, says it alone. */
  readonly time?: string;
};

type Declaration<R extends PoolRecord, Move extends string> = Pick<
  Deployable<R>,
  'collection' | 'contract' | 'checkTerms' | 'tokenCategory' | 'parties' | 'entityType'
> & {
  /** What the types of its events begin with; default its `entityType`. */
  readonly eventKind?: string;
  /** The noun of its commands, and its folder. */
  readonly noun: string;
  /** Its route: `/api/budget-plans`. */
  readonly route: string;
  /** What it is in words, long and short: `budget plan`, `plan`. */
  readonly words: readonly [long: string, short: string];
  /** The input field of an id or a label. */
  readonly id: z.ZodType<string>;
  readonly notFound: NotFound;
  /** `REWARD` of `#REWARD-0001`. */
  readonly labelKind: string;
  /** The field of its label. */
  readonly labelField: keyof R & string;
  /** The contract's name: `RewardCampaign`. */
  readonly contractType: string | ((record: R) => string);
  /** Who funds it, and takes it back. */
  readonly funder: Exclude<Role, 'recipient'>;
  /** What funding mints for one record. */
  readonly genesis: (record: R, network: Network) => GenesisMember;
  /** The records that one funding transaction funds together with it, itself among them; default itself. */
  readonly fundedTogether?: Deployable<R>['fundedTogether'];
  /** What its pool still holds while its thread lives, smallest unit. */
  readonly remaining: (record: R) => bigint;
  readonly moves: Readonly<Record<Move, MoveRule>>;
  /** What the chain determines of a record, as it is before its funding: beside status, thread and transactions. */
  readonly fresh: (record: R) => Partial<R>;
  /** What its funding changes beside status and thread. */
  readonly opened?: (record: R) => Partial<R>;
  /** What the event of its funding tells beside the amount. */
  readonly fundedDetails?: (record: R) => Observed<R>['moves'][number]['details'];
  /** What a transaction that spends its thread at input 0 did. */
  readonly observe: (record: R, chain: ChainTransaction, network: Network) => Observed<R>;
  /** What an event says that its pool paid the recipient; null: nothing. */
  readonly paid: (event: EventRecord, record: R) => Paid | null;
  /** What its recipient could take at a time, where that grows by itself; smallest unit. */
  readonly unclaimed?: (record: R, at: number) => bigint;
  readonly rows: readonly Rows<R>[];
  readonly strays: StrayRules<R>;
  /** The vault that a request names, where its records belong to vaults. @throws vault_not_found */
  readonly findVault?: (store: StoreReader, id: string) => Promise<{ readonly id: string }>;
  /** Checks that somebody may read a record. @throws private_vault */
  readonly checkReader: (record: R, caller: Address | null, store: StoreReader) => Promise<void>;
  /** Which records somebody may read, for lists. */
  readonly readable: (caller: Address | null, store: StoreReader) => Promise<(record: R) => boolean>;
  readonly needs: (record: R) => readonly Need[];
};

/** A product with a pool, as its own operations see it. */
export type PoolProduct<R extends PoolRecord = PoolRecord, Move extends string = never> = Declaration<
  R,
  Move
> &
  MoveChecks<R, Move> & {
    readonly label: (record: R) => string;
    /** What the event log says of it. */
    readonly topic: (record: R) => Topic;
    /** Its contract as documents name it: whoever has it builds the address anew. */
    readonly contractTerms: (record: R) => ContractTerms;
    /** The address of a party. */
    readonly party: (record: R, role: Role) => Address;
    /** A record by its id or its label. @throws its `_not_found` code */
    readonly find: (store: StoreReader, id: string) => Promise<R>;
    /**
     * A record by its id or its label, as the chain has it now.
     *
     * @param candidates transactions that may not be in the covenant's history yet
     * @throws its `_not_found` code, record_damaged, store_conflict, chain_unavailable
     */
    readonly follow: (id: string, context: Context, candidates?: readonly ChainTransaction[]) => Promise<R>;
    /** The asset of the record that a raw input names. @throws its `_not_found` code */
    readonly assetOf: (input: Readonly<Record<string, unknown>>, store: StoreReader) => Promise<Asset>;
    /** What amounts of a record are called: `BCH`, or the symbol of its token. */
    readonly unitOf: (record: R, store: StoreReader) => Promise<string>;
    /** How its records follow their threads; what is funded together with one is said, else it is funded alone. */
    readonly followed: (network: Network, together?: (record: R) => Awaitable<readonly R[]>) => Followed<R>;
    readonly following: (context: Context) => Following<R>;
    /** As the core sees it, its record's type forgotten. */
    readonly deployable: Deployable;
  };

/** The last audit of what is funded together: hundreds of records are followed one by one, and all ask for the same. */
let lastAudit: { readonly key: string; readonly audit: GenesisAudit } | null = null;

const auditOnce = (key: string, chain: ChainTransaction, members: () => readonly GenesisMember[]) => {
  if (lastAudit?.key !== key) lastAudit = { key, audit: auditGenesis(chain.transaction, members()) };
  return lastAudit.audit;
};

/** How the records of a product follow their threads. */
const followedOf = <R extends PoolRecord>(
  declared: Declaration<R, string>,
  network: Network,
  together: (record: R) => Awaitable<readonly R[]> = (record) => [record],
): Followed<R> => {
  const { genesis, fresh, opened, funder, parties } = declared;
  return {
    lockingBytecode: ({ contract_address }) => parseAddress(contract_address).lockingBytecode,
    thread: ({ thread }) => thread,
    fundedBy: ({ tx_hash }) => tx_hash,
    isPending: ({ status }) => status === 'PENDING',
    unfunded: (record) => ({
      ...record,
      ...fresh(record),
      status: 'PENDING',
      tx_hash: null,
      last_tx_hash: null,
      thread: null,
    }),
    // Its genesis audit holds, and who funds it paid.
    observeFunding: async (record, chain, spent) => {
      const actorLock = parseAddress(parties(record)[funder] ?? '').lockingBytecode;
      if (!spent.some((output) => output?.lockingBytecode === actorLock)) return null;
      const records = await together(record);
      const { txid } = chain.transaction;
      const { threads } = auditOnce(`${records.map(({ id }) => id).join()}|${txid}`, chain, () =>
        records.map((one) => genesis(one, network)),
      );
      const thread = threads[records.findIndex(({ id }) => id === record.id)];
      if (thread === undefined) return null;
      const { pool: amount } = genesis(record, network);
      const details = declared.fundedDetails?.(record) ?? {};
      return moved(
        record,
        chain,
        { ...opened?.(record), status: 'ACTIVE', thread, tx_hash: txid } as Partial<R>,
        [{ type: 'funded', actorLock, amount, details }],
      );
    },
    observeMove: (record, chain) => declared.observe(record, chain, network),
  };
};

const idsOf = <R>({ ids }: Rows<R>, event: EventRecord): readonly string[] => ids?.(event) ?? [event.id];

const followingOf = <R extends PoolRecord>(
  declared: Declaration<R, string>,
  { label, topic }: Pick<PoolProduct<R>, 'label' | 'topic'>,
  context: Context,
): Following<R> => ({
  collection: declared.collection,
  entityType: declared.entityType,
  followed: followedOf(
    declared,
    context.network,
    async (record) => (await declared.fundedTogether?.(record, context)) ?? [record],
  ),
  contract: (record) => declared.contract(record, context.network),
  decimals: ({ decimals }) => decimals,
  label,
  topic,
  writeRow: (writer, record, event) => {
    for (const rows of declared.rows)
      for (const row of rows.of(record, event)) writer.put(rows.collection, row);
  },
  retimeRow: async (writer, event) => {
    for (const rows of declared.rows) {
      const { collection: told, time } = rows;
      if (time === undefined) continue;
      for (const id of idsOf(rows, event)) {
        const row = (await writer.get(told, id)) as object | null;
        if (row !== null) writer.put(told, { ...row, [time]: event.created_at });
      }
    }
  },
  removeRow: async (writer, event) => {
    for (const rows of declared.rows)
      for (const id of idsOf(rows, event))
        if ((await writer.get(rows.collection, id)) !== null) writer.remove(rows.collection, id);
  },
});

const assetOf = async <R extends PoolRecord>(
  { tokenCategory }: Declaration<R, string>,
  record: R,
  store: StoreReader,
): Promise<Asset> => {
  const category = tokenCategory(record);
  return category === null ? BCH : { ...(await tokenAsset(category, store)), decimals: record.decimals };
};

/** Declares a product with a pool, and derives what follows from the declaration. */
export const definePoolProduct = <R extends PoolRecord, const Move extends string>(
  declared: Declaration<R, Move>,
): PoolProduct<R, Move> => {
  const { collection, labelField, notFound, parties, rows } = declared;
  const { contractType, fundedTogether, genesis, remaining, noun } = declared;
  const label = (record: R): string => String(record[labelField]);
  const typeOf = (record: R): string =>
    typeof contractType === 'string' ? contractType : contractType(record);
  const kind = declared.eventKind ?? declared.entityType;
  const topic = (record: R): Topic => ({
    subject: { kind, label: label(record), id: record.id },
    parties: Object.values(parties(record)),
    category: declared.tokenCategory(record),
  });
  const following = (context: Context) => followingOf(declared, { label, topic }, context);
  const find = async (store: StoreReader, id: string) =>
    (await findRecord(store, collection, id, notFound)) as Promise<R>;

  return {
    ...declared,
    label,
    topic,
    contractTerms: (record) => recordTerms(record, typeOf(record)),
    party: (record, role) => parseAddress(parties(record)[role] ?? ''),
    find,
    assetOf: async ({ id }, store) => assetOf(declared, await find(store, String(id)), store),
    unitOf: async (record, store) => (await assetOf(declared, record, store)).symbol,
    followed: (network, together) => followedOf(declared, network, together),
    following,
    follow: async (id, context, candidates = []) =>
      followRecord((await find(context.store, id)).id, following(context), context, candidates),
    ...checksOf(declared, label),
    deployable: defineDeployable<R>({
      ...declared,
      told: { kind, collection, readable: declared.readable, topic },
      label,
      following,
      module: noun,
      contractType: typeOf,
      genesis: async (record, { network, store }) =>
        ((await fundedTogether?.(record, { store })) ?? [record]).map((one) => genesis(one, network)),
      fundedTogether: fundedTogether ?? ((record) => [record]),
      movements: poolMovements(declared),
      remaining: (record) => (record.thread === null ? null : remaining(record)),
      feeds: rows.map(({ collection: told, time }) =>
        defineFeed<{ readonly id: string } & Record<string, number>>({
          collection: told,
          timeOf: async (row, store) =>
            (time === undefined ? (await store.get(eventCollection, row.id))?.created_at : row[time]) ?? 0,
        }),
      ),
    }),
  };
};
