/** Which key signs, of those that a wallet hands over. */
import { decodeHdPublicKey, deriveHdPublicNodeChild } from '@bitauth/libauth';
import { NETWORKS } from '../../bch/network.js';
import { TreasuryError } from '../../errors.js';
import type { RemoteSurroundings } from '../remote-wallet.js';
import type { WizardState } from './state.js';

/** What is signed for, unless a session says otherwise: the first address that the wallet receives at. */
export const FIRST_PATH: WizardState['path'] = { name: 'receive', index: 0 };

/** The key (33 bytes) that signs, of the keys that the wallet hands over. @throws wallet_proof_failed, wallet_network_mismatch */
export const keyOf = (
  { paths, path, app }: Pick<WizardState, 'paths' | 'path' | 'app'>,
  { network }: RemoteSurroundings,
): Uint8Array => {
  const xpub = paths.find(({ name }) => name === path.name)?.xpub ?? '';
  const decoded = decodeHdPublicKey(xpub);
  const reason = `its keys of the path ${path.name} cannot be read`;
  if (typeof decoded === 'string')
    throw new TreasuryError('wallet_proof_failed', { app, address: 'its address', reason });
  if (NETWORKS[network].isMainnet && decoded.network !== 'mainnet')
    throw new TreasuryError('wallet_network_mismatch', {
      app,
      found: decoded.network,
      network,
      chain: NETWORKS[network].prefix,
    });
  const child = deriveHdPublicNodeChild(decoded.node, path.index, { throwErrors: false });
  if (typeof child === 'string')
    throw new TreasuryError('wallet_proof_failed', { app, address: 'its address', reason });
  return child.publicKey;
};
