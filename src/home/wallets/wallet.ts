/** Wallets as requests name them and as answers show them: what needs no key. */
import { z } from 'zod';
import { BCH_DECIMALS, formatUnits, showAmounts } from '../../bch/amount.js';
import { sumSatoshis } from '../../bch/coins.js';
import { momentText } from '../../bch/show-date.js';
import { invalidField, TreasuryError } from '../../errors.js';
import { column } from '../../operation/columns.js';
import type { Caller, Context } from '../../operation/context.js';
import { defineOperation, KEYS_ERRORS, WALLET_ERRORS, type ViewBlock } from '../../operation/define.js';
import { isRemote, ORIGINS, type WalletInfo } from '../../operation/ports/keys.js';
import { orStale, StaleReply } from '../../operation/stale.js';
import { contactCollection } from '../../record/contacts.js';

/** The name of a wallet. What a new one may be called is the keystore's rule. */
export const WalletName = z
  .string()
  .trim()
  .min(1)
  .max(40)
  .describe('Name of the wallet: lower-case letters, digits and dashes');

/** A wallet of a contact's name would make two parties of one name. @throws invalid_input */
export const checkNoContact = async (name: string, { store }: Pick<Context, 'store'>): Promise<void> => {
  if ((await store.get(contactCollection, name)) === null) return;
  throw invalidField('name', `is that of the contact @${name}: choose another`);
};

/** Where in a seed the key stands. */
export const KeyPath = z.string().describe("BIP32 path of the key in the seed, by default m/44'/145'/0'/0/0");

export const WalletReply = z.object({
  name: z.string(),
  address: z.string(),
  tokenAddress: z.string().describe('The same party: give this one wherever tokens are to be sent'),
  publicKey: z.string().describe('33 bytes, hex'),
  origin: z.enum(ORIGINS).describe('Where its key is: here (seed, wif), or in an app'),
  path: z.string().nullable(),
  app: z.string().nullable().describe('The app that has the key; null: the key is here'),
  sessionEndsAt: z
    .number()
    .nullable()
    .describe('When the session with the app ends or has ended, Unix seconds; null: it has no end'),
  encrypted: z.boolean().describe('True when a passphrase protects it'),
  isDefault: z.boolean(),
  isAuthority: z.boolean(),
  createdAt: z.number().describe('Unix seconds'),
});
export type WalletReply = z.output<typeof WalletReply>;

/** For the schema, see {@link WalletReply}. */
export const showWallet = ({ address, ...wallet }: WalletInfo): WalletReply => ({
  ...wallet,
  address: address.text,
  tokenAddress: address.tokenText,
});

/** Where the key of a wallet is. */
const keyText = ({ origin, path, app }: WalletReply): string => {
  if (origin === 'walletconnect') return `in ${app ?? 'an app'}, over WalletConnect`;
  if (origin === 'wizardconnect') return `in ${app ?? 'an app'}, over WizardConnect`;
  return path === null ? 'imported as WIF' : `seed phrase at ${path}`;
};

const sessionText = ({ sessionEndsAt }: WalletReply): string =>
  sessionEndsAt === null ? 'without an end' : `until ${momentText(sessionEndsAt)}`;

/** What a wallet is, for people. */
export const walletFacts = (wallet: WalletReply): ViewBlock => ({
  kind: 'facts',
  rows: [
    ['Wallet', wallet.name],
    ['Address', wallet.address],
    ['For tokens', wallet.tokenAddress],
    ['Public key', wallet.publicKey],
    ['Key', keyText(wallet)],
    ...(isRemote(wallet.origin) ? [['Session', sessionText(wallet)] as const] : []),
    ['Passphrase', wallet.encrypted ? 'yes' : 'none'],
    ['Role', roleOf(wallet) === '' ? '-' : roleOf(wallet)],
  ],
});

/** `default`, `authority`, both, or nothing. */
const roleOf = ({ isDefault, isAuthority }: WalletReply): string =>
  [...(isDefault ? ['default'] : []), ...(isAuthority ? ['authority'] : [])].join(', ');

/** The wallet of this home that holds the key of an address. @throws wallet_not_found */
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

/** A wallet with what it holds, where that was asked for. */
const ListedWallet = WalletReply.extend({
  balance: z.number().nullable().optional().describe('BCH; null while no chain server answers'),
  balanceOnChain: z.string().nullable().optional().describe('Satoshis'),
});
type ListedWallet = z.output<typeof ListedWallet>;

