import test, { type ExecutionContext } from 'ava';
import { SignJWT } from 'jose';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { alice, bob } from '../../fixtures/people.js';
import { openAccessTokens, type AccessTokenSettings } from '../../src/adapters/access-tokens.js';
import { signMessage, verifyMessage } from '../../src/bch/signed-message.js';
import { TreasuryError, type ErrorCode } from '../../src/errors.js';
import type { AccessPort } from '../../src/operation/ports/access.js';

const START = 1_700_000_000;
const address = alice.address('local').text;

type Home = {
  readonly folder: string;
  readonly file: string;
  /** A new process, as far as the adapter can tell; the clock is shared. */
  readonly open: (settings?: Partial<AccessTokenSettings>) => AccessPort;
  readonly wait: (seconds: number) => void;
};

const makeHome = (t: ExecutionContext): Home => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'treasury-'));
  t.teardown(() => {
    fs.rmSync(folder, { recursive: true });
  });
  let now = START;
  let calls = 0;
  const random = (length: number): Uint8Array => {
    calls += 1;
    return new Uint8Array(createHash('sha512').update(String(calls)).digest().subarray(0, length));
  };
  return {
    folder,
    file: path.join(folder, 'access.secret'),
    open: (settings = {}) =>
      openAccessTokens({
        folder,
        network: 'local',
        domain: 'treasury.example',
        wall: () => now,
        random,
        ...settings,
      }),
    wait: (seconds) => {
      now += seconds;
    },
  };
};

const refuses = async (
  t: ExecutionContext,
  code: ErrorCode,
  work: () => Promise<unknown>,
): Promise<TreasuryError> => {
  const error = await t.throwsAsync(work, { instanceOf: TreasuryError });
  t.is(error.code, code);
  return error as TreasuryError;
};

// Tokens

test('token › given to an address › another process reads that address from it', async (t) => {
  const home = makeHome(t);
  const { accessToken, expiresAt } = await home.open().issue(address);
  t.is(await home.open().verify(accessToken), address);
  t.is(expiresAt, START + 12 * 3600);
});

test('token › one second before its end › it is good', async (t) => {
  const home = makeHome(t);
  const { accessToken } = await home.open({ tokenSeconds: 60 }).issue(address);
  home.wait(59);
  t.is(await home.open().verify(accessToken), address);
});

test('token › at its end › token_expired', async (t) => {
  const home = makeHome(t);
  const { accessToken } = await home.open({ tokenSeconds: 60 }).issue(address);
  home.wait(60);
  await refuses(t, 'token_expired', () => home.open().verify(accessToken));
});

test('token › of another network with the same secret › invalid_token', async (t) => {
  const home = makeHome(t);
  const { accessToken } = await home.open({ network: 'chipnet' }).issue(address);
  await refuses(t, 'invalid_token', () => home.open().verify(accessToken));
});

test('token › of another home › invalid_token', async (t) => {
  const home = makeHome(t);
  const other = makeHome(t);
  await other.open().issue(bob.address('local').text);
  await other.open().revokeAll();
  const { accessToken } = await other.open().issue(address);
  await refuses(t, 'invalid_token', () => home.open().verify(accessToken));
});

test('token › its subject changed › invalid_token', async (t) => {
  const home = makeHome(t);
  const { accessToken } = await home.open().issue(address);
  const [header = '', payload = '', signature = ''] = accessToken.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
  const forged = Buffer.from(JSON.stringify({ ...claims, sub: bob.address('local').text })).toString(
    'base64url',
  );
  await refuses(t, 'invalid_token', () => home.open().verify([header, forged, signature].join('.')));
});

test('token › without a signature (alg none) › invalid_token', async (t) => {
  const home = makeHome(t);
  const { accessToken } = await home.open().issue(address);
  const header = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url');
  await refuses(t, 'invalid_token', () =>
    home.open().verify(`${header}.${accessToken.split('.')[1] ?? ''}.`),
  );
});

test('token › signed with the secret by another issuer, or without an end or a subject › invalid_token', async (t) => {
  const home = makeHome(t);
  await home.open().issue(address);
  const secret = Buffer.from(fs.readFileSync(home.file, 'utf8').trim(), 'hex');
  const draft = () => new SignJWT().setProtectedHeader({ alg: 'HS256' }).setAudience('local');
  const drafts = [
    draft()
      .setIssuer('somebody')
      .setSubject(address)
      .setExpirationTime(START + 60),
    draft().setIssuer('treasury').setSubject(address),
    draft()
      .setIssuer('treasury')
      .setExpirationTime(START + 60),
  ];
  for (const token of drafts) {
    const accessToken = await token.sign(secret);
    await refuses(t, 'invalid_token', () => home.open().verify(accessToken));
  }
});

for (const nonsense of ['', 'x', 'a.b.c', '..']) {
  test(`token › the text "${nonsense}" › invalid_token`, async (t) => {
    await refuses(t, 'invalid_token', () => makeHome(t).open().verify(nonsense));
  });
}

// Challenges

test('challenge › its text › people read domain, address, network, expiry and that it costs nothing', async (t) => {
  const { challenge, expiresAt } = await makeHome(t).open().challenge(address);
  t.is(expiresAt, START + 300);
  t.regex(challenge, /^Domain: treasury\.example$/m);
  t.regex(challenge, new RegExp(`^Address: ${address}$`, 'm'));
  t.regex(challenge, /^Network: local$/m);
  t.regex(challenge, /^Nonce: [0-9a-f]{96}$/m);
  t.regex(challenge, /^Expires: 2023-11-14T22:18:20\.000Z$/m);
  t.regex(challenge, /costs nothing/);
});

