/** Who signed an input: found in its unlocking bytecode, whatever the contract thinks of it. */
import {
  decodeAuthenticationInstructions,
  generateSigningSerializationBch,
  hash256,
  secp256k1,
} from '@bitauth/libauth';
import type { Party } from '../harness/parties.js';
import type { Built } from '../harness/spend.js';

const SCHNORR = 64;

const pushesOf = (unlocking: Uint8Array): Uint8Array[] =>
  decodeAuthenticationInstructions(unlocking).flatMap((instruction) =>
    'data' in instruction && instruction.data instanceof Uint8Array ? [instruction.data] : [],
  );

const isSignatureOf = (
  { transaction, sourceOutputs }: Built,
  inputIndex: number,
  pushed: Uint8Array,
  { script, by }: { readonly script: Uint8Array; readonly by: Party },
): boolean => {
  const signature = pushed.slice(0, -1);
  const type = pushed.slice(-1);
  const digest = hash256(
    generateSigningSerializationBch(
      { inputIndex, sourceOutputs, transaction },
      { coveredBytecode: script, signingSerializationType: type },
    ),
  );
  return signature.length === SCHNORR
    ? secp256k1.verifySignatureSchnorr(signature, by.publicKey, digest)
    : secp256k1.verifySignatureDER(signature, by.publicKey, digest);
};

/** The parties of whom an input of a covenant carries a valid signature, of some hash type or of any. */
export const signersAt = (
  built: Built,
  inputIndex: number,
  parties: readonly Party[],
  hashType?: number,
): Party[] => {
  const pushes = pushesOf(built.transaction.inputs[inputIndex]?.unlockingBytecode ?? new Uint8Array());
  const script = pushes.at(-1);
  if (script === undefined) return [];
  const signatures = pushes
    .slice(0, -1)
    .filter(({ length }) => length === SCHNORR + 1 || (length >= 9 && length <= 73 && length !== 33))
    .filter((pushed) => hashType === undefined || pushed.at(-1) === hashType);
  return parties.filter((by) =>
    signatures.some((pushed) => isSignatureOf(built, inputIndex, pushed, { script, by })),
  );
};
