/**
 * What a wallet elsewhere answers to a wcTransaction, held against what it was asked. Pure.
 *
 * A wallet may fill the holes that wait for it: in an empty input that spends a coin of its own, its signature and key; in
 * a contract's input, placeholders of 65 zero bytes (signature) and of 33 (key). Nothing else may differ by a byte.
 * Source: wc2-bch-bcr, `bch_signTransaction`.
 */
import {
  binsAreEqual,
  encodeTransaction,
  hashTransaction,
  secp256k1,
  type AuthenticationInstruction,
  type Transaction as LibauthTransaction,
} from '@bitauth/libauth';
import type { Address } from './address.js';
import { isOpenInput } from './combine-inputs.js';
import { readInstructions } from './instructions.js';
import type { SigningRequest } from './signing-request.js';
import { decodeRaw, encodeRaw, fromLibauthOutput } from './transaction.js';
import { consensusRefusal, inputRefusal } from './virtual-machine.js';
import { messageToSign, SIGNATURE_TYPE } from './wallet-transaction.js';

const SIGNATURE_BYTES = 65;
const PUBLIC_KEY_BYTES = 33;

/** Whose signatures are expected. */
export type WalletOwner = {
  readonly address: Pick<Address, 'lockingBytecode'>;
  /** 33 bytes. */
  readonly publicKey: Uint8Array;
};

/** An answer that was found right. */
export type CheckedAnswer = {
  /** Raw hex. */
  readonly transaction: string;
  readonly txid: string;
  /** Inputs that got a signature of this wallet. */
  readonly signedInputs: number;
  /** True when nothing else has to be signed, and the whole was verified. */
  readonly isComplete: boolean;
};

type Asked = Pick<SigningRequest, 'transaction' | 'sourceOutputs'>;

/** What is wrong with an answer: in words, which end no sentence. */
export class AnswerDiffers extends Error {
  /** The key (33 bytes) that signs in the place of this wallet's; null: that is not what differs. */
  readonly foreignKey: Uint8Array | null;

  constructor(difference: string, foreignKey: Uint8Array | null = null) {
    super(difference);
    this.foreignKey = foreignKey;
  }
}

const differs = (difference: string): never => {
  throw new AnswerDiffers(difference);
};

/** What of a transaction is signed, in words, where two differ; null: they are the same but for what unlocks the inputs. */
const differenceOf = (asked: LibauthTransaction, found: LibauthTransaction): string | null => {
  for (const field of ['version', 'locktime'] as const)
    if (asked[field] !== found[field]) return `its ${field} is ${found[field]}, not ${asked[field]}`;
  for (const field of ['inputs', 'outputs'] as const)
    if (asked[field].length !== found[field].length)
      return `it has ${found[field].length} ${field}, not ${asked[field].length}`;
  for (const [index, input] of asked.inputs.entries()) {
    const other = found.inputs[index];
    const isSameCoin =
      other?.outpointIndex === input.outpointIndex &&
      binsAreEqual(other.outpointTransactionHash, input.outpointTransactionHash);
    if (!isSameCoin) return `input ${index} spends another coin`;
    if (other.sequenceNumber !== input.sequenceNumber) return `the sequence of input ${index} is another`;
  }
  const outputs = [asked, found].map(({ outputs: all }) => all.map(fromLibauthOutput));
  for (const [index, output] of (outputs[0] ?? []).entries()) {
    const other = outputs[1]?.[index];
    if (other?.lockingBytecode !== output.lockingBytecode) return `output ${index} pays somebody else`;
    if (other.satoshis !== output.satoshis)
      return `output ${index} holds ${other.satoshis} satoshis, not ${output.satoshis}`;
    if (JSON.stringify(tokenText(other)) !== JSON.stringify(tokenText(output)))
      return `output ${index} holds other tokens`;
  }
  return null;
};

const tokenText = ({ token }: ReturnType<typeof fromLibauthOutput>) =>
  token === undefined
    ? null
    : [token.category, String(token.amount), token.nft?.capability, token.nft?.commitment];

/** @throws AnswerDiffers: a signature that is none of this wallet's over what was asked */
const checkSignature = (
  asked: Asked,
  index: number,
  signature: Uint8Array,
  { publicKey, covered }: { readonly publicKey: Uint8Array; readonly covered: Uint8Array },
): void => {
  const type = signature.at(-1) ?? 0;
  if (type !== SIGNATURE_TYPE) {
    const [found, expected] = [type, SIGNATURE_TYPE].map((byte) => `0x${byte.toString(16).padStart(2, '0')}`);
    differs(
      `the signature of input ${index} has the hash type ${found}, not ${expected}, which covers everything`,
    );
  }
  const message = messageToSign(asked, index, covered);
  if (!secp256k1.verifySignatureSchnorr(signature.slice(0, -1), publicKey, message))
    differs(`the signature of input ${index} is not one of this wallet over this transaction`);
};

