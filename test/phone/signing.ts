/** How the phone's wallet reads a request and signs it; and how it signs it wrongly, when it is told to. */
import {
  binToBase64,
  binToHex,
  bigIntToCompactUint,
  decodeAuthenticationInstructions,
  decodeTransaction,
  encodeAuthenticationInstructions,
  encodeDataPush,
  encodeTransaction,
  flattenBinArray,
  generateSigningSerializationBch,
  hash256,
  hexToBin,
  secp256k1,
  utf8ToBin,
  type AuthenticationInstruction,
  type Input,
  type Output,
  type TransactionCommon,
} from '@bitauth/libauth';
import { foreignKey, type Key } from './key.js';

export type Source = Input &
  Output & {
    readonly contract?: {
      readonly redeemScript: Uint8Array;
      readonly artifact?: { readonly contractName?: string };
      readonly abiFunction?: { readonly name?: string };
    };
  };
export type Asked = { readonly transaction: TransactionCommon; readonly sources: readonly Source[] };

const isSameCoin = (a: Input, b: Input): boolean =>
  a.outpointIndex === b.outpointIndex &&
  binToHex(a.outpointTransactionHash) === binToHex(b.outpointTransactionHash);

const fromExtended = (tree: unknown): unknown => {
  if (typeof tree === 'string') {
    const bytes = /^<Uint8Array: 0x((?:[0-9a-f]{2})*)>$/.exec(tree)?.[1];
    if (bytes !== undefined) return hexToBin(bytes);
    const digits = /^<bigint: (\d+)n>$/.exec(tree)?.[1];
    return digits === undefined ? tree : BigInt(digits);
  }
  if (Array.isArray(tree)) return tree.map(fromExtended);
  if (typeof tree !== 'object' || tree === null) return tree;
  return Object.fromEntries(Object.entries(tree).map(([name, item]) => [name, fromExtended(item)]));
};

/**
 * A request's transaction and what it spends.
 *
 * @throws Error with what a wallet could not read
 */
export const readAsked = (params: Record<string, unknown>): Asked => {
  const given = params['transaction'];
  const transaction =
    typeof given === 'string'
      ? decodeTransaction(hexToBin(given))
      : (fromExtended(given) as TransactionCommon | undefined);
  if (typeof transaction === 'string') throw new Error(transaction);
  if (transaction === undefined) throw new Error('there is no transaction');
  if (typeof given === 'string' && binToHex(encodeTransaction(transaction)) !== given)
    throw new Error('the transaction is not what its bytes say');
  const sources = fromExtended(params['sourceOutputs']) as Source[] | undefined;
  if (!Array.isArray(sources) || sources.length !== transaction.inputs.length)
    throw new Error('sourceOutputs are not one per input');
  for (const [index, input] of transaction.inputs.entries()) {
    const source = sources[index];
    if (source === undefined || !isSameCoin(source, input))
      throw new Error(`sourceOutputs.${index}: another coin`);
    if (source.sequenceNumber !== input.sequenceNumber)
      throw new Error(`sourceOutputs.${index}: another sequenceNumber`);
    if (binToHex(source.unlockingBytecode) !== binToHex(input.unlockingBytecode))
      throw new Error(`sourceOutputs.${index}: another unlockingBytecode`);
    if (typeof source.valueSatoshis !== 'bigint') throw new Error(`sourceOutputs.${index}: no valueSatoshis`);
  }
  return { transaction, sources };
};

/** How it signs. What is left out is done right. */
export type Manner = {
  /** 0x61: ALL, UTXOS, FORKID. */
  readonly type?: number;
  readonly isEcdsa?: boolean;
  /** The key that is shown, if it is not the one that signs. */
  readonly shownKey?: Uint8Array;
  /** A stranger's key signs. */
  readonly isForeign?: boolean;
  /** Signs what is not its own, too. */
  readonly signsAll?: boolean;
  /** A bit of each signature is wrong. */
  readonly isBent?: boolean;
  /** Holes from here on, counted through the transaction, stay as they are. */
  readonly holes?: number;
};

export const SIGNATURE_TYPE = 0x61;
const SIGNATURE_HOLE = 65;
const KEY_HOLE = 33;

const signInput = (
  asked: Asked,
  index: number,
  covered: Uint8Array,
  pen: { key: Key; manner: Manner },
): Uint8Array => {
  const { key, manner } = pen;
  const type = Uint8Array.of(manner.type ?? SIGNATURE_TYPE);
  const message = hash256(
    generateSigningSerializationBch(
      { inputIndex: index, transaction: asked.transaction, sourceOutputs: [...asked.sources] },
      { coveredBytecode: covered, signingSerializationType: type },
    ),
  );
  const signature =
    manner.isEcdsa === true
      ? secp256k1.signMessageHashDER(key.privateKey, message)
      : secp256k1.signMessageHashSchnorr(key.privateKey, message);
  if (typeof signature === 'string') throw new Error(signature);
  const bytes = Uint8Array.from([...signature, ...type]);
  if (manner.isBent === true) bytes[40] = (bytes[40] ?? 0) ^ 1;
  return bytes;
};

