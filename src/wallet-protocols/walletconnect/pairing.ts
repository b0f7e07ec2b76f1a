/** The first meeting with a wallet: it scans, agrees to a session, and says which addresses it speaks for. */
import { hexBytes, hexText } from '../bytes.js';
import { WalletFailure } from '../failure.js';
import { plainName, plainText, walletFailed, type RemoteSurroundings } from '../remote-wallet.js';
import { anything, fields, hex, orElse, readOr, text, whole, type Read } from '../shape.js';
import { waitFor } from '../waiting.js';
import { pairingUri, publicKeyOf, sharedKey, topicOf } from './envelope.js';
import { nextPeerId, readError, type Incoming } from './messages.js';
import { openPeer, type Peer } from './peer.js';
import type { Relay } from './relay.js';
import { isDeclined } from './session.js';
import { chainOf, readNamespaces, SESSION_SECONDS, type SessionState } from './state.js';

/** How long what is scanned may be used, seconds. Source: WalletConnect v2, pairing. */
const PAIRING_SECONDS = 300;
const REQUIRED_METHODS = ['bch_getAddresses', 'bch_signTransaction', 'bch_signMessage'];
const OPTIONAL_METHODS = [...REQUIRED_METHODS, 'bch_cancelPendingRequests'];
const EVENTS = ['addressesChanged'];

/** What a wallet shows of whoever asks. Nobody vouches for it. */
const metadataOf = ({ words, origin }: RemoteSurroundings) => ({
  name: 'treasury',
  description: words.description,
  url: origin,
  icons: [],
});

const Approval = fields({ responderPublicKey: hex(32) });
const Settlement = fields({
  controller: fields({
    publicKey: hex(32),
    metadata: orElse(fields({ name: orElse(text, '') }), { name: '' }),
  }),
  namespaces: anything,
  expiry: whole,
});

/** The next message of a topic that is wanted. */
const nextOf = async (
  peer: Peer,
  isWanted: (message: Incoming) => boolean,
): Promise<{ next: Promise<Incoming> }> => {
  let resolve: (message: Incoming) => void = () => undefined;
  const next = new Promise<Incoming>((done) => {
    resolve = done;
  });
  await peer.listen((message) => {
    if (isWanted(message)) resolve(message);
  });
  return { next };
};

const proposalOf = (meeting: Meeting, publicKey: Uint8Array, topic: string, expiresAt: number) => {
  const chain = chainOf(meeting.network);
  const namespace = (methods: readonly string[]) => ({ bch: { chains: [chain], methods, events: EVENTS } });
  return {
    requiredNamespaces: namespace(REQUIRED_METHODS),
    optionalNamespaces: namespace(OPTIONAL_METHODS),
    relays: [{ protocol: 'irn' }],
    pairingTopic: topic,
    expiryTimestamp: expiresAt,
    proposer: { publicKey: hexText(publicKey), metadata: metadataOf(meeting) },
  };
};

type Meeting = RemoteSurroundings & {
  readonly relay: Relay;
  readonly name: string;
  readonly seed: Uint8Array;
};

/** @throws wallet_not_paired */
const inTime = async <T>(answer: Promise<T>, { settings, network, asking, words }: Meeting): Promise<T> => {
  const seconds = Math.min(PAIRING_SECONDS, settings.walletWait);
  const found = await waitFor(answer, seconds, asking);
  if (found !== null) return found.value;
  const remedy = words.nobodyCame(`${network} (${chainOf(network)})`);
  throw new WalletFailure('wallet_not_paired', { seconds, remedy });
};

const refusalOf = (message: Incoming, { name, network }: Meeting): WalletFailure => {
  const error = readError(message.error);
  if (isDeclined(error.code)) return new WalletFailure('wallet_declined', { wallet: name, what: 'connect' });
  const isOtherChain = error.code === 5100 || error.code === 5103;
  const found = `another network (it says: ${plainText(error.message)})`;
  return isOtherChain
    ? new WalletFailure('wallet_network_mismatch', { app: name, found, network, chain: chainOf(network) })
    : walletFailed(name, error);
};

