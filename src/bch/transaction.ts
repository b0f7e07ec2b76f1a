/** Transactions as values: decoding, identity, size, fee and dust. Encoding itself is libauth's. */
import {
  decodeTransaction as decodeLibauthTransaction,
  encodeTransaction,
  encodeTransactionOutput,
  getDustThreshold,
  hashTransaction,
  isHex,
  type Output as LibauthOutput,
  type Transaction as LibauthTransaction,
} from '@bitauth/libauth';
import { TreasuryError } from '../errors.js';
import type { Coin, Outpoint, Output, Token } from './coins.js';
import { bytesOf, hexOf } from './hex.js';

/** Relay fee. Source: node default, 1,000 satoshis a kilobyte. */
export const FEE_SATS_PER_BYTE = 1n;

/**
 * The fee of a transaction of that many signed bytes: 1 satoshi a byte, and 2 % more for wallets whose signatures
 * come out a little longer than the 65 bytes they are counted with.
 *
 * @example
 * feeFor(1_000); // 1_020n
 */
export const feeFor = (size: number): bigint => FEE_SATS_PER_BYTE * BigInt(size + Math.ceil(size / 50));

/** Largest transaction that is relayed. Source: BCH standardness, 100,000 bytes. */
export const MAXIMUM_STANDARD_SIZE = 100_000;
/** Smallest payout output (P2PKH with room for a P2SH32). Source: docs/design/covenants.md, rule 13. */
export const PAYOUT_DUST = 546n;
/** Satoshis that a thread keeps beside the pool. Source: docs/design/covenants.md, rule 13. */
export const THREAD_DUST = 1_000n;

export type TransactionInput = Outpoint & {
  readonly sequence: number;
  /** Hex. */
  readonly unlockingBytecode: string;
};

/** A decoded transaction. */
export type Transaction = {
  readonly txid: string;
  readonly version: number;
  readonly locktime: number;
  readonly inputs: readonly TransactionInput[];
  readonly outputs: readonly Output[];
};

/** A transaction that the chain knows. */
export type ChainTransaction = {
  readonly transaction: Transaction;
  /** Height of its block, or null while in the mempool. */
  readonly height: number | null;
  /** Time of its block in unix seconds, or null while in the mempool. */
  readonly blockTime: number | null;
};

/**
 * True for 64 lower-case hex digits.
 *
 * @example
 * isTxid(coin.txid); // true
 */
export const isTxid = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);

/**
 * A libauth output as ours.
 *
 * @example
 * fromLibauthOutput(payment.transaction.outputs[0]); // payment.outputs[0]
 */
export const fromLibauthOutput = (output: LibauthOutput): Output => ({
  lockingBytecode: hexOf(output.lockingBytecode),
  satoshis: output.valueSatoshis,
  ...(output.token === undefined ? {} : { token: fromLibauthToken(output.token) }),
});

const fromLibauthToken = (token: NonNullable<LibauthOutput['token']>): Token => ({
  category: hexOf(token.category),
  amount: token.amount,
  ...(token.nft === undefined
    ? {}
    : { nft: { capability: token.nft.capability, commitment: hexOf(token.nft.commitment) } }),
});

/**
 * Our output as libauth's. For the reverse, see {@link fromLibauthOutput}.
 *
 * @example
 * toLibauthOutput(payment.outputs[0]); // payment.transaction.outputs[0]
 */
export const toLibauthOutput = (output: Output): LibauthOutput => ({
  lockingBytecode: bytesOf(output.lockingBytecode),
  valueSatoshis: output.satoshis,
  ...(output.token === undefined
    ? {}
    : {
        token: {
          category: bytesOf(output.token.category),
          amount: output.token.amount,
          ...(output.token.nft === undefined
            ? {}
            : {
                nft: {
                  capability: output.token.nft.capability,
                  commitment: bytesOf(output.token.nft.commitment),
                },
              }),
        },
      }),
});

/**
 * Our transaction as libauth's. For the reverse, see {@link fromLibauthTransaction}.
 *
 * @example
 * toLibauthTransaction(fromLibauthTransaction(payment.transaction)); // payment.transaction
 */
