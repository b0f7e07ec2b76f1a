/**
 * Collecting the two signatures of a spend, one at a time. Pure.
 *
 * A wallet fills one placeholder of an input: so the input of each signer has one, and non-zero filler or the other's
 * signature in the other slot. Signatures do not cover what stands in the slots, so they can be put together.
 */
import {
  authenticationInstructionsAreMalformed,
  binToHex,
  decodeAuthenticationInstructions,
  generateSigningSerializationBch,
  hash256,
  hexToBin,
  secp256k1,
} from '@bitauth/libauth';
import type { Network } from '../../bch/network.js';
import { decodeRaw, encodeRaw, fromLibauthTransaction } from '../../bch/transaction.js';
import { verifyTransaction, type Party } from '../../bch/wallet-transaction.js';
import { parseAddress } from '../../bch/address.js';
import type { UnsignedTransaction } from '../../covenant/spend.js';
import { TreasuryError } from '../../errors.js';
import type { SpendRecord } from './spend.js';
import {
  EMPTY_SIGNATURE,
  emptySlots,
  FILLER_SIGNATURE,
  rebuildSpend,
  unsignedTxid,
  type BuiltSpend,
  type Slot,
} from './transactions.js';
import type { VaultRecord } from './vault.js';

/** ALL | UTXOS | FORKID: covers all inputs, what they spend, and all outputs. */
const SIGNATURE_TYPE = 0x61;
/** 64 bytes Schnorr and the type. */
const SIGNATURE_BYTES = EMPTY_SIGNATURE.length / 2;

type Spend = BuiltSpend & Pick<SpendRecord, 'label' | 'unsigned_txid' | 'signatures'>;

/** A spend of a vault on a network. */
export type Signing = { readonly vault: VaultRecord; readonly spend: Spend; readonly network: Network };

/** A signature, and whose it is. */
export type FoundSignature = {
  readonly signer: string;
  readonly publicKey: string;
  readonly signature: string;
};

const keyOf = ({ signers, signer_pubkeys: keys }: VaultRecord, signer: string): string =>
  keys[signers.indexOf(signer)] ?? '';

/** The other slot while `key` signs: what the first signer left, or filler under any other key. */
const otherSlot = ({ vault, spend }: Signing, key: string): Slot => {
  const [first] = spend.signatures;
  if (first !== undefined) return { publicKey: first.public_key, signature: first.signature };
  const other = vault.signer_pubkeys.find((candidate) => candidate !== key) ?? '';
  return { publicKey: other, signature: FILLER_SIGNATURE };
};

/** What a signer's wallet gets: one placeholder, in the signer's slot. */
export const requestFor = (signing: Signing, signer: string): UnsignedTransaction => {
  const { vault, spend, network } = signing;
  const publicKey = keyOf(vault, signer);
  return rebuildSpend(vault, network, spend, [
    { publicKey, signature: EMPTY_SIGNATURE },
    otherSlot(signing, publicKey),
  ]);
};

/**
 * What the VM tries before a signer's wallet gets it, and the parties whose signatures are still to come: with both
 * slots empty for the first signer.
 */
export const trialFor = (
  signing: Signing,
  signer: string,
): { readonly unsigned: UnsignedTransaction; readonly party: Party } => {
  const { vault, spend, network } = signing;
  const publicKey = keyOf(vault, signer);
  const other = otherSlot(signing, publicKey);
  const isFirst = other.signature === FILLER_SIGNATURE;
  const unsigned = rebuildSpend(vault, network, spend, [
    { publicKey, signature: EMPTY_SIGNATURE },
    isFirst ? { ...other, signature: EMPTY_SIGNATURE } : other,
  ]);
  const party: Party = {
    lockingBytecode: parseAddress(signer).lockingBytecode,
    publicKey: hexToBin(publicKey),
    ...(isFirst ? { coSignerKeys: [hexToBin(other.publicKey)] } : {}),
  };
  return { unsigned, party };
};

const refuse = (reason: string): TreasuryError => new TreasuryError('tx_script_failed', { reason });

/** What was pushed in input 0 where a signature could stand, hex. */
const pushedSignatures = (unlockingBytecode: Uint8Array): readonly string[] => {
  const instructions = decodeAuthenticationInstructions(unlockingBytecode);
  if (authenticationInstructionsAreMalformed(instructions)) return [];
  return instructions
    .flatMap((instruction) => ('data' in instruction ? [instruction.data] : []))
    .filter(({ length }) => length === SIGNATURE_BYTES)
    .map(binToHex)
    .filter((push) => push !== EMPTY_SIGNATURE && push !== FILLER_SIGNATURE);
};

