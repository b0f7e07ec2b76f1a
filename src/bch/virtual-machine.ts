/**
 * The virtual machine: libauth's, with the standard rules of May 2026, and the one place where its failures get codes.
 */
import {
  AuthenticationErrorCommon,
  binsAreEqual,
  createInstructionSetBch2026,
  createVirtualMachine,
  encodeTransaction,
  ripemd160,
  secp256k1,
  sha1,
  sha256,
  utf8ToBin,
  type Output as LibauthOutput,
  type Transaction as LibauthTransaction,
} from '@bitauth/libauth';
import { TreasuryError } from '../errors.js';
import { dustOf, FEE_SATS_PER_BYTE, fromLibauthOutput, MAXIMUM_STANDARD_SIZE } from './transaction.js';

/** A transaction and the outputs it spends, in the order of its inputs. */
export type ResolvedTransaction = {
  readonly transaction: LibauthTransaction;
  readonly sourceOutputs: LibauthOutput[];
};

/**
 * What the inputs hold above the outputs, in satoshis; negative when they hold less.
 *
 * @example
 * feeOf(payment); // payment.fee
 */
export const feeOf = ({ transaction, sourceOutputs }: ResolvedTransaction): bigint =>
  sourceOutputs.reduce((sum, output) => sum + output.valueSatoshis, 0n) -
  transaction.outputs.reduce((sum, output) => sum + output.valueSatoshis, 0n);

/**
 * The size in bytes is one that is relayed.
 *
 * @throws tx_too_large
 * @example
 * requireStandardSize(100_001); // throws tx_too_large
 */
export const requireStandardSize = (size: number): void => {
  if (size > MAXIMUM_STANDARD_SIZE) {
    throw new TreasuryError('tx_too_large', { size, limit: MAXIMUM_STANDARD_SIZE });
  }
};

/**
 * The fee (satoshis) of that many bytes is one that is relayed.
 *
 * @throws tx_fee_too_low
 * @example
 * requireFee(199n, 200); // throws tx_fee_too_low
 */
export const requireFee = (fee: bigint, size: number): void => {
  const minimum = BigInt(size) * FEE_SATS_PER_BYTE;
  if (fee < minimum) {
    throw new TreasuryError('tx_fee_too_low', { fee: Number(fee), size, minimum: Number(minimum) });
  }
};

/**
 * Outputs that can never be spent (OP_RETURN) need hold nothing.
 *
 * @throws tx_dust
 * @example
 * requireNoDust([{ ...payment.transaction.outputs[0], valueSatoshis: 545n }]); // throws tx_dust
 */
export const requireNoDust = (outputs: readonly LibauthOutput[]): void => {
  for (const [index, output] of outputs.entries()) {
    const minimum = dustOf(fromLibauthOutput(output));
    if (output.valueSatoshis >= minimum) continue;
    const satoshis = Number(output.valueSatoshis);
    throw new TreasuryError('tx_dust', { output: index, satoshis, minimum: Number(minimum) });
  }
};

const failure = AuthenticationErrorCommon;
const inputFailure = 'Unable to verify transaction: error in evaluating input index';
const standardFailure = 'Unable to verify standard transaction';
const structureFailures = [
  failure.verifyFailedInsufficientLength,
  failure.verifyFailedMismatchedSourceOutputs,
  failure.verifyFailedNoInputs,
  failure.verifyFailedNoOutputs,
  failure.verifyFailedInputsExceedMaxMoney,
  failure.verifyFailedOutputsExceedMaxMoney,
  failure.verifyFailedDuplicateSourceOutputs,
  failure.verifyFailedInvalidVersion,
];
const sizeFailures = [failure.verifyFailedExcessiveLength, failure.verifyStandardFailedExcessiveLength];
const tokenFailure = 'Transaction violates token validation: ';

/** Turns what libauth says into an error with a code. Libauth's texts begin with the kind of failure. */
const refuseTransaction = (text: string, resolved: ResolvedTransaction): never => {
  const isOneOf = (kinds: readonly string[]) => kinds.some((kind) => text.startsWith(kind));
  const reason = text
    .replace('Unable to verify transaction: ', '')
    .replace(tokenFailure, '')
    .replace(/\.$/, '');
  const size = encodeTransaction(resolved.transaction).length;

  if (isOneOf([inputFailure])) throw new TreasuryError('tx_script_failed', { reason });
  if (isOneOf([tokenFailure])) throw new TreasuryError('tx_token_rule', { reason });
  if (isOneOf(sizeFailures)) requireStandardSize(size);
  if (isOneOf([failure.verifyFailedOutputsExceedInputs])) requireFee(feeOf(resolved), size);
  if (isOneOf([failure.verifyStandardFailedDustOutput])) requireNoDust(resolved.transaction.outputs);
  if (text.startsWith(standardFailure)) throw new TreasuryError('tx_not_standard', { reason });
  if (isOneOf(structureFailures)) throw new TreasuryError('tx_malformed', { reason });
  throw new TreasuryError('tx_script_failed', { reason });
};

type Verifier = { readonly verify: (resolved: ResolvedTransaction) => string | true };

const verifyWith = (machine: Verifier, resolved: ResolvedTransaction): void => {
  const result = machine.verify(resolved);
  if (result !== true) refuseTransaction(result, resolved);
};

const crypto = { ripemd160, secp256k1, sha1, sha256 };
// Made when first needed: building the operation tables costs a few milliseconds.
const createStandardMachine = () => createVirtualMachine(createInstructionSetBch2026(true, crypto));
let standardMachine: ReturnType<typeof createStandardMachine> | undefined;

