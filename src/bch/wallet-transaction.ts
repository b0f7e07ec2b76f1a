/**
 * What a wallet does with a wcTransaction, and what is checked before one is handed out.
 *
 * Source: wc2-bch-bcr, `bch_signTransaction`, and the wallets that follow it.
 */
import {
  binToHex,
  encodeAuthenticationInstructions,
  encodeDataPush,
  encodeLockingBytecodeP2pkh,
  encodeTransaction,
  flattenBinArray,
  generateSigningSerializationBch,
  hash160,
  hash256,
  hashTransaction,
  hexToBin,
  secp256k1,
  SigningSerializationTypeBch,
  type AuthenticationInstruction,
  type Transaction as LibauthTransaction,
} from '@bitauth/libauth';
import { TreasuryError } from '../errors.js';
import { readInstructions } from './instructions.js';
import {
  alignSources,
  decodeWalletTransaction,
  type SigningRequest,
  type WalletTransaction,
} from './signing-request.js';
import { encodeRaw } from './transaction.js';
import {
  feeOf,
  requireFee,
  requireNoDust,
  requireStandardSize,
  STAND_IN_PRIVATE_KEY,
  STAND_IN_PUBLIC_KEY,
  verifyAsParty,
} from './virtual-machine.js';

export { decodeWalletTransaction, encodeWalletTransaction } from './signing-request.js';
export type { SigningRequest, WalletTransaction } from './signing-request.js';
export { verifyTransaction } from './virtual-machine.js';

/** A Schnorr signature with its type byte. */
const SIGNATURE_PLACEHOLDER_LENGTH = 65;
/** A compressed public key. */
const PUBLIC_KEY_PLACEHOLDER_LENGTH = 33;

/** What signs: a key, and the locking bytecode (hex) of the coins that are its own; by default its P2PKH. */
export type TransactionSigner = {
  readonly name?: string;
  readonly publicKey: Uint8Array;
  readonly privateKey: Uint8Array;
  readonly lockingBytecode?: string;
};

type Unsigned = Pick<SigningRequest, 'transaction' | 'sourceOutputs'>;

/** ALL | UTXOS | FORKID: covers all inputs, what they spend, and all outputs. The one type that is signed here. */
export const SIGNATURE_TYPE: number = SigningSerializationTypeBch.allOutputsAllUtxos;

/**
 * What the signature of an input signs: a hash of 32 bytes.
 *
 * @example
 * messageToSign(payment, 0, payment.sourceOutputs[0].lockingBytecode).length; // 32
 */
export const messageToSign = (
  { transaction, sourceOutputs }: Unsigned,
  inputIndex: number,
  coveredBytecode: Uint8Array,
): Uint8Array =>
  hash256(
    generateSigningSerializationBch(
      { inputIndex, transaction, sourceOutputs: [...sourceOutputs] },
      { coveredBytecode, signingSerializationType: Uint8Array.of(SIGNATURE_TYPE) },
    ),
  );

/** Makes the signature of one input: 64 bytes Schnorr and the type. */
const signInput = (message: Uint8Array, privateKey: Uint8Array): Uint8Array => {
  const signature = secp256k1.signMessageHashSchnorr(privateKey, message);
  if (typeof signature === 'string') throw new Error(signature);
  return flattenBinArray([signature, Uint8Array.of(SIGNATURE_TYPE)]);
};

const isZeroPush = (instruction: AuthenticationInstruction, length: number): boolean =>
  'data' in instruction && instruction.data.length === length && instruction.data.every((byte) => byte === 0);

const fillFirst = (
  instructions: AuthenticationInstruction[],
  length: number,
  fill: () => Uint8Array,
): boolean => {
  const index = instructions.findIndex((instruction) => isZeroPush(instruction, length));
  const placeholder = instructions[index];
  if (placeholder === undefined) return false;
  instructions[index] = { ...placeholder, data: fill() };
  return true;
};

/** An input after the wallet has seen it. */
type SeenInput = { readonly unlockingBytecode: Uint8Array; readonly isSigned: boolean };

