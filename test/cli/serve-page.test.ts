/** The page of the real program: where it is served, and what commands say of it meanwhile. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { serveProgram, type Served } from '../served.js';

/** The checkout itself, no picture of it: what is copied of it are files, no links. */
const ROOT = resolve('.');

type Said = { readonly exit: number | null; readonly stdout: string; readonly stderr: string };
type Environment = Readonly<Record<string, string>>;

type Program = {
  readonly home: string;
  readonly run: (words: readonly string[], env?: Environment) => Promise<Said>;
  /** Serves, until the test ends: its URL, and all that it has said by then. */
  readonly serve: (words?: readonly string[], env?: Environment) => Promise<Served>;
};

const folderFor = (t: ExecutionContext): string => {
  const folder = mkdtempSync(join(tmpdir(), 'treasury-'));
  t.teardown(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
};

/** The program on a fresh home. */
const openProgram = (t: ExecutionContext, root = ROOT): Program => {
  const home = folderFor(t);
  const bin = join(root, 'bin/treasury.js');
  const { PATH = '', NODE_OPTIONS = '' } = process.env;
  const env = { PATH, NODE_OPTIONS, HOME: home, TREASURY_HOME: join(home, 'data') };
  return {
    home,
    run: (words, more = {}) =>
      new Promise((resolve) => {
        const options = { cwd: home, env: { ...env, ...more } };
        const child = execFile(process.execPath, [bin, ...words], options, (_error, stdout, stderr) => {
          resolve({ exit: child.exitCode, stdout, stderr });
        });
        child.stdin?.end();
      }),
    serve: (words = [], more = {}) => serveProgram(t, { bin, cwd: home, env: { ...env, ...more } }, words),
  };
};

const stopped = async ({ child }: Served, signal: NodeJS.Signals): Promise<number | null> => {
  const exited = once(child, 'exit') as Promise<[number | null]>;
  child.kill(signal);
  return (await exited)[0];
};

const statusOf = async (url: string): Promise<number> => (await fetch(url)).status;

test('serve › on loopback › the page is served, and said', async (t) => {
  const served = await openProgram(t).serve();
  t.is(await statusOf(`${served.url}/app/`), 200);
  t.regex(served.said(), new RegExp(`^Its page: ${served.url}/app/$`, 'm'));
});

test('serve › beyond loopback › no page unless it is asked for', async (t) => {
  const { serve } = openProgram(t);
  const closed = await serve(['--host', '0.0.0.0']);
  t.is(await statusOf(`${closed.url}/app/`), 404);
  t.notRegex(closed.said(), /Its page/);
  const asked = await serve(['--host', '0.0.0.0', '--page']);
  t.is(await statusOf(`${asked.url}/app/`), 200);
  const set = await serve(['--host', '0.0.0.0'], {
    TREASURY_PAGE: 'true',
    TREASURY_PAGE_URL: 'https://t.example',
  });
  t.is(await statusOf(`${set.url}/app/`), 200);
  t.regex(set.said(), /^Its page: https:\/\/t\.example\/app\/$/m);
});

test('serve › the page is turned off on loopback › there is none', async (t) => {
  const { serve, home } = openProgram(t);
  const { url, said } = await serve([], { TREASURY_PAGE: 'false' });
  t.is(await statusOf(`${url}/app/`), 404);
  t.notRegex(said(), /Its page/);
  t.false(existsSync(join(home, 'data/local/served-page.json')));
});

test('serve › a program that was built without its page › says so, and serves without it', async (t) => {
  const root = folderFor(t);
  cpSync(join(ROOT, 'dist'), join(root, 'dist'), { recursive: true });
  for (const name of ['package.json', 'contracts']) symlinkSync(join(ROOT, name), join(root, name));
  cpSync(join(ROOT, 'bin'), join(root, 'bin'), { recursive: true });
  rmSync(join(root, 'dist/page'), { recursive: true });
  const { run, serve } = openProgram(t, root);
  const { exit, stderr } = await run(['serve', '--port', '0']);
  t.is(exit, 2);
  t.regex(stderr, /The setting page .*expected false: this installation has no page to serve/);
  t.is(await statusOf(`${(await serve([], { TREASURY_PAGE: 'false' })).url}/api/health`), 200);
});

const CREATE = ['rewards', 'create', '--title', 'T', '--total-pool', '1', '--max-reward-amount', '1'];

test('commands › while a daemon of the home serves the page › they link to it, and not once it has ended', async (t) => {
  const { run, serve, home } = openProgram(t);
  const created = await run(CREATE);
  t.is(created.exit, 0, created.stderr);
  const show = async () =>
    JSON.parse((await run(['rewards', 'show', 'REWARD-0001', '--json'])).stdout) as { pageUrl?: string };
  t.is((await show()).pageUrl, undefined);

  const first = await serve();
  t.is((await show()).pageUrl, `${first.url}/app/rewards/REWARD-0001`);
  t.is(await statusOf((await show()).pageUrl ?? ''), 200);
  const drawn = await run(['rewards', 'show', 'REWARD-0001', '--qr']);
  t.true(drawn.stdout.includes(`Page  ${first.url}/app/rewards/REWARD-0001\n`), drawn.stdout);
  t.regex(drawn.stdout, /[▀▄█]{10}/);
  t.is(await stopped(first, 'SIGTERM'), 0);
  t.false(existsSync(join(home, 'data/local/served-page.json')));
  t.is((await show()).pageUrl, undefined);

  const second = await serve();
  t.is((await show()).pageUrl, `${second.url}/app/rewards/REWARD-0001`);
  await stopped(second, 'SIGKILL');
  t.true(existsSync(join(home, 'data/local/served-page.json')));
  t.is((await show()).pageUrl, undefined);
});

test('commands › a daemon that others reach › they link to nothing but what the settings name', async (t) => {
  const { run, serve } = openProgram(t);
  await run(CREATE);
  await serve(['--host', '0.0.0.0', '--page']);
  const show = async (env?: Environment) =>
    JSON.parse((await run(['rewards', 'show', 'REWARD-0001', '--json'], env)).stdout) as { pageUrl?: string };
  t.is((await show()).pageUrl, undefined);
  const named = await show({ TREASURY_PAGE_URL: 'https://treasury.example.org/' });
  t.is(named.pageUrl, 'https://treasury.example.org/app/rewards/REWARD-0001');
  const { exit, stderr } = await run(['rewards', 'show', 'REWARD-0001'], {
    TREASURY_PAGE_URL: 'https://treasury.example.org/app',
  });
  t.is(exit, 2);
  t.regex(stderr, /TREASURY_PAGE_URL.*such as https:\/\/treasury\.example\.org, or none/s);
});
