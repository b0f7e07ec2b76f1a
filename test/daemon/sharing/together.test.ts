/** The real program: two daemons with homes of their own on one database. What one has begun holds at the other. */
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
import { alice } from '../../../fixtures/people.js';
import { signMessage } from '../../../src/bch/signed-message.js';
import { onPostgres } from '../../adapters/store/each-store.js';
import { makeTreasuryDatabase } from '../../postgres/database.js';

const BIN = fileURLToPath(new URL('../../../bin/treasury.js', import.meta.url));

type Json = Readonly<Record<string, unknown>>;
type Answer = { readonly status: number; readonly body: Json };
type Call = (path: string, body?: Json, headers?: Readonly<Record<string, string>>) => Promise<Answer>;

const openDaemons = async (
  t: ExecutionContext,
  ...flags: readonly string[]
): Promise<readonly [Call, Call]> => {
  const database = await makeTreasuryDatabase(t);
  const folder = mkdtempSync(join(tmpdir(), 'treasury-'));
  t.teardown(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  writeFileSync(join(folder, 'secret'), `${'ab'.repeat(32)}\n`);
  const { PATH, NODE_OPTIONS } = process.env;
  const envOf = (name: string) => ({
    PATH,
    NODE_OPTIONS,
    HOME: folder,
    NO_COLOR: '1',
    TREASURY_HOME: join(folder, name),
    TREASURY_DATABASE_URL: database,
    TREASURY_TOKEN_SECRET_FILE: join(folder, 'secret'),
    TREASURY_WEBHOOK_SECRET_FILE: join(folder, 'secret'),
  });
  execFileSync(process.execPath, [BIN, 'init', '--yes'], { env: envOf('one'), stdio: 'ignore' });
  // A copy: a home of its own has an embedded chain of its own.
  cpSync(join(folder, 'one'), join(folder, 'other'), { recursive: true });
  const open = async (name: string): Promise<Call> => {
    const words = [BIN, 'serve', '--port', '0', ...flags];
    const daemon = spawn(process.execPath, words, { env: envOf(name), stdio: ['ignore', 'ignore', 'pipe'] });
    t.teardown(() => daemon.kill('SIGKILL'));
    let url = '';
    for await (const line of createInterface({ input: daemon.stderr })) {
      url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0] ?? '';
      if (url !== '') break;
    }
    daemon.stderr.resume();
    return async (path, body, headers = {}) => {
      const response = await fetch(`${url}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as Json };
    };
  };
  return [await open('one'), await open('other')];
};

onPostgres(
  'daemons › a challenge, a token and an idempotency key of one › hold at the other, and once',
  async (t) => {
    const [one, other] = await openDaemons(t);
    const address = alice.address('local').text;

    const asked = await one('/api/auth/challenge', { address });
    const challenge = String(asked.body['challenge']);
    const proof = { address, challenge, signature: signMessage(challenge, alice.privateKey) };
    const exchanged = await Promise.all(
      [one, other, one, other].map((call) => call('/api/auth/token', proof)),
    );
    const given = exchanged.filter(({ status }) => status === 200);
    t.is(given.length, 1, JSON.stringify(exchanged));
    for (const { status, body } of exchanged) if (status !== 200) t.is(body['code'], 'challenge_used');

    // Whoever gave it: both take it, and of four requests with one key one campaign comes.
    const authorization = `Bearer ${String(given[0]?.body['accessToken'])}`;
    const terms = { title: 'Once', totalPool: '0.001', maxRewardAmount: '0.0005' };
    const headers = { authorization, 'idempotency-key': 'once' };
    const created = await Promise.all(
      [one, other, other, one].map((call) => call('/api/rewards/create', terms, headers)),
    );
    const made = created.filter(({ status }) => status === 200);
    t.true(made.length >= 1, JSON.stringify(created));
    for (const { status, body } of created) if (status !== 200) t.is(body['code'], 'idempotency_in_progress');
    for (const { body } of made) t.deepEqual(body, made[0]?.body);
    for (const call of [one, other]) {
      t.deepEqual((await call('/api/rewards/create', terms, headers)).body, made[0]?.body);
      const listed = await call(`/api/rewards?creator=${encodeURIComponent(address)}`);
      t.is(listed.body['total'], 1);
    }
  },
);

onPostgres('daemons › given a limit of requests a minute › it is one for both', async (t) => {
  const [one, other] = await openDaemons(t, '--rate-per-minute', '40');
  let answered = 0;
  for (let request = 0; request < 100; request += 1) {
    const { status, body } = await (request % 2 === 0 ? one : other)('/api/status/incidents');
    if (status === 200) answered += 1;
    else t.is(body['code'], 'too_many_requests');
  }
  t.true(answered <= 40 && answered >= 36, String(answered));
});
