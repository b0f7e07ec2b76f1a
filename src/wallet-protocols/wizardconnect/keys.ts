/** Which key signs, of those that a wallet hands over. Source: BIP32. */
import { hmac } from '@noble/hashes/hmac.js';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256, sha512 } from '@noble/hashes/sha2.js';
import { Point } from '@noble/secp256k1';
import { NETWORKS } from '../../bch/network.js';
import { concat, hexText } from '../bytes.js';
import { addressOfHash, type CashAddress } from '../cash-address.js';
import { WalletFailure } from '../failure.js';
import type { RemoteSurroundings } from '../remote-wallet.js';
import type { WizardState } from './state.js';

/** What is signed for, unless a session says otherwise: the first address that the wallet receives at. */
export const FIRST_PATH: WizardState['path'] = { name: 'receive', index: 0 };

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
/** An extended key, and what it is checked by. */
const KEY_BYTES = 78;
const CHECK_BYTES = 4;
/** What an extended public key begins with. */
const VERSIONS: Readonly<Record<string, 'mainnet' | 'testnet'>> = {
  '0488b21e': 'mainnet',
  '043587cf': 'testnet',
};

type ExtendedKey = {
  readonly network: 'mainnet' | 'testnet';
  readonly chainCode: Uint8Array;
  /** 33 bytes. */
  readonly publicKey: Uint8Array;
};

/** Null for what is none. */
export const readExtendedKey = (text: string): ExtendedKey | null => {
  const digits = Array.from(text, (letter) => BASE58.indexOf(letter));
  if (text.length > 120 || digits.includes(-1)) return null;
  const value = digits.reduce((sum, digit) => sum * 58n + BigInt(digit), 0n);
  const width = 2 * (KEY_BYTES + CHECK_BYTES);
  const hex = value.toString(16).padStart(width, '0');
  if (hex.length !== width) return null;
  const bytes = Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
  const key = bytes.subarray(0, KEY_BYTES);
  const check = sha256(sha256(key)).subarray(0, CHECK_BYTES);
  const network = VERSIONS[hexText(key.subarray(0, 4))];
  if (network === undefined || hexText(check) !== hexText(bytes.subarray(KEY_BYTES))) return null;
  return { network, chainCode: key.slice(13, 45), publicKey: key.slice(45) };
};

/** The key (33 bytes) of a child that is not hardened; null where there is none. */
export const childKey = ({ chainCode, publicKey }: ExtendedKey, index: number): Uint8Array | null => {
  try {
    const place = Uint8Array.of(index >>> 24, index >>> 16, index >>> 8, index);
    const tweak = hmac(sha512, chainCode, concat(publicKey, place)).subarray(0, 32);
    const parent = Point.fromBytes(publicKey);
    return Point.BASE.multiply(BigInt(`0x${hexText(tweak)}`))
      .add(parent)
      .toBytes();
  } catch {
    return null;
  }
};

/** The key (33 bytes) that signs, of the keys that the wallet hands over. @throws wallet_proof_failed, wallet_network_mismatch */
export const keyOf = (
  { paths, path, app }: Pick<WizardState, 'paths' | 'path' | 'app'>,
  { network }: Pick<RemoteSurroundings, 'network'>,
): Uint8Array => {
  const extended = readExtendedKey(paths.find(({ name }) => name === path.name)?.xpub ?? '');
  const reason = `its keys of the path ${path.name} cannot be read`;
  const unread = new WalletFailure('wallet_proof_failed', { app, address: 'its address', reason });
  if (extended === null) throw unread;
  if (NETWORKS[network].isMainnet && extended.network !== 'mainnet')
    throw new WalletFailure('wallet_network_mismatch', {
      app,
      found: extended.network,
      network,
      chain: NETWORKS[network].prefix,
    });
  const key = childKey(extended, path.index);
  if (key === null) throw unread;
  return key;
};

/** The address of a key. */
export const addressOfKey = (
  publicKey: Uint8Array,
  { network }: Pick<RemoteSurroundings, 'network'>,
): CashAddress => addressOfHash(ripemd160(sha256(publicKey)), NETWORKS[network].prefix);
