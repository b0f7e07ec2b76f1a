/**
 * Wallets over WizardConnect, `hdwalletv1`: both sides are on a Nostr relay at once, and the wallet hands over its public keys.
 */
import { getPublicKey } from 'nostr-tools/pure';
import { hexOf } from '../../bch/hex.js';
import { addressOfPublicKey } from '../../bch/keys.js';
import { TreasuryError } from '../../errors.js';
import {
  plainName,
  type Connected,
  type Face,
  type RemoteProtocol,
  type RemoteSurroundings,
  type RemoteWallet,
} from '../remote-wallet.js';
import { createInbox, ready, type Inbox, type Ready } from './inbox.js';
import { keyOf } from './keys.js';
import { openLink, type Link } from './link.js';
import { askToSign, endedError, hello, PROTOCOL, withReady } from './signing.js';
import { WizardState } from './state.js';
import { invitationPicture, invitationUri, USUAL_RELAY } from './uri.js';

const LARGEST_SEQUENCE = 2 ** 53 - 500_000;
/** How long an invitation is waited for at most, seconds. */
const PAIRING_SECONDS = 300;

const nowOf = ({ nowMs }: Pick<RemoteSurroundings, 'nowMs'>): number => Math.floor(nowMs() / 1_000);

const faceOf = ({ app, ended }: WizardState, now: number): Face => ({
  app,
  endsAt: ended === null ? null : now,
});

const connect = async (surroundings: RemoteSurroundings, name: string): Promise<Connected> => {
  const { settings, network, random, nowMs, asking } = surroundings;
  const [privateKey, secret] = [random(32), random(8)];
  const state: WizardState = {
    privateKey: hexOf(privateKey),
    secret: hexOf(secret),
    relayUrl: settings.wizardconnectRelayUrl ?? USUAL_RELAY,
    walletKey: null,
    app: 'the wallet',
    paths: [],
    takesParts: false,
    mark: nowOf(surroundings) - 2,
    lastTime: 0,
    nextSequence: Number(Buffer.from(random(8)).readBigUInt64BE() % BigInt(LARGEST_SEQUENCE)),
    seen: [],
    open: [],
    ended: null,
  };
  const inbox = createInbox();
  const save = (): Promise<void> => Promise.resolve();
  const link = await openLink(state, { random, nowMs, name, save, onMessage: inbox.take });
  try {
    const publicKey = new Uint8Array(Buffer.from(getPublicKey(privateKey), 'hex'));
    const uri = invitationUri({ publicKey, secret, relayUrl: settings.wizardconnectRelayUrl });
    await asking.show(uri, invitationPicture(uri));
    const seconds = Math.min(PAIRING_SECONDS, settings.walletWait);
    const found = await ready(inbox, seconds, surroundings);
    if (found === null)
      throw new TreasuryError('wallet_not_paired', { seconds, network, chain: 'WizardConnect' });
    if (found === 'over') throw new TreasuryError('wallet_declined', { wallet: name, what: 'connect' });
    return await meet(link, found, surroundings);
  } finally {
    link.close();
  }
};

/** Agrees with a wallet that has answered. @throws wallet_unsupported, and as keyOf */
const meet = async (
  link: Link,
  { message, from }: Ready,
  surroundings: RemoteSurroundings,
): Promise<Connected> => {
  const app = plainName(message.wallet_name);
  await link.keep((state) => ({ ...state, walletKey: from }));
  if (!message.supported_protocols.includes(PROTOCOL)) {
    await link.send({ action: 'disconnect', reason: 'protocol_mismatch', message: `only ${PROTOCOL}` });
    const reason = `it speaks ${message.supported_protocols.join(', ')}, and not ${PROTOCOL}`;
    throw new TreasuryError('wallet_unsupported', { app, wallet: app, reason });
  }
  const publicKey = keyOf(message.session.hdwalletv1.paths, app, surroundings);
  await link.keep((state) => withReady(state, message));
  await link.send(hello(true));
  const address = addressOfPublicKey(publicKey, surroundings.network);
  const face = faceOf(link.state(), nowOf(surroundings));
  return { address, publicKey: hexOf(publicKey), face, state: link.state() };
};

/** Works with the line of a wallet. @throws wallet_session_ended, relay_unavailable */
const withLink = async <T>(
  wallet: RemoteWallet,
  work: (link: Link, inbox: Inbox) => Promise<T>,
): Promise<T> => {
  const state = WizardState.parse(wallet.state);
  if (state.ended !== null) throw endedError(wallet, state.ended);
  const inbox = createInbox();
  const save = (next: WizardState): Promise<void> => wallet.save(next, faceOf(next, nowOf(wallet)));
  const link = await openLink(state, { ...wallet, save, onMessage: inbox.take });
  try {
    return await work(link, inbox);
  } finally {
    if (inbox.over.aborted) await link.keep((now) => ({ ...now, ended: `${now.app} has ended it` }));
    link.close();
  }
};

export const wizardconnect: RemoteProtocol = {
  connect,
  signTransaction: (wallet, transaction) =>
    withLink(wallet, (link, inbox) => askToSign(link, inbox, wallet, transaction)),
  signMessage: (wallet) =>
    Promise.reject(
      new TreasuryError('wallet_unsupported', {
        app: wallet.face.app,
        wallet: wallet.name,
        reason: 'WizardConnect signs no messages; connect it over WalletConnect for these and for logins',
      }),
    ),
  disconnect: (wallet) =>
    withLink(wallet, (link) => link.send({ action: 'disconnect', reason: 'user_disconnect' })),
};
