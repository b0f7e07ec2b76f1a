/**
 * Following a vault: its thread as every covenant's, and with it all its other coins, since anybody may send some.
 *
 * Each transaction of the address has exactly one event, `deposited` or `spent`, whoever made it.
 */
import { isDeepStrictEqual } from 'node:util';
import { BCH_DECIMALS } from '../../bch/amount.js';
import { outpointText, sameOutpoint, type Coin } from '../../bch/coins.js';
import { coinAt, type ChainTransaction } from '../../bch/transaction.js';
import { follow, readHistory, refold, type Move } from '../../covenant/follow.js';
import type { Context } from '../../operation/context.js';
import { eventCollection } from '../../record/events.js';
import { followRecord, type Following } from '../../record/follow.js';
import type { StoreWriter } from '../../operation/ports/store.js';
import { lockOf, vaultContract } from './contract.js';
import { Spent } from './movements.js';
import { followedVault, observeHoldings, observeTransaction } from './observe.js';
import { findVault, openSpends } from './records.js';
import { statusBySignatures } from './rules.js';
import { spendCollection, type SpendRecord } from './spend.js';
import { vaultCollection, vaultTopic, type VaultRecord } from './vault.js';

/** The moves that a transaction of the address is, none when it is none; null when it cannot be. */
const observe = async (
  vault: VaultRecord,
  found: ChainTransaction,
  { chain }: Pick<Context, 'chain'>,
): Promise<readonly Move[] | null> => {
  if ((await chain.faultOf(found)) !== null) return null;
  const [first] = found.transaction.inputs;
  const source = first === undefined ? null : await chain.transaction(first.txid);
  return observeTransaction(vault, found, source === null ? null : coinAt(source, first?.vout ?? 0));
};

/** The coins that transactions pay to an address and none of them spends. */
const unspentOf = (transactions: readonly ChainTransaction[], lock: string): readonly Coin[] => {
  const spent = new Set(transactions.flatMap(({ transaction }) => transaction.inputs.map(outpointText)));
  return transactions
    .flatMap((found) => found.transaction.outputs.flatMap((_, vout) => coinAt(found, vout) ?? []))
    .filter((coin) => coin.lockingBytecode === lock && !spent.has(outpointText(coin)));
};

/** True when coins come to what the record says that the vault holds. */
const isAsHeld = (vault: VaultRecord, coins: readonly Coin[]): boolean =>
  isDeepStrictEqual({ ...vault, ...observeHoldings(vault, coins) }, vault);

/** An open spend as its coins make it: gone with the first of them that is gone, and back with the last that is. */
const byCoins = (spend: SpendRecord, coins: readonly Coin[]): SpendRecord => {
  const missing = spend.coins.find((coin) => !coins.some((held) => sameOutpoint(held, coin)));
  const gone = missing === undefined ? null : outpointText(missing);
  return gone === spend.gone
    ? spend
    : { ...spend, gone, status: gone === null ? statusBySignatures(spend) : 'GONE' };
};

/** Writes the spends that a change makes others of. */
const changeSpends = async (
  writer: StoreWriter,
  where: Readonly<Partial<Record<'vault' | 'open' | 'unsigned' | 'transaction', string>>>,
  change: (spend: SpendRecord) => SpendRecord,
): Promise<void> => {
  for (const spend of (await writer.find(spendCollection, { where })).items) {
    const changed = change(spend);
    if (changed !== spend) writer.put(spendCollection, changed);
  }
};

/** A spend as it is where the chain knows nothing of it. */
const unsettled = (spend: SpendRecord): SpendRecord =>
  spend.status === 'SPENT' || spend.tx_hash !== null
    ? { ...spend, status: statusBySignatures(spend), tx_hash: null }
    : spend;

/** In the order of their blocks; within one, as they were read. */
const byHeight = (a: Move, b: Move): number =>
  a.height === b.height ? 0 : (a.height ?? Infinity) - (b.height ?? Infinity);