const dataOf = (instruction: AuthenticationInstruction | undefined): Uint8Array | null =>
  instruction !== undefined && 'data' in instruction ? instruction.data : null;

const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0);

const isHole = (data: Uint8Array | null, length: number): boolean => data?.length === length && isZero(data);

/** An input of the answer, with what it was asked to be. */
type Pair = { readonly index: number; readonly asked: Uint8Array; readonly found: Uint8Array };

/** The pushes of a coin of the wallet itself: its signature and its key. @throws AnswerDiffers */
const checkOwnCoin = (request: Asked, { index, found }: Pair, { publicKey }: WalletOwner): void => {
  if (found.length === 0) differs(`input ${index} is not signed`);
  const instructions = readInstructions(found) ?? [];
  const [signature, key] = instructions.map(dataOf);
  const isShaped =
    instructions.length === 2 &&
    found.length === SIGNATURE_BYTES + PUBLIC_KEY_BYTES + 2 &&
    signature?.length === SIGNATURE_BYTES &&
    key?.length === PUBLIC_KEY_BYTES;
  if (!isShaped)
    return differs(
      `input ${index} is not unlocked by a signature of ${SIGNATURE_BYTES} bytes and a key of ${PUBLIC_KEY_BYTES}`,
    );
  if (!binsAreEqual(key, publicKey))
    throw new AnswerDiffers(`input ${index} is signed with a key that is not this wallet's`, key);
  const covered = request.sourceOutputs[index]?.lockingBytecode ?? new Uint8Array();
  checkSignature(request, index, signature, { publicKey, covered });
};

/** What a contract's input was asked to push, with what it pushes: those that differ. @throws AnswerDiffers */
const filledHoles = ({
  index,
  asked,
  found,
}: Pair): readonly (readonly [before: Uint8Array, after: Uint8Array])[] => {
  const [expected, answered] = [readInstructions(asked), readInstructions(found)];
  if (found.length !== asked.length || expected === null || answered?.length !== expected.length)
    return differs(`input ${index} calls the contract in another way`);
  return expected.flatMap((instruction, place) => {
    const other = answered[place];
    const [before, after] = [dataOf(instruction), dataOf(other)];
    const isSame = before === null || after === null ? before === after : binsAreEqual(before, after);
    if (other?.opcode === instruction.opcode && isSame) return [];
    const isFilled = isHole(before, SIGNATURE_BYTES) || isHole(before, PUBLIC_KEY_BYTES);
    if (before === null || after === null || !isFilled || after.length !== before.length)
      return differs(`input ${index}: argument ${place} of the contract is another`);
    return [[before, after] as const];
  });
};

/** @returns true where a hole for a signature was filled. @throws AnswerDiffers */
const checkContract = (request: Asked, pair: Pair, { publicKey }: WalletOwner): boolean => {
  const { index, asked } = pair;
  const filled = filledHoles(pair);
  const [signatures = [], keys = []] = [SIGNATURE_BYTES, PUBLIC_KEY_BYTES].map((length) =>
    filled.flatMap(([before, after]) => (before.length === length ? [after] : [])),
  );
  for (const key of keys)
    if (!binsAreEqual(key, publicKey))
      throw new AnswerDiffers(`input ${index} has a key that is not this wallet's`, key);
  const covered = request.sourceOutputs[index]?.contract?.redeemScript ?? new Uint8Array();
  for (const signature of signatures) checkSignature(request, index, signature, { publicKey, covered });
  // Of several holes for others to fill too, one is this wallet's.
  const isAsked = (length: number): boolean =>
    (readInstructions(asked) ?? []).some((instruction) => isHole(dataOf(instruction), length));
  if (isAsked(SIGNATURE_BYTES) && signatures.length === 0) differs(`input ${index} is not signed`);
  if (isAsked(PUBLIC_KEY_BYTES) && keys.length === 0) differs(`input ${index} has no key`);
  return signatures.length > 0;
};

