/** What was recorded of the SDK of WalletConnect is what is written and read here. */
import { readFileSync } from 'node:fs';
import test from 'ava';
import {
  messageName,
  openEnvelope,
  pairingUri,
  publicKeyOf,
  sealEnvelope,
  sharedKey,
  topicOf,
} from '../../../src/wallet-protocols/walletconnect/envelope.js';
import {
  METHODS,
  readError,
  readMessage,
  requestText,
} from '../../../src/wallet-protocols/walletconnect/messages.js';
import { relayToken } from '../../../src/wallet-protocols/walletconnect/relay-token.js';
import { readNamespaces, type SessionState } from '../../../src/wallet-protocols/walletconnect/state.js';
import { takeIn } from '../../../src/wallet-protocols/walletconnect/taken-in.js';
import { parseAddress } from '../../../src/bch/address.js';
import { bytesOf, hexOf } from '../../../src/bch/hex.js';
import { recoverSigner } from '../../../src/bch/signed-message.js';
import { checkWalletAnswer } from '../../../src/bch/wallet-answer.js';
import { decodeWalletTransaction } from '../../../src/bch/wallet-transaction.js';

type Said = {
  readonly by: 'dapp' | 'wallet';
  readonly tag: number;
  readonly ttl: number;
  readonly envelope: string;
  readonly json: Readonly<Record<string, unknown>> & { readonly id: number };
};
type Vector = { readonly input: Readonly<Record<string, string | number>>; readonly output: unknown };
const vectors = JSON.parse(readFileSync('fixtures/wallet-vectors.json', 'utf8')) as Readonly<
  Record<string, Vector>
>;
const vector = (name: string): Vector => {
  const found = vectors[name];
  if (found === undefined) throw new Error(`there is no vector ${name}`);
  return found;
};
const bytes = ({ input }: Vector, name: string): Uint8Array => bytesOf(String(input[name]));

test('keys › given a private key and a public one › the key that they share, its topic and its URI', (t) => {
  const hkdf = vector('wc-hkdf');
  const privateKey = bytes(hkdf, 'privateKey');
  const symKey = sharedKey(privateKey, bytes(hkdf, 'peerPublicKey'));
  t.deepEqual(
    { publicKey: hexOf(publicKeyOf(privateKey)), symKey: hexOf(symKey), topic: topicOf(symKey) },
    hkdf.output as Record<string, string>,
  );
  const uri = vector('wc-uri');
  t.deepEqual(
    { uri: pairingUri(bytes(uri, 'symKey'), Number(uri.input['expiryTimestamp'])) },
    uri.output as never,
  );
});

test('envelopes › given one of each type › the first is written and read, the second refused', (t) => {
  const shared = vector('wc-envelope-0');
  const { envelope, sha256 } = shared.output as { readonly envelope: string; readonly sha256: string };
  const [symKey, message] = [bytes(shared, 'symKey'), String(shared.input['message'])];
  t.is(sealEnvelope(symKey, message, bytes(shared, 'nonce')), envelope);
  t.is(openEnvelope(symKey, envelope), message);
  t.is(messageName(envelope), sha256);
  t.is(openEnvelope(symKey.with(0, 0), envelope), null);
  t.is(openEnvelope(symKey, `${envelope.slice(0, -8)}AAAAAAA=`), null);
  t.is(openEnvelope(symKey, ''), null);
  const sent = vector('wc-envelope-1');
  t.is(openEnvelope(bytes(sent, 'symKey'), (sent.output as { readonly envelope: string }).envelope), null);
});

test('relay token › given a seed › it is signed and named as the SDK does it', (t) => {
  const { input, output } = vector('wc-jwt');
  const token = relayToken({
    seed: bytesOf(String(input['seed'])),
    relayUrl: String(input['audience']),
    subject: String(input['subject']),
    now: Number(input['iat']),
  });
  t.is(token, (output as { readonly ticket: string }).ticket);
});

test('conversations › given each that was recorded › tags, times and messages are those of the table', (t) => {
  const recorded = Object.entries(vectors).filter(
    ([name, { output }]) => name.startsWith('wc-') && Array.isArray(output),
  );
  t.true(recorded.length >= 8);
  for (const [name, { output }] of recorded) {
    const asked = new Map<string, string>();
    for (const { json, tag, ttl, by } of output as readonly Said[]) {
      const read = readMessage(JSON.stringify(json));
      const id = read?.id ?? '';
      if (typeof read?.method !== 'string') {
        const entry = METHODS[asked.get(id) as keyof typeof METHODS] as
          | (typeof METHODS)[keyof typeof METHODS]
          | undefined;
        const isRefusal = tag === 1120 && read?.error !== undefined;
        if (entry !== undefined && !isRefusal) t.is(tag, entry.answerTag, name);
        continue;
      }
      const { method } = read;
      asked.set(id, method);
      const entry = METHODS[method as keyof typeof METHODS] as
        | (typeof METHODS)[keyof typeof METHODS]
        | undefined;
      if (entry === undefined) continue;
      t.is(tag, entry.tag, `${name} ${method}`);
      // The SDK keeps some longer than others do; a request is never kept for less than it lives.
      if (by === 'wallet' && method !== 'wc_sessionPing') t.true(ttl >= 300, `${name} ${method}`);
      t.deepEqual(JSON.parse(requestText(id, method, json['params'])), json);
    }
  }
});

