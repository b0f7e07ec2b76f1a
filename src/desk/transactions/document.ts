/** Transactions in files: a wcTransaction, or any reply that holds one. */
import { z } from 'zod';
import {
  decodeWalletTransaction,
  verifyTransaction,
  type SigningRequest,
} from '../../bch/wallet-transaction.js';
import { TreasuryError } from '../../errors.js';

type Json = Readonly<Record<string, unknown>>;

/** A file of JSON: what `--unsigned` wrote, or a whole reply. */
export const DocumentField = z.looseObject({}).describe('A wcTransaction, or a reply that holds one');

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** The object that has the transaction: the document, or the wcTransaction inside a reply. */
const holderOf = (document: Json): Json => {
  const inner = document['wcTransaction'] ?? document['preparationTransaction'];
  return isObject(inner) ? inner : document;
};

/**
 * The wcTransaction of a document.
 *
 * @throws tx_malformed
 */
export const readSigningRequest = (document: Json): SigningRequest =>
  decodeWalletTransaction(holderOf(document));

/**
 * The raw hex of a document: of a wcTransaction, or of what `tx sign` answered.
 *
 * @throws tx_malformed
 */
export const readRawTransaction = (document: Json): string => {
  const { transaction } = holderOf(document);
  if (typeof transaction === 'string') return transaction;
  throw new TreasuryError('tx_malformed', {
    reason: 'the file holds no raw transaction under "transaction"',
  });
};

/** Why a transaction is not complete yet, as the VM says it; null when every input is unlocked. */
export const refusalOf = ({
  transaction,
  sourceOutputs,
}: Pick<SigningRequest, 'transaction' | 'sourceOutputs'>): string | null => {
  try {
    verifyTransaction({ transaction, sourceOutputs: [...sourceOutputs] });
    return null;
  } catch (error) {
    if (error instanceof TreasuryError) return error.message;
    throw error;
  }
};
