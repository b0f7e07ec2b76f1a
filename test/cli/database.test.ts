/** `treasury database`, and a home whose records are on PostgreSQL, at the command line: the real program. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { makeDatabase, testServer } from '../postgres/server.js';

const BIN = resolve('bin/treasury.js');
const server = await testServer();
const onServer = 'missing' in server ? test.skip : test;
const serverUrl = 'missing' in server ? '' : server.url;

type Outcome = { readonly exit: number | null; readonly stdout: string; readonly stderr: string };

/** The program on a home of its own. */
const openProgram = (t: ExecutionContext) => {
  const folder = mkdtempSync(join(tmpdir(), 'treasury-'));
  t.teardown(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const { PATH } = process.env;
  const run = (words: readonly string[], more: Record<string, string> = {}): Promise<Outcome> =>
    new Promise((done) => {
      const env = { PATH, HOME: folder, TREASURY_HOME: join(folder, 'home'), NO_COLOR: '1', ...more };
      const child = execFile(
        process.execPath,
        [BIN, ...words],
        { cwd: folder, env },
        (_error, stdout, stderr) => {
          done({ exit: child.exitCode, stdout, stderr });
        },
      );
      child.stdin?.end();
    });
  return { folder, run };
};

onServer(
  'database › given a home with records › migrated, copied, checked, used and copied back',
  async (t) => {
    const url = await makeDatabase(t, serverUrl);
    const { folder, run } = openProgram(t);
    const done = async (words: string, more: Record<string, string> = {}): Promise<string> => {
      const { exit, stdout, stderr } = await run(words.split(' '), more);
      t.is(exit, 0, `${words}: ${stdout}${stderr}`);
      return stdout;
    };
    const on = { TREASURY_DATABASE_URL: url };
    await done('init --yes');
    await done('contacts add erin bchtest:qz5yl0ntjmcxpytr4zunvn6wfk55axpp0c7ps0uclu');
    t.is((await run(['database', 'status'], on)).exit, 5);
    const early = await run(['contacts', 'list'], on);
    t.is(early.exit, 5);
    t.regex(early.stderr, /treasury database migrate/);

    t.regex(await done('database migrate', on), /is of version 1 now/);
    t.regex(await done('database migrate', on), /already, and lacks nothing/);
    t.regex(await done('database status', on), /this program works with it/);
    t.regex(await done('database copy --from-home', on), /they are the same/);
    t.is((await run(['database', 'copy', '--from-home'], on)).exit, 5, 'not twice');
    t.regex(await done('database check', on), /all is well/);

    // A file that a secret manager mounts.
    const file = join(folder, 'url');
    writeFileSync(file, `${url}\n`);
    const byFile = { TREASURY_DATABASE_URL_FILE: file };
    t.regex(await done('contacts list', byFile), /erin/);
    await done('contacts add frank bchtest:qzfmwkvp4n229tkape38r3m35gxu54nm759hhcsgp8', byFile);
    t.regex(await done(`contacts list --database-url ${url}`), /frank/);
    t.notRegex(await done('contacts list'), /frank/);

    const back = { TREASURY_HOME: join(folder, 'back'), ...on };
    await done('database copy --to-home', back);
    t.regex(await done('contacts list', { TREASURY_HOME: join(folder, 'back') }), /frank/);
  },
);

onServer('database › given a second home with a chain of its own › it is refused, with exit 5', async (t) => {
  const url = await makeDatabase(t, serverUrl);
  const { folder, run } = openProgram(t);
  const file = join(folder, 'url');
  writeFileSync(file, url, { mode: 0o644 });
  const on = { TREASURY_DATABASE_URL_FILE: file };
  const other = { ...on, TREASURY_HOME: join(folder, 'other') };
  t.is((await run(['database', 'migrate'], on)).exit, 0);
  t.is((await run(['init', '--yes'], on)).exit, 0);
  for (const words of [
    ['rewards', 'list'],
    ['init', '--yes'],
    ['serve', '--port', '0'],
    ['chain', 'reset', '--yes'],
  ]) {
    const { exit, stderr } = await run(words, other);
    t.is(exit, 5, words.join(' '));
    t.regex(stderr, /are of another chain: block 0 is [0-9a-f]{64} there and [0-9a-f]{64} here/);
  }
  const synced = await run(['sync', '--all'], on);
  t.is(synced.exit, 0);
  t.notRegex(`${synced.stdout}${synced.stderr}`, /not a field/);
  const looked = await run(['doctor', '--quick'], on);
  t.regex(looked.stdout, /has mode 0644, and a\s+secret in it/, looked.stdout);
  const elsewhere = await run(['doctor', '--quick'], other);
  t.not(elsewhere.exit, 0);
  t.regex(elsewhere.stdout, /of another chain/);
});

onServer(
  'database › given a wrong password › it is said, without it, and nothing is tried again',
  async (t) => {
    const { run } = openProgram(t);
    const url = new URL(await makeDatabase(t, serverUrl));
    url.username = `nobody_${Math.random().toString(36).slice(2, 8)}`;
    url.password = 'hidden-word';
    const { exit, stdout, stderr } = await run(['contacts', 'list'], { TREASURY_DATABASE_URL: url.href });
    t.is(exit, 5, stderr);
    t.regex(stderr, /refuses this program/);
    t.false(`${stdout}${stderr}`.includes('hidden-word'));
  },
);

test('database › given one that does not answer › exit 7, and it may be tried again', async (t) => {
  const { run } = openProgram(t);
  const url = 'postgres://me:hidden-word@127.0.0.1:1/none';
  const { exit, stdout, stderr } = await run(['contacts', 'list'], { TREASURY_DATABASE_URL: url });
  t.is(exit, 7, stderr);
  t.regex(stderr, /postgres:\/\/127\.0\.0\.1:1\/none cannot be reached/);
  t.false(`${stdout}${stderr}`.includes('hidden-word'));
});

test('database › given none › it says which settings name one', async (t) => {
  const { exit, stderr } = await openProgram(t).run(['database', 'status']);
  t.is(exit, 2);
  t.regex(stderr, /--database-url/);
});

test('database URL › in settings › is not shown, and stands in no file', async (t) => {
  const { folder, run } = openProgram(t);
  const url = 'postgres://me:hidden-word@db.example.org/treasury';
  const on = { TREASURY_DATABASE_URL: url };
  for (const words of [
    ['config', 'list'],
    ['config', 'list', '--json'],
    ['config', 'get', 'databaseUrl'],
  ]) {
    const { exit, stdout, stderr } = await run(words, on);
    t.is(exit, 0, stderr);
    t.regex(stdout, /\(not shown\)/);
    t.false(`${stdout}${stderr}`.includes('hidden-word'));
  }
  const set = await run(['config', 'set', 'databaseUrl', url]);
  t.is(set.exit, 2);
  t.regex(set.stderr, /databaseUrlFile/);
  writeFileSync(join(folder, 'treasury.config.json'), JSON.stringify({ databaseUrl: url }));
  const read = await run(['contacts', 'list']);
  t.is(read.exit, 2);
  t.false(read.stderr.includes('hidden-word'));
  const wrong = await run(['contacts', 'list'], { TREASURY_DATABASE_URL: 'mysql://me:hidden-word@x/y' });
  t.is(wrong.exit, 2);
  t.false(wrong.stderr.includes('hidden-word'));
});
