/** Sending a spend with both signatures, and confirming it on chain. */
import type { z } from 'zod';
import { TxHash } from '../../../bch/fields.js';
import {
  confirmationsOf,
  confirmed,
  ConfirmReply,
  indexedTransaction,
  mismatch,
  viewConfirmed,
} from '../../../offer/confirm.js';
import {
  BROADCAST_ERRORS,
  CONFIRM_ERRORS,
  defineOperation,
  type RunContext,
} from '../../../operation/define.js';
import { openSpend, SIGNER_ERRORS, SPEND_ERRORS, SPEND_PLACE, SpendPath } from '../open-spend.js';
import { checkSpendStatus } from '../rules.js';
import { completeSpend } from '../signing.js';

/**
 * Follows the vault and answers for the spend that a transaction made.
 *
 * @throws tx_not_indexed, tx_mismatch, chain_unavailable
 */
const confirmSpend = async (
  path: z.output<typeof SpendPath>,
  txHash: string,
  context: RunContext<'address'>,
): Promise<z.output<typeof ConfirmReply>> => {
  const transaction = await indexedTransaction(txHash, context);
  const { spend, vault } = await openSpend(path, context, 'reader', [transaction]);
  if (spend.tx_hash !== txHash) {
    const found = spend.tx_hash === null ? 'another transaction' : `another one; it is ${spend.tx_hash}`;
    throw mismatch(txHash, `${spend.label} of ${vault.name}`, found);
  }
  return confirmed(`${spend.label} is spent`, txHash, spend.status, await confirmationsOf(txHash, context));
};

export const spendBroadcast = defineOperation({
  id: 'vaults.spend-broadcast',
  summary: 'Send a spend that two signers have signed',
  http: { method: 'POST', path: '/api/vaults/:id/spends/:spendId/broadcast' },
  cli: { verb: 'spend broadcast', ...SPEND_PLACE },
  auth: 'address',
  input: SpendPath,
  output: ConfirmReply,
  errors: [...SIGNER_ERRORS, 'wrong_state', 'coins_gone', ...BROADCAST_ERRORS, ...CONFIRM_ERRORS],
  run: async (path, context) => {
    const opened = await openSpend(path, context);
    const { spend } = opened;
    if (spend.tx_hash !== null) return confirmSpend(path, spend.tx_hash, context);
    checkSpendStatus(spend, 'broadcast');
    return confirmSpend(path, await context.chain.broadcast(completeSpend(opened)), context);
  },
  view: viewConfirmed,
});

export const spendConfirm = defineOperation({
  id: 'vaults.spend-confirm',
  summary: 'Confirm on chain a spend that was sent another way',
  http: { method: 'POST', path: '/api/vaults/:id/spends/:spendId/confirm' },
  cli: { verb: 'spend confirm', ...SPEND_PLACE, positional: ['spendId', 'txHash'] },
  auth: 'address',
  forKeys: 'measured',
  input: SpendPath.extend({ txHash: TxHash }),
  output: ConfirmReply,
  errors: [...SPEND_ERRORS, ...CONFIRM_ERRORS],
  run: ({ txHash, ...path }, context) => confirmSpend(path, txHash, context),
  view: viewConfirmed,
});
