/**
 * Keeps `build/` a picture of the checkout in JavaScript, for tests, scripts and benchmarks to run. What has not changed
 * since is not compiled again; types are not looked at (`npm run types`).
 *
 * TypeScript becomes JavaScript of the same name, other files beside it are copied, and everything else of the checkout
 * is linked, so that a path that is written relative to a file leads to the same place from both.
 */
import { transform, version } from 'esbuild';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundlePackages } from './bundle-packages.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BUILD = join(ROOT, 'build');
const COMPILED = ['src', 'test', 'scripts', 'bench', 'fixtures', 'examples'];
const APART = ['node_modules', 'build', 'package-lock.json'];
/** Whatever decides how a file is compiled: when it changes, all are compiled again. */
const STAMP = `${version} ${readFileSync(fileURLToPath(import.meta.url), 'utf8')}`;

/** The files below a folder, as paths from the checkout's root. */
const filesOf = async (root, folder) =>
  existsSync(join(root, folder))
    ? (await readdir(join(root, folder), { withFileTypes: true, recursive: true }))
        .filter((entry) => !entry.isDirectory())
        .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    : [];

const targetOf = (file) => file.replace(/\.ts$/, '.js');

/** Writes one file's picture, whole or not at all: another run may be reading it. */
const picture = async (file) => {
  const source = join(ROOT, file);
  const target = join(BUILD, targetOf(file));
  const { mtime, mtimeMs } = await stat(source);
  const before = await stat(target).catch(() => null);
  // A tenth of a second: not every file system keeps all of a date.
  if (before !== null && Math.abs(before.mtimeMs - mtimeMs) < 100) return;
  const unfinished = `${target}.${process.pid}`;
  await mkdir(dirname(target), { recursive: true });
  if (file.endsWith('.ts')) {
    const { code } = await transform(readFileSync(source, 'utf8'), {
      loader: 'ts',
      format: 'esm',
      target: 'node20',
      sourcefile: source,
      sourcemap: 'inline',
      sourcesContent: false,
    });
    await writeFile(unfinished, code);
  } else await copyFile(source, unfinished);
  await utimes(unfinished, mtime, mtime);
  await rename(unfinished, target);
};

/** Links what is not compiled, and unlinks what has gone. */
const linkRest = async () => {
  const rest = (await readdir(ROOT)).filter(
    (name) => !name.startsWith('.') && ![...COMPILED, ...APART].includes(name),
  );
  for (const name of rest) {
    try {
      symlinkSync(join('..', name), join(BUILD, name));
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
  }
};

/** Brings `build/` up to date. */
export const compile = async () => {
  const stamp = join(BUILD, '.stamp');
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== STAMP)
    await rm(BUILD, { recursive: true, force: true });
  await mkdir(BUILD, { recursive: true });
  await linkRest();
  const compiled = [];
  for (const folder of COMPILED) {
    const files = await filesOf(ROOT, folder);
    const targets = new Set(files.map(targetOf));
    await Promise.all(files.map(picture));
    const gone = (await filesOf(BUILD, folder)).filter((file) => !targets.has(file) && !/\.\d+$/.test(file));
    await Promise.all(gone.map((file) => rm(join(BUILD, file), { force: true })));
    compiled.push(...[...targets].filter((file) => file.endsWith('.js')).map((file) => join(BUILD, file)));
  }
  await bundlePackages(compiled);
  await writeFile(stamp, STAMP);
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await compile();
  // With a file and arguments after it: that file, compiled, is what runs.
  const [, , file, ...args] = process.argv;
  if (file !== undefined) {
    const target = join(BUILD, targetOf(relative(ROOT, resolve(file))));
    process.argv = [process.execPath, target, ...args];
    await import(target);
  }
}
