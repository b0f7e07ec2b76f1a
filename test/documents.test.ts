/** What the documents say is true: their tables are fresh, and every command in them runs. */
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { readDocuments } from '../scripts/documents.js';
import { startElectrumServer } from '../src/adapters/electrum-server/electrum-server.js';
import { openLocalChain } from '../src/adapters/local-chain/local-chain.js';
import { IS_LONG } from './at-length.js';
import { runInShell } from './cli/shell.js';
import { openPhone } from './phone/open-phone.js';
import { makeDatabase, testServer } from './postgres/server.js';

const run = promisify(execFile);
const BIN = resolve('bin/treasury.js');

/** Set-up that `npm test` itself is part of; a fresh clone runs it. */
const isSetUp = (command: string): boolean => command.startsWith('npm ');

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const commandsOf = (path: string): string[] =>
  [...readFileSync(path, 'utf8').matchAll(/```console\n([\s\S]*?)```/g)]
    .flatMap(([, block = '']) => block.split('\n'))
    .filter((line) => line.startsWith('$ '))
    .map((line) => line.slice(2))
    .filter((command) => !isSetUp(command));

const products = readdirSync('src/products', { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => `src/products/${name}/README.md`);

const documents = readdirSync('docs', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);

const pages = [
  'README.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'contracts/README.md',
  'bench/README.md',
  'test/contracts/models/README.md',
  ...documents,
  ...products,
];

/** Documents in which there is something to type. */
const typed = ['README.md', ...documents, ...products].filter((path) => commandsOf(path).length > 0);

/** The database that the guide names: here it is one of the test's own. */
const DATABASE = 'postgres://treasury@localhost:5432/treasury';
const PAGE_OF_DATABASE = 'docs/guides/postgresql.md';
/** The guide of wallets on phones: here a program is the phone, and scans what it is shown. */
const PAGE_OF_PHONE = 'docs/guides/phone-wallets.md';
/** The guide of the way out: its server and its script are those of the test. */
const PAGE_OF_EXIT = 'docs/guides/without-the-service.md';
const SERVER_OF_EXIT = 'tcp://127.0.0.1:50001';
const EXIT = `${process.execPath} ${fileURLToPath(new URL('../examples/exit.js', import.meta.url))}`;
const server = await testServer();

/** Why a page's commands cannot run here; null: they can. */
const whyNot = (path: string): string | null =>
  path === PAGE_OF_DATABASE && 'missing' in server ? server.missing : null;

/** The embedded chain of a home, served. */
const serveHome = async (t: ExecutionContext, home: string): Promise<string> => {
  const now = () => Math.floor(Date.now() / 1_000);
  const chain = await openLocalChain({ folder: join(home, 'local'), now });
  const served = await startElectrumServer({ chain, tcpPort: 0 });
  t.teardown(async () => {
    await served.stop();
    await chain.close();
  });
  return served.tcpUrl ?? '';
};

/** The commands of a page, as they run here. */
const commandsToRun = async (t: ExecutionContext, path: string, home: string): Promise<readonly string[]> => {
  const commands = commandsOf(path);
  if (path === PAGE_OF_EXIT) {
    const url = await serveHome(t, home);
    return commands.map((command) =>
      command.replaceAll('node examples/exit.ts', EXIT).replaceAll(SERVER_OF_EXIT, url),
    );
  }
  if (path !== PAGE_OF_DATABASE || 'missing' in server) return commands;
  const url = await makeDatabase(t, server.url);
  return commands.map((command) => command.replaceAll(DATABASE, url));
};

/** A process for every command; those of the guides and the products' READMEs only at length. */
const isInProcesses = (path: string): boolean => (IS_LONG || path === 'README.md') && path !== PAGE_OF_PHONE;

/** What a page needs beside a home. */
const besides = async (t: ExecutionContext, path: string) => {
  if (path !== PAGE_OF_PHONE) return { env: {} };
  const { relay, nostr, phone } = await openPhone(t, '0c'.repeat(16));
  return {
    env: { TREASURY_WALLETCONNECT_RELAY_URL: relay.url, TREASURY_WIZARDCONNECT_RELAY_URL: nostr.url },
    onOutput: (text: string): void => {
      const [uri] = /(?:wc:|wiz:)\S+/.exec(text) ?? [];
      if (uri !== undefined) void phone.do('scan', uri);
    },
  };
};

for (const path of typed) {
  const title = `${path} › every command in it runs, in order, in one fresh home`;
  const reason = whyNot(path);
  if (reason !== null) {
    test.skip(`${title} (skipped: ${reason})`, () => undefined);
    continue;
  }
  test(title, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'treasury-readme-'));
    t.teardown(() => {
      rmSync(folder, { recursive: true, force: true });
    });
    chmodSync(BIN, 0o755);
    symlinkSync(BIN, join(folder, 'treasury'));
    const env = {
      ...process.env,
      PATH: `${folder}:${process.env['PATH'] ?? ''}`,
      TREASURY_HOME: join(folder, 'home'),
      NO_COLOR: '1',
    };
    const commands = await commandsToRun(t, path, join(folder, 'home'));
    t.true(commands.length > 0, 'it shows at least one command');
    const script = [
      'set -euo pipefail',
      ...commands.map((command) => `echo ${quote(`$ ${command}`)} >&2\n${command}`),
    ];
    const { env: own, ...more } = await besides(t, path);
    const surroundings = { cwd: folder, env: { ...env, ...own }, ...more };
    await t.notThrowsAsync(
      isInProcesses(path)
        ? run('bash', ['-c', script.join('\n')], surroundings)
        : runInShell(t, script.join('\n'), surroundings),
    );
  });
}

test('README.md › it has at most 200 lines', (t) => {
  t.true(readFileSync('README.md', 'utf8').split('\n').length <= 200);
});

test('documents › every guide shows commands', (t) => {
  const guides = documents.filter((path) => path.startsWith('docs/guides/'));
  t.true(guides.length > 0);
  t.deepEqual(
    guides.filter((path) => !typed.includes(path)),
    [],
  );
});

test('documents › their tables and the picture are those of the program', async (t) => {
  const drifted = (await readDocuments()).filter(({ current, fresh }) => current !== fresh);
  t.deepEqual(
    drifted.map(({ path }) => path),
    [],
    'run `npm run docs`',
  );
});

/** What a heading is called in a link: as GitHub names it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

const anchorsOf = (path: string): readonly string[] =>
  [...readFileSync(path, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));

/** What is wrong with the links of a page that stay within the project. */
const brokenLinks = (path: string): string[] => {
  const text = readFileSync(path, 'utf8').replace(/```[\s\S]*?```/g, '');
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path : join(dirname(path), file);
      if (!existsSync(target)) return true;
      return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor);
    })
    .map((link) => `${path}: ${link}`);
};

test('documents › every link within the project leads somewhere', (t) => {
  t.deepEqual(pages.flatMap(brokenLinks), []);
});

test('documents › every source that the code names in the project is there', (t) => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const named = files.flatMap((name) =>
    [...readFileSync(join('src', name), 'utf8').matchAll(/\b(?:docs|contracts)\/[\w./-]+\.(?:md|cash)/g)].map(
      ([path]) => path,
    ),
  );
  t.true(named.length > 40);
  t.deepEqual(
    [...new Set(named)].filter((path) => !existsSync(path)),
    [],
  );
});
