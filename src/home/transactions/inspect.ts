/** Reading a transaction before it is signed or sent. */
import { encodeTransaction } from '@bitauth/libauth';
import { z } from 'zod';
import { BCH_DECIMALS, formatUnits } from '../../bch/amount.js';
import { sumSatoshis, type Coin } from '../../bch/coins.js';
import { fromLibauthOutput, fromLibauthTransaction } from '../../bch/transaction.js';
import type { SigningRequest } from '../../bch/wallet-transaction.js';
import { contactAt } from '../../record/contacts.js';
import { defineOperation } from '../../operation/define.js';
import { FundingInputs, FundingOutputs, showInputs, showOutputs } from '../../offer/funding-reply.js';
import { DocumentField, readSigningRequest, refusalOf } from './document.js';

const InputReply = z.object({
  ...FundingInputs.element.shape,
  address: z.string(),
  contract: z.string().optional().describe('Name of the contract that guards it'),
});

const OutputReply = z.object({
  ...FundingOutputs.element.shape,
  contact: z.string().optional().describe('Name that this home knows for the address'),
});

const output = z.object({
  txHash: z.string().nullable().describe('Null until it is complete: signatures change it'),
  complete: z.boolean().describe('True when every input is unlocked and the VM takes it'),
  missing: z.string().nullable().describe('What the VM says against it as it stands'),
  size: z.number().describe('Bytes as it stands'),
  locktime: z.number(),
  fee: z.number().describe('Satoshis'),
  userPrompt: z.string().nullable(),
  inputs: z.array(InputReply),
  outputs: z.array(OutputReply),
});

const coinsOf = ({ transaction, sourceOutputs }: SigningRequest): Coin[] =>
  fromLibauthTransaction(transaction).inputs.flatMap(({ txid, vout }, index) => {
    const source = sourceOutputs[index];
    return source === undefined ? [] : [{ ...fromLibauthOutput(source), txid, vout, height: null }];
  });

export const inspect = defineOperation({
  id: 'tx.inspect',
  summary: 'Show what a transaction file does: who pays, who is paid, the fee, what is still to be signed',
  cli: { positional: ['file'], example: 'tx inspect unsigned.json' },
  auth: 'none',
  input: z.object({ file: DocumentField }),
  output,
  errors: ['tx_malformed'],
  run: async ({ file }, { network, store }) => {
    const request = readSigningRequest(file);
    const { transaction, sourceOutputs, userPrompt = null } = request;
    const coins = coinsOf(request);
    const { txid, outputs, locktime } = fromLibauthTransaction(transaction);
    const missing = refusalOf(request);
    const addresses = showOutputs(coins, network);
    return Promise.resolve({
      txHash: missing === null ? txid : null,
      complete: missing === null,
      missing,
      size: encodeTransaction(transaction).length,
      locktime,
      fee: Number(sumSatoshis(coins) - sumSatoshis(outputs)),
      userPrompt,
      inputs: showInputs(coins).map((input, index) => {
        const contract = sourceOutputs[index]?.contract?.artifact.contractName;
        return {
          ...input,
          address: addresses[index]?.address ?? '',
          ...(contract === undefined ? {} : { contract }),
        };
      }),
      outputs: await Promise.all(
        showOutputs(outputs, network).map(async (shown) => {
          const contact = await contactAt({ text: shown.address }, store);
          return { ...shown, ...(contact === null ? {} : { contact: contact.id }) };
        }),
      ),
    });
  },
  view: (reply) => [
    ...(reply.userPrompt === null ? [] : [{ kind: 'text' as const, text: reply.userPrompt }]),
    {
      kind: 'table',
      head: ['Spends', 'From', 'Satoshis', 'Token'],
      rows: reply.inputs.map((input) => [
        `${input.txid}:${input.vout}`,
        input.contract === undefined ? input.address : `${input.address} (${input.contract})`,
        String(input.satoshis),
        input.token === undefined ? '' : `${input.token.amount} of ${input.token.category}`,
      ]),
    },
    {
      kind: 'table',
      head: ['Pays', 'Satoshis', 'Token'],
      rows: reply.outputs.map(({ address, contact, satoshis, token }) => [
        contact === undefined ? address : `${address} (@${contact})`,
        String(satoshis),
        token === undefined ? '' : `${token.amount} of ${token.category}`,
      ]),
    },
    {
      kind: 'facts',
      rows: [
        ['Fee', `${formatUnits(BigInt(reply.fee), BCH_DECIMALS)} BCH`],
        ['Complete', reply.complete ? `yes: ${reply.txHash ?? ''}` : 'no'],
        ...(reply.missing === null ? [] : [['Missing', reply.missing] as const]),
      ],
    },
  ],
});
