/** What the documents say is true: their tables are fresh, and every command in them runs. */
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { join, resolve } from 'node:path';
import test from 'ava';
import { freshReadme } from '../scripts/readme-tables.js';
import { IS_LONG } from './at-length.js';
import { runInShell } from './cli/shell.js';

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

/** A process for every command; those of the products' READMEs only at length. */
const isInProcesses = (path: string): boolean => IS_LONG || path === 'README.md';

for (const path of ['README.md', ...products]) {
  test(`${path} › every command in it runs, in order, in one fresh home`, async (t) => {
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
    const commands = commandsOf(path);
    t.true(commands.length > 0, 'it shows at least one command');
    const script = [
      'set -euo pipefail',
      ...commands.map((command) => `echo ${quote(`$ ${command}`)} >&2\n${command}`),
    ];
    const surroundings = { cwd: folder, env };
    await t.notThrowsAsync(
      isInProcesses(path)
        ? run('bash', ['-c', script.join('\n')], surroundings)
        : runInShell(t, script.join('\n'), surroundings),
    );
  });
}

test('README.md › its tables are those of the program', async (t) => {
  const { current, fresh } = await freshReadme();
  t.true(current === fresh, 'a table has drifted: run `npm run docs`');
});
