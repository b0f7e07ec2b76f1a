/** Wallets on phones over WalletConnect v2 with the methods of Bitcoin Cash. Source: wc2-bch-bcr. */
import { hexBytes } from '../bytes.js';
import { readCashAddress, type CashAddress } from '../cash-address.js';
import { WalletFailure } from '../failure.js';
import {
  readState,
  type Connected,
  type Face,
  type RemoteProtocol,
  type RemoteSurroundings,
  type RemoteWallet,
} from '../remote-wallet.js';
import { asRecord } from '../shape.js';
import { openConversation, type SessionOwner } from './conversation.js';
import { pair } from './pairing.js';
import { openRelay, type Relay } from './relay.js';
import { ask, endSession, type Session } from './session.js';
import { prefixOf, SessionState } from './state.js';

/** @throws project_id_missing */
const projectOf = ({ settings }: RemoteSurroundings): string => {
  if (settings.walletconnectProjectId !== null) return settings.walletconnectProjectId;
  throw new WalletFailure('project_id_missing', {});
};

const faceOf = ({ app, expiry, ended }: SessionState, now: number): Face => ({
  app,
  endsAt: ended === null ? expiry : Math.min(expiry, now),
});

const nowOf = ({ nowMs }: Pick<RemoteSurroundings, 'nowMs'>): number => Math.floor(nowMs() / 1_000);

/** Works with a relay, and closes it whatever happens. @throws relay_unavailable, project_id_refused */
const withRelay = async <T>(
  { url, projectId, seed }: { readonly url: string; readonly projectId: string; readonly seed: Uint8Array },
  { random, nowMs, openSocket, platform }: RemoteSurroundings,
  work: (relay: Relay) => Promise<T>,
): Promise<T> => {
  const relay = openRelay({ url, projectId, seed, random, nowMs, openSocket, platform });
  try {
    return await work(relay);
  } finally {
    relay.close();
  }
};

const openSession = async (relay: Relay, state: SessionState, owner: SessionOwner): Promise<Session> => ({
  ...(await openConversation(relay, state, owner)),
  relay,
  owner,
});

const withSession = async <T>(wallet: RemoteWallet, work: (session: Session) => Promise<T>): Promise<T> => {
  const state = readState(SessionState, wallet);
  const seed = hexBytes(state.seed);
  // The project may be another by now; whose it is makes no difference to the session.
  const projectId = wallet.settings.walletconnectProjectId ?? state.projectId;
  const save = (next: SessionState): Promise<void> => wallet.save(next, faceOf(next, nowOf(wallet)));
  const owner: SessionOwner = { ...wallet, waitSeconds: wallet.settings.walletWait, save };
  return withRelay({ url: state.relayUrl, projectId, seed }, wallet, async (relay) =>
    work(await openSession(relay, state, owner)),
  );
};

/** The key (hex) that signs for an address, where it is to be proven; else null. @throws wallet_proof_failed, and as ask */
const prove = async (
  session: Session,
  address: CashAddress,
  { proof }: RemoteSurroundings,
): Promise<string | null> => {
  const message = await proof.textFor(address);
  if (message === null) return null;
  const params = { message, userPrompt: 'Connect to treasury' };
  const signature = await ask(session, {
    method: 'bch_signMessage',
    params,
    what: 'sign a proof of its address',
  });
  const { app } = session.state();
  return proof.check({
    address,
    text: message,
    signature: typeof signature === 'string' ? signature : '',
    app,
  });
};

/** The address of an account. @throws wallet_network_mismatch: it is none of this network */
const addressOf = (state: SessionState, { network }: RemoteSurroundings): CashAddress => {
  const [found = 'no address'] = state.accounts;
  const { app, chain } = state;
  const address = readCashAddress(found, prefixOf(state));
  if (address === null) throw new WalletFailure('wallet_network_mismatch', { app, found, network, chain });
  return address;
};

const connect: RemoteProtocol['connect'] = (surroundings, name) => {
  const { settings, random } = surroundings;
  const seed = random(32);
  const place = { url: settings.walletconnectRelayUrl, projectId: projectOf(surroundings), seed };
  return withRelay(place, surroundings, async (relay): Promise<Connected> => {
    const first = await pair({ ...surroundings, relay, name, seed });
    const owner: Omit<SessionOwner, 'address'> = {
      ...surroundings,
      name,
      waitSeconds: settings.walletWait,
      save: () => Promise.resolve(),
    };
    const address = addressOf(first, surroundings);
    const session = await openSession(relay, first, { ...owner, address });
    try {
      const publicKey = await prove(session, address, surroundings);
      const state = session.state();
      return { address, publicKey, state, face: faceOf(state, nowOf(surroundings)) };
    } catch (error) {
      await endSession(session).catch(() => undefined);
      throw error;
    }
  });
};

/** What a wallet has signed, as it answers. Null for what is none. */
const signedIn = (result: unknown): string | null => {
  const { signedTransaction } = asRecord(result);
  return typeof signedTransaction === 'string' ? signedTransaction : null;
};

export const walletconnect: RemoteProtocol = {
  connect: async (surroundings, name) => connect(surroundings, name),
  signTransaction: (wallet, { transaction, sourceOutputs, userPrompt }) =>
    withSession(wallet, async (session) => {
      const result = await ask(session, {
        method: 'bch_signTransaction',
        params: {
          transaction,
          sourceOutputs,
          broadcast: false,
          ...(userPrompt === undefined ? {} : { userPrompt }),
        },
        what: 'sign this transaction',
      });
      const signed = signedIn(result);
      if (signed !== null) return signed;
      throw new WalletFailure('wallet_answer_differs', {
        wallet: wallet.name,
        reason: 'it has no signedTransaction',
      });
    }),
  signMessage: (wallet, message) =>
    withSession(wallet, async (session) => {
      const signature = await ask(session, {
        method: 'bch_signMessage',
        params: { message },
        what: 'sign this message',
      });
      return typeof signature === 'string' ? signature : '';
    }),
  disconnect: (wallet) => withSession(wallet, endSession),
};