/** The wallet's public key, once it has agreed. @throws wallet_declined, wallet_failed, wallet_not_paired */
const propose = async (meeting: Meeting, publicKey: Uint8Array): Promise<Uint8Array> => {
  const { relay, random, nowMs, asking } = meeting;
  const symKey = random(32);
  const topic = topicOf(symKey);
  const expiresAt = Math.floor(nowMs() / 1_000) + PAIRING_SECONDS;
  const id = nextPeerId(0, nowMs());
  const peer = openPeer({ relay, topic, symKey, random });
  const { next } = await nextOf(
    peer,
    (message) =>
      message.method === null && Number(message.id) === id && ('result' in message || 'error' in message),
  );
  await peer.send(id, 'wc_sessionPropose', proposalOf(meeting, publicKey, topic, expiresAt));
  await asking.show(pairingUri(symKey, expiresAt));
  const answer = await inTime(next, meeting);
  await relay.unsubscribe(topic).catch(() => undefined);
  if (answer.error !== undefined) throw refusalOf(answer, meeting);
  const approval = readOr(Approval, answer.result);
  if (approval !== null) return hexBytes(approval.responderPublicKey);
  throw walletFailed(meeting.name, { code: 0, message: 'its agreement cannot be read' });
};

type Settled = Read<typeof Settlement>;

/** @throws wallet_failed, wallet_network_mismatch: what was settled is not what was asked for */
const checkSettled = (settled: Settled, peerKey: string, meeting: Meeting) => {
  const { network } = meeting;
  const chain = chainOf(network);
  const app = plainName(settled.controller.metadata.name);
  const granted = readNamespaces(settled.namespaces, chain);
  if (settled.controller.publicKey !== peerKey || granted === null)
    throw walletFailed(app, { code: 0, message: 'what it has settled cannot be read' });
  const { accounts, methods, chains } = granted;
  const found = plainText(chains.join(', ')) || 'no network of Bitcoin Cash';
  if (accounts.length === 0)
    throw new WalletFailure('wallet_network_mismatch', { app, found, network, chain });
  const missing = ['bch_signTransaction', 'bch_signMessage'].find((method) => !methods.includes(method));
  if (missing !== undefined)
    throw new WalletFailure('wallet_unsupported', {
      app,
      wallet: meeting.name,
      reason: `it does not offer ${missing}`,
    });
  return { app, accounts, methods, chain };
};

/** The key of the session. @throws wallet_failed: the wallet's is none */
const keyWith = (privateKey: Uint8Array, peerKey: Uint8Array, { name }: Meeting): Uint8Array => {
  try {
    return sharedKey(privateKey, peerKey);
  } catch {
    throw walletFailed(name, { code: 0, message: 'the key that it has agreed with is none' });
  }
};

/** Waits for the wallet to settle the session. @throws wallet_failed, wallet_network_mismatch, wallet_unsupported */
const settle = async (
  meeting: Meeting,
  privateKey: Uint8Array,
  peerKey: Uint8Array,
): Promise<SessionState> => {
  const { relay, random, nowMs, settings, seed } = meeting;
  const symKey = keyWith(privateKey, peerKey, meeting);
  const topic = topicOf(symKey);
  const peer = openPeer({ relay, topic, symKey, random });
  const { next } = await nextOf(peer, ({ method, id }) => method === 'wc_sessionSettle' && id !== null);
  const message = await inTime(next, meeting);
  const settled = readOr(Settlement, message.params);
  if (settled === null)
    throw walletFailed(meeting.name, { code: 0, message: 'what it has settled cannot be read' });
  const id = message.id ?? '0';
  const lastId = nextPeerId(0, nowMs());
  try {
    const agreed = checkSettled(settled, hexText(peerKey), meeting);
    await peer.answer(id, 'wc_sessionSettle', { result: true });
    return {
      relayUrl: settings.walletconnectRelayUrl,
      projectId: settings.walletconnectProjectId ?? '',
      seed: hexText(seed),
      topic,
      symKey: hexText(symKey),
      peerKey: hexText(peerKey),
      ...agreed,
      expiry: Math.min(settled.expiry, Math.floor(nowMs() / 1_000) + SESSION_SECONDS),
      lastId,
      sent: [],
      lastUpdate: 0,
      lastEvent: 0,
      isMoved: false,
      open: [],
      ended: null,
    };
  } catch (error) {
    // The wallet shows a session by now, which is of no use.
    const reason = { code: 7000, message: 'Session settlement failed' };
    await peer.send(lastId, 'wc_sessionDelete', reason).catch(() => undefined);
    throw error;
  }
};

/**
 * Meets a wallet over a relay.
 *
 * @throws wallet_not_paired, wallet_declined, wallet_failed, wallet_network_mismatch, wallet_unsupported,
 *   relay_unavailable, project_id_refused, and an interruption
 */
export const pair = async (meeting: Meeting): Promise<SessionState> => {
  const privateKey = meeting.random(32);
  const peerKey = await propose(meeting, publicKeyOf(privateKey));
  return settle(meeting, privateKey, peerKey);
};
