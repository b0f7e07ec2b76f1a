/** The authority's tickets: finding one that no witness holds. */
import { outpointText, type Coin } from '../../bch/coins.js';
import { coinAt, encodeRaw, fromLibauthTransaction } from '../../bch/transaction.js';
import {
  buildTicketSplit,
  isSplittable,
  ticketCoins,
  TICKET_SATOSHIS,
  type Authority,
} from '../../covenant/ticket.js';
import { TreasuryError } from '../../errors.js';
import type { Context } from '../../operation/context.js';
import type { StoreReader } from '../../operation/ports/store.js';
import { witnessCollection } from './record.js';

const MAXIMUM_TRIES = 5;

/** True when a witness that is out holds the coin. */
export const isLeased = async (store: StoreReader, outpoint: string): Promise<boolean> =>
  (await store.find(witnessCollection, { where: { ticket: outpoint }, limit: 1 })).total > 0;

/** Of some coins those that can serve as tickets and that no witness holds, tickets first. */
const unleased = async (coins: readonly Coin[], store: StoreReader): Promise<Coin[]> => {
  const { items } = await store.find(witnessCollection);
  const leased = new Set(items.map(({ ticket }) => outpointText(ticket)));
  return ticketCoins(coins, (outpoint) => leased.has(outpoint));
};

/** The authority's coins that can serve as tickets now, its own tickets first. @throws chain_unavailable */
export const freeTickets = async (
  { address }: Pick<Authority, 'address'>,
  { chain, store }: Pick<Context, 'chain' | 'store'>,
): Promise<Coin[]> => unleased(await chain.coins(address.lockingBytecode), store);

/**
 * The free tickets that a coin is split into, taken from the transaction itself: a server may show it late. None when
 * another process spends the same coin: whoever comes second looks again.
 */
const splitCoin = async (
  coin: Coin,
  authority: Authority,
  { chain, network, store }: Context,
): Promise<Coin[]> => {
  const { transaction: split } = buildTicketSplit(coin, authority, network);
  try {
    await chain.broadcast(encodeRaw(split));
  } catch (error) {
    if (!(error instanceof TreasuryError) || error.code !== 'tx_conflict') throw error;
    return [];
  }
  const transaction = fromLibauthTransaction(split);
  const coins = transaction.outputs.map((_output, vout) =>
    coinAt({ transaction, height: null, blockTime: null }, vout),
  );
  return unleased(
    coins.filter((made) => made !== null),
    store,
  );
};

/**
 * A ticket that no witness holds. A large coin is split first; on `local` the faucet gives one when there is none.
 *
 * @throws authority_unfunded, chain_unavailable
 */
export const freeTicket = async (authority: Authority, context: Context): Promise<Coin> => {
  const { text: address, lockingBytecode } = authority.address;
  for (let tries = 0; tries < MAXIMUM_TRIES; tries += 1) {
    const [ticket] = await freeTickets(authority, context);
    if (ticket !== undefined && !isSplittable(ticket)) return ticket;
    if (ticket !== undefined) {
      const [made] = await splitCoin(ticket, authority, context);
      if (made !== undefined) return made;
    } else if (context.localChain === null) break;
    else await context.localChain.faucet(lockingBytecode, TICKET_SATOSHIS);
  }
  throw new TreasuryError('authority_unfunded', { address, satoshis: Number(TICKET_SATOSHIS) });
};
