/** Withdrawing a witness: its ticket is spent back to the authority, and what was signed with it is void. */
import { hexToBin } from '@bitauth/libauth';
import { addressOfPublicKey } from '../bch/address.js';
import { sameOutpoint, type Coin, type Outpoint } from '../bch/coins.js';
import { encodeRaw } from '../bch/transaction.js';
import { buildTicketReturn } from '../covenant/ticket.js';
import type { Context } from './context.js';
import { isSetAside, setAside, witnessCollection, type WitnessRecord } from './witness-record.js';

/** How long a witness is good for. Source: covenants rule 5. */
export const WITNESS_SECONDS = 600;

const EVERY = Number.MAX_SAFE_INTEGER;

/** True when a witness is that old; one from the future (the clock was set back) counts as old. */
export const isExpired = (
  { handed_out_at: handedOut }: WitnessRecord,
  now: number,
  olderThanSeconds = WITNESS_SECONDS,
): boolean => now < handedOut || now - handedOut >= olderThanSeconds;

/** What became of a coin. One that waits is spent, and by no block yet: it may come back. */
type Fate = 'unspent' | 'waiting' | 'mined';

const findCoin = async (
  lockingBytecode: string,
  outpoint: Outpoint,
  { chain }: Pick<Context, 'chain'>,
): Promise<Coin | undefined> =>
  (await chain.coins(lockingBytecode)).find((coin) => sameOutpoint(coin, outpoint));

const fateOf = async (
  lockingBytecode: string,
  outpoint: Outpoint,
  { chain }: Pick<Context, 'chain'>,
): Promise<Fate> => {
  if ((await findCoin(lockingBytecode, outpoint, { chain })) !== undefined) return 'unspent';
  // What spends it is among the last.
  for (const { txid, height } of [...(await chain.history(lockingBytecode))].reverse()) {
    const found = await chain.transaction(txid);
    if (found?.transaction.inputs.some((input) => sameOutpoint(input, outpoint)) === true)
      return height === null ? 'waiting' : 'mined';
  }
  return 'waiting';
};

/** Where a witness's ticket is, hex. */
const ticketLock = (
  { authority_pubkey: publicKey }: WitnessRecord,
  { network }: Pick<Context, 'network'>,
): string => addressOfPublicKey(hexToBin(publicKey), network).lockingBytecode;

/** Forgets a witness, or puts another in its place, unless that has happened already. */
const replaceWitness = (
  { id, ticket }: WitnessRecord,
  replacement: WitnessRecord | null,
  { store }: Pick<Context, 'store'>,
): Promise<void> =>
  store.transaction((writer) => {
    const stored = writer.get(witnessCollection, id);
    if (stored === null || !sameOutpoint(stored.ticket, ticket)) return;
    writer.remove(witnessCollection, id);
    if (replacement !== null) writer.put(witnessCollection, replacement);
  });

/** Spends a ticket back; one that is spent already needs nothing. @throws authority_missing, authority_locked */
const returnTicket = async (witness: WitnessRecord, context: Context): Promise<void> => {
  const lockingBytecode = ticketLock(witness, context);
  const coin = await findCoin(lockingBytecode, witness.ticket, context);
  if (coin === undefined) return;
  const authority = await context.keys.authority(witness.authority_pubkey);
  try {
    const { transaction } = buildTicketReturn(coin, authority, context.network);
    await context.chain.broadcast(encodeRaw(transaction));
  } catch (error) {
    // Somebody was quicker: what counts is that the ticket is gone.
    if ((await findCoin(lockingBytecode, witness.ticket, context)) !== undefined) throw error;
  }
};

/**
 * Spends the ticket of a witness back, unless the witness was used or another process has withdrawn it, and makes room
 * for another of its thread. It is forgotten once a block has the spend.
 *
 * @throws authority_missing, authority_locked, chain_unavailable; it is then still out
 */
export const withdrawWitness = async (witness: WitnessRecord, context: Context): Promise<void> => {
  await returnTicket(witness, context);
  const fate = await fateOf(ticketLock(witness, context), witness.ticket, context);
  if (fate === 'mined') await replaceWitness(witness, null, context);
  else if (!isSetAside(witness)) await replaceWitness(witness, setAside(witness), context);
};

/**
 * Forgets a witness whose thread has moved, by it or otherwise, once a block has the move; withdraws it when the thread
 * has not moved.
 */
const endWitness = async (witness: WitnessRecord, context: Context): Promise<void> => {
  const thread = await fateOf(witness.thread_lock, witness.thread, context);
  if (thread === 'mined') await replaceWitness(witness, null, context);
  else if (thread === 'unspent') await withdrawWitness(witness, context);
};

/**
 * Withdraws every witness that is old enough and whose thread has not moved; 0 seconds withdraws all. One that was
 * withdrawn before is withdrawn again when its ticket has come back (a reorganisation, an eviction), and forgotten when
 * a block has the spend. It is safe in several processes at once, and what fails is logged and stays out for the next
 * time.
 *
 * @returns how many could not be withdrawn
 */
export const withdrawWitnesses = async (
  context: Context,
  { olderThanSeconds = WITNESS_SECONDS }: { readonly olderThanSeconds?: number } = {},
): Promise<number> => {
  let failures = 0;
  const { items } = context.store.find(witnessCollection, { limit: EVERY });
  for (const witness of items) {
    if (!isSetAside(witness) && !isExpired(witness, context.clock.now(), olderThanSeconds)) continue;
    try {
      await endWitness(witness, context);
    } catch (error) {
      failures += 1;
      context.log.warn({ err: error, label: witness.label }, 'a time witness could not be withdrawn');
    }
  }
  return failures;
};
