/** A call as the models see it: what a spend says, and who signed. The signatures' arithmetic is done here, outside of them. */
import {
  bigIntToVmNumber,
  binToHex,
  generateSigningSerializationBch,
  hash256,
  secp256k1,
  type Output,
} from '@bitauth/libauth';
import { ALL_UTXOS, isSigning, type Argument, type Bound } from '../../harness/bound.js';
import { inScript } from '../../harness/coins.js';
import type { Built, Spend, Unlock } from '../../harness/spend.js';
import type { Call, Coin, Hex, Signature, Terms, Transaction } from '../../models/vocabulary.js';

const SCHNORR_BYTES = 65;
/** The hash types that there are. Source: BCH replay protection, SIGHASH_UTXOS CHIP. */
const HASH_TYPES = new Set([0x41, 0x42, 0x43, 0xc1, 0xc2, 0xc3, 0x61, 0x62, 0x63]);

const coinOf = ({ lockingBytecode, valueSatoshis, token }: Output): Coin => ({
  lock: binToHex(lockingBytecode),
  satoshis: valueSatoshis,
  token:
    token === undefined
      ? null
      : {
          category: binToHex(inScript(binToHex(token.category))),
          amount: token.amount,
          nft:
            token.nft === undefined
              ? null
              : { capability: token.nft.capability, commitment: binToHex(token.nft.commitment) },
        },
});

/** A spend as the models see it. */
export const transactionOf = ({ inputs, outputs, locktime }: Spend): Transaction => ({
  inputs: inputs.map(({ coin, sequence }) => ({ coin: coinOf(coin), sequence })),
  outputs: outputs.map(coinOf),
  locktime,
});

/** Whether bytes are a key's signature over an input of a transaction. */
const isSignatureOf = (
  { transaction, sourceOutputs }: Built,
  { inputIndex, script }: { readonly inputIndex: number; readonly script: Uint8Array },
  pushed: Uint8Array,
  key: Uint8Array,
): boolean => {
  const digest = hash256(
    generateSigningSerializationBch(
      { inputIndex, sourceOutputs, transaction },
      { coveredBytecode: script, signingSerializationType: pushed.slice(-1) },
    ),
  );
  const signature = pushed.slice(0, -1);
  return pushed.length === SCHNORR_BYTES
    ? secp256k1.verifySignatureSchnorr(signature, key, digest)
    : secp256k1.verifySignatureDER(signature, key, digest);
};

const NOBODY: Signature = { by: null, scheme: 'schnorr', hashType: 0 };

type Place = { readonly built: Built; readonly inputIndex: number; readonly script: Uint8Array };

const signatureOf = (place: Place, argument: Argument, key: Argument | undefined): Signature => {
  if (typeof argument === 'bigint') return NOBODY;
  if (isSigning(argument)) {
    const { sign, hashType = ALL_UTXOS, ecdsa = false } = argument;
    if (!HASH_TYPES.has(hashType)) return NOBODY;
    return { by: binToHex(sign.publicKey), scheme: ecdsa ? 'ecdsa' : 'schnorr', hashType };
  }
  const hashType = argument.at(-1) ?? 0;
  if (!(key instanceof Uint8Array) || !HASH_TYPES.has(hashType)) return NOBODY;
  if (!isSignatureOf(place.built, place, argument, key)) return NOBODY;
  const scheme = argument.length === SCHNORR_BYTES ? 'schnorr' : 'ecdsa';
  return { by: binToHex(key), scheme, hashType };
};

const bytesOf = (argument: Argument): Hex => {
  if (typeof argument === 'bigint') return binToHex(bigIntToVmNumber(argument));
  return isSigning(argument) ? '' : binToHex(argument);
};

/** The parameters that a contract was bound with, by name. */
export const termsOf = ({ artifact, params }: Bound): Terms =>
  Object.fromEntries(
    artifact.constructorInputs.map(({ name }, index) => {
      const param = params[index] ?? 0n;
      return [name, typeof param === 'bigint' ? param : binToHex(param)];
    }),
  );

/** The call at an input of a spend. */
export const callOf = (
  transaction: Transaction,
  { contract, call, args }: Extract<Unlock, { call: string }>,
  { built, inputIndex }: Omit<Place, 'script'>,
): Call => {
  const inputs = contract.artifact.abi.find(({ name }) => name === call)?.inputs ?? [];
  const place = { built, inputIndex, script: contract.redeemScript };
  const named = inputs.map(({ name, type }, index) => ({ name, type, argument: args[index] ?? 0n, index }));
  return {
    transaction,
    at: inputIndex,
    name: call,
    args: Object.fromEntries(
      named.filter(({ type }) => type !== 'sig').map(({ name, argument }) => [name, bytesOf(argument)]),
    ),
    signatures: Object.fromEntries(
      named
        .filter(({ type }) => type === 'sig')
        .map(({ name, argument, index }) => [name, signatureOf(place, argument, args[index - 1])]),
    ),
  };
};
