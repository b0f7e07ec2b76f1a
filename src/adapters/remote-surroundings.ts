/** What a protocol finds around it at the terminal: its words, its sockets, and who checks what a wallet says of itself. */
import { parseAddress } from '../bch/address.js';
import { hexOf } from '../bch/hex.js';
import { addressOfPublicKey } from '../bch/keys.js';
import type { Network } from '../bch/network.js';
import { recoverSigner } from '../bch/signed-message.js';
import { messageOf, TreasuryError, type ErrorCode, type ErrorDetails } from '../errors.js';
import { isWalletFailure } from '../wallet-protocols/failure.js';
import type {
  Connected,
  Proof,
  RemoteProtocol,
  RemoteSurroundings,
  Words,
} from '../wallet-protocols/remote-wallet.js';
import { openSocket } from './web-socket.js';

/** The same failure with the words of the table. */
const told = (error: unknown): unknown =>
  isWalletFailure(error)
    ? new TreasuryError<ErrorCode>(error.code, error.details as ErrorDetails<ErrorCode>, { cause: error })
    : error;

const WORDS: Words = {
  description: 'The treasury command on your computer',
  asked: ({ app, wallet }, what, isTakenBack) =>
    `${app} (${wallet}) is asked to ${what}: look at the phone. Ctrl-C ${isTakenBack ? 'takes it back' : 'stops waiting for it'}.`,
  askedAlready: ({ app, wallet }, what) =>
    `${app} (${wallet}) was asked to ${what} already, and still is: look at the phone.`,
  agreedMeanwhile: ({ app, wallet }) => `${app} (${wallet}) has agreed to it meanwhile.`,
  openApp: (app) => `Open ${app} on the phone: WizardConnect needs both sides at once. Ctrl-C stops waiting.`,
  appIsGone: (app) => `${app} is not there any more: open it on the phone to go on.`,
  takenBack: 'the request was taken back from the phone; run the same command to ask again',
  stillThere:
    'the request may still be on the phone; agree to it there, and run the same command again, which takes the answer',
  notTakenBack:
    'the request could not be taken back from the phone; decline it there, or run the same command again',
  nobodyCame: (network) =>
    `scan anew; a wallet on another network does not answer, and this home works on ${network}`,
  sayFailure: (error) => messageOf(told(error)),
};

/** What a wallet signs to show whose it is, and how that is seen. */
const proofOn = (network: Network, random: RemoteSurroundings['random']): Proof => ({
  textFor: ({ text }) =>
    Promise.resolve(
      [
        'treasury asks whether this address is yours. Signing this moves no money.',
        `Address: ${text}`,
        `Nonce: ${hexOf(random(16))}`,
      ].join('\n'),
    ),
  check: ({ address, text, signature, app }) => {
    const publicKey = recoverSigner(text, signature);
    const found = publicKey === null ? null : addressOfPublicKey(publicKey, network);
    if (publicKey !== null && found?.lockingBytecode === parseAddress(address.text, network).lockingBytecode)
      return Promise.resolve(hexOf(publicKey));
    const reason = found === null ? 'what it has signed is no signature' : `it signs as ${found.text}`;
    throw new TreasuryError('wallet_proof_failed', { app, address: address.text, reason });
  },
});

/** The program at a terminal, as protocols see it. */
export const aroundTerminal = (
  own: Pick<RemoteSurroundings, 'settings' | 'network' | 'random' | 'asking'>,
): RemoteSurroundings => ({
  ...own,
  nowMs: Date.now,
  words: WORDS,
  proof: proofOn(own.network, own.random),
  openSocket,
  origin: 'http://localhost',
  platform: `${process.platform}/node`,
});

const inWords = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    throw told(error);
  }
};

/** A wallet whose key is known: at the terminal none is connected without. */
export type Proven = Connected & { readonly publicKey: string };

/** A protocol as the keystore has it. */
export type ToldProtocol = Omit<RemoteProtocol, 'connect'> & {
  readonly connect: (surroundings: RemoteSurroundings, name: string) => Promise<Proven>;
};

/** A protocol whose failures are those of the command line. */
export const withErrors = (protocol: RemoteProtocol): ToldProtocol => ({
  connect: async (surroundings, name) => {
    const { publicKey, ...connected } = await inWords(protocol.connect(surroundings, name));
    if (publicKey === null) throw new Error('a wallet was connected without a proof');
    return { ...connected, publicKey };
  },
  signTransaction: (wallet, transaction) => inWords(protocol.signTransaction(wallet, transaction)),
  signMessage: (wallet, text) => inWords(protocol.signMessage(wallet, text)),
  disconnect: (wallet) => inWords(protocol.disconnect(wallet)),
});
