/** What another reading of WizardConnect's messages writes is what is written and read here. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import test from 'ava';
import { getPublicKey } from 'nostr-tools/pure';
import { createJoiner, isLong, partsOf } from '../../../src/wallet-protocols/wizardconnect/chunks.js';
import { unwrap, wrap } from '../../../src/wallet-protocols/wizardconnect/gift-wrap.js';
import { invitationPicture, invitationUri } from '../../../src/wallet-protocols/wizardconnect/uri.js';
import { bytesOf } from '../../../src/bch/hex.js';

type Vector = {
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: Readonly<Record<string, unknown>>;
};
const vectors = JSON.parse(readFileSync('fixtures/wallet-vectors.json', 'utf8')) as Readonly<
  Record<string, Vector>
>;
const vector = (name: string): Vector => {
  const found = vectors[name];
  if (found === undefined) throw new Error(`there is no vector ${name}`);
  return found;
};

const uriOf = ({ input: { publicKey, secret, host, protocol } }: Vector): string =>
  invitationUri({
    publicKey: bytesOf(String(publicKey)),
    secret: bytesOf(String(secret)),
    relayUrl: host === undefined ? null : `${protocol as string}://${host as string}`,
  });

test('an invitation › given a key and a secret › its address, and what stands in the picture', (t) => {
  t.is(uriOf(vector('wiz-uri')), String(vector('wiz-uri').output['uri']));
  t.is(uriOf(vector('wiz-uri-default-relay')), String(vector('wiz-uri-default-relay').output['uri']));
  t.is(invitationPicture(uriOf(vector('wiz-qr'))), String(vector('wiz-qr').output['qr']));
});

test('wrapped messages › given one › it is opened; forged ones are not', (t) => {
  const open = ({ input: { privateKey, event } }: Vector) => unwrap(event, bytesOf(String(privateKey)));
  t.is(open(vector('nip59-wrap'))?.content, vector('nip59-wrap').output['content'] as string);
  t.is(open(vector('nip59-wrap'))?.from, vector('nip59-wrap').output['from'] as string);
  for (const name of ['nip59-forged-rumor', 'nip59-bad-seal', 'nip59-seal-kind', 'nip59-rumor-kind'])
    t.is(open(vector(name)), null, name);
  t.is(unwrap({}, new Uint8Array(32).fill(1)), null);
});

test('wrapped messages › given one of our own › it is opened by whom it is for alone', (t) => {
  const [ours, theirs, other] = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte)) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ];
  let calls = 0;
  const random = (length: number) => new Uint8Array(length).fill((calls += 1));
  const event = wrap('żółw', { privateKey: ours, peer: getPublicKey(theirs), now: 1_780_000_000, random });
  t.is(unwrap(event, theirs)?.content, 'żółw');
  t.is(unwrap(event, theirs)?.from, getPublicKey(ours));
  t.is(unwrap(event, other), null);
  t.not(event.pubkey, getPublicKey(ours));
  t.true(event.created_at <= 1_780_000_000 && event.created_at > 1_780_000_000 - 172_800);
});

test('long messages › given parts in any order › they are put together, and dropped after two minutes', (t) => {
  const { input, output } = vector('wiz-chunk-shuffled');
  const chunks = input['chunks'] as readonly unknown[];
  const join = createJoiner();
  const [joined, ...others] = chunks.flatMap((chunk) => join(chunk, 0) ?? []);
  t.is(
    createHash('sha256')
      .update(joined ?? '')
      .digest('hex'),
    String(output['sha256OfJson']),
  );
  t.deepEqual(others, []);

  const text = 'żółw'.repeat(20_000);
  t.true(isLong(text));
  t.false(isLong('x'.repeat(40_000)));
  const parts = partsOf(text, 7, 'id');
  t.deepEqual(
    parts.map(({ index, total, time }) => [index, total, time]),
    parts.map((_, index) => [index, parts.length, 7]),
  );
  const again = createJoiner();
  t.deepEqual(
    parts.toReversed().map((part) => again(part, 0)),
    parts.map((_, index) => (index === parts.length - 1 ? text : null)),
  );
  const slow = createJoiner();
  slow(parts[0], 0);
  for (const part of parts.slice(1)) t.is(slow(part, 121), null);
});
