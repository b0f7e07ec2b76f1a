/** What a spend of a stream starts from. */
import { parseAddress, type Address } from '../../bch/address.js';
import type { Context } from '../../operation/context.js';
import { gatherSpend } from '../../offer/gather-spend.js';
import { remainingPool } from './rules.js';
import type { StreamRecord } from './stream.js';
import type { StreamSpend } from './transactions.js';

/** Whether the pool moves: where it does not, the reserve stays closed. */
export type PoolUse = 'opens the pool' | 'leaves the pool';

/**
 * The pinned thread, its reserve and the coins of who signs, as they are now.
 *
 * @throws store_conflict when the thread moved while this was read, chain_unavailable
 */
export const spendOf = async (
  stream: StreamRecord,
  signer: Address,
  use: PoolUse,
  context: Context,
): Promise<StreamSpend> => ({
  stream,
  network: context.network,
  ...(await gatherSpend(
    {
      label: stream.stream_id,
      lockingBytecode: parseAddress(stream.contract_address).lockingBytecode,
      thread: stream.thread,
      tokenCategory: stream.token_category,
      reserved: use === 'opens the pool' ? remainingPool(stream) : 0n,
      payer: signer,
    },
    context,
  )),
});
