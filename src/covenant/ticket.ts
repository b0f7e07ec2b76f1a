/**
 * Tickets: plain coins of the authority's own wallet that make its word as time witness revocable.
 *
 * A transaction that the authority signs as witness spends a ticket beside the thread and returns its value. The
 * signature is ALL | UTXOS, so it dies when the ticket is spent elsewhere. Source: docs/design/covenants.md, rule 5.
 */
import { SignatureTemplate } from 'cashscript';
import type { Address } from '../bch/address.js';
import { outpointText, plainCoins, type Coin, type Output } from '../bch/coins.js';
import type { Network } from '../bch/network.js';
import { encodeRaw } from '../bch/transaction.js';
import { verifyTransaction } from '../bch/virtual-machine.js';
import { buildSpend, type SpendInput, type UnsignedTransaction } from './spend.js';

/** The key that co-signs. */
export type AuthorityKey = { readonly privateKey: Uint8Array; readonly publicKey: Uint8Array };

/** The authority with its address. */
export type Authority = AuthorityKey & { readonly address: Address };

/** What a builder of a witnessed move gets: it spends `ticket`, makes `ticketOutput`, and signs with `authority`. */
export type Witness = {
  readonly ticket: SpendInput;
  /** Returns the ticket's value to the authority. */
  readonly ticketOutput: Output;
  readonly authority: AuthorityKey;
};

/** Satoshis of a new ticket: some fifty withdrawals, each of which costs its fee. */
export const TICKET_SATOSHIS = 10_000n;
/** The least that a ticket holds: enough to be spent back once. */
const TICKET_MINIMUM = 1_000n;
/** Tickets that a large coin is split into. */
const TICKETS_PER_SPLIT = 8;
/** A coin is split when so much is in it. */
const SPLIT_ABOVE = TICKET_SATOSHIS * BigInt(TICKETS_PER_SPLIT + 1);

/**
 * Coins that can serve as tickets: the authority's own first, the freshest of them before those that have paid for
 * withdrawals, then larger coins, the smallest first. Dust that strangers sent comes after its own tickets.
 *
 * @example
 * ticketCoins([ticketCoin], () => false); // [ticketCoin]
 */
export const ticketCoins = (coins: readonly Coin[], isLeased: (outpoint: string) => boolean): Coin[] => {
  const usable = plainCoins(coins).filter(
    (coin) => coin.satoshis >= TICKET_MINIMUM && !isLeased(outpointText(coin)),
  );
  const isLarge = ({ satoshis }: Coin): boolean => satoshis > TICKET_SATOSHIS;
  return [...usable.filter((coin) => !isLarge(coin)), ...usable.filter(isLarge).reverse()];
};

/**
 * True when a coin is worth splitting: one large coin would let one witness out at a time.
 *
 * @example
 * isSplittable(ticketCoin); // false
 */
export const isSplittable = ({ satoshis }: Coin): boolean => satoshis > SPLIT_ABOVE;

const ticketInput = (coin: Coin, { privateKey }: AuthorityKey): SpendInput => ({
  coin,
  // The default type is ALL | UTXOS | FORKID (0x61): the authority signs no other (covenants rule 6).
  unlocker: new SignatureTemplate(privateKey).unlockP2PKH(),
});

/**
 * The witness that a ticket carries.
 *
 * @example
 * witnessOf(ticketCoin, authority).ticketOutput.satoshis; // ticketCoin.satoshis
 */
export const witnessOf = (coin: Coin, authority: Authority): Witness => ({
  ticket: ticketInput(coin, authority),
  ticketOutput: { lockingBytecode: authority.address.lockingBytecode, satoshis: coin.satoshis },
  authority,
});

/** A transaction of the authority's own, signed, that spends one coin and gives it the rest. */
const buildOwnSpend = (
  coin: Coin,
  outputs: readonly Output[],
  authority: Authority,
  network: Network,
): UnsignedTransaction =>
  buildSpend({
    network,
    inputs: [ticketInput(coin, authority)],
    outputs,
    payer: authority.address,
    payerCoins: [],
    locktime: 0,
  });

/**
 * The raw transaction, signed, that spends a ticket back to the authority: whatever was witnessed with it is void. It has
 * passed the VM, since nobody may be there to sign another.
 *
 * @throws tx_script_failed when the authority's key does not unlock the coin
 * @example
 * decodeTransaction(signTicketReturn(ticketCoin, authority, 'local')).outputs.length; // 1
 */
export const signTicketReturn = (coin: Coin, authority: Authority, network: Network): string => {
  const { transaction, sourceOutputs } = buildOwnSpend(coin, [], authority, network);
  verifyTransaction({ transaction, sourceOutputs: [...sourceOutputs] });
  return encodeRaw(transaction);
};

/**
 * Splits a large coin into tickets, signed. The first outputs are the tickets.
 *
 * @example
 * const large = { ...ticketCoin, satoshis: 100_000n };
 * buildTicketSplit(large, authority, 'local').outputs.length; // 9
 */
export const buildTicketSplit = (coin: Coin, authority: Authority, network: Network): UnsignedTransaction => {
  const ticket: Output = {
    lockingBytecode: authority.address.lockingBytecode,
    satoshis: TICKET_SATOSHIS,
  };
  return buildOwnSpend(coin, Array<Output>(TICKETS_PER_SPLIT).fill(ticket), authority, network);
};