/**
 * Runs a signed transaction through libauth's standard VM: scripts, signatures, token rules, structure, dust and
 * size. The relay fee and finality are no part of it.
 *
 * @throws tx_script_failed, tx_token_rule, tx_malformed, tx_fee_too_low (outputs above inputs), tx_dust, tx_too_large
 * @example
 * verifyTransaction(payment); // throws tx_script_failed
 * const transaction = decodeRaw(signWalletTransaction(request, alice).transaction);
 * verifyTransaction({ ...payment, transaction }); // undefined
 */
export const verifyTransaction = (resolved: ResolvedTransaction): void => {
  standardMachine ??= createStandardMachine();
  verifyWith(standardMachine, resolved);
};

const createConsensusMachine = () => createVirtualMachine(createInstructionSetBch2026(false, crypto));
let consensusMachine: ReturnType<typeof createConsensusMachine> | undefined;

/**
 * What the consensus rules say against a transaction, in libauth's words; null: nothing. Scripts, signatures, sums and
 * tokens are checked. What is not relayed may be mined, so the rules of relay are no part of it.
 *
 * @example
 * const transaction = decodeRaw(signWalletTransaction(request, alice).transaction);
 * consensusRefusal({ ...payment, transaction }); // null
 */
export const consensusRefusal = (resolved: ResolvedTransaction): string | null => {
  consensusMachine ??= createConsensusMachine();
  const result = consensusMachine.verify(resolved);
  return result === true ? null : result;
};

/**
 * What the VM says against one input of a transaction, whatever the others are unlocked with; null: nothing.
 *
 * @example
 * const transaction = decodeRaw(signWalletTransaction(request, alice).transaction);
 * inputRefusal({ ...payment, transaction }, 0); // null
 */
export const inputRefusal = (
  {
    transaction,
    sourceOutputs,
  }: { readonly transaction: LibauthTransaction; readonly sourceOutputs: readonly LibauthOutput[] },
  inputIndex: number,
): string | null => {
  standardMachine ??= createStandardMachine();
  const program = { inputIndex, transaction, sourceOutputs: [...sourceOutputs] };
  const result = standardMachine.stateSuccess(standardMachine.evaluate(program));
  return result === true ? null : result;
};

/** Signs in a party's place. Its private key is public on purpose: only {@link verifyAsParty} takes it for another's. */
export const STAND_IN_PRIVATE_KEY = sha256.hash(utf8ToBin('treasury: stand-in for a key that is not here'));
/** 33 bytes. */
export const STAND_IN_PUBLIC_KEY = secp256k1.derivePublicKeyCompressed(STAND_IN_PRIVATE_KEY) as Uint8Array;

/** Whose place the stand-in takes. */
export type Role = {
  /** The 20-byte hash that stored hashes and P2PKH locks are compared with. */
  readonly keyHash: Uint8Array;
  /** The 33-byte key, where contracts hold the key itself. */
  readonly publicKey?: Uint8Array;
  /** 33-byte keys of others whose place it takes too. */
  readonly coSignerKeys?: readonly Uint8Array[];
};

const standInDigest = sha256.hash(STAND_IN_PUBLIC_KEY);
// The role in the cast machine's present run: a run is synchronous, so one machine serves every party in turn.
let role: Role | null = null;
let castMachine: Verifier | undefined;

const castHash = (input: Uint8Array): Uint8Array =>
  role !== null && binsAreEqual(input, standInDigest) ? role.keyHash.slice() : ripemd160.hash(input);

const isCast = (publicKey: Uint8Array): boolean =>
  [...(role?.publicKey === undefined ? [] : [role.publicKey]), ...(role?.coSignerKeys ?? [])].some((key) =>
    binsAreEqual(publicKey, key),
  );

const castSchnorr: typeof secp256k1.verifySignatureSchnorr = (signature, publicKey, digest) =>
  secp256k1.verifySignatureSchnorr(signature, publicKey, digest) ||
  (isCast(publicKey) && secp256k1.verifySignatureSchnorr(signature, STAND_IN_PUBLIC_KEY, digest));

const createCastMachine = (): Verifier =>
  createVirtualMachine(
    createInstructionSetBch2026(true, {
      ...crypto,
      ripemd160: { hash: castHash },
      secp256k1: { ...secp256k1, verifySignatureSchnorr: castSchnorr },
    }),
  );

/**
 * {@link verifyTransaction} of a transaction that the stand-in signed in a party's place: the stand-in's public
 * key hashes to the party's, and its signatures pass for those of the party's key and of the co-signers' keys. All
 * else is checked as ever.
 *
 * @throws as {@link verifyTransaction}
 * @example
 * const standIn = { publicKey: STAND_IN_PUBLIC_KEY, privateKey: STAND_IN_PRIVATE_KEY };
 * const { lockingBytecode, hash } = alice.address;
 * const transaction = decodeRaw(signWalletTransaction(request, { ...standIn, lockingBytecode }).transaction);
 * verifyAsParty({ ...payment, transaction }, { keyHash: Buffer.from(hash, 'hex') }); // undefined
 * verifyTransaction({ ...payment, transaction }); // throws tx_script_failed
 */
export const verifyAsParty = (resolved: ResolvedTransaction, party: Role): void => {
  castMachine ??= createCastMachine();
  role = party;
  verifyWith(castMachine, resolved);
};
