/** What protocols have of their own, so as to run in a page, against the libraries that the command line has. */
import { randomBytes } from 'node:crypto';
import { decodeHdPublicKey, deriveHdPublicNodeChild } from '@bitauth/libauth';
import { ed25519 as ed, x25519 as x } from '@noble/curves/ed25519.js';
import test from 'ava';
import * as nip44 from 'nostr-tools/nip44';
import { finalizeEvent, verifyEvent } from 'nostr-tools/pure';
import { lockOfAddress, parseAddress } from '../../src/bch/address.js';
import { addressOfPublicKey } from '../../src/bch/keys.js';
import { NETWORKS } from '../../src/bch/network.js';
import { inputsToSign as inputsByScript } from '../../src/bch/wallet-answer.js';
import { encodeWalletTransaction } from '../../src/bch/wallet-transaction.js';
import * as bytes from '../../src/wallet-protocols/bytes.js';
import { readCashAddress } from '../../src/wallet-protocols/cash-address.js';
import * as shape from '../../src/wallet-protocols/shape.js';
import { ed25519, x25519 } from '../../src/wallet-protocols/walletconnect/curves.js';
import { inputsToSign } from '../../src/wallet-protocols/wizardconnect/asked-inputs.js';
import { addressOfKey, childKey, readExtendedKey } from '../../src/wallet-protocols/wizardconnect/keys.js';
import * as nostr from '../../src/wallet-protocols/wizardconnect/nostr-keys.js';
import { deriveKey, foreignKey, keyOf, xpubOf } from '../phone/key.js';
import { contractSpendOf, paymentOf } from '../phone/requests.js';

const random = (length: number): Uint8Array => new Uint8Array(randomBytes(length));
const ROUNDS = 12;
const rounds = Array.from({ length: ROUNDS }, (_, round) => round);

test('bytes › they are texts and back as Node has them', (t) => {
  for (const length of [0, 1, 2, 3, 31, 32, 33, 40_000]) {
    const some = random(length);
    const buffer = Buffer.from(some);
    t.is(bytes.toBase64(some), buffer.toString('base64'));
    t.is(bytes.toBase64Url(some), buffer.toString('base64url'));
    for (const text of [buffer.toString('base64'), buffer.toString('base64url')])
      t.deepEqual(bytes.fromBase64(text), some);
    t.is(bytes.hexText(some), buffer.toString('hex'));
    t.deepEqual(bytes.hexBytes(buffer.toString('hex')), some);
  }
  for (const text of ['', 'żółw 🐢', '\ufeffmark', '\u0000']) t.is(bytes.textOf(bytes.utf8(text)), text);
  for (const odd of ['QQ', 'QQ=', 'Q Q = =', 'Q\nQ', 'QUJD!', 'Q'])
    t.deepEqual(Buffer.from(bytes.fromBase64(odd)), Buffer.from(odd, 'base64'), odd);
  t.is(bytes.uint32(Uint8Array.of(255, 0, 1, 2, 9)), 0xff000102);
});

test('curves › keys, secrets and signatures are those of the larger library', (t) => {
  for (const _ of rounds) {
    const [ours, theirs] = [random(32), random(32)];
    t.deepEqual(x25519.getPublicKey(ours), x.getPublicKey(ours));
    const peer = x.getPublicKey(theirs);
    t.deepEqual(x25519.getSharedSecret(ours, peer), x.getSharedSecret(theirs, x.getPublicKey(ours)));
    t.deepEqual(ed25519.getPublicKey(ours), ed.getPublicKey(ours));
    t.deepEqual(ed25519.sign(peer, ours), ed.sign(peer, ours));
  }
  // Points of small order make no secret. Source: RFC 7748, section 6.1.
  for (const point of [new Uint8Array(32), Uint8Array.of(1, ...new Uint8Array(31))])
    t.throws(() => x25519.getSharedSecret(random(32), point));
});

test('addresses › they are read as libauth reads them, and nothing else is one', (t) => {
  for (const prefix of ['bchtest', 'bitcoincash', 'bchreg'] as const) {
    const network = prefix === 'bchtest' ? 'local' : prefix === 'bchreg' ? 'regtest' : 'mainnet';
    for (const _ of rounds) {
      const publicKey = keyOf(random(32)).publicKey;
      const address = addressOfPublicKey(publicKey, network);
      t.deepEqual(addressOfKey(publicKey, { network }), {
        text: address.text,
        lockingBytecode: address.lockingBytecode,
      });
      for (const text of [address.text, address.tokenText, address.text.toUpperCase(), ` ${address.text} `])
        t.is(readCashAddress(text, prefix)?.text, address.text, text);
      const place = prefix.length + 1 + Math.floor(Math.random() * 42);
      const letter = address.text[place] === 'q' ? 'p' : 'q';
      const bent = address.text.slice(0, place) + letter + address.text.slice(place + 1);
      t.is(readCashAddress(bent, prefix), null, bent);
      t.is(readCashAddress(address.text, 'other'), null);
    }
  }
  const contract = 'bchtest:rvqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqg35xq8s';
  for (const text of [contract, 'bchtest:', 'bchtest:qqqqqqqq', 'bchtest', '', 'bchtest:qb1io'])
    t.is(readCashAddress(text, 'bchtest')?.lockingBytecode ?? null, lockOfAddress(text), text);
  t.is(parseAddress('bitcoincash:qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqfnhks603').kind, 'p2pkh');
});