/** A vault with its thread as the chain has it, and what lies beside that. */
const foldVault: NonNullable<Following<VaultRecord>['fold']> = async (
  before,
  { isAnew, candidates },
  context,
) => {
  const { chain, store, network } = context;
  const foldThread = isAnew ? refold : follow;
  const { record, moves, rebuilt } = await foldThread(before, followedVault(network), chain, candidates);
  const { id } = record;
  const lock = lockOf(record);
  const [shown, history] = await Promise.all([chain.coins(lock), chain.history(lock)]);
  const txids = new Set(history.map(({ txid }) => txid));

  // The thread's own moves are told already: the first deposit by who paid.
  const told = new Set<string | null>(moves.map(({ txHash }) => txHash));
  const { items: events } = await store.find(eventCollection, { where: { entity: id } });
  for (const { tx_hash } of rebuilt ? [] : events) {
    told.add(tx_hash);
    const isThere = tx_hash === null || txids.has(tx_hash) || (await chain.transaction(tx_hash)) !== null;
    if (!isThere) return foldVault(before, { isAnew: true, candidates }, context);
  }
  const isNew = (txid: string): boolean => !told.has(txid);
  const unseen = await Promise.all([...txids].filter(isNew).map((txid) => chain.transaction(txid)));
  const others = candidates.filter(({ transaction: { txid } }) => !txids.has(txid) && isNew(txid));
  const beside: Move[] = [];
  const madeUp = new Set<string>();
  for (const found of [...unseen, ...others]) {
    if (found === null) continue;
    const observed = await observe(record, found, context);
    if (observed === null) madeUp.add(found.transaction.txid);
    else beside.push(...observed);
  }
  const real = async () =>
    (await readHistory(history, chain, candidates)).filter(({ transaction: { txid } }) => !madeUp.has(txid));
  const isKnown = ({ txid }: Coin): boolean =>
    txids.has(txid) || candidates.some(({ transaction }) => transaction.txid === txid);
  // What a server makes up pays and hides coins: where no transaction explains them, the history tells which there are.
  const isExplained = moves.length + beside.length > 0 || isAsHeld(record, shown);
  const areBelieved = madeUp.size === 0 && isExplained && shown.every(isKnown);
  const coins = areBelieved ? shown : unspentOf(await real(), lock);

  const vault = { ...record, ...observeHoldings(record, coins) };
  const open = await openSpends(store, id);
  const hasChanged =
    beside.length > 0 || !isAsHeld(record, coins) || open.some((spend) => byCoins(spend, coins) !== spend);
  return {
    record: hasChanged ? vault : record,
    moves: [...moves, ...beside.map((move) => ({ ...move, record: vault }))].sort(byHeight),
    rebuilt,
    writeRows: async (writer) => {
      // Those that the chain knows are settled again by its moves.
      if (rebuilt) await changeSpends(writer, { vault: id }, unsettled);
      await changeSpends(writer, { open: id }, (spend) => byCoins(spend, coins));
    },
  };
};

/** How vaults are followed: their threads, what lies beside them, and the spends that they settle. */
export const vaultFollowing = ({ network }: Pick<Context, 'network'>): Following<VaultRecord> => ({
  collection: vaultCollection,
  entityType: 'vault',
  followed: followedVault(network),
  contract: (vault) => vaultContract(vault, network),
  decimals: () => BCH_DECIMALS,
  label: ({ name }) => name,
  topic: vaultTopic,
  fold: foldVault,
  // The spend that a transaction on chain is, also when it was cancelled here: the chain has the last word.
  writeRow: async (writer, _vault, { created_at: updated_at }, { type, txHash: tx_hash, details }) => {
    if (type !== 'spent') return;
    const settled = { status: 'SPENT', tx_hash, gone: null, updated_at } as const;
    const { unsigned_txid: unsigned } = Spent.parse(details);
    await changeSpends(writer, { unsigned }, (spend) => ({ ...spend, ...settled }));
  },
  retimeRow: (writer, { tx_hash, created_at: updated_at }) =>
    changeSpends(writer, { transaction: tx_hash ?? '' }, (spend) => ({ ...spend, updated_at })),
});

/**
 * A vault as the chain has it now, with its events and spends. Whatever was found is in the store before this returns.
 *
 * @param id its id, or its on-chain id
 * @param candidates transactions that may not be in the address's history yet
 * @throws vault_not_found, and {@link FOLLOW_ERRORS}
 */
export const followVault = async (
  id: string,
  context: Context,
  candidates: readonly ChainTransaction[] = [],
): Promise<VaultRecord> => {
  const vault = await findVault(context.store, id);
  return followRecord(vault.id, vaultFollowing(context), context, candidates);
};
