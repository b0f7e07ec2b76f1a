/** What the authority has signed as time witness and handed out. It is stored before it leaves. */
import { z } from 'zod';
import { outpointText } from '../../bch/coins.js';
import { Hex, Hex32, Units, WalletTransactionField } from '../../bch/fields.js';
import { ThreadPointer } from '../../covenant/thread.js';
import { defineCollection } from '../../operation/ports/store.js';

/** The moves that need a witness: those in which an earlier time would help who signs. */
export const WITNESSED_MOVES = ['pause', 'cancel'] as const;
export type WitnessedMove = (typeof WITNESSED_MOVES)[number];

export const WitnessRecord = z.object({
  /**
   * The thread's outpoint: one witness per thread is out at a time. One whose ticket is spent makes room for the next
   * (see {@link setAside}).
   */
  id: z.string(),
  entity_type: z.string(),
  entity_id: z.string(),
  label: z.string(),
  thread: ThreadPointer,
  /** Hex. */
  thread_lock: Hex,
  ticket: z.object({ txid: Hex32, vout: z.int().min(0), satoshis: Units }),
  /**
   * Raw transaction, signed, that spends the ticket back: withdrawing needs no key. Null in records of before it was
   * stored: their withdrawal is signed when it is due.
   */
  ticket_return: Hex.nullable().default(null),
  authority_pubkey: Hex,
  move: z.enum(WITNESSED_MOVES),
  /** Cash address of who asked. */
  signer: z.string(),
  wc_transaction: WalletTransactionField,
  /** Unix seconds of the service's clock. */
  handed_out_at: z.int(),
});
export type WitnessRecord = z.output<typeof WitnessRecord>;

/**
 * The witness under an id of its own, so that another can be out for its thread. It is kept until the spend that voids it
 * is safe in a block: until then the ticket may become unspent again, and the witness good.
 */
export const setAside = (witness: WitnessRecord): WitnessRecord => ({
  ...witness,
  id: `${outpointText(witness.thread)} ${outpointText(witness.ticket)}`,
});

/** True for a witness that was {@link setAside}. */
export const isSetAside = (witness: WitnessRecord): boolean => witness.id === setAside(witness).id;

export const witnessCollection = defineCollection({
  name: 'witnesses',
  schema: WitnessRecord,
  indexes: { ticket: ({ ticket }) => outpointText(ticket), signer: ({ signer }) => signer },
});

/** A withdrawal that cost the authority its fee. Kept for as long as it counts against its signer and its record. */
export const WitnessWithdrawal = z.object({
  /** The ticket's outpoint. */
  id: z.string(),
  signer: z.string(),
  entity_id: z.string(),
  /** Unix seconds of the service's clock. */
  withdrawn_at: z.int(),
});
export type WitnessWithdrawal = z.output<typeof WitnessWithdrawal>;

export const withdrawalCollection = defineCollection({
  name: 'witness_withdrawals',
  schema: WitnessWithdrawal,
  indexes: { signer: ({ signer }) => signer, record: ({ entity_id: id }) => id },
});
