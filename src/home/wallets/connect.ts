/** Wallets in apps on phones: connected, and let go of. */
import { z } from 'zod';
import { CONNECT_ERRORS, defineOperation, DISCONNECT_ERRORS } from '../../operation/define.js';
import { PROTOCOLS } from '../../operation/ports/keys.js';
import { checkNoContact, showWallet, walletFacts, WalletName, WalletReply } from './wallet.js';

const DEFAULT_NAME = 'phone';

/** What is said before an app hands over what cannot be taken back. */
const FOR_GOOD =
  'WizardConnect hands over the public keys of all addresses of the wallet, for good: whoever has them sees all of its past and future payments, and disconnecting does not take them back. It signs no messages, so no logins either. Go on?';

export const connect = defineOperation({
  id: 'wallet.connect',
  summary: 'Connect the wallet app on your phone, which signs from then on like any other wallet',
  description:
    'It shows a QR code and its text for the app to scan. The app proves its address by signing a text; its key stays on the phone. The session ends after seven days without use. Off a terminal the text alone is printed; with --jsonl, as the first line.',
  cli: {
    homeOnly: true,
    example: 'wallet connect --name phone',
    asks: ({ protocol }: { readonly protocol: string }) => (protocol === 'wizardconnect' ? FOR_GOOD : null),
  },
  auth: 'none',
  input: z.object({
    name: WalletName.default(DEFAULT_NAME),
    protocol: z
      .enum(PROTOCOLS)
      .default('walletconnect')
      .describe(
        'How the app is asked; wizardconnect signs no messages, and hands its public keys over for good',
      ),
  }),
  output: z.object({ wallet: WalletReply }),
  errors: CONNECT_ERRORS,
  run: async ({ name, protocol }, context) => {
    await checkNoContact(name, context);
    return { wallet: showWallet(await context.keys.connect({ name, protocol })) };
  },
  view: ({ wallet }) => [
    walletFacts(wallet),
    { kind: 'next', command: `wallet balance ${wallet.name}`, why: 'to see what it holds' },
  ],
});

export const disconnect = defineOperation({
  id: 'wallet.disconnect',
  summary: 'End the session with the app on a phone, and forget the wallet',
  description: 'Its money stays where it is: the key is on the phone.',
  cli: { homeOnly: true, positional: ['name'], example: 'wallet disconnect phone' },
  auth: 'none',
  input: z.object({ name: WalletName }),
  output: z.object({
    message: z.string(),
    wallet: WalletReply,
    untold: z.string().nullable().describe('Why the app could not be told; null: it was, or need not be'),
  }),
  errors: DISCONNECT_ERRORS,
  run: async ({ name }, { keys }) => {
    const { wallet, untold } = await keys.disconnect(name);
    return { message: `${name} is disconnected: ${wallet.address.text}`, wallet: showWallet(wallet), untold };
  },
  view: ({ message, untold }) => [
    { kind: 'text', text: message },
    ...(untold === null
      ? []
      : [{ kind: 'text' as const, text: `The app was not told (${untold}): end the session there too.` }]),
  ],
});
