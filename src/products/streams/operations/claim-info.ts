/** What a stream's recipient can claim now, with the transaction that claims it. */
import { inAsset } from '../view.js';
import { z } from 'zod';
import { showAmounts } from '../../../bch/amount.js';
import { WalletTransactionField } from '../../../bch/fields.js';
import { showDate } from '../../../bch/show-date.js';
import { TreasuryError } from '../../../errors.js';
import { chainNow } from '../../../operation/chain-now.js';
import type { Context } from '../../../operation/context.js';
import { defineOperation, OFFER_ERRORS, VAULT_ERRORS, type View } from '../../../operation/define.js';
import { StreamId } from '../fields.js';
import { figuresOf } from '../kinds.js';
import { streams } from '../product.js';
import type { StreamRecord } from '../stream.js';
import { offerClaim } from './claim.js';

/** The transaction of the whole claim; null where there is nothing to claim, or too little to pay for itself. */
const wholeClaim = async (stream: StreamRecord, claimable: bigint, context: Context) => {
  if (claimable === 0n) return null;
  try {
    const order = { amount: claimable, to: streams.party(stream, 'recipient') };
    return await offerClaim(stream, order, context);
  } catch (error) {
    const known: TreasuryError | null = error instanceof TreasuryError ? error : null;
    if (known?.code === 'insufficient_funds' || known?.code === 'amount_below_dust') return null;
    throw error;
  }
};

const nextOfClaim = (claimable: number, id: string, isOffered: boolean): View => {
  if (claimable === 0) return [];
  if (isOffered) return [{ kind: 'next', command: `streams claim ${id}`, why: 'to claim it' }];
  const text = 'No claim can be built now: it is too little, or the recipient has no coins for the fee.';
  return [{ kind: 'text', text }];
};

export const claimInfo = defineOperation({
  id: 'streams.claim-info',
  summary: 'Show what the recipient can claim now, with the transaction that claims it',
  http: { method: 'GET', path: '/api/streams/:id/claim-info' },
  auth: 'optional',
  input: z.object({ id: StreamId }),
  output: z.object({
    claimInfo: z.object({
      streamId: z.string(),
      contractAddress: z.string(),
      recipient: z.string(),
      claimableAmount: z.number(),
      claimableAmountOnChain: z.string(),
      totalReleased: z.number(),
      totalReleasedOnChain: z.string(),
      chainTime: z.number().describe('Unix seconds'),
      nextUnlock: z.number().nullable().describe('Unix seconds; null when nothing more will vest'),
      token_category: z.string().nullable(),
      decimals: z.number(),
    }),
    wcTransaction: WalletTransactionField.nullable().describe(
      'Null with nothing to claim, or when the recipient cannot pay the fee',
    ),
  }),
  errors: ['stream_not_found', ...VAULT_ERRORS, ...OFFER_ERRORS],
  run: async ({ id }, context) => {
    await streams.checkReader(await streams.find(context.store, id), context.caller, context.store);
    const stream = await streams.follow(id, context);
    const now = await chainNow(context);
    const { claimable, nextUnlock } = figuresOf(stream, now);
    const { decimals, withdrawn_amount: released } = stream;
    return {
      claimInfo: {
        streamId: stream.id,
        contractAddress: stream.contract_address,
        recipient: stream.recipient,
        ...showAmounts({ claimableAmount: claimable, totalReleased: released }, decimals),
        chainTime: now,
        nextUnlock,
        token_category: stream.token_category,
        decimals,
      },
      wcTransaction: await wholeClaim(stream, claimable, context),
    };
  },
  view: ({ claimInfo: info, wcTransaction }) => [
    {
      kind: 'facts',
      rows: [
        ['Claimable', inAsset(info)(info.claimableAmountOnChain)],
        ['Claimed', inAsset(info)(info.totalReleasedOnChain)],
        ['Next unlock', showDate(info.nextUnlock, 'none')],
        ['Chain time', showDate(info.chainTime)],
        ['Recipient', info.recipient],
        ['Contract', info.contractAddress],
        ['Stream', info.streamId],
      ],
    },
    ...nextOfClaim(info.claimableAmount, info.streamId, wcTransaction !== null),
  ],
});
