/** The session with an app lies under a passphrase where money is real, and is its own wallet's. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { randomBytes } from 'node:crypto';
import { openKeystore } from '../../src/adapters/keystore/keystore.js';
import { verifyMessage } from '../../src/bch/signed-message.js';
import type { TreasuryError } from '../../src/errors.js';
import { openPhone } from './open-phone.js';
import { PROJECT_ID } from './relay.js';

const CHEAP_SCRYPT = { N: 2 ** 14, r: 8, p: 1 };

const begin = async (t: ExecutionContext) => {
  const folder = mkdtempSync(join(tmpdir(), 'treasury-sealed-'));
  const { relay, phone } = await openPhone(t, '0e'.repeat(16));
  t.teardown(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  /** The keystore as a program has it whose owner answers with that passphrase. */
  const open = (passphrase: string | null) =>
    openKeystore({
      folder,
      network: 'chipnet',
      askPassphrase: () => Promise.resolve(passphrase),
      now: () => Math.floor(Date.now() / 1_000),
      random: (length) => new Uint8Array(randomBytes(length)),
      cost: CHEAP_SCRYPT,
      remote: {
        walletconnectRelayUrl: relay.url,
        walletconnectProjectId: PROJECT_ID,
        wizardconnectRelayUrl: null,
        walletWait: 10,
        asking: { tell: () => undefined, show: (uri) => phone.do('scan', uri) },
      },
    });
  return { open, file: join(folder, 'sessions', 'phone.json'), keystore: join(folder, 'keystore.json') };
};

const codeOf = async (t: ExecutionContext, work: Promise<unknown>): Promise<string> =>
  (await t.throwsAsync<TreasuryError>(work)).code;

test('session file › given a network with money › it is sealed, and opens with the passphrase of its wallet alone', async (t) => {
  const { open, file, keystore } = await begin(t);
  t.is(await codeOf(t, open(null).connect({ name: 'phone', protocol: 'walletconnect' })), 'missing_value');
  const wallet = await open('a long passphrase').connect({ name: 'phone', protocol: 'walletconnect' });
  t.like(wallet, { name: 'phone', origin: 'walletconnect', encrypted: true, isDefault: true });
  const text = readFileSync(file, 'utf8');
  t.notRegex(text, /symKey|peerKey|topic/);
  t.regex(text, /scrypt-aes-256-gcm/);
  t.is(statSync(file).mode & 0o777, 0o600);
  t.is((JSON.parse(readFileSync(keystore, 'utf8')) as { version: number }).version, 2);

  t.is(await codeOf(t, open(null).signMessage('phone', 'hello')), 'wallet_locked');
  t.is(await codeOf(t, open('another').signMessage('phone', 'hello')), 'wrong_passphrase');
  const signature = await open('a long passphrase').signMessage('phone', 'hello');
  t.true(verifyMessage('hello', signature, wallet.address));
  t.is(await codeOf(t, open('a long passphrase').unlock('phone')), 'wallet_remote');
  t.is(await codeOf(t, open('a long passphrase').authority()), 'authority_missing');

  // Whoever bends it is found out.
  writeFileSync(
    file,
    text.replace(/"tag": "../, (part) => (part.endsWith('00') ? '"tag": "11' : '"tag": "00')),
  );
  t.is(await codeOf(t, open('a long passphrase').signMessage('phone', 'hello')), 'store_damaged');
  t.is((await open(null).list())[0]?.app, 'A phone');
  writeFileSync(file, '{');
  t.is((await open(null).list())[0]?.sessionEndsAt, 0);
  const again = await open('a long passphrase').connect({ name: 'phone', protocol: 'walletconnect' });
  t.is(again.publicKey, wallet.publicKey);
  t.true((again.sessionEndsAt ?? 0) > Date.now() / 1_000);
});

test('session file › given a wallet whose key is here › it cannot be disconnected, nor its name be taken', async (t) => {
  const { open } = await begin(t);
  const keys = open('a long passphrase');
  await keys.create({ name: 'phone', passphrase: 'a long passphrase' });
  t.is(await codeOf(t, keys.disconnect('phone')), 'wallet_not_remote');
  t.is(await codeOf(t, keys.connect({ name: 'phone', protocol: 'walletconnect' })), 'wallet_exists');
  t.is(await codeOf(t, keys.connect({ name: 'Phone!', protocol: 'walletconnect' })), 'invalid_input');
});
