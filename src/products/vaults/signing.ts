/**
 * Collecting the two signatures of a spend, one at a time. Pure.
 *
 * A wallet fills one placeholder of an input: so the input of each signer has one, and non-zero filler or the other's
 * signature in the other slot. Signatures do not cover what stands in the slots, so they can be put together.
 */
import { isDeepStrictEqual } from 'node:util';
import { binToHex, hexToBin, secp256k1 } from '@bitauth/libauth';
import { parseAddress } from '../../bch/address.js';
import { pushesOf } from '../../bch/instructions.js';
import { decodeRaw, encodeRaw, fromLibauthTransaction } from '../../bch/transaction.js';
import {
  messageToSign,
  preflight,
  SIGNATURE_TYPE,
  verifyTransaction,
  type ChainTime,
} from '../../bch/wallet-transaction.js';
import type { UnsignedTransaction } from '../../covenant/spend.js';
import { TreasuryError } from '../../errors.js';
import type { SpendRecord, SpendSignature } from './spend.js';
import {
  EMPTY_SIGNATURE,
  emptySlots,
  FILLER_SIGNATURE,
  rebuildSpend,
  unsignedTxid,
  type BuiltSpend,
  type Slot,
} from './transactions.js';
import { SIGNATURES_NEEDED, type VaultRecord } from './vault.js';

/** 64 bytes Schnorr and the type. */
const SIGNATURE_BYTES = EMPTY_SIGNATURE.length / 2;

/** A spend of a vault on a network. */
export type Signing = BuiltSpend & {
  readonly spend: Pick<SpendRecord, 'label' | 'unsigned_txid' | 'signatures'>;
};

/** A signature, and whose it is. */
export type FoundSignature = Omit<SpendSignature, 'signed_at'>;

/** The slot that a signer fills, and the other: what the first signer left, or a stand-in under any other key. */
const slotsFor = (
  { vault: { signers, signer_pubkeys: keys }, spend }: Signing,
  signer: string,
  standIn: string,
): readonly [Slot, Slot] => {
  const public_key = keys[signers.indexOf(signer)] ?? '';
  const another = keys.find((key) => key !== public_key) ?? '';
  const [other = { public_key: another, signature: standIn }] = spend.signatures;
  return [{ public_key, signature: EMPTY_SIGNATURE }, other];
};

/** What a signer's wallet gets: one placeholder, in the signer's slot. */
export const requestFor = (signing: Signing, signer: string): UnsignedTransaction =>
  rebuildSpend(signing, slotsFor(signing, signer, FILLER_SIGNATURE));

/**
 * Has the VM run what a signer's wallet will get, with a stand-in for every signature that is still to come: with both
 * slots empty for the first signer.
 *
 * @throws {@link PREFLIGHT_ERRORS}
 */
export const trySpend = (signing: Signing, signer: string, chainTime: ChainTime): void => {
  const [own, other] = slotsFor(signing, signer, EMPTY_SIGNATURE);
  const isFirst = signing.spend.signatures.length === 0;
  const party = {
    lockingBytecode: parseAddress(signer).lockingBytecode,
    publicKey: hexToBin(own.public_key),
    ...(isFirst ? { coSignerKeys: [hexToBin(other.public_key)] } : {}),
  };
  preflight(rebuildSpend(signing, [own, other]), party, chainTime);
};

const refuse = (reason: string): TreasuryError => new TreasuryError('tx_script_failed', { reason });

/** What the signatures of a spend sign: the same for every signer. */
const messageOf = (unsigned: UnsignedTransaction): Uint8Array => {
  const coveredBytecode = unsigned.sourceOutputs[0]?.contract?.redeemScript;
  if (coveredBytecode === undefined) throw new Error('input 0 of a spend is no coin of the vault');
  return messageToSign(unsigned, 0, coveredBytecode);
};

const signerOfSignature = (
  { signers, signer_pubkeys: keys }: VaultRecord,
  signature: string,
  message: Uint8Array,
): FoundSignature => {
  const type = signature.slice(-2);
  if (parseInt(type, 16) !== SIGNATURE_TYPE) {
    throw refuse(`a signature has the hash type 0x${type}; only 0x61, which covers everything, is taken`);
  }
  const bytes = hexToBin(signature.slice(0, -2));
  const index = keys.findIndex((key) => secp256k1.verifySignatureSchnorr(bytes, hexToBin(key), message));
  const [signer, public_key] = [signers[index], keys[index]];
  if (signer === undefined || public_key === undefined)
    throw refuse('a signature is of none of the three signers over this transaction');
  return { signer, public_key, signature };
};

/** What differs from what was handed out, in words; signatures apart, nothing may. */
const differenceOf = (
  expected: UnsignedTransaction,
  found: UnsignedTransaction['transaction'],
): string | null => {
  if (unsignedTxid(expected.transaction) === unsignedTxid(found)) return null;
  const [ours, theirs] = [fromLibauthTransaction(expected.transaction), fromLibauthTransaction(found)];
  const count = Math.max(ours.outputs.length, theirs.outputs.length);
  const changed = Array.from({ length: count }, (_, index) => index).find(
    (index) => !isDeepStrictEqual(ours.outputs[index], theirs.outputs[index]),
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
  const { vault, spend } = signing;
  const transaction = decodeRaw(rawTransaction);
  const expected = rebuildSpend(signing, emptySlots(vault));
  const found = differenceOf(expected, transaction);
  if (found !== null) {
    const { txid: txHash } = fromLibauthTransaction(transaction);
    throw new TreasuryError('tx_mismatch', {
      txHash,
      expected: `${spend.label} as it was handed out`,
      found,
    });
  }
  // Where a signature could stand in input 0.
  const pushed = pushesOf(transaction.inputs[0]?.unlockingBytecode ?? new Uint8Array())
    .filter(({ length }) => length === SIGNATURE_BYTES)
    .map(binToHex)
    .filter((push) => push !== EMPTY_SIGNATURE && push !== FILLER_SIGNATURE);
  if (pushed.length === 0) throw refuse('input 0 has no Schnorr signature');
  const message = messageOf(expected);
  return pushed.map((signature) => signerOfSignature(vault, signature, message));
};

/**
 * The transaction with both signatures, as raw hex, after the VM has run it for real.
 *
 * @throws tx_script_failed, tx_token_rule, tx_dust, tx_fee_too_low, tx_too_large
 */
export const completeSpend = (signing: Signing): string => {
  const { label, signatures } = signing.spend;
  const both = signatures.slice(0, SIGNATURES_NEEDED);
  if (both.length < SIGNATURES_NEEDED) throw new Error(`${label} lacks a signature`);
  const { transaction, sourceOutputs } = rebuildSpend(signing, both);
  verifyTransaction({ transaction, sourceOutputs: [...sourceOutputs] });
  return encodeRaw(transaction);
};
