/** What both sides say when they meet, and meet again. */
import { hexText } from '../bytes.js';
import { WalletFailure } from '../failure.js';
import { plainName, type RemoteWallet } from '../remote-wallet.js';
import { waitFor } from '../waiting.js';
import { addressOfKey, keyOf } from './keys.js';
import type { Link } from './link.js';
import type { WalletMessage, WalletReady, WizardState } from './state.js';

export const PROTOCOL = 'hdwalletv1';

/** @param isDiscovered true: the wallet has said that it is there */
export const hello = (isDiscovered: boolean): Readonly<Record<string, unknown>> => ({
  action: 'dapp_ready',
  supported_protocols: [PROTOCOL],
  wallet_discovered: isDiscovered,
  selected_protocol: PROTOCOL,
  dapp_name: 'treasury',
  extensions: { chunk: { version: 1 } },
});

export const withReady = (
  state: WizardState,
  { wallet_name, session, extensions }: WalletReady,
): WizardState => ({
  ...state,
  app: plainName(wallet_name),
  paths: session.hdwalletv1.paths,
  takesParts: extensions.chunk !== undefined,
});

/** The next message that is wanted. */
export const next = <T extends WalletMessage>(
  { listen }: Pick<Link, 'listen'>,
  isWanted: (message: WalletMessage) => message is T,
): Promise<T> =>
  new Promise((resolve) => {
    const stop = listen((message) => {
      if (!isWanted(message)) return;
      stop();
      resolve(message);
    });
  });

export const isReady = (message: WalletMessage): message is WalletReady => message.action === 'wallet_ready';

export const endedError = ({ name }: Pick<RemoteWallet, 'name'>, reason: string): WalletFailure =>
  new WalletFailure('wallet_session_ended', { wallet: name, reason });

/** @throws wallet_session_ended */
export const requireLive = ({ state }: Link, wallet: RemoteWallet): void => {
  const { ended } = state();
  if (ended !== null) throw endedError(wallet, ended);
};

/** Rejects when the wallet ends the session. */
export const untilEnded = (link: Link, wallet: RemoteWallet): Promise<never> => {
  const ended = next(link, (message): message is WalletMessage => message.action === 'disconnect').then(
    () => {
      throw endedError(wallet, link.state().ended ?? 'nobody has said why');
    },
  );
  ended.catch(() => undefined);
  return ended;
};

export const offline = ({ name, settings }: RemoteWallet, { app }: WizardState): WalletFailure =>
  new WalletFailure('wallet_offline', { wallet: name, seconds: settings.walletWait, app });

/** The wallet has the keys that it had. @throws wallet_account_mismatch, wallet_proof_failed, wallet_network_mismatch */
const requireAccount = (state: WizardState, wallet: RemoteWallet): void => {
  const publicKey = keyOf(state, wallet);
  if (hexText(publicKey) === wallet.publicKey) return;
  throw new WalletFailure('wallet_account_mismatch', {
    wallet: wallet.name,
    expected: wallet.address.text,
    found: addressOfKey(publicKey, wallet).text,
    app: state.app,
  });
};

/** The wallet says that it is there, with the keys that it had. @throws wallet_offline, wallet_session_ended, wallet_account_mismatch, relay_unavailable */
export const greet = async (link: Link, wallet: RemoteWallet): Promise<void> => {
  const answer = Promise.race([next(link, isReady), untilEnded(link, wallet)]);
  answer.catch(() => undefined);
  await link.send(hello(false));
  const { app } = link.state();
  wallet.asking.tell(wallet.words.openApp(app));
  const found = await waitFor(answer, wallet.settings.walletWait, wallet.asking);
  if (found === null) throw link.trouble() ?? offline(wallet, link.state());
  requireAccount(withReady(link.state(), found.value), wallet);
  await link.keep((state) => withReady(state, found.value));
  if (!found.value.dapp_discovered) await link.send(hello(true));
};
