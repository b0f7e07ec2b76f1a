/** Reading a transaction before it is signed or sent. */
import { encodeTransaction } from '@bitauth/libauth';
import { z } from 'zod';
import { BCH_DECIMALS, formatUnits } from '../../bch/amount.js';
import { sumSatoshis, type Coin } from '../../bch/coins.js';
import { transactionDigest } from '../../bch/digest.js';
import { fromLibauthOutput, fromLibauthTransaction } from '../../bch/transaction.js';
import type { SigningRequest } from '../../bch/wallet-transaction.js';
import { contactAt } from '../../record/contacts.js';
import { column } from '../../operation/columns.js';
import type { Context } from '../../operation/context.js';
import { defineOperation, KEYS_ERRORS } from '../../operation/define.js';
import { FundingInputs, FundingOutputs, showInputs, showOutputs } from '../../offer/funding-reply.js';
import { DocumentField, readSigningRequest, refusalOf } from './document.js';
import { findPlaces } from './verify/places.js';
import { findSignatures, resolve } from './verify/signatures.js';
import { SignatureReply, showSignature, signerWords } from './verify/signer-words.js';
import { readSources } from './verify/sources.js';
import { voiceOf } from './verify/voice.js';

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
  signatures: z
    .array(SignatureReply)
    .describe('Those that are there, and those that are to come: whose they are'),
  digest: z.string().describe('What people compare before they sign'),
  size: z.number().describe('Bytes as it stands'),
  locktime: z.number(),
  fee: z.number().describe('Satoshis'),
  userPrompt: z.string().nullable(),
  inputs: z.array(InputReply),
  outputs: z.array(OutputReply),
});

/** Whose signature is missing or wrong; where that is not it, what the VM says. */
const missingRows = ({
  signatures,
  missing,
}: z.output<typeof output>): readonly (readonly [string, string])[] => {
  const named = [
    ...signerWords(signatures, 'missing').map((who) => ['Signature missing', who] as const),
    ...signerWords(signatures, 'wrong').map((who) => ['Signature WRONG', who] as const),
  ];
  return named.length > 0 || missing === null ? named : [['Missing', missing]];
};

const coinsOf = ({ transaction, sourceOutputs }: SigningRequest): Coin[] =>
  fromLibauthTransaction(transaction).inputs.flatMap(({ txid, vout }, index) => {
    const source = sourceOutputs[index];
    return source === undefined ? [] : [{ ...fromLibauthOutput(source), txid, vout, height: null }];
  });

/** Whose signatures it has and lacks, by what the file says that it spends. */
const signaturesOf = async (
  request: SigningRequest,
  context: Pick<Context, 'network' | 'store' | 'keys'>,
) => {
  const { loadContractWords } = await import('../../products/index.js');
  const { network } = context;
  const { spent } = await readSources(request, null);
  const { outputs } = fromLibauthTransaction(request.transaction);
  const terms = request.contracts ?? [];
  const places = findPlaces(spent, outputs, { terms, words: await loadContractWords(), network });
  const voice = await voiceOf(context);
  return findSignatures(spent, resolve(request.transaction, spent), places).map((one) =>
    showSignature(one, voice),
  );
};

/** What of tokens is in an output: the smallest unit is what a file knows of. */
const tokenWords = (token: z.output<typeof InputReply>['token']): string =>
  token === undefined
    ? ''
    : [
        ...(token.amount === '0' ? [] : [`${token.amount} smallest units`]),
        ...(token.nft === undefined ? [] : [`NFT (${token.nft.capability})`]),
      ]
        .map((what) => `${what} of ${token.category}`)
        .join(' + ');

export const inspect = defineOperation({
  id: 'tx.inspect',
  summary: 'Show what a transaction file does: who pays, who is paid, the fee, what is still to be signed',
  cli: { positional: ['file'], example: 'tx inspect unsigned.json' },
  auth: 'none',
  input: z.object({ file: DocumentField }),
  output,
  errors: ['tx_malformed', ...KEYS_ERRORS],
  run: async ({ file }, context) => {
    const { network, store } = context;
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
      signatures: await signaturesOf(request, context),
      digest: transactionDigest(request, network),
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
      head: [column.text('Spends', 3), column.whole('From'), column.amount('Amount'), column.text('Tokens')],
      rows: reply.inputs.map((input) => [
        `${input.txid}:${input.vout}`,
        input.contract === undefined ? input.address : `${input.address} (${input.contract})`,
        `${formatUnits(BigInt(input.satoshis), BCH_DECIMALS)} BCH`,
        tokenWords(input.token),
      ]),
    },
    {
      kind: 'table',
      head: [column.whole('Pays'), column.amount('Amount'), column.text('Tokens')],
      rows: reply.outputs.map(({ address, contact, satoshis, token }) => [
        contact === undefined ? address : `${address} (@${contact})`,
        `${formatUnits(BigInt(satoshis), BCH_DECIMALS)} BCH`,
        tokenWords(token),
      ]),
    },
    {
      kind: 'facts',
      rows: [
        ['Fee', `${formatUnits(BigInt(reply.fee), BCH_DECIMALS)} BCH`],
        ['Complete', reply.complete ? `yes: ${reply.txHash ?? ''}` : 'no'],
        ...missingRows(reply),
        ['Digest', reply.digest],
      ],
    },
  ],
});
