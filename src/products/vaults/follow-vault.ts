/**
 * Following a vault: its thread as every covenant's, and then all its other coins, since anybody may send some.
 *
 * Each transaction of the address has exactly one event, `deposited` or `spent`, whoever made it.
 */
import { parseAddress } from '../../bch/address.js';
import { BCH_DECIMALS } from '../../bch/amount.js';
import { outpointText, sameOutpoint, type Coin } from '../../bch/coins.js';
import { coinAt, type ChainTransaction } from '../../bch/transaction.js';
import type { Move } from '../../covenant/follow.js';
import { TreasuryError } from '../../errors.js';
import type { Context } from '../../operation/context.js';
import { eventCollection, writeMove, type EventRecord } from '../../record/events.js';
import { followRecord, rebuildRecord, written, type How } from '../../record/follow.js';
import type { StoreReader, StoreWriter } from '../../operation/ports/store.js';
import { observeHoldings, observeTransaction } from './observe.js';
import { findVault, openSpends, vaultFollowing } from './records.js';
import { statusBySignatures } from './rules.js';
import { spendCollection, type SpendRecord } from './spend.js';
import { vaultCollection, type VaultRecord } from './vault.js';

const MAXIMUM_TRIES = 5;

/** What the chain says of a vault's address. */
type Seen = {
  readonly coins: readonly Coin[];
  readonly tipHeight: number;
  /** Transactions without an event yet; in a rebuild, all of them. */
  readonly moves: readonly Move[];
  /** Events whose transactions have left the chain. */
  readonly stale: readonly EventRecord[];
};

/** The move that a transaction of the address is; null when it is none, or cannot be. */
const observe = async (
  vault: VaultRecord,
  found: ChainTransaction,
  { chain }: Pick<Context, 'chain'>,
): Promise<Move | null> => {
  if ((await chain.faultOf(found)) !== null) return null;
  const [first] = found.transaction.inputs;
  const source = first === undefined ? null : await chain.transaction(first.txid);
  return observeTransaction(vault, found, source === null ? null : coinAt(source, first?.vout ?? 0));
};

const lookAt = async (
  vault: VaultRecord,
  context: Context,
  { candidates, isRebuild }: How,
): Promise<Seen> => {
  const { chain, store } = context;
  const { lockingBytecode } = parseAddress(vault.contract_address);
  const [coins, history, { height: tipHeight }] = await Promise.all([
    chain.coins(lockingBytecode),
    chain.history(lockingBytecode),
    chain.tip(),
  ]);
  const txids = new Set(history.map(({ txid }) => txid));

  // The thread's first move has its event already, which names who paid.
  const { items: events } = await store.find(eventCollection, { where: { entity: vault.id } });
  const told = new Set(isRebuild ? [vault.tx_hash] : events.map(({ tx_hash }) => tx_hash));
  const isNew = (txid: string): boolean => !told.has(txid);
  const unseen = await Promise.all([...txids].filter(isNew).map((txid) => chain.transaction(txid)));
  const others = candidates.filter(({ transaction: { txid } }) => !txids.has(txid) && isNew(txid));
  const moves: Move[] = [];
  for (const found of [...unseen, ...others]) {
    const move = found === null ? null : await observe(vault, found, context);
    if (move !== null) moves.push(move);
  }

  const known = isRebuild ? new Set([vault.tx_hash, ...moves.map(({ txHash }) => txHash)]) : txids;
  const stale: EventRecord[] = [];
  for (const event of events) {
    if (event.tx_hash === null || known.has(event.tx_hash)) continue;
    if (isRebuild || (await chain.transaction(event.tx_hash)) === null) stale.push(event);
  }
  return { coins, tipHeight, moves, stale };
};

/** An open spend as its coins make it: gone with the first of them that is gone, and back with the last that is. */
const byCoins = (spend: SpendRecord, coins: readonly Coin[]): SpendRecord => {
  const missing = spend.coins.find((coin) => !coins.some((held) => sameOutpoint(held, coin)));
  const gone = missing === undefined ? null : outpointText(missing);
  return gone === spend.gone
    ? spend
    : { ...spend, gone, status: gone === null ? statusBySignatures(spend) : 'GONE' };
};

const changedSpends = async (
  store: StoreReader,
  vaultId: string,
  coins: readonly Coin[],
): Promise<readonly SpendRecord[]> =>
  (await openSpends(store, vaultId)).flatMap((spend) => {
    const changed = byCoins(spend, coins);
    return changed === spend ? [] : [changed];
  });

const withHoldings = (vault: VaultRecord, coins: readonly Coin[]): VaultRecord | null => {
  const held = observeHoldings(vault, coins);
  const text = ({ balance, spendable, stuck, tokens }: typeof held) =>
    [
      balance,
      spendable,
      stuck,
      ...tokens.flatMap(({ category, amount, nfts }) => [category, amount, nfts]),
    ].join();
  return text(held) === text(vault) ? null : { ...vault, ...held };
};