/** What waits for the wallet in an input: its own coin, a contract's placeholder, or nothing. */
const kindOf = (
  { sourceOutputs }: Asked,
  index: number,
  unlocking: Uint8Array,
  { address }: WalletOwner,
): 'coin' | 'contract' | 'other' => {
  const source = sourceOutputs[index];
  if (source?.contract?.artifact.contractName) {
    const holes = (readInstructions(unlocking) ?? []).map(dataOf);
    return holes.some((data) => isHole(data, SIGNATURE_BYTES) || isHole(data, PUBLIC_KEY_BYTES))
      ? 'contract'
      : 'other';
  }
  const isOwn = source !== undefined && fromLibauthOutput(source).lockingBytecode === address.lockingBytecode;
  return isOwn && unlocking.length === 0 ? 'coin' : 'other';
};

/**
 * The inputs (from 0) of a wcTransaction in which something waits for a wallet: its own coins, and placeholders of contracts.
 *
 * @example
 * inputsToSign(payment, alice); // [0]
 * inputsToSign(payment, bob); // []
 */
export const inputsToSign = (asked: Asked, owner: WalletOwner): readonly number[] =>
  asked.transaction.inputs.flatMap(({ unlockingBytecode }, index) =>
    kindOf(asked, index, unlockingBytecode, owner) === 'other' ? [] : [index],
  );

/** The transaction of an answer, to the last byte. @throws AnswerDiffers */
const readAnswer = (hex: string): LibauthTransaction => {
  let transaction: LibauthTransaction;
  try {
    transaction = decodeRaw(hex.toLowerCase());
  } catch {
    return differs('it is no transaction');
  }
  if (encodeRaw(transaction) !== hex.toLowerCase()) differs('there are bytes behind the transaction');
  return transaction;
};

/** @returns true where this wallet has signed the input. @throws AnswerDiffers */
const checkInput = (request: Asked, pair: Pair, owner: WalletOwner): boolean => {
  const { index, asked, found } = pair;
  switch (kindOf(request, index, asked, owner)) {
    case 'coin':
      checkOwnCoin(request, pair, owner);
      return true;
    case 'contract':
      return checkContract(request, pair, owner);
    case 'other':
      if (!binsAreEqual(asked, found))
        differs(`input ${index}, which is not this wallet's, is unlocked in another way`);
      return false;
  }
};

/**
 * Holds a wallet's answer against what it was asked: only its own holes may be filled, with signatures of its own key over
 * this transaction (ALL | UTXOS | FORKID). What it has unlocked is run through the VM, and the whole where nothing is left
 * to be signed.
 *
 * @param answer raw hex
 * @throws AnswerDiffers, which says what differs
 * @example
 * const { transaction } = signWalletTransaction(request, alice);
 * checkWalletAnswer(payment, transaction, alice).isComplete; // true
 * checkWalletAnswer(payment, transaction, bob); // throws AnswerDiffers
 * checkWalletAnswer(payment, `${transaction}00`, alice); // throws AnswerDiffers
 */
export const checkWalletAnswer = (
  { transaction, sourceOutputs: sources }: Asked,
  answer: string,
  owner: WalletOwner,
): CheckedAnswer => {
  const sourceOutputs = [...sources];
  // Check: it is what was asked, but for what unlocks the inputs; and these have this wallet's signatures.
  const found = readAnswer(answer);
  const difference = differenceOf(transaction, found);
  if (difference !== null) differs(difference);
  const signed = transaction.inputs.flatMap(({ unlockingBytecode: asked }, index) => {
    const pair = { index, asked, found: found.inputs[index]?.unlockingBytecode ?? new Uint8Array() };
    return checkInput({ transaction, sourceOutputs }, pair, owner) ? [index] : [];
  });
  if (signed.length === 0) differs('nothing in it is signed');

  // Check: what it has unlocked holds, unless others have to sign there too; and the whole, once it is whole.
  const resolved = { transaction: found, sourceOutputs };
  const isOpen = found.inputs.map(({ unlockingBytecode }) => isOpenInput(unlockingBytecode));
  for (const index of signed.filter((one) => isOpen[one] !== true)) {
    const refusal = inputRefusal(resolved, index);
    if (refusal !== null) differs(`input ${index} does not unlock its coin: ${refusal.replace(/\.$/, '')}`);
  }
  const isComplete = !isOpen.includes(true);
  const refusal = isComplete ? consensusRefusal(resolved) : null;
  if (refusal !== null) differs(`the network would refuse it: ${refusal.replace(/\.$/, '')}`);
  return {
    transaction: encodeRaw(found),
    txid: hashTransaction(encodeTransaction(found)),
    signedInputs: signed.length,
    isComplete,
  };
};
