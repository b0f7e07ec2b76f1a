/** What a spend of a covenant's pool starts from, gathered from the chain. */
import { parseAddress, type Address } from '../bch/address.js';
import type { Coin } from '../bch/coins.js';
import type { Network } from '../bch/network.js';
import { reserveCoins, reserveContract } from '../covenant/reserve.js';
import type { PoolCoins } from '../covenant/pool.js';
import { isPinned, type ThreadPointer } from '../covenant/thread.js';
import { TreasuryError } from '../errors.js';
import type { Context } from '../operation/context.js';
import type { PoolProduct, PoolRecord } from '../record/covenant-product.js';
import { freeCoins } from './funding-pins.js';
import { chainNow } from '../operation/chain-now.js';

export type SpendRequest = {
  /** For messages. */
  readonly label: string;
  /** The covenant's locking bytecode, hex. */
  readonly lockingBytecode: string;
  /** Where the record says the thread is. */
  readonly thread: ThreadPointer | null;
  /** Null: the pool is BCH. */
  readonly tokenCategory: string | null;
  /** What the reserve must hold by the state, smallest unit; 0 leaves it closed. */
  readonly reserved: bigint;
  /** Who signs and pays the fee. */
  readonly payer: Address;
};

export type GatheredSpend = {
  /** The pinned thread. */
  readonly thread: ThreadPointer;
  readonly coins: PoolCoins;
  readonly payerCoins: readonly Coin[];
  /** Chain now, unix seconds. */
  readonly locktime: number;
};

/**
 * The pinned thread, its reserve and the payer's coins, as they are now.
 *
 * @throws store_conflict when the thread moved while this was read, chain_unavailable
 */
export const gatherSpend = async (
  { label, lockingBytecode, thread: pinned, tokenCategory, reserved, payer }: SpendRequest,
  { chain, network, store }: Pick<Context, 'chain' | 'network' | 'store'>,
): Promise<GatheredSpend> => {
  const [covenantCoins, payerCoins, locktime] = await Promise.all([
    chain.coins(lockingBytecode),
    freeCoins(payer, { chain, store }),
    chainNow({ chain }),
  ]);
  const thread = pinned === null ? undefined : covenantCoins.find((coin) => isPinned(coin, pinned));
  if (pinned === null || thread === undefined) throw new TreasuryError('store_conflict', { label });
  if (tokenCategory === null || reserved === 0n)
    return { thread: pinned, coins: { thread, reserve: [] }, payerCoins, locktime };

  const reserveLock = reserveContract(pinned.category, lockingBytecode, network).lockingBytecode;
  const reserve = reserveCoins(await chain.coins(reserveLock), tokenCategory, reserved);
  // The reserve moves together with its thread: less in it means that the thread is being spent this moment.
  if (reserve === null) throw new TreasuryError('store_conflict', { label });
  return { thread: pinned, coins: { thread, reserve }, payerCoins, locktime };
};

/** What a move of a record starts from. `locktime` is chain now. */
export type MoveSpend<R> = GatheredSpend & { readonly record: R; readonly network: Network };

/**
 * {@link gatherSpend} for a record of a product.
 *
 * @param closed true where the pool does not move: its reserve stays closed then
 * @throws store_conflict when the thread moved while this was read, chain_unavailable
 */
export const spendOf = async <R extends PoolRecord>(
  product: PoolProduct<R>,
  {
    record,
    payer,
    closed = false,
  }: { readonly record: R; readonly payer: Address; readonly closed?: boolean },
  context: Pick<Context, 'chain' | 'network' | 'store'>,
): Promise<MoveSpend<R>> => ({
  record,
  network: context.network,
  ...(await gatherSpend(
    {
      label: product.label(record),
      lockingBytecode: parseAddress(record.contract_address).lockingBytecode,
      thread: record.thread,
      tokenCategory: product.tokenCategory(record),
      reserved: closed ? 0n : product.remaining(record),
      payer,
    },
    context,
  )),
});
