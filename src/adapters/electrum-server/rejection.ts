/** Why the chain refuses a transaction, in the words of a node. Source: Bitcoin Cash Node, reject reasons. */
import { decodeTransaction, isCoinbase, type Transaction } from '../../bch/transaction.js';
import { isTreasuryError, type TreasuryError } from '../../errors.js';
import { absoluteLock } from '../local-chain/finality.js';
import type { LocalChain } from '../local-chain/local-chain.js';
import { refusal, type RpcRefusal } from './json-rpc.js';

const detail = ({ details }: TreasuryError, name: string): string => String(details[name]);

const decode = (rawTransaction: string): Transaction | null => {
  try {
    return decodeTransaction(rawTransaction);
  } catch {
    return null;
  }
};

/** A node tells only conflicts with its mempool: a coin that a block has spent is simply not there. */
const wordConflict = async (error: TreasuryError, chain: LocalChain): Promise<string> => {
  const spender = await chain.transaction(detail(error, 'spender'));
  return spender?.height === null ? 'txn-mempool-conflict (code 18)' : 'Missing inputs';
};

const spendsCoinbase = async ({ inputs }: Transaction, chain: LocalChain): Promise<boolean> => {
  const sources = await Promise.all(inputs.map(({ txid }) => chain.transaction(txid)));
  return sources.some((source) => source !== null && isCoinbase(source.transaction) && source.height !== 0);
};

const wordNotFinal = async (rawTransaction: string, chain: LocalChain): Promise<string> => {
  const transaction = decodeTransaction(rawTransaction);
  const tip = { ...(await chain.tip()), header: '', txids: [] };
  if (absoluteLock(transaction, tip) !== null) return 'bad-txns-nonfinal, non-final transaction (code 64)';
  return (await spendsCoinbase(transaction, chain))
    ? 'bad-txns-premature-spend-of-coinbase (code 16)'
    : 'non-BIP68-final (code 64)';
};

const wordMalformed = (error: TreasuryError, rawTransaction: string): string => {
  if (decode(rawTransaction) === null) return 'TX decode failed';
  const reason = detail(error, 'reason');
  return reason.endsWith('twice')
    ? 'bad-txns-inputs-duplicate (code 16)'
    : `bad-txns-malformed, ${reason} (code 16)`;
};

const wordFee = ({ details }: TreasuryError): string =>
  Number(details['fee']) < 0
    ? 'bad-txns-in-belowout (code 16)'
    : `min relay fee not met, ${String(details['fee'])} < ${String(details['minimum'])} (code 66)`;

const word = async (error: TreasuryError, rawTransaction: string, chain: LocalChain): Promise<string> => {
  switch (error.code) {
    case 'tx_malformed':
      return wordMalformed(error, rawTransaction);
    case 'tx_conflict':
      return wordConflict(error, chain);
    case 'tx_missing_inputs':
      return 'Missing inputs';
    case 'tx_not_final':
      return wordNotFinal(rawTransaction, chain);
    case 'tx_dust':
      return 'dust (code 64)';
    case 'tx_fee_too_low':
      return wordFee(error);
    case 'tx_token_rule':
      return `bad-txns-token-rule, ${detail(error, 'reason')} (code 16)`;
    case 'tx_script_failed':
      return `mandatory-script-verify-flag-failed (${detail(error, 'reason')}) (code 16)`;
    case 'tx_too_large':
      return 'tx-size (code 64)';
    default:
      return `${detail(error, 'reason')} (code 64)`;
  }
};

/** What Fulcrum answers when its node refuses a transaction. */
const asFulcrum = (reason: string): RpcRefusal =>
  refusal(`the transaction was rejected by network rules.\n\n${reason}\n`);

/** Broadcasts on the embedded chain; returns the transaction's id. @throws RpcRefusal in a node's words */
export const broadcastAsNode = async (rawTransaction: string, chain: LocalChain): Promise<string> => {
  const transaction = decode(rawTransaction);
  const known = transaction === null ? null : await chain.transaction(transaction.txid);
  if (known !== null && known.height !== null) throw asFulcrum('transaction already in block chain');
  try {
    return await chain.broadcast(rawTransaction);
  } catch (error) {
    if (!isTreasuryError(error)) throw error;
    throw asFulcrum(await word(error, rawTransaction, chain));
  }
};
