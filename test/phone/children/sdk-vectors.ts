/**
 * What the SDK makes of given keys and texts: `sdk-vectors.js FOLDER`, where FOLDER is where it is installed. Prints JSON.
 * All that is random in it is fixed here.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [, , folder = ''] = process.argv;
const load = createRequire(join(folder, 'index.js'));
const fromSdk = createRequire(load.resolve('@walletconnect/sign-client'));
const fromCore = createRequire(fromSdk.resolve('@walletconnect/core'));

const utils = fromSdk('@walletconnect/utils') as {
  generateKeyPair: () => { privateKey: string; publicKey: string };
  deriveSymKey: (privateKey: string, publicKey: string) => string;
  hashKey: (key: string) => string;
  hashMessage: (message: string) => string;
  encrypt: (params: Record<string, unknown>) => string;
  decrypt: (params: { symKey: string; encoded: string }) => string;
  formatUri: (params: Record<string, unknown>) => string;
};
const auth = fromCore('@walletconnect/relay-auth') as {
  generateKeyPair: (seed: Uint8Array) => { secretKey: Uint8Array; publicKey: Uint8Array };
  signJWT: (...given: unknown[]) => Promise<string>;
};

const [ours, theirs] = [utils.generateKeyPair(), utils.generateKeyPair()];
const symKey = utils.deriveSymKey(ours.privateKey, theirs.publicKey);
const message =
  '{"id":1795393230123456,"jsonrpc":"2.0","method":"wc_sessionPing","params":{"text":"żółw 🐢"}}';
const iv = '0102030405060708090a0b0c';
const seed = '11'.repeat(32);
const audience = 'wss://relay.walletconnect.org';
const subject = '22'.repeat(32);
const uri = { topic: utils.hashKey(symKey), symKey, expiryTimestamp: 1_795_393_530 };

const given = { symKey, nonce: iv, message };
const envelope = utils.encrypt({ type: 0, symKey, message, iv });
const parts = { version: 2, protocol: 'wc', relay: { protocol: 'irn' } };
const ticket = { seed, audience, subject, iat: 1_795_393_230, seconds: 86_400 };
const keyPair = auth.generateKeyPair(new Uint8Array(Buffer.from(seed, 'hex')));

process.stdout.write(
  JSON.stringify({
    'wc-uri': { input: uri, output: { uri: utils.formatUri({ ...parts, ...uri }) } },
    'wc-hkdf': {
      input: { privateKey: ours.privateKey, peerPublicKey: theirs.publicKey },
      output: { publicKey: ours.publicKey, symKey, topic: utils.hashKey(symKey) },
    },
    'wc-envelope-0': { input: given, output: { envelope, sha256: utils.hashMessage(envelope) } },
    'wc-envelope-1': {
      input: { ...given, senderPublicKey: ours.publicKey },
      output: { envelope: utils.encrypt({ ...given, type: 1, iv, senderPublicKey: ours.publicKey }) },
    },
    'wc-jwt': {
      input: ticket,
      output: { ticket: await auth.signJWT(subject, audience, ticket.seconds, keyPair, ticket.iat) },
    },
  }),
);
