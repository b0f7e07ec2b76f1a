/** Answers that are not what was asked for. Each lie is told as well as it can be: what is bent is signed as it is then. */
import { randomBytes } from 'node:crypto';
import {
  binToBase64,
  base64ToBin,
  binToHex,
  decodeAuthenticationInstructions,
  encodeAuthenticationInstructions,
  encodeTransaction,
  hash256,
  hashTransaction,
  hexToBin,
  type AuthenticationInstruction,
  type Input,
  type Output,
  type TransactionCommon,
} from '@bitauth/libauth';
import { foreignKey, type Key } from './key.js';
import { sign, signText, type Asked, type Manner, type Pen, type Source } from './signing.js';

/** Bent before it is signed, so that the signature fits. With `after`, it is bent afterwards, and fits no more. */
export const BENT = [
  'outputValue',
  'outputLocking',
  'outputToken',
  'locktime',
  'version',
  'sequence',
  'outpoint',
  'addedInput',
  'removedInput',
  'addedOutput',
  'removedOutput',
  'swappedOutputs',
  'anotherTransaction',
] as const;

/** Signed in a wrong manner. */
export const MANNERS = [
  'sighashType',
  'foreignKey',
  'otherPublicKey',
  'foreignInput',
  'badSignature',
  'unfilledHole',
  'unsigned',
  'ecdsa',
] as const;

/** Bent afterwards, where no signature looks. */
export const AFTERWARDS = ['argument', 'longPush', 'extraPush', 'trailingBytes', 'notHex', 'empty'] as const;

/** What does no harm: the transaction is right. */
export const HARMLESS = ['wrongHash', 'upperCase'] as const;

export const LIES = [...BENT, ...MANNERS, ...AFTERWARDS, ...HARMLESS] as const;
export type Lie = (typeof LIES)[number];

/** Lies about a text: bch_signMessage. */
export const MESSAGE_LIES = [
  'foreignKey',
  'anotherText',
  'badSignature',
  'trailingBytes',
  'notBase64',
  'empty',
] as const;
export type MessageLie = (typeof MESSAGE_LIES)[number];

export type LieOptions = {
  /** The input or output that is bent; the first. */
  readonly index?: number;
  /** Of the signature: 0x41 unless it is said. */
  readonly type?: number;
  readonly after?: boolean;
};

const at = <T>(items: readonly T[], index: number, bend: (item: T) => T): T[] =>
  items.map((item, place) => (place === index ? bend(item) : item));

const strangersCoin = (): Input => ({
  outpointTransactionHash: new Uint8Array(randomBytes(32)),
  outpointIndex: 0,
  sequenceNumber: 0xffffffff,
  unlockingBytecode: new Uint8Array(),
});

const payTo = (lockingBytecode: string, valueSatoshis: bigint): Output => ({
  lockingBytecode: hexToBin(lockingBytecode),
  valueSatoshis,
});

const swap = <T>([first, second, ...rest]: readonly T[]): T[] =>
  first === undefined || second === undefined ? [] : [second, first, ...rest];

const bendToken = (output: Output): Output => {
  if (output.token === undefined) return output;
  const { token, ...plain } = output;
  return token.amount > 0n ? { ...plain, token: { ...token, amount: token.amount - 1n } } : plain;
};

