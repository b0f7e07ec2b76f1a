/** The keys of the phone: BIP32 from a seed phrase or from bytes as hex. */
import { pbkdf2Sync } from 'node:crypto';
import {
  binToHex,
  decodeCashAddress,
  deriveHdPath,
  deriveHdPrivateNodeFromSeed,
  deriveHdPublicNode,
  encodeHdPublicKey,
  encodeLockingBytecodeP2pkh,
  hash160,
  hexToBin,
  lockingBytecodeToCashAddress,
  secp256k1,
  type HdPrivateNodeValid,
} from '@bitauth/libauth';

/** Prefixes of addresses, and the names of WalletConnect's chains. */
export type ChainName = 'bitcoincash' | 'bchtest' | 'bchreg';

export type Key = {
  readonly privateKey: Uint8Array;
  /** 33 bytes. */
  readonly publicKey: Uint8Array;
  /** P2PKH, hex. */
  readonly lockingBytecode: string;
};

export const keyOf = (privateKey: Uint8Array): Key => {
  const publicKey = secp256k1.derivePublicKeyCompressed(privateKey);
  if (typeof publicKey === 'string') throw new Error(publicKey);
  const lockingBytecode = binToHex(encodeLockingBytecodeP2pkh(hash160(publicKey)));
  return { privateKey, publicKey, lockingBytecode };
};

const rootOf = (seed: string): HdPrivateNodeValid => {
  const bytes = /^(?:[0-9a-f]{2}){16,64}$/.test(seed)
    ? hexToBin(seed)
    : new Uint8Array(pbkdf2Sync(seed, 'mnemonic', 2_048, 64, 'sha512'));
  return deriveHdPrivateNodeFromSeed(bytes, { assumeValidity: true });
};

const ACCOUNT = "m/44'/145'/0'";

/** The key at a path below m/44'/145'/0', like `0/5`. */
export const deriveKey = (seed: string, path: string): Key => {
  const node = deriveHdPath(rootOf(seed), `${ACCOUNT}/${path}`, { throwErrors: false });
  if (typeof node === 'string') throw new Error(node);
  return keyOf(node.privateKey);
};

/** The xpub of a branch below m/44'/145'/0', like `0` or `7`. */
export const xpubOf = (seed: string, branch: number, chain: ChainName): string => {
  const node = deriveHdPath(rootOf(seed), `${ACCOUNT}/${branch}`, { throwErrors: false });
  if (typeof node === 'string') throw new Error(node);
  const network = chain === 'bitcoincash' ? 'mainnet' : 'testnet';
  const { hdPublicKey } = encodeHdPublicKey(
    { network, node: deriveHdPublicNode(node) },
    { throwErrors: true },
  );
  return hdPublicKey;
};

/** Somebody else's key, always the same. */
export const foreignKey: Key = keyOf(new Uint8Array(32).fill(0x42));

export const addressOf = (lockingBytecode: string, prefix: ChainName): string | null => {
  const result = lockingBytecodeToCashAddress({ bytecode: hexToBin(lockingBytecode), prefix });
  return typeof result === 'string' ? null : result.address;
};

/** An address as WalletConnect has it in an account: without the prefix. */
export const withoutPrefix = (address: string): string => {
  const decoded = decodeCashAddress(address);
  if (typeof decoded === 'string') throw new Error(decoded);
  return address.slice(address.indexOf(':') + 1);
};

export const toHexKey = ({ publicKey }: Key): string => binToHex(publicKey);