const isHole = (instruction: AuthenticationInstruction, length: number): boolean =>
  'data' in instruction && instruction.data.length === length && instruction.data.every((byte) => byte === 0);

/** Counts holes down, and says whether one more is filled. */
type Counter = { left: number };
const takes = (counter: Counter): boolean => (counter.left -= 1) >= 0;

/** What a person would say has been signed. */
export type Signed = {
  readonly transaction: TransactionCommon;
  /** Indexes of inputs in which something was filled. */
  readonly filled: readonly number[];
};

const isContract = ({ contract }: Source): boolean => (contract?.artifact?.contractName ?? '') !== '';

/**
 * Who signs, and the locking bytecode (hex) that empty inputs have to have. With `keys`, only the inputs that they are of
 * are signed, each with its own.
 */
export type Pen = {
  readonly key: Key;
  readonly own: string;
  readonly manner: Manner;
  readonly keys?: ReadonlyMap<number, Key>;
};

/** Who signs one input; null: nobody. */
const penAt = (pen: Pen, index: number): Pen | null => {
  const { keys, manner } = pen;
  const key = keys?.get(index) ?? pen.key;
  if (keys !== undefined && !keys.has(index) && manner.signsAll !== true) return null;
  const own = keys === undefined ? pen.own : key.lockingBytecode;
  return { ...pen, own, key: manner.isForeign === true ? foreignKey : key };
};

const signEmpty = (
  asked: Asked,
  index: number,
  { pen, counter }: { pen: Pen; counter: Counter },
): Uint8Array => {
  const { lockingBytecode } = asked.sources[index] as Source;
  const isOwn = binToHex(lockingBytecode) === pen.own || pen.manner.signsAll === true;
  if (!isOwn || !takes(counter)) return new Uint8Array();
  const signature = signInput(asked, index, lockingBytecode, pen);
  return flattenBinArray([signature, pen.manner.shownKey ?? pen.key.publicKey].map(encodeDataPush));
};

const signContract = (
  asked: Asked,
  index: number,
  { pen, counter }: { pen: Pen; counter: Counter },
): Uint8Array => {
  const { unlockingBytecode, contract } = asked.sources[index] as Source;
  const instructions = decodeAuthenticationInstructions(unlockingBytecode) as AuthenticationInstruction[];
  const fill = (length: number, make: () => Uint8Array): void => {
    const at = instructions.findIndex((instruction) => isHole(instruction, length));
    if (at < 0 || !takes(counter)) return;
    const data = make();
    // The push keeps its form while its length stays: only an ECDSA signature needs another opcode.
    const [instruction] = decodeAuthenticationInstructions(
      encodeDataPush(data),
    ) as AuthenticationInstruction[];
    if (instruction !== undefined) instructions[at] = instruction;
  };
  const redeemScript = contract?.redeemScript ?? new Uint8Array();
  fill(SIGNATURE_HOLE, () => signInput(asked, index, redeemScript, pen));
  fill(KEY_HOLE, () => pen.manner.shownKey ?? pen.key.publicKey);
  return encodeAuthenticationInstructions(instructions);
};

/** Fills what is to be filled: empty inputs of its own as P2PKH, and the holes of contract inputs. */
export const sign = (asked: Asked, whole: Pen): Signed => {
  const counter = { left: whole.manner.holes ?? Infinity };
  const filled: number[] = [];
  const inputs = asked.transaction.inputs.map((input, index) => {
    const source = asked.sources[index] as Source;
    const pen = penAt(whole, index);
    if (pen === null) return input;
    let unlockingBytecode = input.unlockingBytecode;
    if (isContract(source)) unlockingBytecode = signContract(asked, index, { pen, counter });
    else if (unlockingBytecode.length === 0) unlockingBytecode = signEmpty(asked, index, { pen, counter });
    if (binToHex(unlockingBytecode) !== binToHex(input.unlockingBytecode)) filled.push(index);
    return { ...input, unlockingBytecode };
  });
  return { transaction: { ...asked.transaction, inputs }, filled };
};

/** Bitcoin Signed Message: 65 bytes as base64. */
export const signText = (text: string, key: Key): string => {
  const message = utf8ToBin(text);
  const magic = utf8ToBin('\u0018Bitcoin Signed Message:\n');
  const hash = hash256(flattenBinArray([magic, bigIntToCompactUint(BigInt(message.length)), message]));
  const signed = secp256k1.signMessageHashRecoverableCompact(key.privateKey, hash);
  if (typeof signed === 'string') throw new Error(signed);
  return binToBase64(Uint8Array.from([31 + signed.recoveryId, ...signed.signature]));
};