/** What the signatures of a spend sign: the same for every signer. */
const messageOf = ({ transaction, sourceOutputs }: UnsignedTransaction): Uint8Array => {
  const coveredBytecode = sourceOutputs[0]?.contract?.redeemScript;
  if (coveredBytecode === undefined) throw new Error('input 0 of a spend is no coin of the vault');
  const serialization = generateSigningSerializationBch(
    { inputIndex: 0, transaction, sourceOutputs: [...sourceOutputs] },
    { coveredBytecode, signingSerializationType: Uint8Array.of(SIGNATURE_TYPE) },
  );
  return hash256(serialization);
};

const signerOfSignature = (vault: VaultRecord, signature: string, message: Uint8Array): FoundSignature => {
  const type = parseInt(signature.slice(-2), 16);
  if (type !== SIGNATURE_TYPE) {
    throw refuse(
      `a signature has the hash type 0x${type.toString(16).padStart(2, '0')}; only 0x61, which covers everything, is taken`,
    );
  }
  const bytes = hexToBin(signature.slice(0, -2));
  const publicKey = vault.signer_pubkeys.find((key) =>
    secp256k1.verifySignatureSchnorr(bytes, hexToBin(key), message),
  );
  const signer = vault.signers[vault.signer_pubkeys.indexOf(publicKey ?? '')];
  if (publicKey === undefined || signer === undefined) {
    throw refuse('a signature is of none of the three signers over this transaction');
  }
  return { signer, publicKey, signature };
};

/** What differs from what was handed out, in words; signatures apart, nothing may. */
const differenceOf = (
  expected: UnsignedTransaction,
  found: UnsignedTransaction['transaction'],
): string | null => {
  const [ours, theirs] = [fromLibauthTransaction(expected.transaction), fromLibauthTransaction(found)];
  if (unsignedTxid(ours) === unsignedTxid(theirs)) return null;
  const textOf = (value: unknown) =>
    JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? item.toString() : item));
  const count = Math.max(ours.outputs.length, theirs.outputs.length);
  const changed = Array.from({ length: count }, (_, index) => index).find(
    (index) => textOf(ours.outputs[index]) !== textOf(theirs.outputs[index]),
  );
  return changed === undefined ? 'other inputs, version or locktime' : `another output ${changed}`;
};

/**
 * The signatures in a transaction that a wallet has signed, each checked: nothing but the slots differs from what was
 * handed out, and each is of one of the three signers over exactly this with hash type 0x61.
 *
 * @throws tx_malformed, tx_mismatch (something else differs), tx_script_failed (a signature is no good, or none is there)
 */
export const readSignatures = (signing: Signing, rawTransaction: string): readonly FoundSignature[] => {
  const { vault, spend, network } = signing;
  const found = decodeRaw(rawTransaction);
  const expected = rebuildSpend(vault, network, spend, emptySlots(vault));
  const difference = differenceOf(expected, found);
  if (difference !== null) {
    throw new TreasuryError('tx_mismatch', {
      txHash: fromLibauthTransaction(found).txid,
      expected: `${spend.label} as it was handed out`,
      found: difference,
    });
  }
  const pushed = pushedSignatures(found.inputs[0]?.unlockingBytecode ?? new Uint8Array());
  if (pushed.length === 0) throw refuse('input 0 has no Schnorr signature');
  const message = messageOf(expected);
  return pushed.map((signature) => signerOfSignature(vault, signature, message));
};

/**
 * The transaction with both signatures, as raw hex, after the VM has run it for real.
 *
 * @throws tx_script_failed, tx_token_rule, tx_dust, tx_fee_too_low, tx_too_large
 */
export const completeSpend = ({ vault, spend, network }: Signing): string => {
  const [first, second] = spend.signatures.map(({ public_key: publicKey, signature }) => ({
    publicKey,
    signature,
  }));
  if (first === undefined || second === undefined) throw new Error(`${spend.label} lacks a signature`);
  const { transaction, sourceOutputs } = rebuildSpend(vault, network, spend, [first, second]);
  verifyTransaction({ transaction, sourceOutputs: [...sourceOutputs] });
  return encodeRaw(transaction);
};
