/**
 * What a wallet answers to a wcTransaction, checked for somebody who cannot do it: a page has no virtual machine.
 *
 * Whoever asks is believed in nothing that can be looked up. What the inputs spend is what the chain has of it, the key is one that
 * hashes to the address, and the id and the digest are worked out here.
 */
import { hash160 } from '@bitauth/libauth';
import { z } from 'zod';
import type { Address } from '../../bch/address.js';
import type { Output } from '../../bch/coins.js';
import { parseDigest, transactionDigest } from '../../bch/digest.js';
import { AddressField } from '../../bch/fields.js';
import { hexOf } from '../../bch/hex.js';
import { pushesOf } from '../../bch/instructions.js';
import { addressOfPublicKey } from '../../bch/keys.js';
import { decodeRaw, fromLibauthOutput, fromLibauthTransaction } from '../../bch/transaction.js';
import { decodeWalletTransaction, type SigningRequest } from '../../bch/wallet-transaction.js';
import { AnswerDiffers, checkWalletAnswer, type CheckedAnswer } from '../../bch/wallet-answer.js';
import { invalidField, TreasuryError } from '../../errors.js';
import type { Context } from '../../operation/context.js';
import { CHAIN_ERRORS, defineOperation } from '../../operation/define.js';
import { DocumentField, holderOf } from './document.js';

/** A body that holds the largest transaction twice, with what it spends. */
const BODY_LIMIT = 1_048_576;
/** Inputs that are looked up and run for one question: half a second of it. */
const MOST_INPUTS = 128;
/** A key that is nobody's: where the answer shows none of the address, its signatures are of none. */
const NOBODY = new Uint8Array(33).fill(2, 0, 1).fill(1, 32);

/**
 * What was asked, of what somebody sends: raw hex with a list beside it, and no more inputs than are looked up. What is text in text, which
 * files may have, is no form of it here: nobody has looked how deep that goes.
 *
 * @throws tx_malformed, invalid_input
 */
const readAsked = (document: Readonly<Record<string, unknown>>): SigningRequest => {
  const { transaction, sourceOutputs, digest } = holderOf(document);
  if (typeof transaction !== 'string' || !/^[0-9a-f]+$/i.test(transaction))
    throw new TreasuryError('tx_malformed', { reason: 'its "transaction" is no raw hex' });
  if (!Array.isArray(sourceOutputs))
    throw new TreasuryError('tx_malformed', { reason: 'its "sourceOutputs" are no list' });
  if (sourceOutputs.length > MOST_INPUTS)
    throw invalidField('asked', `has ${sourceOutputs.length} inputs: at most ${MOST_INPUTS} are checked`);
  const said = digest === undefined ? {} : { digest };
  return decodeWalletTransaction({ transaction, sourceOutputs, broadcast: false, ...said });
};

/** One text for one output, whatever object it is. */
const identity = ({ lockingBytecode, satoshis, token }: Output): string =>
  [
    lockingBytecode,
    satoshis,
    token?.category,
    token?.amount,
    token?.nft?.capability,
    token?.nft?.commitment,
  ].join();

/** The document says of each input what the chain has of it. @throws tx_malformed, tx_missing_inputs, chain_unavailable */
const requireSources = async (
  { transaction, sourceOutputs }: SigningRequest,
  { chain }: Pick<Context, 'chain'>,
): Promise<void> => {
  const { inputs } = fromLibauthTransaction(transaction);
  const found = await Promise.all(inputs.map(({ txid }) => chain.transaction(txid)));
  for (const [index, { txid, vout }] of inputs.entries()) {
    const known = found[index]?.transaction;
    // The id is the hash of what came: another one is no answer.
    const output = known?.txid === txid ? known.outputs[vout] : undefined;
    if (output === undefined) throw new TreasuryError('tx_missing_inputs', { outpoint: `${txid}:${vout}` });
    const claimed = sourceOutputs[index];
    if (claimed === undefined || identity(fromLibauthOutput(claimed)) !== identity(output))
      throw new TreasuryError('tx_malformed', {
        reason: `sourceOutputs.${index} says something else of ${txid}:${vout} than the chain`,
      });
  }
};

/** Keys that a script pushes, and those that the script of a contract pushes, which comes last. */
const keysIn = (script: Uint8Array): readonly Uint8Array[] => {
  const pushes = pushesOf(script);
  return [...pushes, ...pushesOf(pushes.at(-1) ?? new Uint8Array())].filter(({ length }) => length === 33);
};

