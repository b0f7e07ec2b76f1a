/** Funding a stream: mints its thread and puts the whole pool in. A stream of a batch is funded with all of it. */
import { z } from 'zod';
import { parseAddress } from '../../../bch/address.js';
import { displayNumber } from '../../../bch/amount.js';
import { TxHash, WalletTransactionField } from '../../../bch/fields.js';
import { THREAD_DUST } from '../../../bch/transaction.js';
import {
  confirmationsOf,
  confirmed,
  ConfirmReply,
  indexedTransaction,
  mismatch,
  viewConfirmed,
} from '../../../operation/confirm.js';
import { defineAction, defineOperation } from '../../../operation/define.js';
import { PreparationReply } from '../../../operation/hand-out.js';
import { FundingInfoFields, offerFunding } from '../../../operation/offer-funding.js';
import { StreamId } from '../fields.js';
import { kindOf } from '../kinds.js';
import { followStream, fundedTogether } from '../records.js';
import { checkStatus } from '../rules.js';

const ReadyReply = z.object({
  success: z.literal(true),
  label: z.string(),
  fundingInfo: z.object({
    ...FundingInfoFields,
    amount: z.number(),
    streams: z.number().describe('How many streams this transaction funds'),
  }),
  wcTransaction: WalletTransactionField,
});

const build = defineOperation({
  id: 'streams.funding-info',
  summary: 'Build the transaction that funds a stream',
  description:
    'A stream of a batch is funded together with all streams of the batch. When the sender has no coin at output index 0, the answer is the preparation form: sign and broadcast that first.',
  http: { method: 'GET', path: '/api/streams/:id/funding-info' },
  auth: 'none',
  input: z.object({ id: StreamId }),
  output: z.union([ReadyReply, PreparationReply]),
  errors: ['stream_not_found', 'wrong_state', 'insufficient_funds', 'chain_unavailable'],
  run: async ({ id }, context) => {
    // Check: it waits for its funding, also when the chain is asked.
    const stream = await followStream(id, context);
    checkStatus(stream, 'fund');

    // Build: the threads, their pools, and the sender's change; or the preparation.
    const { network, store } = context;
    const streams = fundedTogether(store, stream);
    const members = streams.map((member) => kindOf(member).genesis(member, network));
    const label = stream.stream_id;
    const what = streams.length === 1 ? label : `${label} and ${streams.length - 1} more of its batch`;
    const offer = await offerFunding(parseAddress(stream.sender), members, what, context);
    if (offer.kind === 'preparation') return offer.reply;
    const { inputs, outputs, fee, wcTransaction } = offer;
    const total = streams.reduce((sum, { total_amount }) => sum + total_amount, 0n);
    return {
      success: true as const,
      label,
      fundingInfo: {
        contractAddress: stream.contract_address,
        amount: displayNumber(total, stream.decimals),
        onChainAmount: total.toString(),
        tokenType: stream.token_type,
        threadDustSatoshis: Number(THREAD_DUST) * streams.length,
        inputs,
        outputs,
        fee,
        streams: streams.length,
      },
      wcTransaction,
    };
  },
});

const confirm = defineOperation({
  id: 'streams.confirm-funding',
  summary: 'Confirm the funding of a stream on chain',
  http: { method: 'POST', path: '/api/streams/:id/confirm-funding' },
  cli: { positional: ['id', 'txHash'] },
  auth: 'none',
  input: z.object({ id: StreamId, txHash: TxHash }),
  output: ConfirmReply,
  errors: ['stream_not_found', 'tx_not_indexed', 'tx_mismatch', 'chain_unavailable'],
  run: async ({ id, txHash }, context) => {
    const transaction = await indexedTransaction(txHash, context);
    const { stream_id: label, tx_hash: funding, status } = await followStream(id, context, [transaction]);
    if (funding !== txHash) {
      const found =
        funding === null
          ? 'a transaction that does not mint its thread with the whole pool from the sender’s coins'
          : `another transaction; ${label} was funded by ${funding}`;
      throw mismatch(txHash, `the funding of ${label}`, found);
    }
    return confirmed(`${label} is funded`, txHash, status, await confirmationsOf(txHash, context));
  },
  view: viewConfirmed,
});

export const fund = defineAction({ build, confirm, verb: 'fund', summary: 'Put the money into a stream' });
