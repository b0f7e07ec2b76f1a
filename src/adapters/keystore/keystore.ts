/** The keystore: wallets and authority keys in one file of the data folder, `keystore.json`. */
import { join } from 'node:path';
import type { KeysPort, WalletInfo } from '../../operation/ports/keys.js';
import {
  findAuthority,
  findEntry,
  readKeystore,
  showEntry,
  changeKeystore,
  type Keystore,
  type KeystoreSettings,
} from './keystore-file.js';

export type { KeystoreSettings } from './keystore-file.js';

const FILE_NAME = 'keystore.json';

const makeDefault = async (keystore: Keystore, name: string): Promise<WalletInfo> => {
  const content = await changeKeystore(keystore, (current) => ({
    ...current,
    defaultWallet: findEntry(current, name).name,
  }));
  return showEntry(findEntry(content, name), content);
};

/**
 * Opens the keystore of a data folder. The file is made with the first wallet and read anew for every call, so
 * processes see each other's wallets at once.
 *
 * Beside the port's errors, any call may throw store_damaged, store_too_new, network_mismatch, and one that
 * writes store_locked.
 */
export const openKeystore = (settings: KeystoreSettings): KeysPort => {
  const keystore: Keystore = {
    ...settings,
    file: join(settings.folder, FILE_NAME),
    unlocked: new Map(),
  };
  const secrets = () => import('./secrets.js');
  return {
    list: async () => {
      const content = await readKeystore(keystore);
      return content.wallets.map((entry) => showEntry(entry, content));
    },
    show: async (name) => {
      const content = await readKeystore(keystore);
      return showEntry(findEntry(content, name), content);
    },
    create: async (wallet) => (await secrets()).createWallet(keystore, wallet),
    import: async (wallet) => (await secrets()).importWallet(keystore, wallet),
    use: (name) => makeDefault(keystore, name),
    unlock: async (name) =>
      (await secrets()).unlockEntry(keystore, findEntry(await readKeystore(keystore), name)),
    export: async (name) => (await secrets()).exportWallet(keystore, name),
    authority: async (publicKey) => (await secrets()).unlockAuthority(keystore, publicKey),
    authorityPublicKey: async () => (await findAuthority(keystore)).publicKey,
  };
};
