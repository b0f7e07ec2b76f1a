/** Withdrawing a witness: its ticket is spent back to the authority, and what was signed with it is void. */
import { sameOutpoint, type Coin, type Outpoint } from '../bch/coins.js';
import { encodeRaw } from '../bch/transaction.js';
import { buildTicketReturn } from '../covenant/ticket.js';
import type { Context } from './context.js';
import { witnessCollection, type WitnessRecord } from './witness-record.js';

/** How long a witness is good for. Source: covenants rule 5. */
export const WITNESS_SECONDS = 600;

const EVERY = Number.MAX_SAFE_INTEGER;

/** True when a witness is that old; one from the future (the clock was set back) counts as old. */
export const isExpired = (
  { handed_out_at: handedOut }: WitnessRecord,
  now: number,
  olderThanSeconds = WITNESS_SECONDS,
): boolean => now < handedOut || now - handedOut >= olderThanSeconds;

const findCoin = async (
  lockingBytecode: string,
  outpoint: Outpoint,
  { chain }: Pick<Context, 'chain'>,
): Promise<Coin | undefined> =>
  (await chain.coins(lockingBytecode)).find((coin) => sameOutpoint(coin, outpoint));

/** Forgets a witness, unless another has taken its place. */
const forgetWitness = ({ id, ticket }: WitnessRecord, { store }: Pick<Context, 'store'>): Promise<void> =>
  store.transaction((writer) => {
    const stored = writer.get(witnessCollection, id);
    if (stored !== null && sameOutpoint(stored.ticket, ticket)) writer.remove(witnessCollection, id);
  });

/**
 * Spends the ticket of a witness back, then forgets it. A ticket that is spent already needs nothing: the witness was
 * used, or another process has withdrawn it.
 *
 * @throws authority_missing, authority_locked, chain_unavailable; it is then still out
 */
export const withdrawWitness = async (witness: WitnessRecord, context: Context): Promise<void> => {
  const authority = await context.keys.authority(witness.authority_pubkey);
  const { lockingBytecode } = authority.address;
  const coin = await findCoin(lockingBytecode, witness.ticket, context);
  if (coin !== undefined) {
    try {
      const { transaction } = buildTicketReturn(coin, authority, context.network);
      await context.chain.broadcast(encodeRaw(transaction));
    } catch (error) {
      // Somebody was quicker: what counts is that the ticket is gone.
      if ((await findCoin(lockingBytecode, witness.ticket, context)) !== undefined) throw error;
    }
  }
  await forgetWitness(witness, context);
};

/** Settles a witness whose thread has moved, by it or otherwise; withdraws it when the thread has not. */
const endWitness = async (witness: WitnessRecord, context: Context): Promise<void> => {
  const thread = await findCoin(witness.thread_lock, witness.thread, context);
  if (thread === undefined) await forgetWitness(witness, context);
  else await withdrawWitness(witness, context);
};

/**
 * Withdraws every witness that is old enough and whose thread has not moved; 0 seconds withdraws all. It is safe in
 * several processes at once, and what fails is logged and stays out for the next time.
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
    if (!isExpired(witness, context.clock.now(), olderThanSeconds)) continue;
    try {
      await endWitness(witness, context);
    } catch (error) {
      failures += 1;
      context.log.warn({ err: error, label: witness.label }, 'a time witness could not be withdrawn');
    }
  }
  return failures;
};