/** The key of an address, where a transaction shows it: there is no other with that hash. */
const keyOf = (answer: string, { hash }: Address): Uint8Array | null => {
  try {
    const keys = decodeRaw(answer).inputs.flatMap(({ unlockingBytecode }) => keysIn(unlockingBytecode));
    return keys.find((key) => hexOf(hash160(key)) === hash) ?? null;
  } catch {
    return null;
  }
};

/** @throws wallet_answer_differs, wallet_account_mismatch */
const check = (
  request: SigningRequest,
  answer: string,
  address: Address,
  publicKey: Uint8Array | null,
  network: Context['network'],
): CheckedAnswer => {
  const wallet = address.text;
  try {
    return checkWalletAnswer(request, answer, { address, publicKey: publicKey ?? NOBODY });
  } catch (error) {
    if (!(error instanceof AnswerDiffers)) throw error;
    const { foreignKey, message: reason } = error;
    if (foreignKey === null) throw new TreasuryError('wallet_answer_differs', { wallet, reason });
    const found = addressOfPublicKey(foreignKey, network).text;
    throw new TreasuryError('wallet_account_mismatch', { wallet, expected: wallet, found, app: 'the app' });
  }
};

export const checkAnswer = defineOperation({
  id: 'transactions.check',
  summary:
    'Check what a wallet has signed against the transaction that it was asked to sign; nothing is sent',
  description:
    'Only the places that wait for the signature and the key of this address may differ, by not a byte more. What the inputs spend is looked up in the chain, what is unlocked runs through the virtual machine, and so does the whole once nobody else has to sign. Exit 6: the answer is not what was asked; 5: another key has signed.',
  http: { method: 'POST', path: '/api/transactions/check', bodyLimit: BODY_LIMIT },
  cli: {
    positional: ['asked', 'answer'],
    example: 'tx check unsigned.json 0200...0000 --address bchtest:q...',
  },
  auth: 'none',
  forKeys: 'public',
  input: z.object({
    asked: DocumentField.describe('What the wallet was asked to sign, or an answer that holds it'),
    answer: z.string().trim().min(1).max(400_000).describe('What it has signed: raw hex'),
    address: AddressField.describe('The address of the wallet that was asked'),
  }),
  output: z.object({
    transaction: z.string().describe('Raw hex, as it may be sent or handed in'),
    txHash: z.string().describe('Final only when it is complete: signatures change it'),
    complete: z.boolean().describe('True when nobody else has to sign'),
    signedInputs: z.number().describe('Inputs with a signature of this wallet'),
    publicKey: z.string().describe('The key that has signed: 33 bytes, hex'),
    digest: z.string().describe('Of the transaction, to be compared with what others see'),
  }),
  errors: [
    'wallet_answer_differs',
    'wallet_account_mismatch',
    'tx_malformed',
    'tx_missing_inputs',
    'invalid_address',
    ...CHAIN_ERRORS,
  ],
  run: async ({ asked, answer, address }, context) => {
    // Check: the address of a key, a transaction that spends what it says, and the digest that people have compared.
    if (address.kind !== 'p2pkh') {
      const expected = 'the address of a key (P2PKH), since a contract cannot sign';
      throw new TreasuryError('invalid_address', { field: 'address', value: address.text, expected });
    }
    const request = readAsked(asked);
    await requireSources(request, context);
    const digest = transactionDigest(request, context.network);
    if (request.digest !== undefined && parseDigest(request.digest) !== parseDigest(digest))
      throw new TreasuryError('tx_malformed', { reason: `its digest is ${digest}, and it says another one` });

    // Check: the answer.
    const publicKey = keyOf(answer, address);
    const { transaction, txid, signedInputs, isComplete } = check(
      request,
      answer,
      address,
      publicKey,
      context.network,
    );
    return {
      transaction,
      txHash: txid,
      complete: isComplete,
      signedInputs,
      publicKey: hexOf(publicKey ?? NOBODY),
      digest,
    };
  },
  view: ({ txHash, complete, signedInputs, publicKey, digest }) => [
    { kind: 'text', text: 'It is what was asked, and signed as it should be.' },
    {
      kind: 'facts',
      rows: [
        ['Transaction', txHash],
        ['Complete', complete ? 'yes' : 'no: others have to sign too'],
        ['Signed inputs', String(signedInputs)],
        ['Key', publicKey],
        ['Digest', digest],
      ],
    },
  ],
});
