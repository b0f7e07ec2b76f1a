/** Setting up a home: an authority key and, on the embedded chain, a first wallet, both with coins there. */
import { z } from 'zod';
import { column } from '../operation/columns.js';
import type { Context } from '../operation/context.js';
import { defineOperation, NEW_WALLET_ERRORS, type Offer } from '../operation/define.js';
import type { NewWallet, WalletInfo } from '../operation/ports/keys.js';

const AUTHORITY = 'authority';
const MAIN = 'main';
/** Satoshis of each coin from the faucet. Every one is output 0 of its transaction, so each can start a covenant. */
const MAIN_COINS = Array<bigint>(5).fill(200_000_000n);
const AUTHORITY_COINS = [100_000_000n];

const AUTHORITY_ADVICE =
  'Back up the authority key now: run `treasury wallet export authority` and keep what it shows off this machine. ' +
  'Losing it stops distributions, pauses and cancels of what was made with it; it never stops claims.';

const WalletMade = z.object({
  name: z.string(),
  address: z.string(),
  role: z.enum(['authority', 'wallet']),
  created: z.boolean().describe('False when it was there already'),
});

type Made = { readonly wallet: WalletInfo; readonly created: boolean };
type Ports = Pick<Context, 'keys' | 'localChain'>;

/** The wallet that is there, or a new one. */
const ensureWallet = async (
  present: WalletInfo | undefined,
  wanted: NewWallet,
  { keys }: Ports,
): Promise<Made> => {
  if (present !== undefined) return { wallet: present, created: false };
  const { wallet } = await keys.create(wanted);
  return { wallet, created: true };
};

/** Coins for a wallet that has never had any, on the embedded chain. */
const giveCoins = async (
  { wallet }: Made,
  coins: readonly bigint[],
  { localChain }: Ports,
): Promise<void> => {
  if (localChain === null) return;
  const { lockingBytecode } = wallet.address;
  if ((await localChain.history(lockingBytecode)).length > 0) return;
  for (const satoshis of coins) await localChain.faucet(lockingBytecode, satoshis);
};

/** The first wallet, on the embedded chain only: it is made without a passphrase, and is the default. */
const setUpMain = async (wallets: readonly WalletInfo[], ports: Ports): Promise<Made[]> => {
  if (ports.localChain === null) return [];
  const present =
    wallets.find(({ isDefault }) => isDefault) ?? wallets.find(({ isAuthority }) => !isAuthority);
  const main = await ensureWallet(present, { name: MAIN, passphrase: null }, ports);
  await giveCoins(main, MAIN_COINS, ports);
  return [main];
};

const setUpAuthority = async (wallets: readonly WalletInfo[], ports: Ports): Promise<Made> => {
  const present = wallets.findLast(({ isAuthority }) => isAuthority);
  const wanted = { name: AUTHORITY, passphrase: null, isAuthority: true };
  const authority = await ensureWallet(present, wanted, ports);
  await giveCoins(authority, AUTHORITY_COINS, ports);
  return authority;
};

export const init = defineOperation({
  id: 'init',
  summary: 'Set up this home: an authority key and, on the embedded chain, a first wallet with coins',
  description:
    'What is there already stays as it is. Where money is real, the authority key is kept under a passphrase, which is asked for.',
  cli: { example: 'init' },
  auth: 'none',
  input: z.object({}),
  output: z.object({
    home: z.string(),
    network: z.string(),
    wallets: z.array(WalletMade),
    advice: z.string(),
  }),
  errors: NEW_WALLET_ERRORS,
  run: async (_, context) => {
    const wallets = await context.keys.list();
    const made = [...(await setUpMain(wallets, context)), await setUpAuthority(wallets, context)];
    return {
      home: context.home,
      network: context.network,
      wallets: made.map(({ wallet, created }) => ({
        name: wallet.name,
        address: wallet.address.text,
        role: wallet.isAuthority ? ('authority' as const) : ('wallet' as const),
        created,
      })),
      advice: AUTHORITY_ADVICE,
    };
  },
  view: ({ home, network, wallets, advice }) => [
    { kind: 'text', text: `${home} works on the network ${network}.` },
    {
      kind: 'table',
      head: [column.key('Key'), column.text('Role'), column.text('Address'), column.text('', 2)],
      rows: wallets.map(({ name, role, address, created }) => [
        name,
        role,
        address,
        created ? 'made now' : 'was there already',
      ]),
    },
    { kind: 'text', text: advice },
    wallets.some(({ role }) => role === 'wallet')
      ? { kind: 'next', command: 'wallet balance', why: 'to see the coins' }
      : { kind: 'next', command: 'wallet create main', why: 'to make a wallet of your own' },
  ],
});

export const operations: readonly Offer[] = [init];
