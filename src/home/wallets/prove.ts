/** Proving that whoever asks at the terminal can use the key of an address, as they would by signing a challenge over HTTP. */
import type { Caller, Context } from '../../operation/context.js';
import { isRemote, type WalletInfo } from '../../operation/ports/keys.js';
import { walletOfAddress } from './wallet.js';

/**
 * The wallet that has the key: it opens, or its app signs a challenge.
 *
 * @throws `SIGN_ERRORS`
 */
export const proveHolder = async (
  address: Caller,
  { keys, access }: Pick<Context, 'keys' | 'access'>,
): Promise<WalletInfo> => {
  const wallet = await walletOfAddress(address, { keys });
  if (isRemote(wallet.origin)) {
    const { challenge } = await access.challenge(wallet.address.text);
    // What comes back is a signature of this very key, or nothing does.
    await keys.signMessage(wallet.name, challenge);
  } else await keys.unlock(wallet.name);
  return wallet;
};
