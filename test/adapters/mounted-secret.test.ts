/** Secrets that several daemons have in common, in files that somebody else looks after. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { openAccessTokens } from '../../src/adapters/access-tokens.js';
import { openMessenger } from '../../src/adapters/messenger/messenger.js';
import { TreasuryError } from '../../src/errors.js';
import type { AccessPort } from '../../src/operation/ports/access.js';

const ADDRESS = 'bchtest:qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqaqz0wyjd';
const random = (length: number): Uint8Array => new Uint8Array(randomBytes(length));

const openFolder = (t: ExecutionContext) => {
  const folder = mkdtempSync(join(tmpdir(), 'treasury-'));
  t.teardown(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const file = join(folder, 'mounted');
  const put = (text: string): void => {
    // As secret managers do: another file takes its place.
    rmSync(file, { force: true });
    writeFileSync(file, text, { mode: 0o400 });
  };
  const daemon = (name: string, secretFile: string | null): AccessPort =>
    openAccessTokens({
      folder: join(folder, name),
      network: 'local',
      domain: 'treasury',
      wall: () => 1_700_000_000,
      random,
      secretFile,
    });
  return { folder, file, put, daemon };
};

test('secrets › given daemons with the same file › a token and a challenge of one are good at the other', async (t) => {
  const { file, put, daemon } = openFolder(t);
  put('ab'.repeat(32));
  const [one, other] = [daemon('one', file), daemon('other', file)];
  const { accessToken } = await one.issue(ADDRESS);
  t.is(await other.verify(accessToken), ADDRESS);
  const { challenge } = await one.challenge(ADDRESS);
  t.truthy((await other.checkChallenge(challenge, ADDRESS)).nonce);
});

test('secrets › given daemons without one › what one has given out, the other refuses', async (t) => {
  const { daemon } = openFolder(t);
  const { accessToken } = await daemon('one', null).issue(ADDRESS);
  await t.throwsAsync(daemon('other', null).verify(accessToken), { code: 'invalid_token' });
});

test('secrets › given another secret in the place of the file › it is noticed at the next call', async (t) => {
  const { file, put, daemon } = openFolder(t);
  put(`${'ab'.repeat(32)}\n`);
  const access = daemon('one', file);
  const { accessToken } = await access.issue(ADDRESS);
  put('cd'.repeat(32));
  await t.throwsAsync(access.verify(accessToken), { code: 'invalid_token' });
});

test('secrets › given a file that is looked after by others › nothing is written to it', async (t) => {
  const { file, put, daemon } = openFolder(t);
  put('ab'.repeat(32));
  const before = statSync(file).mtimeMs;
  const access = daemon('one', file);
  const { accessToken } = await access.issue(ADDRESS);
  const error = await t.throwsAsync(access.revokeAll(), { instanceOf: TreasuryError });
  t.is(error.code, 'storage_read_only');
  t.regex(error.message, /put another secret in its place/);
  t.is(statSync(file).mtimeMs, before);
  t.is(await access.verify(accessToken), ADDRESS);
});

for (const [what, text] of [
  ['is missing', null],
  ['is too short', 'ab'.repeat(31)],
  ['holds something else', 'hunter2'],
  ['is empty', ''],
] as const)
  test(`secrets › given a file that ${what} › it is refused, with what belongs there`, async (t) => {
    const { file, put, daemon } = openFolder(t);
    if (text !== null) put(text);
    const error = await t.throwsAsync(daemon('one', file).issue(ADDRESS), { instanceOf: TreasuryError });
    t.is(error.code, 'store_damaged');
    t.regex(error.message, /64 hexadecimal digits/);
    if (text !== null && text !== '') t.notRegex(error.message, new RegExp(text));
  });

test('secrets › given daemons with the same file for webhooks › each makes the same signature', async (t) => {
  const { folder, file, put } = openFolder(t);
  put('ab'.repeat(32));
  const messenger = (name: string, secretFile: string | null) =>
    openMessenger({
      folder: join(folder, name),
      agent: 'treasury/test',
      allowPrivate: false,
      random,
      secretFile,
    });
  const { salt, secret, check } = await messenger('one', file).makeSecret();
  t.deepEqual(await messenger('other', file).secretsOf([{ salt, check }]), [secret]);
  t.deepEqual(await messenger('third', null).secretsOf([{ salt, check }]), [null]);
});
