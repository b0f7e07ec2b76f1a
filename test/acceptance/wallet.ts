/**
 * A wallet that knows only wc2-bch-bcr: written from that text alone, and sharing no code with the program. It fills
 * the first signature placeholder of a contract input by replacing text, as the reference wallets do.
 */
import {
  binToHex,
  decodeTransaction,
  encodeTransaction,
  generateSigningSerializationBch,
  hash160,
  hash256,
  hexToBin,
  secp256k1,
  type Input,
  type Output,
} from '@bitauth/libauth';

type SourceOutput = Input &
  Output & { contract?: { artifact: { contractName?: string }; redeemScript: Uint8Array } };

const ALL_UTXOS_FORKID = 0x61;
const SIGNATURE_PLACEHOLDER = `41${'00'.repeat(65)}`;
const KEY_PLACEHOLDER = `21${'00'.repeat(33)}`;

/** Extended JSON: `<Uint8Array: 0x..>` and `<bigint: 1n>`. */
const revive = (_key: string, value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  const bytes = /^<Uint8Array: 0x([0-9a-f]*)>$/.exec(value)?.[1];
  if (bytes !== undefined) return hexToBin(bytes);
  const integer = /^<bigint: (\d+)n>$/.exec(value)?.[1];
  return integer === undefined ? value : BigInt(integer);
};

export type WalletKey = { readonly privateKey: Uint8Array; readonly publicKey: Uint8Array };

/** What `bch_signTransaction` answers: the signed transaction as hex. */
export const signTransaction = (request: unknown, { privateKey, publicKey }: WalletKey): string => {
  const { transaction: raw, sourceOutputs } = JSON.parse(JSON.stringify(request), revive) as {
    transaction: string;
    sourceOutputs: SourceOutput[];
  };
  const transaction = decodeTransaction(hexToBin(raw));
  if (typeof transaction === 'string') throw new Error(transaction);
  const ownLock = `76a914${binToHex(hash160(publicKey))}88ac`;

  const sign = (inputIndex: number, coveredBytecode: Uint8Array): string => {
    const serialization = generateSigningSerializationBch(
      { inputIndex, transaction, sourceOutputs },
      { coveredBytecode, signingSerializationType: Uint8Array.of(ALL_UTXOS_FORKID) },
    );
    const signature = secp256k1.signMessageHashSchnorr(privateKey, hash256(serialization));
    if (typeof signature === 'string') throw new Error(signature);
    return `41${binToHex(signature)}61`;
  };

  const inputs = transaction.inputs.map((input, index) => {
    const source = sourceOutputs[index];
    if (source === undefined) return input;
    if (source.contract?.artifact.contractName !== undefined) {
      let unlocking = binToHex(source.unlockingBytecode);
      if (unlocking.includes(SIGNATURE_PLACEHOLDER)) {
        unlocking = unlocking.replace(SIGNATURE_PLACEHOLDER, sign(index, source.contract.redeemScript));
      }
      unlocking = unlocking.replace(KEY_PLACEHOLDER, `21${binToHex(publicKey)}`);
      return { ...input, unlockingBytecode: hexToBin(unlocking) };
    }
    if (source.unlockingBytecode.length > 0 || binToHex(source.lockingBytecode) !== ownLock) return input;
    const unlocking = `${sign(index, source.lockingBytecode)}21${binToHex(publicKey)}`;
    return { ...input, unlockingBytecode: hexToBin(unlocking) };
  });
  return binToHex(encodeTransaction({ ...transaction, inputs }));
};
