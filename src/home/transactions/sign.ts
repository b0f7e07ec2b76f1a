/** A transaction that was signed, in full or in part, as `tx sign` and `tx combine` answer it. */
import { encodeTransaction, hashTransaction } from '@bitauth/libauth';
import { z } from 'zod';
import { addressOf } from '../../bch/address.js';
import { isOpenInput } from '../../bch/combine-inputs.js';
import { transactionDigest } from '../../bch/digest.js';
import { WalletTransactionField } from '../../bch/fields.js';
import type { Network } from '../../bch/network.js';
import { decodeRaw, fromLibauthOutput } from '../../bch/transaction.js';
import { encodeWalletTransaction, type SigningRequest } from '../../bch/wallet-transaction.js';
import { defineOperation, SIGN_ERRORS, type View } from '../../operation/define.js';
import { walletOfAddress } from '../wallets/wallet.js';
import { DocumentField, readSigningRequest, refusalOf } from './document.js';
import { inspect } from './inspect.js';

const OpenInput = z.object({
  input: z.number().describe('From 0'),
  address: z.string().describe('Whose coin it spends'),
  contract: z.string().optional().describe('Name of the contract that guards it'),
});

/** A wcTransaction with what is known of its signatures: other commands take it as a file. */
export const SignedReply = z.object({
  ...WalletTransactionField.shape,
  txHash: z.string().describe('Final only when it is complete: signatures change it'),
  complete: z.boolean().describe('True when nothing else has to be signed'),
  unsigned: z.array(OpenInput).describe('Inputs that still wait for a signature'),
});
export type SignedReply = z.output<typeof SignedReply>;

const openInputsOf = (
  { transaction, sourceOutputs }: SigningRequest,
  network: Network,
): z.output<typeof OpenInput>[] =>
  transaction.inputs.flatMap(({ unlockingBytecode }, input) => {
    const source = sourceOutputs[input];
    if (source === undefined || !isOpenInput(unlockingBytecode)) return [];
    const { lockingBytecode } = fromLibauthOutput(source);
    const contract = source.contract?.artifact.contractName;
    return [
      {
        input,
        address: addressOf(lockingBytecode, network)?.text ?? lockingBytecode,
        ...(contract === undefined ? {} : { contract }),
      },
    ];
  });

/** A signing request that was signed. */
export const showSigned = (request: SigningRequest, network: Network): SignedReply => ({
  ...encodeWalletTransaction({
    ...request,
    digest: transactionDigest(request, network),
  }),
  txHash: hashTransaction(encodeTransaction(request.transaction)),
  complete: refusalOf(request) === null,
  unsigned: openInputsOf(request, network),
});

/** Its hex alone, so that it can be piped; what is missing, or comes next, on stderr. */
export const viewSigned = ({ transaction, complete, unsigned }: SignedReply): View => [
  { kind: 'text', text: transaction },
  ...unsigned.map(({ input, address, contract }) => ({
    kind: 'next' as const,
    // A contract's document has room for one signer at a time: the others sign documents of their own.
    command:
      contract === undefined ? 'tx sign <file> --wallet <name>' : 'tx combine <file> <signed by another>',
    why: `input ${input} of ${address}${contract === undefined ? '' : `, ${contract},`} is not signed yet`,
  })),
  ...(complete
    ? [{ kind: 'next' as const, command: 'tx broadcast --transaction <hex>', why: 'to send it' }]
    : []),
];

export const sign = defineOperation({
  id: 'tx.sign',
  summary: 'Sign a transaction file with a wallet; nothing is sent',
  description:
    'With --json the answer is a file for tx inspect, tx combine, tx broadcast, and tx sign with another wallet.',
  cli: {
    positional: ['file'],
    showsFirst: { operation: inspect, question: 'Sign this?' },
    example: 'tx sign unsigned.json --wallet main --json',
  },
  auth: 'address',
  input: z.object({ file: DocumentField }),
  output: SignedReply,
  errors: SIGN_ERRORS,
  run: async ({ file }, context) => {
    const request = readSigningRequest(file);
    const { name } = await walletOfAddress(context.caller, context);
    const signed = await context.keys.signTransaction(name, encodeWalletTransaction(request));
    return showSigned({ ...request, transaction: decodeRaw(signed.transaction) }, context.network);
  },
  view: viewSigned,
});
