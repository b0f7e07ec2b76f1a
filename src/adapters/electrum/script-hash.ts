/** Script hashes: how the Electrum Cash protocol names a locking bytecode. */
import { binToHex, hexToBin, sha256 } from '@bitauth/libauth';

/** SHA-256 of a locking bytecode (hex) as 64 hex digits, in reverse. Source: Electrum Cash protocol, script hashes. */
export const scriptHashOf = (lockingBytecode: string): string =>
  binToHex(sha256.hash(hexToBin(lockingBytecode)).reverse());