export const toLibauthTransaction = ({
  version,
  locktime,
  inputs,
  outputs,
}: Omit<Transaction, 'txid'>): LibauthTransaction => ({
  version,
  locktime,
  inputs: inputs.map(({ txid, vout, sequence, unlockingBytecode }) => ({
    outpointTransactionHash: bytesOf(txid),
    outpointIndex: vout,
    sequenceNumber: sequence,
    unlockingBytecode: bytesOf(unlockingBytecode),
  })),
  outputs: outputs.map(toLibauthOutput),
});

const NO_TRANSACTION = '00'.repeat(32);

/**
 * True for the transaction that comes into being with its block: its one input spends nothing.
 *
 * @example
 * isCoinbase(fromLibauthTransaction(payment.transaction)); // false
 */
export const isCoinbase = ({ inputs }: Pick<Transaction, 'inputs'>): boolean =>
  inputs.length === 1 && inputs[0]?.txid === NO_TRANSACTION;

/** Confirmations that a coinbase needs before it can be spent. Source: Bitcoin consensus. */
export const COINBASE_MATURITY = 100;

/**
 * A decoded libauth transaction as ours, with its id.
 *
 * @example
 * fromLibauthTransaction(payment.transaction).outputs; // payment.outputs
 */
export const fromLibauthTransaction = (transaction: LibauthTransaction): Transaction => ({
  txid: hashTransaction(encodeTransaction(transaction)),
  version: transaction.version,
  locktime: transaction.locktime,
  inputs: transaction.inputs.map((input) => ({
    txid: hexOf(input.outpointTransactionHash),
    vout: input.outpointIndex,
    sequence: input.sequenceNumber,
    unlockingBytecode: hexOf(input.unlockingBytecode),
  })),
  outputs: transaction.outputs.map(fromLibauthOutput),
});

/**
 * Raw transaction hex as libauth's transaction.
 *
 * @throws tx_malformed
 * @example
 * decodeRaw(request.transaction); // payment.transaction
 * decodeRaw('00'); // throws tx_malformed
 */
export const decodeRaw = (rawTransaction: string): LibauthTransaction => {
  if (!isHex(rawTransaction) || rawTransaction === '') {
    throw new TreasuryError('tx_malformed', { reason: 'expected the raw transaction as hex' });
  }
  const decoded = decodeLibauthTransaction(bytesOf(rawTransaction));
  if (typeof decoded === 'string') throw new TreasuryError('tx_malformed', { reason: decoded });
  return decoded;
};

/**
 * Raw transaction hex as a value.
 *
 * @throws tx_malformed
 * @example
 * decodeTransaction(request.transaction).inputs[0].txid; // coin.txid
 */
export const decodeTransaction = (rawTransaction: string): Transaction =>
  fromLibauthTransaction(decodeRaw(rawTransaction));

/**
 * Raw hex of a libauth transaction.
 *
 * @example
 * encodeRaw(payment.transaction); // request.transaction
 */
export const encodeRaw = (transaction: LibauthTransaction): string => hexOf(encodeTransaction(transaction));

/**
 * The least satoshis an output may hold to be relayed. Source: BCH standardness, `(size + 148) * 3`.
 *
 * @example
 * dustOf(payment.outputs[0]); // 546n
 */
export const dustOf = (output: Output): bigint => getDustThreshold(toLibauthOutput(output));

/**
 * The serialised size of an output in bytes.
 *
 * @example
 * outputSize(payment.outputs[0]); // 34
 */
export const outputSize = (output: Output): number => encodeTransactionOutput(toLibauthOutput(output)).length;

/**
 * The coin that output `vout` of a transaction is.
 *
 * @example
 * coinAt(mined(payment), 0).satoshis; // 25_000_000n
 * coinAt(mined(payment), 9); // null
 */
export const coinAt = ({ transaction, height }: ChainTransaction, vout: number): Coin | null => {
  const output = transaction.outputs[vout];
  return output === undefined ? null : { ...output, txid: transaction.txid, vout, height };
};