/** What a wallet holds in BCH; null while the chain is away. */
const balanceOf = async ({ address }: WalletInfo, { chain }: Pick<Context, 'chain'>) => {
  const { found: coins, stale } = await orStale(
    () => chain.coins(address.lockingBytecode),
    () => null,
  );
  if (coins === null) return { shown: { balance: null, balanceOnChain: null }, stale };
  return { shown: showAmounts({ balance: sumSatoshis(coins) }, BCH_DECIMALS), stale };
};

const balanceText = ({ balanceOnChain }: ListedWallet): string =>
  balanceOnChain == null ? 'not known' : formatUnits(BigInt(balanceOnChain), BCH_DECIMALS);

export const list = defineOperation({
  id: 'wallet.list',
  summary: 'List the wallets of this home and what they hold',
  cli: { homeOnly: true, readsOnly: true },
  auth: 'none',
  input: z.object({
    balances: z.boolean().default(true).describe('What they hold, which asks the chain'),
  }),
  output: z.object({ wallets: z.array(ListedWallet), total: z.number(), ...StaleReply }),
  errors: KEYS_ERRORS,
  run: async ({ balances }, context) => {
    const infos = await context.keys.list();
    if (!balances) return { wallets: infos.map(showWallet), total: infos.length };
    const held = await Promise.all(infos.map((info) => balanceOf(info, context)));
    return {
      wallets: infos.map((info, index) => ({ ...showWallet(info), ...held[index]?.shown })),
      total: infos.length,
      ...held.map(({ stale }) => stale).find((one) => one.chain_stale === true),
    };
  },
  view: ({ wallets }) => [
    {
      kind: 'table',
      head: [
        column.key('Wallet'),
        ...(wallets.some(({ balanceOnChain }) => balanceOnChain !== undefined) ? [column.amount('BCH')] : []),
        column.text('Role'),
        column.text('Passphrase', 2),
        ...(wallets.some(({ origin }) => isRemote(origin))
          ? [column.text('App'), column.text('Session')]
          : []),
        column.text('Address'),
      ],
      rows: wallets.map((wallet) => [
        wallet.name,
        ...(wallet.balanceOnChain === undefined ? [] : [balanceText(wallet)]),
        roleOf(wallet),
        wallet.encrypted ? 'yes' : 'none',
        ...(wallets.some(({ origin }) => isRemote(origin))
          ? [wallet.app ?? '', isRemote(wallet.origin) ? sessionText(wallet) : '']
          : []),
        wallet.address,
      ]),
      empty: 'No wallets yet.',
    },
    ...(wallets.length === 0
      ? [{ kind: 'next' as const, command: 'wallet create main', why: 'to make the first one' }]
      : []),
  ],
});

export const show = defineOperation({
  id: 'wallet.show',
  summary: 'Show a wallet: addresses, public key, where its key comes from',
  cli: { homeOnly: true, readsOnly: true, positional: ['name'] },
  auth: 'optional',
  input: z.object({ name: WalletName.optional() }),
  output: z.object({ wallet: WalletReply }),
  errors: WALLET_ERRORS,
  run: async ({ name }, context) => ({ wallet: showWallet(await meantWallet(name, context)) }),
  view: ({ wallet }) => [walletFacts(wallet), { kind: 'qr', address: wallet.address }],
});

export const use = defineOperation({
  id: 'wallet.use',
  summary: 'Make a wallet the one that commands use when none is named',
  cli: { homeOnly: true, positional: ['name'] },
  auth: 'none',
  input: z.object({ name: WalletName }),
  output: z.object({ wallet: WalletReply }),
  errors: WALLET_ERRORS,
  run: async ({ name }, { keys }) => ({ wallet: showWallet(await keys.use(name)) }),
  view: ({ wallet }) => [{ kind: 'text', text: `${wallet.name} is the default wallet: ${wallet.address}` }],
});

export const address = defineOperation({
  id: 'wallet.address',
  summary: 'Show where to pay a wallet',
  cli: { homeOnly: true, positional: ['name'] },
  auth: 'optional',
  input: z.object({ name: WalletName.optional() }),
  output: z.object({
    name: z.string(),
    address: z.string(),
    tokenAddress: z.string().describe('The same party: give this one wherever tokens are to be sent'),
  }),
  errors: WALLET_ERRORS,
  run: async ({ name }, context) => {
    const wallet = await meantWallet(name, context);
    return { name: wallet.name, address: wallet.address.text, tokenAddress: wallet.address.tokenText };
  },
  // One word and nothing else, so that scripts can take it: `$(treasury wallet address)`.
  view: (reply) => [
    { kind: 'text', text: reply.address },
    { kind: 'qr', address: reply.address },
  ],
});
