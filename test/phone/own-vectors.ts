/** Vectors for which there is no reference: how this side reads the messages. The other side's reading is held against it. */
import { createHash } from 'node:crypto';
import { fromHex, toHex } from './envelope.js';
import { toParts } from './chunks.js';
import { nostrKeyOf, readWizUri, toGroups, wrap } from './nostr.js';

const SOURCE = 'test/phone';
const RECEIVER = new Uint8Array(32).fill(21);
const SENDER = new Uint8Array(32).fill(22);
const STRANGER = new Uint8Array(32).fill(23);

type Vector = { readonly source: string; readonly input: unknown; readonly output: unknown };

const uriOf = (publicKey: string, secret: string, host: string, protocol: string): string =>
  `wiz://${host}?p=${toGroups(fromHex(publicKey))}&s=${toGroups(fromHex(secret))}${protocol === 'wss' ? '' : `&pr=${protocol}`}`;

const uris = (): Record<string, Vector> => {
  const publicKey = nostrKeyOf(RECEIVER);
  const secret = '00112233445566ff';
  const input = { publicKey, secret, host: 'relay.example:8080', protocol: 'ws' };
  const uri = uriOf(publicKey, secret, input.host, input.protocol);
  const qr = uri.toUpperCase().replace('?', '%3F').replaceAll('=', '%3D').replaceAll('&', '%26');
  if (readWizUri(qr).publicKey !== publicKey) throw new Error('the code cannot be read back');
  const bare = { publicKey, secret };
  return {
    'wiz-uri': { source: SOURCE, input, output: { uri } },
    'wiz-uri-default-relay': {
      source: SOURCE,
      input: bare,
      output: { uri: uriOf(publicKey, secret, '', 'wss') },
    },
    'wiz-qr': { source: SOURCE, input, output: { qr } },
  };
};

const wraps = (): Record<string, Vector> => {
  const content = JSON.stringify({ action: 'ping', time: 1_795_393_230, text: 'żółw 🐢' });
  const peer = nostrKeyOf(RECEIVER);
  const input = (key: Uint8Array, forgery = {}): unknown => ({
    privateKey: toHex(RECEIVER),
    event: wrap(content, key, peer, forgery),
  });
  const rumorKey = nostrKeyOf(SENDER);
  const refused = { isTaken: false };
  return {
    'nip59-wrap': {
      source: SOURCE,
      input: input(SENDER),
      output: { isTaken: true, from: rumorKey, content },
    },
    'nip59-forged-rumor': { source: SOURCE, input: input(STRANGER, { rumorKey }), output: refused },
    'nip59-bad-seal': { source: SOURCE, input: input(SENDER, { badSealSignature: true }), output: refused },
    'nip59-seal-kind': { source: SOURCE, input: input(SENDER, { sealKind: 1 }), output: refused },
    'nip59-rumor-kind': { source: SOURCE, input: input(SENDER, { rumorKind: 1 }), output: refused },
  };
};

const chunks = (): Record<string, Vector> => {
  const time = 1_795_393_230;
  const message = {
    action: 'sign_transaction_response',
    time,
    sequence: 7,
    signedTransaction: 'żółw'.repeat(6_000),
  };
  const parts = toParts(JSON.stringify(message), time, true).map((part) => JSON.parse(part) as unknown);
  const sha256 = createHash('sha256').update(JSON.stringify(message)).digest('hex');
  const shuffled = [...parts.slice(1), ...parts.slice(0, 1), ...parts.slice(1, 2)];
  return {
    'wiz-chunk-shuffled': { source: SOURCE, input: { chunks: shuffled }, output: { sha256OfJson: sha256 } },
  };
};

export const ownVectors = (): Record<string, Vector> => ({ ...uris(), ...wraps(), ...chunks() });
