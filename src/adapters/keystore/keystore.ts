/** The keystore: wallets and authority keys in one file of the data folder, `keystore.json`. */
import { join } from 'node:path';
import { isRemote, type KeysPort, type WalletInfo } from '../../operation/ports/keys.js';
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
  return showEntry(findEntry(content, name), content, keystore);
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
  const remote = () => import('./remote.js');
  const entryOf = async (name?: string) => findEntry(await readKeystore(keystore), name);
  return {
    list: async () => {
      const content = await readKeystore(keystore);
      return content.wallets.map((entry) => showEntry(entry, content, keystore));
    },
    show: async (name) => {
      const content = await readKeystore(keystore);
      return showEntry(findEntry(content, name), content, keystore);
    },
    create: async (wallet) => (await secrets()).createWallet(keystore, wallet),
    import: async (wallet) => (await secrets()).importWallet(keystore, wallet),
    use: (name) => makeDefault(keystore, name),
    unlock: async (name) => (await secrets()).unlockEntry(keystore, await entryOf(name)),
    signTransaction: async (name, transaction, asking = {}) => {
      const entry = await entryOf(name);
      return isRemote(entry.origin)
        ? (await remote()).signRemotely(keystore, entry, transaction, asking)
        : (await secrets()).signWithKey(keystore, entry, transaction);
    },
    signMessage: async (name, text, asking = {}) => {
      const entry = await entryOf(name);
      return isRemote(entry.origin)
        ? (await remote()).signTextRemotely(keystore, entry, text, asking)
        : (await secrets()).signTextWithKey(keystore, entry, text);
    },
    connect: async (wallet) => (await remote()).connectApp(keystore, wallet),
    disconnect: async (name) => (await remote()).disconnectApp(keystore, name),
    export: async (name) => (await secrets()).exportWallet(keystore, name),
    authority: async (publicKey) => (await secrets()).unlockAuthority(keystore, publicKey),
    authorityPublicKey: async () => (await findAuthority(keystore)).publicKey,
  };
};