/** Fills the first signature placeholder and the first public key placeholder of a contract input, if it has them. */
const fillPlaceholders = (
  unlockingBytecode: Uint8Array,
  publicKey: Uint8Array,
  sign: () => Uint8Array,
): SeenInput => {
  const instructions = readInstructions(unlockingBytecode);
  if (instructions === null) return { unlockingBytecode, isSigned: false };
  const isSigned = fillFirst(instructions, SIGNATURE_PLACEHOLDER_LENGTH, sign);
  fillFirst(instructions, PUBLIC_KEY_PLACEHOLDER_LENGTH, () => publicKey);
  return { unlockingBytecode: encodeAuthenticationInstructions(instructions), isSigned };
};

const p2pkhOf = (publicKey: Uint8Array): string => binToHex(encodeLockingBytecodeP2pkh(hash160(publicKey)));

const seeInput = (
  request: Unsigned,
  source: SigningRequest['sourceOutputs'][number],
  index: number,
  signer: TransactionSigner,
): SeenInput => {
  const sign = (coveredBytecode: Uint8Array) =>
    signInput(messageToSign(request, index, coveredBytecode), signer.privateKey);
  const { contract, lockingBytecode, unlockingBytecode } = source;
  if (contract?.artifact.contractName) {
    return fillPlaceholders(unlockingBytecode, signer.publicKey, () => sign(contract.redeemScript));
  }
  const ownLock = signer.lockingBytecode ?? p2pkhOf(signer.publicKey);
  if (unlockingBytecode.length > 0 || binToHex(lockingBytecode) !== ownLock) {
    return { unlockingBytecode, isSigned: false };
  }
  const pushes = [sign(lockingBytecode), signer.publicKey].map(encodeDataPush);
  return { unlockingBytecode: flattenBinArray(pushes), isSigned: true };
};

/** @throws signing_failed when nothing waits for this key */
const signRequest = (
  request: Unsigned,
  signer: TransactionSigner,
): { readonly transaction: LibauthTransaction; readonly signedInputs: number } => {
  const seen = request.sourceOutputs.map((source, index) => seeInput(request, source, index, signer));
  const signedInputs = seen.filter(({ isSigned }) => isSigned).length;
  if (signedInputs === 0) {
    throw new TreasuryError('signing_failed', {
      wallet: signer.name ?? binToHex(signer.publicKey),
      reason: 'no input waits for its signature',
    });
  }
  const inputs = request.transaction.inputs.map((input, index) => ({
    ...input,
    unlockingBytecode: seen[index]?.unlockingBytecode ?? input.unlockingBytecode,
  }));
  return { transaction: { ...request.transaction, inputs }, signedInputs };
};

/**
 * Signs a wcTransaction as a wc2-bch-bcr wallet does. In a contract's input the first signature placeholder and the
 * first public key placeholder are filled; an empty input that spends a coin of the wallet is signed as P2PKH;
 * everything else stays as it is. Signatures are Schnorr, ALL | UTXOS | FORKID (0x61).
 *
 * @returns the raw hex, its id, and how many inputs got a signature
 * @throws tx_malformed, signing_failed (nothing waits for this key)
 * @example
 * signWalletTransaction(request, alice).signedInputs; // 1
 * signWalletTransaction(request, bob); // throws signing_failed
 */
export const signWalletTransaction = (
  walletTransaction: WalletTransaction,
  signer: TransactionSigner,
): { readonly transaction: string; readonly txid: string; readonly signedInputs: number } => {
  const { transaction, signedInputs } = signRequest(decodeWalletTransaction(walletTransaction), signer);
  return {
    transaction: encodeRaw(transaction),
    txid: hashTransaction(encodeTransaction(transaction)),
    signedInputs,
  };
};

/** Who will sign: `lockingBytecode` is the hex of the P2PKH of the wallet. */
export type Party = {
  readonly lockingBytecode: string;
  /** Needed where contracts hold the key itself and not its hash. */
  readonly publicKey?: Uint8Array;
  /**
   * Keys (33 bytes) of others who must sign the contract inputs too, one after another: each fills one more signature
   * placeholder. The contracts hold the keys themselves.
   */
  readonly coSignerKeys?: readonly Uint8Array[];
};

