/** The authority's tickets: finding one that no witness holds. */
import { type Coin } from '../bch/coins.js';
import { encodeRaw } from '../bch/transaction.js';
import {
  buildTicketSplit,
  isSplittable,
  ticketCoins,
  TICKET_SATOSHIS,
  type Authority,
} from '../covenant/ticket.js';
import { TreasuryError } from '../errors.js';
import type { Context } from './context.js';
import type { StoreReader } from './ports/store.js';
import { witnessCollection } from './witness-record.js';

const MAXIMUM_TRIES = 5;

/** True when a witness that is out holds the coin. */
export const isLeased = (store: StoreReader, outpoint: string): boolean =>
  store.find(witnessCollection, { where: { ticket: outpoint }, limit: 1 }).total > 0;

/** The authority's coins that can serve as tickets now, the smallest first. @throws chain_unavailable */
export const freeTickets = async (
  { address }: Pick<Authority, 'address'>,
  { chain, store }: Pick<Context, 'chain' | 'store'>,
): Promise<Coin[]> =>
  ticketCoins(await chain.coins(address.lockingBytecode), (outpoint) => isLeased(store, outpoint));

/** Another process may be splitting the same coin: whoever comes second looks again. */
const splitCoin = async (coin: Coin, authority: Authority, { chain, network }: Context): Promise<void> => {
  try {
    await chain.broadcast(encodeRaw(buildTicketSplit(coin, authority, network).transaction));
  } catch (error) {
    if (!(error instanceof TreasuryError) || error.code !== 'tx_conflict') throw error;
  }
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
    if (ticket !== undefined) await splitCoin(ticket, authority, context);
    else if (context.localChain === null) break;
    else await context.localChain.faucet(lockingBytecode, TICKET_SATOSHIS);
  }
  throw new TreasuryError('authority_unfunded', { address, satoshis: Number(TICKET_SATOSHIS) });
};
