/** Signing a spend: the transaction for a signer's wallet, or the whole of it with a wallet of this home. */
import { z } from 'zod';
import { WalletTransactionField } from '../../../bch/fields.js';
import { TreasuryError } from '../../../errors.js';
import {
  defineOperation,
  PREFLIGHT_ERRORS,
  SIGN_ERRORS,
  type RunContext,
} from '../../../operation/define.js';
import { handOutSpend, takeSignatures } from '../collect-signatures.js';
import { spendShow } from './spend-show.js';
import { SIGNING_ERRORS, openSpend, SPEND_PLACE, SpendPath } from '../open-spend.js';
import { SaidSpendReply, showSpend, SpendReply } from '../reply.js';
import { viewSigned, viewSpend } from '../view.js';

export const spendTransaction = defineOperation({
  id: 'vaults.spend-transaction',
  summary: 'Build the transaction that this signer signs',
  description:
    'It has one signature placeholder, that of the caller. Hand the signed transaction in at `/signatures`; the wallet does not broadcast it.',
  http: { method: 'POST', path: '/api/vaults/:id/spends/:spendId/sign' },
  cli: false,
  auth: 'address',
  input: SpendPath,
  output: z.object({
    label: z.string(),
    signer: z.string(),
    signaturesNeeded: z.number().describe('How many are still missing, this one included'),
    spend: SpendReply.describe('What is signed'),
    wcTransaction: WalletTransactionField,
  }),
  errors: [...SIGNING_ERRORS, ...PREFLIGHT_ERRORS],
  run: async (path, context) => {
    const opened = await openSpend(path, context);
    const spend = await showSpend(opened.spend, context);
    const { label, signaturesNeeded } = spend;
    const { text: signer } = context.caller;
    const wcTransaction = await handOutSpend(opened, signer, context);
    return { label, signer, signaturesNeeded, spend, wcTransaction };
  },
  view: ({ spend }) => viewSpend(spend),
});

/** The wallet of the caller, when this home has it. @throws signing_failed */
const walletOfCaller = async ({ keys, caller }: RunContext<'address'>): Promise<string> => {
  const wallet = (await keys.list()).find(({ address }) => address.text === caller.text);
  if (wallet !== undefined) return wallet.name;
  throw new TreasuryError('signing_failed', {
    wallet: caller.text,
    reason: 'this home has no wallet of it: use --unsigned, and vaults spend submit afterwards',
  });
};

export const spendSign = defineOperation({
  id: 'vaults.spend-sign',
  summary: 'Sign a spend with your wallet and hand the signature in',
  cli: {
    verb: 'spend sign',
    ...SPEND_PLACE,
    ending: true,
    showsFirst: { operation: spendShow },
    example: 'vaults spend sign SPEND-0001 --wallet ann',
  },
  auth: 'address',
  input: SpendPath.extend({
    unsigned: z.boolean().default(false).describe('Give the transaction for any wallet to sign, and stop'),
  }),
  output: SaidSpendReply.extend({ wcTransaction: WalletTransactionField.optional() }),
  errors: [...SIGNING_ERRORS, ...PREFLIGHT_ERRORS, 'tx_mismatch', ...SIGN_ERRORS],
  run: async ({ unsigned, ...path }, context) => {
    const opened = await openSpend(path, context);
    const wcTransaction = await handOutSpend(opened, context.caller.text, context);
    if (unsigned) {
      const message = 'Sign this, and hand it in with vaults spend submit';
      return { message, ...(await showSpend(opened.spend, context)), wcTransaction };
    }
    const { transaction } = await context.keys.signTransaction(await walletOfCaller(context), wcTransaction);
    const spend = await takeSignatures(opened, transaction, context);
    return { message: `You have signed ${spend.label}`, ...(await showSpend(spend, context)) };
  },
  view: viewSigned,
});
