/** `treasury serve` in a process of its own, whose authority lies under a passphrase that is not given the second time. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { alice, authority, bob } from '../../fixtures/people.js';
import { openLocalChain } from '../../src/adapters/local-chain/local-chain.js';
import { openApp } from '../../src/app.js';
import { sumSatoshis } from '../../src/bch/coins.js';
import { encodeWif } from '../../src/bch/keys.js';
import { clientOf, type Json } from '../acceptance/client.js';

const BIN = fileURLToPath(new URL('../../bin/treasury.js', import.meta.url));
const PASSPHRASE = 'correct horse battery staple';
const TICKET = 50_000n;

const systemSeconds = (): number => Math.floor(Date.now() / 1_000);
const lockOf = (person: typeof alice): string => person.address('local').lockingBytecode;

/** A home whose authority is under a passphrase, and which has coins for it and for alice. */
const makeHome = async (t: ExecutionContext): Promise<string> => {
  const home = mkdtempSync(join(tmpdir(), 'treasury-'));
  t.teardown(() => {
    rmSync(home, { recursive: true, force: true });
  });
  const { context, close } = await openApp({ home, network: 'local', wall: systemSeconds });
  const wif = encodeWif(authority.privateKey, 'local');
  await context.keys.import({ name: 'authority', passphrase: PASSPHRASE, wif, isAuthority: true });
  await context.localChain?.faucet(lockOf(authority), TICKET);
  for (let coin = 0; coin < 2; coin += 1) await context.localChain?.faucet(lockOf(alice), 20_000_000n);
  await close();
  return home;
};

/** The URL that a daemon says it serves at, and what it said before. */
const served = async (child: ChildProcess): Promise<{ readonly url: string; readonly said: string }> => {
  let said = '';
  for await (const chunk of child.stderr ?? []) {
    said += String(chunk);
    const url = /^Serving local at (\S+)$/m.exec(said)?.[1];
    if (url !== undefined) return { url, said };
  }
  throw new Error(`it ended: ${said}`);
};

const start = async (t: ExecutionContext, home: string, passphraseFile: string | null) => {
  const { PATH, NODE_OPTIONS } = process.env;
  const env = {
    PATH,
    NODE_OPTIONS,
    HOME: home,
    TREASURY_HOME: home,
    ...(passphraseFile === null ? {} : { TREASURY_PASSPHRASE_FILE: passphraseFile }),
  };
  const child = spawn(process.execPath, [BIN, 'serve', '--port', '0'], { cwd: home, env, stdio: 'pipe' });
  t.teardown(() => child.kill('SIGKILL'));
  return { child, ...(await served(child)) };
};

test('a daemon that is killed › given an authority that is locked after the restart › what was witnessed is withdrawn', async (t) => {
  const home = await makeHome(t);
  const passphraseFile = join(home, 'passphrase');
  writeFileSync(passphraseFile, PASSPHRASE, { mode: 0o600 });
  const naming = { address: alice.address('local').text };

  // A stream, and a pause of it that its sender keeps.
  const unlocked = await start(t, home, passphraseFile);
  const first = clientOf(unlocked.url);
  const now = systemSeconds() - 3_600;
  const terms = { streamType: 'LINEAR', totalAmount: 0.1, startTime: now, endTime: now + 86_400 };
  const recipient = bob.address('local').text;
  const created = await first.call('POST', '/api/streams/create', { ...terms, recipient }, naming);
  const path = `/api/streams/${String((created.body['stream'] as Json | undefined)?.['id'])}`;
  const funding = await first.call('GET', `${path}/funding-info`);
  const { txHash } = (await first.send(alice, funding.body['wcTransaction'])).body;
  t.like(await first.call('POST', `${path}/confirm-funding`, { txHash }), { status: 200 });
  const pause = await first.call('POST', `${path}/pause`, undefined, naming);
  t.is(pause.status, 200, JSON.stringify(pause.body));
  const ended = once(unlocked.child, 'exit');
  unlocked.child.kill('SIGKILL');
  await ended;

  // Started again without the passphrase, it has no key to sign with, and needs none.
  const locked = await start(t, home, null);
  t.regex(locked.said, /The authority key is locked/);
  const second = clientOf(locked.url);
  const chain = await openLocalChain({ folder: join(home, 'local'), now: systemSeconds });
  t.teardown(() => chain.close());
  const isWithdrawn = async () => sumSatoshis(await chain.coins(lockOf(authority))) < TICKET;
  for (let looks = 0; looks < 200 && !(await isWithdrawn()); looks += 1) await wait(50);
  t.true(await isWithdrawn());
  t.like(await second.send(alice, pause.body['wcTransaction']), {
    status: 409,
    body: { code: 'tx_conflict' },
  });
  t.like(await second.call('GET', path), { body: { stream: { status: 'ACTIVE' } } });
  t.like(await second.call('POST', `${path}/pause`, undefined, naming), {
    status: 503,
    body: { code: 'authority_locked' },
  });
});