/** The transaction bent; null when there is nothing to bend in it. */
const bend = (lie: string, asked: Asked, own: Key, index: number): Asked | null => {
  const { transaction, sources } = asked;
  const { inputs, outputs } = transaction;
  const withOutputs = (next: Output[]): Asked => ({
    ...asked,
    transaction: { ...transaction, outputs: next },
  });
  const withInputs = (next: Input[], nextSources: readonly Source[] = sources): Asked => ({
    transaction: { ...transaction, inputs: next },
    sources: nextSources.map((source, place) => ({ ...source, ...next[place] })),
  });
  const added = strangersCoin();
  const ownCoin = { ...added, ...payTo(own.lockingBytecode, 10_000n) };
  switch (lie) {
    case 'outputValue':
      return withOutputs(at(outputs, index, (o) => ({ ...o, valueSatoshis: o.valueSatoshis - 1n })));
    case 'outputLocking':
      return withOutputs(
        at(outputs, index, (o) => ({ ...o, lockingBytecode: hexToBin(foreignKey.lockingBytecode) })),
      );
    case 'outputToken':
      return outputs.some(({ token }) => token !== undefined) ? withOutputs(outputs.map(bendToken)) : null;
    case 'locktime':
      return { ...asked, transaction: { ...transaction, locktime: transaction.locktime + 1 } };
    case 'version':
      return { ...asked, transaction: { ...transaction, version: transaction.version === 2 ? 1 : 2 } };
    case 'sequence':
      return withInputs(
        at(inputs, index, (input) => ({ ...input, sequenceNumber: (input.sequenceNumber ^ 1) >>> 0 })),
      );
    case 'outpoint':
      return withInputs(at(inputs, index, (input) => ({ ...input, outpointIndex: input.outpointIndex + 1 })));
    case 'addedInput':
      return withInputs([...inputs, added], [...sources, ownCoin]);
    case 'removedInput':
      return inputs.length < 2 ? null : withInputs(inputs.slice(0, -1), sources.slice(0, -1));
    case 'addedOutput':
      return withOutputs([...outputs, payTo(foreignKey.lockingBytecode, 546n)]);
    case 'removedOutput':
      return outputs.length < 2 ? null : withOutputs(outputs.slice(0, -1));
    case 'swappedOutputs':
      return outputs.length < 2 ? null : withOutputs(swap(outputs));
    case 'anotherTransaction':
      return {
        transaction: {
          version: 2,
          locktime: 0,
          inputs: [added],
          outputs: [payTo(foreignKey.lockingBytecode, 9_800n)],
        },
        sources: [ownCoin],
      };
    default:
      return null;
  }
};

const mannerOf = (lie: string, { type }: LieOptions): Manner => {
  switch (lie) {
    case 'foreignKey':
      return { isForeign: true };
    case 'sighashType':
      return { type: type ?? 0x41 };
    case 'otherPublicKey':
      return { shownKey: foreignKey.publicKey };
    case 'foreignInput':
      return { signsAll: true };
    case 'badSignature':
      return { isBent: true };
    case 'unsigned':
      return { holes: 0 };
    case 'ecdsa':
      return { isEcdsa: true };
    default:
      return {};
  }
};

type Bytecodes = (
  instructions: AuthenticationInstruction[],
  place: number,
) => AuthenticationInstruction[] | null;

const isZero = (data: Uint8Array): boolean => data.every((byte) => byte === 0);

/** Changes what an input pushes, in the first input in which that can be done. */
const bendInput = (signed: TransactionCommon, bendPushes: Bytecodes): TransactionCommon | null => {
  for (const [place, input] of signed.inputs.entries()) {
    const instructions = decodeAuthenticationInstructions(
      input.unlockingBytecode,
    ) as AuthenticationInstruction[];
    const next = bendPushes(instructions, place);
    if (next === null) continue;
    const unlockingBytecode = encodeAuthenticationInstructions(next);
    return { ...signed, inputs: at(signed.inputs, place, (one) => ({ ...one, unlockingBytecode })) };
  }
  return null;
};

/** A wrong byte in an argument that was given: no hole, and not the contract's code at the end. */
const bendArgument =
  (asked: Asked): Bytecodes =>
  (instructions, place) => {
    const given = asked.sources[place];
    if ((given?.contract?.artifact?.contractName ?? '') === '') return null;
    const before = decodeAuthenticationInstructions(given?.unlockingBytecode ?? new Uint8Array());
    const index = before.findIndex(
      (one, at_) =>
        at_ < before.length - 1 &&
        (!('data' in one) ||
          one.data.length === 0 ||
          !isZero(one.data) ||
          ![33, 65].includes(one.data.length)),
    );
    const found = instructions[index];
    if (found === undefined) return null;
    const data =
      'data' in found && found.data.length > 0 ? found.data.with(0, (found.data[0] ?? 0) ^ 1) : null;
    const next: AuthenticationInstruction =
      data === null ? { opcode: found.opcode === 0x51 ? 0x52 : 0x51 } : { ...found, data };
    return at(instructions, index, () => next);
  };

const OP_PUSHDATA_1 = 0x4c;

const bendLonger: Bytecodes = (instructions) => {
  const index = instructions.findIndex(
    (one) => 'data' in one && one.opcode < OP_PUSHDATA_1 && one.data.length > 1,
  );
  return index < 0 ? null : at(instructions, index, (one) => ({ ...one, opcode: OP_PUSHDATA_1 }));
};

