/**
 * Wallets over WizardConnect, `hdwalletv1`: both sides are on a Nostr relay at once, and the wallet hands over its public keys.
 */
import { hexBytes, hexText } from '../bytes.js';
import { WalletFailure } from '../failure.js';
import {
  plainName,
  readState,
  type Connected,
  type Face,
  type RemoteProtocol,
  type RemoteSurroundings,
  type RemoteWallet,
} from '../remote-wallet.js';
import { waitFor } from '../waiting.js';
import { hello, next, PROTOCOL, withReady } from './greeting.js';
import { addressOfKey, FIRST_PATH, keyOf } from './keys.js';
import { openLink, type Link } from './link.js';
import { nostrKeyOf } from './nostr-keys.js';
import { askToSign } from './signing.js';
import { WizardState, type Disconnect, type WalletMessage, type WalletReady } from './state.js';
import { invitationPicture, invitationUri, USUAL_RELAYS } from './uri.js';

const LARGEST_SEQUENCE = 2 ** 53 - 500_000;
/** How long an invitation is waited for at most, seconds. */
const PAIRING_SECONDS = 300;
/** What needs nobody's finger is answered within that, seconds. */
const QUICK_SECONDS = 5;

const nowOf = ({ nowMs }: Pick<RemoteSurroundings, 'nowMs'>): number => Math.floor(nowMs() / 1_000);

const faceOf = ({ app, ended }: WizardState, now: number): Face => ({
  app,
  endsAt: ended === null ? null : now,
});

/** A session that nobody has joined yet. */
const firstState = ({ settings, random }: RemoteSurroundings): WizardState => ({
  privateKey: hexText(random(32)),
  secret: hexText(random(8)),
  relayUrls: settings.wizardconnectRelayUrl === null ? [...USUAL_RELAYS] : [settings.wizardconnectRelayUrl],
  walletKey: null,
  app: 'the wallet',
  paths: [],
  path: FIRST_PATH,
  takesParts: false,
  // Nothing older can be under a key that is new, and the phone's clock may be behind.
  mark: 0,
  lastTime: 0,
  nextSequence: Number(BigInt(`0x${hexText(random(8))}`) % BigInt(LARGEST_SEQUENCE)),
  seen: [],
  open: [],
  ended: null,
});

/** Nobody has come, or nobody who could show that they have scanned it. */
const nobodyCame = (link: Link, seconds: number): WalletFailure => {
  const reason = link.refused();
  const address = 'the address that it names';
  if (reason !== null)
    return new WalletFailure('wallet_proof_failed', { app: 'that answers', address, reason });
  const remedy = 'scan anew, and keep the app open until it says that it is connected';
  return link.trouble() ?? new WalletFailure('wallet_not_paired', { seconds, remedy });
};

const isMeeting = (message: WalletMessage): message is WalletReady | Disconnect =>
  message.action === 'wallet_ready' || message.action === 'disconnect';

const connect = async (surroundings: RemoteSurroundings, name: string): Promise<Connected> => {
  const { settings, random, nowMs, asking, openSocket } = surroundings;
  const first = firstState(surroundings);
  const link = await openLink(first, { random, nowMs, name, openSocket, save: () => Promise.resolve() });
  try {
    const answer = next(link, isMeeting);
    const publicKey = hexBytes(nostrKeyOf(hexBytes(first.privateKey)));
    const relayUrl = settings.wizardconnectRelayUrl;
    const uri = invitationUri({ publicKey, secret: hexBytes(first.secret), relayUrl });
    await asking.show(uri, invitationPicture(uri));
    const seconds = Math.min(PAIRING_SECONDS, settings.walletWait);
    const found = await waitFor(answer, seconds, asking);
    if (found === null) throw nobodyCame(link, seconds);
    if (found.value.action === 'disconnect')
      throw new WalletFailure('wallet_declined', { wallet: name, what: 'connect' });
    return await meet(link, found.value, surroundings, name);
  } finally {
    link.close();
  }
};

/** @throws wallet_unsupported, and as keyOf */
const agree = (state: WizardState, message: WalletReady, surroundings: RemoteSurroundings, name: string) => {
  if (message.supported_protocols.includes(PROTOCOL)) return keyOf(state, surroundings);
  const reason = `it speaks ${message.supported_protocols.map(plainName).join(', ')}, and not ${PROTOCOL}`;
  throw new WalletFailure('wallet_unsupported', { app: state.app, wallet: name, reason });
};

/** Agrees with a wallet that has answered; one with which nothing can be done is told so. @throws as agree */
const meet = async (
  link: Link,
  message: WalletReady,
  surroundings: RemoteSurroundings,
  name: string,
): Promise<Connected> => {
  try {
    const publicKey = agree(withReady(link.state(), message), message, surroundings, name);
    await link.keep((state) => withReady(state, message));
    await link.send(hello(true));
    const address = addressOfKey(publicKey, surroundings);
    const face = faceOf(link.state(), nowOf(surroundings));
    return { address, publicKey: hexText(publicKey), face, state: link.state() };
  } catch (error) {
    const isOther = !message.supported_protocols.includes(PROTOCOL);
    const reason = isOther ? 'protocol_mismatch' : 'user_disconnect';
    await link
      .send({ action: 'disconnect', reason, message: surroundings.words.sayFailure(error) })
      .catch(() => undefined);
    throw error;
  }
};

/** Works with the line of a wallet. @throws relay_unavailable */
const withLink = async <T>(wallet: RemoteWallet, work: (link: Link) => Promise<T>): Promise<T> => {
  const save = (next: WizardState): Promise<void> => wallet.save(next, faceOf(next, nowOf(wallet)));
  const link = await openLink(readState(WizardState, wallet), { ...wallet, save });
  try {
    return await work(link);
  } finally {
    link.close();
  }
};

/** Tells the wallet; one that is away loses what it is told. @throws Error when nobody is there, relay_unavailable */
const endSession = async (link: Link): Promise<void> => {
  if (link.state().ended !== null) return;
  const sign = next(link, (_message): _message is WalletMessage => true);
  await link.send({ action: 'ping' });
  const found = await waitFor(sign, QUICK_SECONDS, {});
  await link.send({ action: 'disconnect', reason: 'user_disconnect' });
  if (found === null) throw new Error(`${link.state().app} is not open on the phone`);
};

export const wizardconnect: RemoteProtocol = {
  connect,
  signTransaction: (wallet, transaction) => withLink(wallet, (link) => askToSign(link, wallet, transaction)),
  signMessage: (wallet) =>
    Promise.reject(
      new WalletFailure('wallet_unsupported', {
        app: wallet.face.app,
        wallet: wallet.name,
        reason: 'WizardConnect signs no messages; connect it over WalletConnect for these and for logins',
      }),
    ),
  disconnect: (wallet) => withLink(wallet, endSession),
};
