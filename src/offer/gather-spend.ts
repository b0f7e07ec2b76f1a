/** What a spend of a covenant's pool starts from, gathered from the chain. */
import { parseAddress, type Address } from '../bch/address.js';
import type { RecordSpend } from '../covenant/pool.js';
import { reserveCoins, reserveContract } from '../covenant/reserve.js';
import { isPinned, type ThreadPointer } from '../covenant/thread.js';
import { TreasuryError } from '../errors.js';
import { chainNow } from '../operation/chain-now.js';
import type { Context } from '../operation/context.js';
import type { PoolProduct, PoolRecord } from '../record/covenant-product.js';
import { freeCoins } from './funding-pins.js';

/** What a move of a record starts from: its pinned thread too. */
export type MoveSpend<R> = RecordSpend<R> & {
  readonly thread: ThreadPointer;
  /** Who signs and pays the fee. */
  readonly payer: Address;
  /** What amounts of the record are called: `BCH`, or the symbol of its token. */
  readonly unit: string;
};

type SpendRequest<R> = {
  readonly record: R;
  /** Who signs and pays the fee. */
  readonly payer: Address;
  /** True where the pool does not move: its reserve stays closed then. */
  readonly closed?: boolean;
};

/**
 * The pinned thread of a record, its reserve as the state says and the payer's coins, as they are now.
 *
 * @throws store_conflict when the thread moved while this was read, chain_unavailable
 */
export const spendOf = async <R extends PoolRecord>(
  product: PoolProduct<R>,
  { record, payer, closed = false }: SpendRequest<R>,
  { chain, network, store }: Pick<Context, 'chain' | 'network' | 'store'>,
): Promise<MoveSpend<R>> => {
  const { lockingBytecode } = parseAddress(record.contract_address);
  const { thread } = record;
  const [covenantCoins, payerCoins, locktime, unit] = await Promise.all([
    chain.coins(lockingBytecode),
    freeCoins(payer, { chain, store }),
    chainNow({ chain }),
    product.unitOf(record, store),
  ]);
  const moved = () => new TreasuryError('store_conflict', { label: product.label(record) });
  const coin = thread === null ? undefined : covenantCoins.find((one) => isPinned(one, thread));
  if (thread === null || coin === undefined) throw moved();
  const tokenCategory = product.tokenCategory(record);
  const reserved = closed ? 0n : product.remaining(record);
  const spend = { record, network, thread, payer, payerCoins, locktime, unit };
  if (tokenCategory === null || reserved === 0n) return { ...spend, coins: { thread: coin, reserve: [] } };

  const reserveLock = reserveContract(thread.category, lockingBytecode, network).lockingBytecode;
  const reserve = reserveCoins(await chain.coins(reserveLock), tokenCategory, reserved);
  // The reserve moves together with its thread: less in it means that the thread is being spent this moment.
  if (reserve === null) throw moved();
  return { ...spend, coins: { thread: coin, reserve } };
};
