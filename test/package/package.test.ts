/** The tarball: what is in it, and that it plays without anything else. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { install, makeFolder, pack } from './packed.js';

test('package › packed › fewer than 450 files, the page among them, without maps, declarations and TypeScript', (t) => {
  const { files } = pack(makeFolder(t));
  t.true(files.length < 450, `${files.length} files`);
  t.deepEqual(
    files.filter((file) => /\.(?:map|ts)$|meta\.json$/.test(file) && !file.startsWith('examples/')),
    [],
  );
  for (const file of [
    'bin/treasury.js',
    'dist/licences.txt',
    'dist/page/index.html',
    'dist/page/index.html.br',
    'LICENSE',
    'CHANGELOG.md',
    'deploy/Containerfile',
  ]) {
    t.true(files.includes(file), file);
  }
});

/** What a line of a man page may ask of its reader. Source: man(7). */
const MAN_REQUEST = /^\.(?:TH|SH|SS|TP|PP)(?: |$)/;

test('package › the man pages › the package names each, and nothing in them is taken for a request', (t) => {
  const { man } = JSON.parse(readFileSync('package.json', 'utf8')) as { man: readonly string[] };
  const pages = readdirSync('dist/man').map((name) => `dist/man/${name}`);
  t.deepEqual([...man], pages.sort());
  t.true(pages.includes('dist/man/treasury-streams.1'));
  for (const page of pages) {
    const lines = readFileSync(page, 'utf8').split('\n');
    const odd = lines.filter((line) => /^['.]/.test(line) && !MAN_REQUEST.test(line));
    t.deepEqual(odd, [], page);
    // What groff reads without being told of an encoding.
    t.deepEqual(
      lines.filter((line) => /[^\0-\x7f]/.test(line)),
      [],
      page,
    );
  }
  const streams = readFileSync('dist/man/treasury-streams.1', 'utf8');
  t.true(streams.includes('\\fB\\-\\-total\\-amount\\fR'), 'a flag can be copied');
  t.true(pack(makeFolder(t)).files.includes('dist/man/treasury.1'));
});

test('package › packed › every compiled contract that was ever published is in it', (t) => {
  const { files } = pack(makeFolder(t));
  const published = JSON.parse(readFileSync('contracts/artifacts/published.json', 'utf8')) as Record<
    string,
    Record<string, string>
  >;
  for (const contracts of Object.values(published)) {
    for (const [name, fingerprint] of Object.entries(contracts)) {
      const isNewest = !existsSync(`contracts/artifacts/published/${name}/${fingerprint}.json`);
      const file = isNewest ? `${name}.json` : `published/${name}/${fingerprint}.json`;
      t.true(files.includes(`contracts/artifacts/${file}`), file);
    }
  }
});

test('package › the licences that are shipped › name every package that is in the bundle, with its text', (t) => {
  const text = readFileSync('dist/licences.txt', 'utf8');
  const { outputs } = JSON.parse(readFileSync('dist/meta.json', 'utf8')) as {
    outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }>;
  };
  const folders = new Set(
    Object.values(outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).flatMap(([file, { bytesInOutput }]) =>
        bytesInOutput === 0 ? [] : (/^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? []),
      ),
    ),
  );
  t.true(['@bitauth/libauth', 'zod', 'cashscript'].every((name) => folders.has(`node_modules/${name}`)));
  for (const folder of folders) {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      name: string;
      version: string;
    };
    t.true(text.includes(`\n${name} ${version} (`), folder);
  }
  t.is([...folders].filter((folder) => folder.endsWith('@bitauth/libauth')).length, 1, 'one libauth');
  const entries = text.split(/^-{80}$/m);
  t.is(entries.length, folders.size);
  for (const entry of entries) t.regex(entry, /permission|licen[cs]e/i);
});

test('package › installed from the tarball in an empty folder › npx plays the whole demo', (t) => {
  const folder = makeFolder(t);
  install(pack(join(folder, 'tarball')).tarball, join(folder, 'empty'));
  const options = {
    cwd: join(folder, 'empty'),
    encoding: 'utf8' as const,
    env: { PATH: process.env['PATH'], HOME: folder, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'],
  };
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  t.is(execFileSync('npx', ['--no-install', 'treasury', '--version'], options), `${version}\n`);
  const [, found, all] =
    /(\d+) of (\d+) sums hold/.exec(execFileSync('npx', ['--no-install', 'treasury', 'demo'], options)) ?? [];
  t.truthy(all);
  t.is(found, all);
});
