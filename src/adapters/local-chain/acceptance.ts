/**
 * The rules by which a transaction is accepted into the mempool. Pure.
 *
 * Scripts, signatures, token rules and script standardness are libauth's 2026 virtual machine; what a virtual
 * machine cannot know (which coins exist, what time it is, what is worth relaying) is checked here.
 */
import { hexToBin } from '@bitauth/libauth';
import { outpointText, sumSatoshis, type Outpoint, type Output } from '../../bch/coins.js';
import {
  decodeRaw,
  fromLibauthTransaction,
  toLibauthOutput,
  type Transaction,
} from '../../bch/transaction.js';
import {
  requireFee,
  requireNoDust,
  requireStandardSize,
  verifyTransaction,
} from '../../bch/virtual-machine.js';
import { TreasuryError } from '../../errors.js';
import { findOutput, tipBlock, type ChainState } from './chain-state.js';
import { absoluteLock, maturityLock, relativeLock, type LockedCoin, type Wait } from './finality.js';

const refuseUnlessFinal = (wait: Wait | null): void => {
  if (wait !== null) throw new TreasuryError('tx_not_final', { ...wait });
};

/** The coin behind an outpoint, as locks see it. */
export const lockedCoin = (state: ChainState, { txid }: Outpoint): LockedCoin | null =>
  state.transactions.get(txid) ?? null;

const checkInputsOnce = ({ inputs }: Transaction): void => {
  const seen = new Set<string>();
  for (const input of inputs) {
    const outpoint = outpointText(input);
    if (seen.has(outpoint)) {
      throw new TreasuryError('tx_malformed', { reason: `it spends ${outpoint} twice` });
    }
    seen.add(outpoint);
  }
};

/** The outputs that the inputs spend, in their order. */
const findSourceOutputs = (state: ChainState, { inputs }: Transaction): Output[] =>
  inputs.map((input) => {
    const outpoint = outpointText(input);
    const spender = state.spenders.get(outpoint);
    if (spender !== undefined) throw new TreasuryError('tx_conflict', { outpoint, spender });
    const output = findOutput(state, input);
    if (output === null) throw new TreasuryError('tx_missing_inputs', { outpoint });
    return output;
  });

const checkLocks = (state: ChainState, transaction: Transaction): void => {
  for (const input of transaction.inputs) {
    const coin = lockedCoin(state, input);
    refuseUnlessFinal(coin === null ? null : maturityLock(coin, state.blocks.length));
  }
  refuseUnlessFinal(relativeLock(transaction, (outpoint) => lockedCoin(state, outpoint), state.blocks));
};

/**
 * Checks a transaction that the chain does not know yet against the next block.
 *
 * @param rawTransaction hex
 * @returns its id and its fee in satoshis
 * @throws tx_malformed, tx_too_large, tx_dust, tx_conflict, tx_missing_inputs, tx_not_final, tx_fee_too_low,
 *   tx_token_rule, tx_script_failed
 */
export const checkTransaction = (
  state: ChainState,
  rawTransaction: string,
): { txid: string; fee: bigint } => {
  const decoded = decodeRaw(rawTransaction);
  const transaction = fromLibauthTransaction(decoded);
  const size = hexToBin(rawTransaction).length;

  // Check: what the transaction alone tells.
  requireStandardSize(size);
  checkInputsOnce(transaction);
  requireNoDust(decoded.outputs);
  refuseUnlessFinal(absoluteLock(transaction, tipBlock(state)));

  // Check: what the coins tell.
  const sourceOutputs = findSourceOutputs(state, transaction);
  checkLocks(state, transaction);
  const fee = sumSatoshis(sourceOutputs) - sumSatoshis(transaction.outputs);
  requireFee(fee, size);

  // Check: scripts, signatures and tokens, last because they cost most.
  verifyTransaction({ transaction: decoded, sourceOutputs: sourceOutputs.map(toLibauthOutput) });
  return { txid: transaction.txid, fee };
};