test('extended keys › children are those of libauth', (t) => {
  for (const round of rounds) {
    const xpub = xpubOf(bytes.hexText(random(16)), round % 2, round % 3 === 0 ? 'bchtest' : 'bitcoincash');
    const read = readExtendedKey(xpub);
    const decoded = decodeHdPublicKey(xpub);
    if (typeof decoded === 'string' || read === null) throw new Error(`${xpub} is a key`);
    t.is(read.network, decoded.network);
    for (const index of [0, 1, 77, 2 ** 31 - 1])
      t.deepEqual(childKey(read, index), deriveHdPublicNodeChild(decoded.node, index).publicKey);
    const bent = xpub.replace(/.$/, (letter) => (letter === 'a' ? 'b' : 'a'));
    t.is(readExtendedKey(bent), null);
  }
  for (const none of ['', 'xpub', '0', 'l'.repeat(111), 'z'.repeat(111), '1'.repeat(111)])
    t.is(readExtendedKey(none), null, none);
});

test('hidden texts › they are those of NIP-44, padded as it says', (t) => {
  for (const length of [1, 2, 31, 32, 33, 37, 45, 64, 65, 255, 256, 257, 320, 321, 383, 1_024, 65_535]) {
    const [ours, theirs] = [random(32), random(32)];
    const conversation = nostr.conversationKey(ours, nostr.nostrKeyOf(theirs));
    t.deepEqual(conversation, nip44.getConversationKey(theirs, nostr.nostrKeyOf(ours)));
    const text = 'x'.repeat(length);
    const nonce = random(32);
    const hidden = nostr.hideText(text, conversation, nonce);
    t.is(hidden, nip44.encrypt(text, conversation, nonce), String(length));
    t.is(nostr.showText(hidden, conversation), text);
    const bent = Uint8Array.from(Buffer.from(hidden, 'base64'));
    bent.set([(bent[40] ?? 0) ^ 1], 40);
    t.throws(() => nostr.showText(bytes.toBase64(bent), conversation));
    t.throws(() => nostr.showText(hidden, random(32)));
  }
  t.throws(() => nostr.hideText('', random(32), random(32)));
  t.throws(() => nostr.hideText('x'.repeat(65_536), random(32), random(32)));
  t.throws(() => nostr.conversationKey(random(32), 'ff'.repeat(32)));
});

test('events › they are signed and verified as those of Nostr', (t) => {
  for (const _ of rounds) {
    const key = random(32);
    const said = { kind: 1, created_at: 1_790_000_000, tags: [['p', 'q']], content: 'żółw "\n' };
    const signed = nostr.signEvent(said, key, random(32));
    t.true(verifyEvent({ ...signed } as never));
    const theirs = finalizeEvent({ ...said, tags: [['p', 'q']] }, key);
    t.is(signed.id, theirs.id);
    t.true(nostr.isSigned(theirs));
    t.false(nostr.isSigned({ ...theirs, content: 'other' }));
    t.false(nostr.isSigned({ ...theirs, sig: '00'.repeat(64) }));
    t.false(nostr.isSigned({ ...theirs, sig: 'zz' }));
  }
});

test('inputs that wait › they are found in JSON as they are in scripts', (t) => {
  const key = deriveKey('07'.repeat(16), '0/0');
  const address = addressOfPublicKey(key.publicKey, 'local');
  const other = addressOfPublicKey(foreignKey.publicKey, 'local');
  for (const request of [paymentOf(address.text, other.text), contractSpendOf(address.text, other.text)])
    for (const owner of [address, other])
      t.deepEqual(
        inputsToSign(encodeWalletTransaction(request), { address: owner }),
        inputsByScript(request, { address: owner, publicKey: key.publicKey }),
      );
});

test('shapes › what cannot be read says where', (t) => {
  const reader = shape.fields({
    name: shape.text,
    parts: shape.list(shape.fields({ size: shape.whole, note: shape.orElse(shape.text, '') })),
    end: shape.orNull(shape.whole),
  });
  const good = { name: 'a', parts: [{ size: 1 }], end: null, more: true };
  t.deepEqual(reader(good, ''), { name: 'a', parts: [{ size: 1, note: '' }], end: null });
  const at = (value: unknown): string => {
    const error = t.throws(() => reader(value, ''), { instanceOf: shape.Unreadable });
    return error.path;
  };
  t.is(at(null), '');
  t.is(at([]), '');
  t.is(at({ ...good, name: 1 }), 'name');
  t.is(at({ ...good, parts: [{ size: 1 }, { size: 0.5 }] }), 'parts.1.size');
  t.is(at({ ...good, parts: {} }), 'parts');
  t.is(at({ ...good, end: '1' }), 'end');
  t.is(shape.readOr(reader, 1), null);
  t.is(shape.otherwise(shape.hex(2), 'none')('AB01', ''), 'none');
  t.is(shape.hex(2)('ab01', ''), 'ab01');
  t.throws(() => shape.notEmpty(shape.list(shape.text))([], ''));
  t.deepEqual(shape.record(shape.flag)({ a: true }, ''), { a: true });
  t.deepEqual(shape.asRecord([1]), {});
  t.is(NETWORKS.local.prefix, 'bchtest');
});