/** Where the chain stands. Without `height`, a locktime that is a height is not checked. */
export type ChainTime = { readonly medianTimePast: number; readonly height?: number };

/** Locktimes below are block heights, from here on unix seconds. Source: consensus. */
const LOCKTIME_THRESHOLD = 500_000_000;
const FINAL_SEQUENCE = 0xffffffff;
const SECONDS_PER_BLOCK = 600;

/** Final in the next block: the locktime is below median time past, or below that block's height. Source: BIP113. */
const requireFinal = (
  { locktime, inputs }: LibauthTransaction,
  { medianTimePast, height }: ChainTime,
): void => {
  if (locktime === 0 || inputs.every(({ sequenceNumber }) => sequenceNumber === FINAL_SEQUENCE)) return;
  const isHeight = locktime < LOCKTIME_THRESHOLD;
  const limit = isHeight ? (height ?? Infinity) + 1 : medianTimePast;
  if (locktime < limit) return;
  const left = locktime - limit + 1;
  throw new TreasuryError('tx_not_final', { secondsLeft: isHeight ? left * SECONDS_PER_BLOCK : left });
};

const P2PKH_HASH = /^76a914([0-9a-f]{40})88ac$/;

/** The transaction as the party and its co-signers will leave it, signed by the stand-in in the place of each. */
const signAsParty = (request: Unsigned, party: Party, keyHash: string): LibauthTransaction => {
  const standIn = {
    name: `of ${keyHash}`,
    publicKey: party.publicKey ?? STAND_IN_PUBLIC_KEY,
    privateKey: STAND_IN_PRIVATE_KEY,
    lockingBytecode: party.lockingBytecode,
  };
  const signOnce = ({ transaction, sourceOutputs }: Unsigned): Unsigned => {
    const signed = signRequest({ transaction, sourceOutputs }, standIn).transaction;
    return { transaction: signed, sourceOutputs: alignSources({ transaction: signed, sourceOutputs }) };
  };
  const signers = [party.publicKey, ...(party.coSignerKeys ?? [])];
  return signers.reduce<Unsigned>(signOnce, request).transaction;
};

/**
 * Runs a transaction that is to be handed out through the VM as far as signatures allow: a stand-in signs in the
 * party's place (and in its co-signers'), its key passes for the party's, and everything else is checked as a node
 * would.
 *
 * @returns the size in bytes as signed, and the fee in satoshis
 * @throws tx_malformed, signing_failed, tx_too_large, tx_fee_too_low (under 1 satoshi a byte), tx_dust,
 *   tx_not_final, tx_token_rule, tx_script_failed
 * @example
 * preflight(payment, alice.address, { medianTimePast: monday }); // { size: 219, fee: payment.fee }
 */
export const preflight = (
  request: Unsigned,
  party: Party,
  chainTime: ChainTime,
): { readonly size: number; readonly fee: bigint } => {
  // Check: what is handed out is what is tried.
  const keyHash = P2PKH_HASH.exec(party.lockingBytecode)?.[1];
  if (keyHash === undefined) {
    throw new TreasuryError('signing_failed', {
      wallet: party.lockingBytecode,
      reason: 'expected a P2PKH wallet',
    });
  }
  const sourceOutputs = alignSources(request);

  // Build: the transaction as it will be, but for the key.
  const transaction = signAsParty({ transaction: request.transaction, sourceOutputs }, party, keyHash);
  const resolved = { transaction, sourceOutputs };
  const size = encodeTransaction(transaction).length;
  const fee = feeOf(resolved);

  // Check: cheap rules first, then the scripts.
  requireStandardSize(size);
  requireFee(fee, size);
  requireNoDust(transaction.outputs);
  requireFinal(transaction, chainTime);
  verifyAsParty(resolved, {
    keyHash: hexToBin(keyHash),
    ...(party.publicKey === undefined ? {} : { publicKey: party.publicKey }),
    ...(party.coSignerKeys === undefined ? {} : { coSignerKeys: party.coSignerKeys }),
  });
  return { size, fee };
};