const bendMore: Bytecodes = (instructions) =>
  instructions.length > 0 ? [{ opcode: 0x51 }, ...instructions] : null;

const bendAfterwards = (lie: string, asked: Asked, signed: TransactionCommon): TransactionCommon | null => {
  if (lie === 'argument') return bendInput(signed, bendArgument(asked));
  if (lie === 'longPush') return bendInput(signed, bendLonger);
  return lie === 'extraPush' ? bendInput(signed, bendMore) : null;
};

const hexOf = (transaction: TransactionCommon): string => binToHex(encodeTransaction(transaction));

/** Unlocking bytecodes of a bent transaction: as they were signed before it was bent. */
const keepUnlocking = (bent: TransactionCommon, signed: TransactionCommon): TransactionCommon => ({
  ...bent,
  inputs: bent.inputs.map((input, place) => ({
    ...input,
    unlockingBytecode: signed.inputs[place]?.unlockingBytecode ?? input.unlockingBytecode,
  })),
});

const hexOfLie = (lie: Lie, asked: Asked, pen: Pen, options: LieOptions): string | null => {
  const honest = sign(asked, pen).transaction;
  if ((BENT as readonly string[]).includes(lie)) {
    const bent = bend(lie, asked, pen.key, options.index ?? 0);
    if (bent === null) return null;
    if (options.after === true) return hexOf(keepUnlocking(bent.transaction, honest));
    return hexOf(sign(bent, pen).transaction);
  }
  switch (lie) {
    case 'unfilledHole': {
      const holes = countHoles(asked, pen) - 1;
      return holes < 0 ? null : hexOf(sign(asked, { ...pen, manner: { holes } }).transaction);
    }
    case 'trailingBytes':
      return `${hexOf(honest)}00`;
    case 'notHex':
      return `${hexOf(honest).slice(0, -2)}zz`;
    case 'empty':
      return '';
    case 'upperCase':
      return hexOf(honest).toUpperCase();
    case 'argument':
    case 'longPush':
    case 'extraPush': {
      const bent = bendAfterwards(lie, asked, honest);
      return bent === null ? null : hexOf(bent);
    }
    default:
      return hexOf(sign(asked, { ...pen, manner: mannerOf(lie, options) }).transaction);
  }
};

/** How many holes are filled when all of them are. */
const countHoles = (asked: Asked, pen: Pen): number => {
  const whole = hexOf(sign(asked, pen).transaction);
  let holes = 0;
  while (hexOf(sign(asked, { ...pen, manner: { holes } }).transaction) !== whole) holes += 1;
  return holes;
};

export type SignedAnswer = { readonly signedTransaction: string; readonly signedTransactionHash: string };

/**
 * The answer to a transaction, honest without a lie; null when the lie cannot be told of this transaction (there is
 * nothing to bend, or bending it changes nothing).
 */
export const answerTransaction = (
  asked: Asked,
  pen: Pen,
  lie?: Lie,
  options: LieOptions = {},
): SignedAnswer | null => {
  const honest = hexOf(sign(asked, pen).transaction);
  const signedTransaction = lie === undefined ? honest : hexOfLie(lie, asked, pen, options);
  if (signedTransaction === null) return null;
  if (lie !== undefined && lie !== 'wrongHash' && signedTransaction === honest) return null;
  const hash = hashTransaction(hexToBin(signedTransaction));
  return {
    signedTransaction,
    signedTransactionHash:
      lie === 'wrongHash' ? binToHex(hash256(hexToBin(honest))).replace(/^../, '00') : hash,
  };
};

/** The answer to a text. */
export const answerText = (text: string, key: Key, lie?: MessageLie): string => {
  const honest = base64ToBin(signText(text, key));
  switch (lie) {
    case undefined:
      return binToBase64(honest);
    case 'foreignKey':
      return signText(text, foreignKey);
    case 'anotherText':
      return signText(`${text} `, key);
    case 'badSignature':
      return binToBase64(honest.with(40, (honest[40] ?? 0) ^ 1));
    case 'trailingBytes':
      return binToBase64(Uint8Array.from([...honest, 0]));
    case 'notBase64':
      return `*${binToBase64(honest).slice(1)}`;
    case 'empty':
      return '';
  }
};
