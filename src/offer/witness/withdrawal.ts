/** Withdrawing a witness: its ticket is spent back to the authority, and what was signed with it is void. */
import { hexToBin } from '@bitauth/libauth';
import { addressOfPublicKey } from '../../bch/keys.js';
import { outpointText, sameOutpoint } from '../../bch/coins.js';
import { signTicketReturn } from '../../covenant/ticket.js';
import { fateOf, findCoin, isMined } from '../coin-fate.js';
import type { Context } from '../../operation/context.js';
import {
  isSetAside,
  setAside,
  withdrawalCollection,
  witnessCollection,
  type WitnessRecord,
  type WitnessWithdrawal,
} from './record.js';

/** How long a witness is good for. Source: docs/design/covenants.md, rule 5. */
export const WITNESS_SECONDS = 600;
/** How long a withdrawal counts against its signer and its record. Source: docs/design/covenants.md, rule 20. */
export const WITHDRAWAL_WINDOW_SECONDS = 3_600;

/** True when a witness is that old; one from the future (the clock was set back) counts as old. */
export const isExpired = (
  { handed_out_at: handedOut }: WitnessRecord,
  now: number,
  olderThanSeconds = WITNESS_SECONDS,
): boolean => now < handedOut || now - handedOut >= olderThanSeconds;

/** Where a witness's ticket is, hex. */
const ticketLock = (
  { authority_pubkey: publicKey }: WitnessRecord,
  { network }: Pick<Context, 'network'>,
): string => addressOfPublicKey(hexToBin(publicKey), network).lockingBytecode;

/** What comes of a withdrawal: the witness under another id, or nothing; and whether it counts. */
type Ending = { readonly replacement: WitnessRecord | null; readonly isReturned: boolean };

/** Forgets a witness, or puts another in its place, unless that has happened already. */
const replaceWitness = (
  { id, ticket, signer, entity_id }: WitnessRecord,
  { replacement, isReturned }: Ending,
  { store, clock }: Pick<Context, 'store' | 'clock'>,
): Promise<void> => {
  const now = clock.now();
  return store.transaction(async (writer) => {
    const stored = await writer.get(witnessCollection, id);
    if (stored === null || !sameOutpoint(stored.ticket, ticket)) return;
    writer.remove(witnessCollection, id);
    if (replacement !== null) writer.put(witnessCollection, replacement);
    if (!isReturned) return;
    const withdrawal = { id: outpointText(ticket), signer, entity_id, withdrawn_at: now };
    writer.put(withdrawalCollection, withdrawal);
  });
};

/** The stored return; of a witness of before it was stored, one signed now, while its ticket is unspent. */
const returnOf = async (witness: WitnessRecord, context: Context): Promise<string | null> => {
  if (witness.ticket_return !== null) return witness.ticket_return;
  const coin = await findCoin(ticketLock(witness, context), witness.ticket, context);
  if (coin === undefined) return null;
  const authority = await context.keys.authority(witness.authority_pubkey);
  return signTicketReturn(coin, authority, context.network);
};

/**
 * Spends a ticket back. It is tried whatever the mempool shows: what is spent already is refused, and needs nothing.
 *
 * @returns false when somebody else has spent it
 */
const returnTicket = async (witness: WitnessRecord, context: Context): Promise<boolean> => {
  const raw = await returnOf(witness, context);
  if (raw === null) return false;
  try {
    await context.chain.broadcast(raw);
    return true;
  } catch (error) {
    // Somebody was quicker: what counts is that the ticket is gone.
    if ((await findCoin(ticketLock(witness, context), witness.ticket, context)) !== undefined) throw error;
    return false;
  }
};

/**
 * Spends the ticket of a witness back, unless the witness was used or another process has withdrawn it, and makes room
 * for another of its thread. It is forgotten once the spend is safe in a block: until then a reorganisation may bring the
 * ticket back, and what was signed with it.
 *
 * @param isHeldAgainst - false when somebody has moved its thread: that it was not used is not held against its signer
 * @throws chain_unavailable; authority_missing and authority_locked for a witness of before returns were stored; it is
 *   then still out
 */
export const withdrawWitness = async (
  witness: WitnessRecord,
  context: Context,
  isHeldAgainst = true,
): Promise<void> => {
  const lockingBytecode = ticketLock(witness, context);
  const before = await fateOf(lockingBytecode, witness.ticket, context);
  const isSent = !isMined(before) && (await returnTicket(witness, context));
  const after = isMined(before) ? before : await fateOf(lockingBytecode, witness.ticket, context);
  const isReturned = isHeldAgainst && isSent && before === 'unspent';
  const replacement = after === 'safe' ? null : setAside(witness);
  if (isReturned || replacement?.id !== witness.id)
    await replaceWitness(witness, { replacement, isReturned }, context);
};

/**
 * Forgets a witness once a move of its thread is safe in a block, by it or otherwise; else withdraws it. A thread that only
 * the mempool shows as spent may come back, and the witness with it. One that a block shows as spent is left alone until
 * then: it comes back only in a reorganisation, and is withdrawn after that.
 */
const endWitness = async (witness: WitnessRecord, context: Context): Promise<void> => {
  const thread = await fateOf(witness.thread_lock, witness.thread, context);
  if (thread === 'mined') return;
  if (thread === 'safe') await replaceWitness(witness, { replacement: null, isReturned: false }, context);
  else await withdrawWitness(witness, context, thread === 'unspent');
};

/** Forgets the withdrawals that count no longer. */
const forgetWithdrawals = async ({ store, clock }: Context): Promise<void> => {
  const isOld = ({ withdrawn_at: time }: WitnessWithdrawal): boolean =>
    Math.abs(clock.now() - time) >= WITHDRAWAL_WINDOW_SECONDS;
  const old = (await store.find(withdrawalCollection)).items.filter(isOld);
  if (old.length === 0) return;
  await store.transaction((writer) => {
    for (const { id } of old) writer.remove(withdrawalCollection, id);
  });
};

/**
 * Withdraws every witness that is old enough and whose thread has not moved; 0 seconds withdraws all. One that was
 * withdrawn before is withdrawn again when its ticket has come back (a reorganisation, an eviction), and forgotten when
 * its spend is safe in a block. It is safe in several processes at once, and what fails is logged and stays out for the next
 * time.
 *
 * @returns how many could not be withdrawn
 */
export const withdrawWitnesses = async (
  context: Context,
  { olderThanSeconds = WITNESS_SECONDS }: { readonly olderThanSeconds?: number } = {},
): Promise<number> => {
  let failures = 0;
  await forgetWithdrawals(context);
  const { items } = await context.store.find(witnessCollection);
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