/** Opens the spends again that the store takes for spent, and the chain does not know. */
const reopenOthers = async (writer: StoreWriter, vault: string, moves: readonly Move[]): Promise<void> => {
  const onChain = new Set(moves.filter(({ type }) => type === 'spent').map(({ txHash }) => txHash));
  for (const spend of (
    await writer.find(spendCollection, { where: { vault }, limit: Number.MAX_SAFE_INTEGER })
  ).items) {
    const isSettled = spend.status === 'SPENT' || spend.tx_hash !== null;
    if (isSettled && !onChain.has(spend.tx_hash ?? ''))
      writer.put(spendCollection, { ...spend, status: statusBySignatures(spend), tx_hash: null });
  }
};

const record = async (
  writer: StoreWriter,
  vault: VaultRecord,
  { coins, tipHeight, moves, stale, isRebuild }: Seen & Pick<How, 'isRebuild'>,
  price: Awaited<ReturnType<Context['price']['reading']>>,
  context: Context,
): Promise<void> => {
  const { id } = vault;
  const { network, clock } = context;
  const { entityType, writeRow, removeRow } = vaultFollowing(context);
  const about = { entityType, entityId: id, decimals: BCH_DECIMALS };
  const subject = { ...about, network, now: clock.now(), price, tipHeight };
  for (const event of stale) {
    writer.remove(eventCollection, event.id);
    await removeRow?.(writer, event);
  }
  if (isRebuild) await reopenOthers(writer, id, moves);
  for (const move of moves) {
    await writeRow?.(writer, vault, await writeMove(writer, subject, move), move);
  }
  for (const spend of await changedSpends(writer, id, coins)) writer.put(spendCollection, spend);
  const held = withHoldings(await findVault(writer, id), coins);
  if (held !== null) writer.put(vaultCollection, held);
};

/**
 * One attempt; null when somebody else wrote the vault meanwhile: what was seen here may be older.
 *
 * @param before the vault before its thread was followed: it still stands where that could not be stored
 */
const tryFoldIn = async (
  before: VaultRecord,
  vault: VaultRecord,
  context: Context,
  how: How,
): Promise<VaultRecord | null> => {
  const { store } = context;
  const { id } = vault;
  const seen = await lookAt(vault, context, how);
  const isSame =
    seen.moves.length === 0 &&
    seen.stale.length === 0 &&
    withHoldings(vault, seen.coins) === null &&
    (await changedSpends(store, id, seen.coins)).length === 0;
  if (isSame) return vault;
  const { isRebuild } = how;
  const price = isRebuild ? null : await context.price.reading();
  const writing = store.transaction(async (writer) => {
    const stored = await writer.get(vaultCollection, id);
    if (stored !== vault && stored !== before) return false;
    await record(writer, vault, { ...seen, isRebuild }, price, context);
    return true;
  });
  const isWritten = await written(writing, how);
  if (isWritten === null) return withHoldings(vault, seen.coins) ?? vault;
  return isWritten ? await findVault(store, id) : null;
};

/** Takes in what lies beside a vault's thread, which was followed just now. */
const foldIn = async (
  before: VaultRecord,
  followed: VaultRecord,
  context: Context,
  how: How,
): Promise<VaultRecord> => {
  let taken = await tryFoldIn(before, followed, context, how);
  for (let tries = 1; taken === null && tries < MAXIMUM_TRIES; tries += 1) {
    const vault = await findVault(context.store, before.id);
    taken = await tryFoldIn(vault, vault, context, how);
  }
  if (taken === null) throw new TreasuryError('store_conflict', { label: followed.name });
  return taken;
};

/**
 * A vault as the chain has it now, with its events and spends. Whatever was found is in the store before this returns.
 *
 * @param candidates transactions that may not be in the address's history yet
 * @throws vault_not_found, chain_unavailable, store_conflict
 */
export const followVault = async (
  id: string,
  context: Context,
  candidates: readonly ChainTransaction[] = [],
): Promise<VaultRecord> => {
  const before = await findVault(context.store, id);
  const vault = await followRecord(before.id, vaultFollowing(context), context, candidates);
  return foldIn(before, vault, context, { candidates, isRebuild: false });
};

/**
 * A vault read anew from its first deposit on, with every event, whatever the store said of it.
 *
 * @throws vault_not_found, chain_unavailable, store_conflict
 */
export const rebuildVault = async (id: string, context: Context): Promise<VaultRecord> => {
  const before = await findVault(context.store, id);
  const vault = await rebuildRecord(before.id, vaultFollowing(context), context);
  return foldIn(before, vault, context, { candidates: [], isRebuild: true });
};
