/** A wallet as requests name it and as answers show it. */
import { z } from 'zod';
import { TreasuryError } from '../../errors.js';
import type { Caller, Context } from '../../operation/context.js';
import { contactCollection } from '../../record/contacts.js';
import type { ViewBlock } from '../../operation/define.js';
import { invalidInput } from '../../operation/read-input.js';
import type { WalletInfo } from '../../operation/ports/keys.js';

/** The name of a wallet. What a new one may be called is the keystore's rule. */
export const WalletName = z
  .string()
  .trim()
  .min(1)
  .max(40)
  .describe('Name of the wallet: lower-case letters, digits and dashes');

/**
 * A wallet of a contact's name would make two parties of one name.
 *
 * @throws invalid_input
 */
export const checkNoContact = async (name: string, { store }: Pick<Context, 'store'>): Promise<void> => {
  if ((await store.get(contactCollection, name)) === null) return;
  throw invalidInput([{ path: 'name', message: `is that of the contact @${name}: choose another` }]);
};

/** Where in a seed the key stands. */
export const KeyPath = z.string().describe("BIP32 path of the key in the seed, by default m/44'/145'/0'/0/0");

export const WalletReply = z.object({
  name: z.string(),
  address: z.string(),
  tokenAddress: z.string().describe('The same party: give this one wherever tokens are to be sent'),
  publicKey: z.string().describe('33 bytes, hex'),
  origin: z.enum(['seed', 'wif']),
  path: z.string().nullable(),
  encrypted: z.boolean().describe('True when a passphrase protects it'),
  isDefault: z.boolean(),
  isAuthority: z.boolean(),
  createdAt: z.number().describe('Unix seconds'),
});
export type WalletReply = z.output<typeof WalletReply>;

/** For the schema, see {@link WalletReply}. */
export const showWallet = ({ address, ...wallet }: WalletInfo): WalletReply => ({
  name: wallet.name,
  address: address.text,
  tokenAddress: address.tokenText,
  publicKey: wallet.publicKey,
  origin: wallet.origin,
  path: wallet.path,
  encrypted: wallet.encrypted,
  isDefault: wallet.isDefault,
  isAuthority: wallet.isAuthority,
  createdAt: wallet.createdAt,
});

/** What a wallet is, for people. */
export const walletFacts = (wallet: WalletReply): ViewBlock => ({
  kind: 'facts',
  rows: [
    ['Wallet', wallet.name],
    ['Address', wallet.address],
    ['For tokens', wallet.tokenAddress],
    ['Public key', wallet.publicKey],
    ['Key', wallet.path === null ? 'imported as WIF' : `seed phrase at ${wallet.path}`],
    ['Passphrase', wallet.encrypted ? 'yes' : 'none'],
    ['Role', roleOf(wallet) === '' ? '-' : roleOf(wallet)],
  ],
});

/** `default`, `authority`, both, or nothing. */
export const roleOf = ({ isDefault, isAuthority }: WalletReply): string =>
  [...(isDefault ? ['default'] : []), ...(isAuthority ? ['authority'] : [])].join(', ');

/**
 * The wallet of this home that holds the key of an address.
 *
 * @throws wallet_not_found
 */
export const walletOfAddress = async (
  address: Caller,
  { keys }: Pick<Context, 'keys'>,
): Promise<WalletInfo> => {
  const wallets = await keys.list();
  const own = wallets.find((wallet) => wallet.address.lockingBytecode === address.lockingBytecode);
  if (own === undefined) throw new TreasuryError('wallet_not_found', { name: address.text });
  return own;
};

/**
 * The wallet that a request means: the one it names, else that of the caller, else the default one.
 *
 * @throws wallet_not_found
 */
export const meantWallet = (
  name: string | undefined,
  context: Pick<Context, 'keys'> & { readonly caller: Caller | null },
): Promise<WalletInfo> =>
  name === undefined && context.caller !== null
    ? walletOfAddress(context.caller, context)
    : context.keys.show(name);