test('a settlement › given that of the SDK › its accounts and methods are read', (t) => {
  const { output } = vector('wc-propose-settle');
  const settled = (output as readonly Said[]).find(({ json }) => json['method'] === 'wc_sessionSettle');
  const params = settled?.json['params'] as { readonly namespaces: unknown };
  const read = readNamespaces(params.namespaces, 'bch:bchtest');
  t.is(read?.accounts.length, 1);
  t.notThrows(() => parseAddress(read?.accounts[0] ?? '', 'chipnet'));
  t.true(read?.methods.includes('bch_signTransaction'));
  t.deepEqual(readNamespaces(params.namespaces, 'bch:bitcoincash')?.accounts, []);
});

test('a rejection, an empty error › given those of the SDK › they are read', (t) => {
  const errorOf = (name: string) =>
    (vector(name).output as readonly Said[])
      .map(({ json }) => json['error'])
      .find((error) => error !== undefined);
  t.like(readError(errorOf('wc-reject')), { code: 5000 });
  t.deepEqual(readError(errorOf('wc-error-empty')), { code: 0, message: '' });
});

test('a signed transaction and a signed message › given those of the SDK’s wallet › they pass', (t) => {
  const holes = vector('bch-holes');
  const { asked, address, publicKey } = holes.input as unknown as {
    readonly asked: unknown;
    readonly address: string;
    readonly publicKey: string;
  };
  const { signedTransaction, signedTransactionHash } = holes.output as Record<string, string>;
  const owner = { address: parseAddress(address), publicKey: bytesOf(publicKey) };
  const checked = checkWalletAnswer(decodeWalletTransaction(asked), signedTransaction ?? '', owner);
  t.like(checked, { txid: signedTransactionHash, isComplete: true, signedInputs: 2 });
  const message = vector('bch-message');
  const signer = recoverSigner(String(message.input['message']), String(message.output));
  t.is(hexOf(signer ?? new Uint8Array()), String(message.input['publicKey']));
});

test('ids › given one that no number holds › it stays what it is', (t) => {
  const text =
    '{"id":1795393230123456789,"jsonrpc":"2.0","method":"irn_subscription","params":{"id":"x","text":"\\"id\\":1795393230123456789"}}';
  t.like(readMessage(text), { id: '1795393230123456789', method: 'irn_subscription' });
  t.deepEqual(readMessage(text)?.params, { id: 'x', text: '"id":1795393230123456789' });
  t.is(readMessage('{"id":"abc","result":true}')?.id, '"abc"');
  t.is(readMessage('[1]'), null);
  t.is(readMessage('{'), null);
});

const state: SessionState = {
  relayUrl: 'wss://relay.example',
  projectId: 'p',
  seed: '11'.repeat(32),
  topic: '22'.repeat(32),
  symKey: '33'.repeat(32),
  peerKey: '44'.repeat(32),
  chain: 'bch:bchtest',
  methods: ['bch_signTransaction'],
  accounts: ['bchtest:qold'],
  expiry: 1_000,
  app: 'Cashbox',
  lastId: 5,
  sent: [5],
  lastUpdate: 100,
  lastEvent: 100,
  isMoved: false,
  open: [],
  ended: null,
};

test('what a wallet says by itself › given each method › the session after it, and what is answered', (t) => {
  const namespaces = {
    bch: { accounts: ['bch:bchtest:qnew', 'bch:bitcoincash:qother'], methods: ['bch_signMessage'] },
  };
  const event = { event: { name: 'addressesChanged', data: [] }, chainId: 'bch:bchtest' };
  const say = (method: Parameters<typeof takeIn>[1]['method'], id: number, params: unknown) =>
    takeIn(state, { method, id, params }, 2_000);
  t.deepEqual(say('wc_sessionPing', 1, {}), { state, answer: { result: true } });
  t.like(say('wc_sessionUpdate', 101, { namespaces }), {
    state: { accounts: ['bchtest:qnew'], methods: ['bch_signMessage'], lastUpdate: 101 },
    answer: { result: true },
  });
  t.like(say('wc_sessionUpdate', 99, { namespaces }), { state, answer: { error: { code: 1003 } } });
  t.like(say('wc_sessionUpdate', 101, {}), { state, answer: { error: { code: 1003 } } });
  t.like(say('wc_sessionExtend', 1, {}), { state: { expiry: 2_000 + 604_800 }, answer: { result: true } });
  t.like(say('wc_sessionEvent', 101, event), {
    state: { isMoved: true, lastEvent: 101 },
    answer: { result: true },
  });
  t.deepEqual(say('wc_sessionEvent', 99, event), { state, answer: null });
  t.like(say('wc_sessionDelete', 1, {}), {
    state: { ended: 'Cashbox has ended it' },
    answer: { result: true },
  });
  for (const method of ['wc_sessionSettle', 'wc_sessionRequest', 'wc_sessionPropose'] as const)
    t.deepEqual(say(method, 1, {}), { state, answer: null });
});
