/** The people of the contract tests: keys from a phrase, the same in every run. */
import { encodeLockingBytecodeP2pkh, hash160, secp256k1, sha256, utf8ToBin } from '@bitauth/libauth';

export type Party = {
  readonly name: string;
  readonly privateKey: Uint8Array;
  /** Compressed. */
  readonly publicKey: Uint8Array;
  readonly hash: Uint8Array;
  /** P2PKH locking bytecode. */
  readonly lock: Uint8Array;
};

const party = (name: string): Party => {
  const privateKey = sha256.hash(utf8ToBin(`treasury contract tests: ${name}`));
  const publicKey = secp256k1.derivePublicKeyCompressed(privateKey) as Uint8Array;
  const hash = hash160(publicKey);
  return { name, privateKey, publicKey, hash, lock: encodeLockingBytecodeP2pkh(hash) };
};

/** Who pays in: creator, controller or sender. */
export const owner = party('owner');
export const recipient = party('recipient');
export const authority = party('authority');
/** Signs nothing: gets rewards, refunds, or is put in another's place. */
export const outsider = party('outsider');
export const signers = [party('signer 1'), party('signer 2'), party('signer 3')] as const;
