/** The phone on WizardConnect, and its Nostr relay: its encryption is that of nostr-tools, and its lies are lies. */
import test, { type ExecutionContext } from 'ava';
import { v2 } from 'nostr-tools/nip44';
import { unwrapEvent, wrapEvent } from 'nostr-tools/nip59';
import { encodeWalletTransaction } from '../../src/bch/signing-request.js';
import { decodeRaw } from '../../src/bch/transaction.js';
import { verifyTransaction } from '../../src/bch/wallet-transaction.js';
import { addressOf, deriveKey, keyOf } from './key.js';
import {
  conversationKey,
  decrypt44,
  encrypt44,
  nostrKeyOf,
  randomKey,
  readWizUri,
  unwrap,
  wrap,
  type NostrEvent,
} from './nostr.js';
import { startNostrRelay, type NostrRelay } from './nostr-relay.js';
import { startPhone, type Phone } from './phone.js';
import { contractSpendOf } from './requests.js';
import { RawWizardDapp } from './wizard-dapp.js';

const SEED = '08'.repeat(16);
const RECIPIENT = addressOf(keyOf(new Uint8Array(32).fill(9)).lockingBytecode, 'bchtest') ?? '';
/** An address of the phone that is not its first. */
const PAYER = addressOf(deriveKey(SEED, '7/3').lockingBytecode, 'bchtest') ?? '';

type World = { readonly relay: NostrRelay; readonly phone: Phone; readonly dapp: RawWizardDapp };

const begin = async (t: ExecutionContext): Promise<World> => {
  const relay = await startNostrRelay();
  const phone = startPhone({ seed: SEED, chain: 'bchtest' });
  const dapp = new RawWizardDapp(relay.url);
  t.teardown(async () => {
    dapp.close();
    await phone.stop();
    await relay.close();
  });
  await dapp.listen();
  return { relay, phone, dapp };
};

test('texts are encrypted and wrapped as nostr-tools does it', (t) => {
  const [ours, theirs] = [randomKey(), randomKey()];
  const key = conversationKey(ours, nostrKeyOf(theirs));
  t.deepEqual(key, v2.utils.getConversationKey(theirs, nostrKeyOf(ours)));
  const nonce = new Uint8Array(32).fill(5);
  for (const length of [1, 32, 33, 256, 257, 1_000, 65_535]) {
    const text = 'x'.repeat(length);
    t.is(encrypt44(text, key, nonce), v2.encrypt(text, key, nonce));
    t.is(decrypt44(v2.encrypt(text, key), key), text);
  }
  const unwrapped = unwrapEvent(wrap('żółw', ours, nostrKeyOf(theirs)) as never, theirs);
  t.like(unwrapped, { content: 'żółw', pubkey: nostrKeyOf(ours), kind: 14 });
  const tags = [['p', nostrKeyOf(theirs)]];
  const wrapped = wrapEvent({ kind: 14, content: 'hello', tags }, ours, nostrKeyOf(theirs)) as NostrEvent;
  t.deepEqual(unwrap(wrapped, theirs), { from: nostrKeyOf(ours), content: 'hello' });
  t.throws(() => unwrap(wrap('x', ours, nostrKeyOf(theirs), { rumorKey: nostrKeyOf(randomKey()) }), theirs));
});

test('the code may be scanned or typed', (t) => {
  const dapp = new RawWizardDapp('ws://127.0.0.1:1234');
  t.deepEqual(readWizUri(dapp.qr), readWizUri(dapp.uri));
  t.is(readWizUri(dapp.uri).relay, 'ws://127.0.0.1:1234');
});

test('the phone signs with the keys of the paths, refuses, lies, and is back after a while', async (t) => {
  const { relay, phone, dapp } = await begin(t);
  await phone.do('scan', dapp.qr);
  const ready = await dapp.meet();
  t.like(ready, { dapp_discovered: false, public_key: dapp.wallet, supported_protocols: ['hdwalletv1'] });
  t.is(ready['secret'], readWizUri(dapp.uri).secret);
  await phone.sees('session');

  const asked = contractSpendOf(PAYER, RECIPIENT);
  const request = encodeWalletTransaction(asked);
  const paths = [
    [0, 'defi', 3],
    [1, 'receive', 0],
  ];
  const sequence = await dapp.ask(request, paths);
  const { signedTransaction, ...answer } = await dapp.until('sign_transaction_response');
  t.is(answer['sequence'], sequence);
  t.notThrows(() => {
    const transaction = decodeRaw(signedTransaction as string);
    verifyTransaction({ transaction, sourceOutputs: [...asked.sourceOutputs] });
  });
  t.like(await phone.sees('request'), { sequence, shown: { pays: [{ to: RECIPIENT, value: '25000' }] } });

  await phone.do('plan', { do: 'decline' }, { do: 'accept', lie: 'outputValue' }, { do: 'silence' });
  await dapp.ask(request, paths);
  t.like(await dapp.until('sign_transaction_response'), {
    signedTransaction: '',
    error: 'User rejected the request',
  });
  await dapp.ask(request, paths);
  const lie = (await dapp.until('sign_transaction_response'))['signedTransaction'] as string;
  t.is(decodeRaw(lie).outputs[0]?.valueSatoshis, 24_999n);

  // A request in chunks, which is cancelled while it stands on the screen.
  const long = await dapp.ask({ ...request, userPrompt: 'x'.repeat(100_000) }, paths);
  t.like(await phone.sees('chunk'), { total: 4 });
  await phone.sees('request');
  await phone.sees('request');
  t.like(await phone.sees('request'), { sequence: long });
  await dapp.say({ action: 'sign_cancel', sequence: long });
  t.like(await phone.sees('cancelled'), { sequence: long });
  t.is(await phone.do('tap', { do: 'accept' }), 0);

  await phone.do('leave');
  await phone.do('come');
  t.like(await dapp.until('wallet_ready'), { dapp_discovered: false });
  await dapp.ready(false);
  t.like(await dapp.until('wallet_ready'), { dapp_discovered: true });
  await dapp.say({ action: 'ping' });
  await dapp.until('pong');
  t.deepEqual(relay.complaints, []);
  t.deepEqual(
    phone.events.filter(({ kind }) => ['failed', 'unreadable', 'stranger'].includes(kind)),
    [],
  );
});
