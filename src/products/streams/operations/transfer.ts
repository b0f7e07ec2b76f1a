/** Transferring a stream: what is still to be claimed belongs to another recipient from now on. */
import { z } from 'zod';
import { AddressField } from '../../../bch/fields.js';
import { checkParty } from '../../../covenant/checks.js';
import { TreasuryError } from '../../../errors.js';
import { defineMove } from '../../../offer/move.js';
import { checkPayable } from '../../../offer/payees.js';
import { invalidInput } from '../../../operation/read-input.js';
import { kindOf } from '../kinds.js';
import { streams } from '../product.js';

export const transfer = defineMove(streams, 'transfer', {
  summary: 'Build the transaction that gives a stream to another recipient',
  description: 'The present recipient signs it.',
  auth: 'optional',
  // Who is paid from now on stands in a state: nothing leaves the covenant, and all of it changes hands.
  forKeys: 'unmeasured',
  step: 'Give a stream to another recipient',
  input: { newRecipientAddress: AddressField },
  aliases: { newRecipient: 'newRecipientAddress' },
  errors: ['not_transferable', 'not_payable'],
  fields: { newRecipient: z.string(), nextStatus: z.string() },
  closed: () => true,
  build: async (spend, { newRecipientAddress: to }, context) => {
    // Check: that it may be given away, and that the new recipient can sign.
    const { record: stream } = spend;
    const { stream_id: label, authority_pubkey: authority } = stream;
    const { buildTransfer } = kindOf(stream);
    if (!stream.transferable || buildTransfer === null)
      throw new TreasuryError('not_transferable', { label });
    await checkPayable(to, 'newRecipientAddress', context);
    const failed = checkParty('newRecipientAddress', to.text, authority).filter(({ ok }) => !ok);
    if (failed.length > 0)
      throw invalidInput(failed.map(({ check, detail }) => ({ path: check, message: detail })));
    const told = { newRecipient: to.text, nextStatus: stream.status };
    return { ...buildTransfer(spend, to), prompt: `Give ${label} to ${to.text}`, told };
  },
  confirm: {
    event: 'transferred',
    expected: 'a transfer',
    message: ({ record }) => `${record.stream_id} has another recipient`,
  },
});
