/** Transactions in files: a wcTransaction, or any reply that holds one. */
import { z } from 'zod';
import type { NamedCopy } from '../../bch/combine-transactions.js';
import { decodeRaw } from '../../bch/transaction.js';
import {
  decodeWalletTransaction,
  verifyTransaction,
  type SigningRequest,
} from '../../bch/wallet-transaction.js';
import { TreasuryError } from '../../errors.js';

type Json = Readonly<Record<string, unknown>>;

/** A file of JSON: what `--unsigned` wrote, or a whole reply. */
export const DocumentField = z
  .looseObject({})
  .meta({ transaction: true, description: 'A transaction to be signed, or an answer that holds one' });

/** Such a file with its name, where several are read and one of them is to be named. */
export const NamedDocumentField = z
  .object({ name: z.string(), content: DocumentField })
  .meta({ namedFile: true });

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** The object that has the transaction: the document, or the wcTransaction inside a reply. */
export const holderOf = (document: Json): Json => {
  const inner = document['wcTransaction'] ?? document['preparationTransaction'];
  return isObject(inner) ? inner : document;
};

/** True for a document that says what its inputs spend. */
export const holdsSources = (document: Json): boolean => holderOf(document)['sourceOutputs'] !== undefined;

/** The wcTransaction of a document. @throws tx_malformed */
export const readSigningRequest = (document: Json): SigningRequest =>
  decodeWalletTransaction(holderOf(document));

/** The raw hex of a document: of a wcTransaction, or of what `tx sign` answered. @throws tx_malformed */
export const readRawTransaction = (document: Json): string => {
  const { transaction } = holderOf(document);
  if (typeof transaction === 'string') return transaction;
  throw new TreasuryError('tx_malformed', {
    reason: 'the file holds no raw transaction under "transaction"',
  });
};

/** A copy of a transaction as a file has it. */
export type DocumentCopy = NamedCopy & {
  /** Null for a raw transaction, which does not say what its inputs spend. */
  readonly request: SigningRequest | null;
};

/** The transaction of a named document. @throws invalid_file naming the document */
export const readCopy = ({ name, content }: z.output<typeof NamedDocumentField>): DocumentCopy => {
  try {
    if (!holdsSources(content)) {
      return { name, transaction: decodeRaw(readRawTransaction(content)), request: null };
    }
    const request = readSigningRequest(content);
    return { name, transaction: request.transaction, request };
  } catch (error) {
    if (!(error instanceof TreasuryError)) throw error;
    throw new TreasuryError('invalid_file', { file: name, reason: String(error.details['reason']) });
  }
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