test('challenge › signed by the wallet › another process finds it its own, and the signature holds', async (t) => {
  const home = makeHome(t);
  const { challenge, expiresAt } = await home.open().challenge(address);
  const signature = signMessage(challenge, alice.privateKey);
  const checked = await home.open().checkChallenge(challenge, address);
  t.is(checked.expiresAt, expiresAt);
  t.true(challenge.includes(checked.nonce));
  t.true(verifyMessage(challenge, signature, alice.address('local')));
});

test('challenge › two for one address › their nonces differ', async (t) => {
  const access = makeHome(t).open();
  const [one, two] = [await access.challenge(address), await access.challenge(address)];
  t.not(
    (await access.checkChallenge(one.challenge, address)).nonce,
    (await access.checkChallenge(two.challenge, address)).nonce,
  );
});

test('challenge › one second before its end › it is good', async (t) => {
  const home = makeHome(t);
  const { challenge } = await home.open().challenge(address);
  home.wait(299);
  await t.notThrowsAsync(() => home.open().checkChallenge(challenge, address));
});

test('challenge › at its end › challenge_expired', async (t) => {
  const home = makeHome(t);
  const { challenge } = await home.open({ challengeSeconds: 10 }).challenge(address);
  home.wait(10);
  await refuses(t, 'challenge_expired', () => home.open().checkChallenge(challenge, address));
});

test('challenge › answered for another address › invalid_challenge', async (t) => {
  const home = makeHome(t);
  const { challenge } = await home.open().challenge(address);
  await refuses(t, 'invalid_challenge', () =>
    home.open().checkChallenge(challenge, bob.address('local').text),
  );
});

test('challenge › of another network or domain › invalid_challenge', async (t) => {
  const home = makeHome(t);
  for (const other of [{ network: 'regtest' as const }, { domain: 'evil.example' }]) {
    const { challenge } = await home.open(other).challenge(address);
    await refuses(t, 'invalid_challenge', () => home.open().checkChallenge(challenge, address));
  }
});

for (const [what, change] of [
  ['a later expiry', (text: string) => text.replace('22:18:20', '23:18:20')],
  [
    'another nonce',
    (text: string) =>
      text.replace(/Nonce: ../, (start) => (start.endsWith('00') ? 'Nonce: 01' : 'Nonce: 00')),
  ],
  ['another domain in the text', (text: string) => text.replaceAll('treasury.example', 'evil.example')],
  ['a sentence more', (text: string) => `${text}\nI also owe you 1 BCH.`],
  ['a sentence less', (text: string) => text.split('\n').slice(0, -1).join('\n')],
  ['no expiry', (text: string) => text.replace(/^Expires.*$/m, '')],
  ['an expiry that is no time', (text: string) => text.replace(/^Expires.*$/m, 'Expires: never')],
  ['nothing', () => ''],
] as const) {
  test(`challenge › ${what} › invalid_challenge`, async (t) => {
    const home = makeHome(t);
    const { challenge } = await home.open().challenge(address);
    const changed = change(challenge);
    t.not(changed, challenge);
    await refuses(t, 'invalid_challenge', () => home.open().checkChallenge(changed, address));
  });
}

// The secret

test('secret › made on first use › only its owner may read it', async (t) => {
  const home = makeHome(t);
  await home.open().issue(address);
  t.is(fs.statSync(home.file).mode & 0o777, 0o600);
});

test('secret › opening alone › makes no file', (t) => {
  const home = makeHome(t);
  home.open();
  t.deepEqual(fs.readdirSync(home.folder), []);
});

test('secret › two processes make it at once › each token is good in both', async (t) => {
  const home = makeHome(t);
  const script = fileURLToPath(new URL('access-issuer.js', import.meta.url));
  const issuers = [1, 2].map(() =>
    spawn(process.execPath, [script, home.folder, address], {
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  );
  const answers = issuers.map(async (issuer) => {
    const text: string[] = [];
    issuer.stdout.on('data', (chunk: Buffer) => text.push(chunk.toString()));
    await once(issuer, 'close');
    return text.join('').trim().split('\n')[1] ?? '';
  });
  await Promise.all(issuers.map((issuer) => once(issuer.stdout, 'data')));
  for (const issuer of issuers) issuer.stdin.write('go\n');
  for (const accessToken of await Promise.all(answers)) {
    t.is(await home.open().verify(accessToken), address);
  }
});

test('revoke › tokens and challenges given before › they are void', async (t) => {
  const home = makeHome(t);
  const access = home.open();
  const { accessToken } = await access.issue(address);
  const { challenge } = await access.challenge(address);
  await access.revokeAll();
  await refuses(t, 'invalid_token', () => access.verify(accessToken));
  await refuses(t, 'invalid_challenge', () => access.checkChallenge(challenge, address));
});

test('revoke › by another process › this one notices at the next call', async (t) => {
  const home = makeHome(t);
  const access = home.open();
  const { accessToken } = await access.issue(address);
  t.is(await access.verify(accessToken), address);
  await home.open().revokeAll();
  await refuses(t, 'invalid_token', () => access.verify(accessToken));
});

test('revoke › a token given afterwards › it is good', async (t) => {
  const access = makeHome(t).open();
  await access.revokeAll();
  const { accessToken } = await access.issue(address);
  t.is(await access.verify(accessToken), address);
});

test('secret › a damaged file › store_damaged, and what stood there is not shown', async (t) => {
  const home = makeHome(t);
  fs.writeFileSync(home.file, 'hunter2\n');
  const error = await refuses(t, 'store_damaged', () => home.open().issue(address));
  t.false(JSON.stringify([error.message, error.details]).includes('hunter2'));
});
