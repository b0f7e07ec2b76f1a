/** The record of a spend from a vault, its statuses and its moves. */
import { z } from 'zod';
import { Hex, Hex32, Units } from '../../bch/fields.js';
import { OwnWordsFields } from '../../record/own-words.js';
import { defineCollection } from '../../operation/ports/store.js';

export const SPEND_STATUSES = ['PENDING', 'READY', 'SPENT', 'CANCELLED', 'GONE'] as const;
export type SpendStatus = (typeof SPEND_STATUSES)[number];

/**
 * From which statuses a move starts. PENDING waits for signatures, READY has two of them, SPENT is on chain, GONE has
 * lost one of its coins to another transaction.
 */
export const SPEND_MOVES = {
  sign: ['PENDING'],
  broadcast: ['READY'],
  cancel: ['PENDING', 'READY', 'GONE'],
} as const satisfies Record<string, readonly SpendStatus[]>;
export type SpendMove = keyof typeof SPEND_MOVES;

/** Those whose coins are leased, or that may come back once a coin does. */
const OPEN_STATUSES: readonly SpendStatus[] = ['PENDING', 'READY', 'GONE'];

const StoredToken = z.object({
  category: Hex32,
  amount: Units,
  nft: z.object({ capability: z.enum(['none', 'mutable', 'minting']), commitment: Hex }).exactOptional(),
});

const storedOutput = { lockingBytecode: Hex, satoshis: Units, token: StoredToken.exactOptional() };

/** One amount that a spend pays out, as it was asked for. */
const Payment = z.object({
  to: z.string(),
  /** Null: BCH. */
  token_category: Hex32.nullable(),
  /** Smallest unit. */
  amount: Units,
  /** Pinned at creation. */
  decimals: z.int().min(0).max(18),
});
export type Payment = z.output<typeof Payment>;

/** One of the two signatures. */
const SpendSignature = z.object({
  signer: z.string(),
  /** 33 bytes. */
  public_key: Hex,
  /** 64 bytes Schnorr and the type 0x61. */
  signature: Hex,
  signed_at: z.int(),
});
export type SpendSignature = z.output<typeof SpendSignature>;

export const SpendRecord = z.object({
  id: z.string(),
  /** `#SPEND-0001`. */
  label: z.string(),
  vault_id: z.string(),
  proposer: z.string(),
  memo: z.string(),
  payments: z.array(Payment),
  /** What it spends, in the order of its inputs; leased while the spend is open. */
  coins: z.array(
    z.object({ ...storedOutput, txid: Hex32, vout: z.int().min(0), height: z.int().nullable() }),
  ),
  /** All outputs in order: the thread, the payments, and what comes back. */
  outputs: z.array(z.object(storedOutput)),
  /** Satoshis, out of the vault. */
  fee: Units,
  /** The transaction's id before anybody signed: the same whoever signs. */
  unsigned_txid: Hex32,
  /** In the order in which they came. */
  signatures: z.array(SpendSignature),
  status: z.enum(SPEND_STATUSES).describe('PENDING, READY, SPENT, CANCELLED or GONE'),
  /** Of the transaction on chain. */
  tx_hash: Hex32.nullable(),
  /** The first of them, `txid:vout`. */
  gone: z.string().nullable().describe('The coin that is gone, when one is'),
  created_at: z.int(),
  updated_at: z.int(),
  ...OwnWordsFields,
});
export type SpendRecord = z.output<typeof SpendRecord>;

export const spendCollection = defineCollection({
  name: 'vault_spends',
  schema: SpendRecord,
  indexes: {
    label: (spend) => spend.label,
    vault: (spend) => spend.vault_id,
    /** Those that lease coins, or may again. */
    open: (spend) => (OPEN_STATUSES.includes(spend.status) ? spend.vault_id : null),
    unsigned: (spend) => spend.unsigned_txid,
    transaction: (spend) => spend.tx_hash,
  },
  unique: ['label'],
});
