/** Paying somebody from a wallet. */
import { z } from 'zod';
import { addressOf } from '../../bch/address.js';
import { TxHash, WalletTransactionField } from '../../bch/fields.js';
import { buildPayment, type Payment } from '../../bch/payment.js';
import { confirmationsOf, confirmed, ConfirmReply, indexedTransaction } from '../../offer/confirm.js';
import type { Network } from '../../bch/network.js';
import type { Context } from '../../operation/context.js';
import { defineAction, defineOperation, HAND_OUT_ERRORS, INDEXED_ERRORS } from '../../operation/define.js';
import { freeCoins, pinnedCoins, showPinned } from '../../offer/funding-pins.js';
import { handOut } from '../../offer/hand-out.js';
import { FundingOutputs, showOutputs } from '../../offer/funding-reply.js';
import { checkPayable } from '../../offer/payees.js';
import { coinsLeft, planSend, SendFields, type SendRequest } from './send-plan.js';

/** What the wallet shows: who is paid, without the change. */
const promptOf = ({ outputs }: Payment, payerLock: string, network: Network): string => {
  const paid = outputs.filter(({ lockingBytecode }) => lockingBytecode !== payerLock);
  const [only] = paid;
  if (only === undefined) return 'Send to yourself';
  const to = addressOf(only.lockingBytecode, network)?.text ?? only.lockingBytecode;
  return paid.length === 1 ? `Send to ${to}` : `Send to ${paid.length} recipients`;
};

/** @throws not_payable */
const checkRecipients = async (
  { to, outputs = [] }: SendRequest,
  context: Pick<Context, 'covenants'>,
): Promise<void> => {
  if (to !== undefined) await checkPayable(to, 'to', context);
  for (const [index, output] of outputs.entries())
    await checkPayable(output.to, `outputs.${index}.to`, context);
};

const build = defineOperation({
  id: 'wallet.send',
  summary: 'Build a payment in BCH or tokens, to one recipient or several',
  cli: { example: 'wallet send --to bchtest:qq... --amount 0.5' },
  auth: 'address',
  input: SendFields,
  output: z.object({
    outputs: FundingOutputs.describe('What is paid, change included'),
    fee: z.number().describe('Satoshis'),
    coinsLeft: z
      .number()
      .optional()
      .describe('With max: coins that one transaction does not hold, the smallest; send max again for them'),
    wcTransaction: WalletTransactionField,
    pinned: z
      .array(z.object({ label: z.string(), outpoint: z.string(), satoshis: z.string() }))
      .optional()
      .describe('Coins that were left alone, since fundings wait for them'),
  }),
  errors: ['invalid_amount', 'amount_below_dust', 'not_payable', ...HAND_OUT_ERRORS],
  run: async (request, context) => {
    const { caller, chain, network, store } = context;
    await checkRecipients(request, context);
    const { usePinned } = request;
    const coins = await (usePinned ? chain.coins(caller.lockingBytecode) : freeCoins(caller, context));
    const pinned = usePinned ? [] : await pinnedCoins(caller, context);
    const payment = buildPayment(await planSend(request, caller, coins, store));
    const left = request.max ? coinsLeft(request, coins, payment.inputs) : 0;
    const note = left === 0 ? '' : ` (${left} small coins stay: send max again)`;
    const prompt = `${promptOf(payment, caller.lockingBytecode, network)}${note}`;
    return {
      outputs: showOutputs(payment.outputs, network),
      fee: Number(payment.fee),
      ...(left === 0 ? {} : { coinsLeft: left }),
      wcTransaction: await handOut(payment, caller, prompt, context),
      ...(pinned.length === 0 ? {} : { pinned: pinned.map(showPinned) }),
    };
  },
});

const confirm = defineOperation({
  id: 'wallet.confirm-send',
  summary: 'See whether a payment has reached the chain',
  cli: { positional: ['txHash'] },
  auth: 'none',
  input: z.object({ txHash: TxHash }),
  output: ConfirmReply,
  errors: INDEXED_ERRORS,
  run: async ({ txHash }, context) => {
    await indexedTransaction(txHash, context);
    const confirmations = await confirmationsOf(txHash, context);
    return confirmed(`${txHash} is on the chain`, txHash, 'SENT', confirmations);
  },
  view: ({ txHash, confirmations }) => [
    {
      kind: 'facts',
      rows: [
        ['Transaction', txHash],
        ['Confirmations', String(confirmations)],
      ],
    },
  ],
});

export const send = defineAction({
  build,
  confirm,
  verb: 'send',
  summary: 'Pay somebody in BCH or tokens',
  rebuilds: true,
});
