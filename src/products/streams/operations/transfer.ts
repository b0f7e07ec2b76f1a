/** Transferring a stream: what is still to be claimed belongs to another recipient from now on. */
import { z } from 'zod';
import { parseAddress } from '../../../bch/address.js';
import { AddressField, TxHash, WalletTransactionField } from '../../../bch/fields.js';
import { checkParty } from '../../../covenant/checks.js';
import { TreasuryError } from '../../../errors.js';
import { ConfirmReply, viewConfirmed } from '../../../offer/confirm.js';
import { CONFIRM_ERRORS, defineAction, defineOperation, OFFER_ERRORS } from '../../../operation/define.js';
import { handOut } from '../../../offer/hand-out.js';
import { checkPayable } from '../../../offer/payees.js';
import { invalidInput } from '../../../operation/read-input.js';
import { confirmStreamMove } from '../confirm-move.js';
import { checkReader } from '../access.js';
import { StreamId } from '../fields.js';
import { kindOf } from '../kinds.js';
import { findStream, followStream } from '../records.js';
import { checkRecipient, checkStatus, checkTransferable } from '../rules.js';
import { spendOf } from '../spend-of.js';

const build = defineOperation({
  id: 'streams.transfer',
  summary: 'Build the transaction that gives a stream to another recipient',
  description: 'The present recipient signs it.',
  http: { method: 'POST', path: '/api/streams/:id/transfer' },
  auth: 'optional',
  input: z.object({ id: StreamId, newRecipientAddress: AddressField }),
  output: z.object({
    label: z.string(),
    newRecipient: z.string(),
    nextStatus: z.string(),
    wcTransaction: WalletTransactionField,
  }),
  errors: [
    'stream_not_found',
    'vault_not_found',
    'private_vault',
    'not_recipient',
    'wrong_state',
    'not_transferable',
    'not_payable',
    ...OFFER_ERRORS,
  ],
  aliases: { newRecipient: 'newRecipientAddress' },
  run: async ({ id, newRecipientAddress }, context) => {
    // Check: who asks, that it may be given away, and that the new recipient can sign.
    await checkReader(await findStream(context.store, id), context.caller, context.store);
    const stream = await followStream(id, context);
    const { stream_id: label } = stream;
    checkRecipient(stream, context.caller?.text ?? null);
    checkStatus(stream, 'transfer');
    checkTransferable(stream);
    const { buildTransfer } = kindOf(stream);
    if (buildTransfer === null) throw new TreasuryError('not_transferable', { label });
    await checkPayable(newRecipientAddress, 'newRecipientAddress', context);
    const failed = checkParty(
      'newRecipientAddress',
      newRecipientAddress.text,
      stream.authority_pubkey,
    ).filter(({ ok }) => !ok);
    if (failed.length > 0)
      throw invalidInput(failed.map(({ check, detail }) => ({ path: check, message: detail })));

    // Build: only the recipient changes.
    const signer = parseAddress(stream.recipient);
    const spend = await spendOf(stream, signer, 'leaves the pool', context);
    const prompt = `Give ${label} to ${newRecipientAddress.text}`;
    return {
      label,
      newRecipient: newRecipientAddress.text,
      nextStatus: stream.status,
      wcTransaction: await handOut(buildTransfer(spend, newRecipientAddress), signer, prompt, context),
    };
  },
});

const confirm = defineOperation({
  id: 'streams.confirm-transfer',
  summary: 'Confirm a transfer on chain',
  http: { method: 'POST', path: '/api/streams/:id/confirm-transfer' },
  cli: { positional: ['id', 'txHash'] },
  auth: 'none',
  input: z.object({ id: StreamId, txHash: TxHash }),
  output: ConfirmReply,
  errors: ['stream_not_found', ...CONFIRM_ERRORS],
  run: ({ id, txHash }, context) =>
    confirmStreamMove(
      { id, txHash, type: 'transferred', expected: 'a transfer', done: 'has another recipient' },
      context,
    ),
  view: viewConfirmed,
});

export const transfer = defineAction({
  build,
  confirm,
  record: findStream,
  verb: 'transfer',
  summary: 'Give a stream to another recipient',
});
