/**
 * The packages that nearly every test loads, each as one file in `build/node_modules` with what the checkout uses of it:
 * hundreds of files would be found, read and compiled by every process of the tests otherwise. Node looks there first for
 * what stands in `build/`. They share what they have in common, so that there is one libauth.
 */
import { build, version } from 'esbuild';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PLACE = join(ROOT, 'build', 'node_modules');
const PACKAGES = ['@bitauth/libauth', 'cashscript', 'fast-check', 'jose', 'zod'];
/** A static import as esbuild writes it: what is taken, and of which package. */
const IMPORT = /^(?:import|export) ([^"';]+) from "([^".][^"]*)";/gm;
/** Whatever else decides what the bundles are. */
const MAKER = [version, fileURLToPath(import.meta.url), join(ROOT, 'package-lock.json')]
  .map((given) => (existsSync(given) ? readFileSync(given, 'utf8') : given))
  .join('\n');

/** What a clause like `fc, { a, b as c }` takes. */
const namesIn = (clause) => {
  const [, before, inBraces = ''] = /^([^{]*)(?:\{([^}]*)\})?$/s.exec(clause) ?? [];
  if (before === undefined || before.includes('*'))
    throw new Error(`"${clause}" cannot be bundled: name what is imported`);
  const named = inBraces.split(',').map((part) => part.trim().split(' as ')[0]);
  return [...(before.trim() === '' ? [] : ['default']), ...named].filter((name) => name !== '');
};

/** What the checkout takes of each package, in the order of the alphabet. */
const takenOf = async (files) => {
  const taken = new Map(PACKAGES.map((name) => [name, new Set()]));
  for (const text of await Promise.all(files.map((file) => readFile(file, 'utf8'))))
    for (const [, clause, name] of text.matchAll(IMPORT))
      for (const one of taken.has(name) ? namesIn(clause) : []) taken.get(name).add(one);
  return new Map([...taken].map(([name, names]) => [name, [...names].sort()]));
};

/** An entry that hands on what is taken, and lets the rest be shaken off. */
const entries = (taken) => ({
  name: 'what is taken',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^taken:/ }, ({ path }) => ({
      path: path.slice('taken:'.length),
      namespace: 'taken',
    }));
    onLoad({ filter: /.*/, namespace: 'taken' }, ({ path }) => ({
      resolveDir: ROOT,
      contents: `export { ${taken.get(path).join(', ')} } from '${path}';`,
    }));
  },
});

/** Writes a file whole or not at all: another run may be reading it. */
const writeWhole = async (file, contents) => {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(`${file}.${process.pid}`, contents);
  await rename(`${file}.${process.pid}`, file);
};

/** Brings the bundles up to date with the compiled files of the checkout. */
export const bundlePackages = async (files) => {
  const taken = await takenOf(files);
  const stamp = createHash('sha256')
    .update(JSON.stringify([...taken]))
    .update(MAKER)
    .digest('hex');
  const stampFile = join(PLACE, '.stamp');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: Object.fromEntries(PACKAGES.map((name) => [`${name}/index`, `taken:${name}`])),
    plugins: [entries(taken)],
    outdir: PLACE,
    chunkNames: '.shared/[name]-[hash]',
    bundle: true,
    splitting: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['node'],
    keepNames: true,
    legalComments: 'none',
    // What packages of the CommonJS kind find around them, and modules do not.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    external: ['bufferutil', 'utf-8-validate'],
    logLevel: 'warning',
  });
  // What is shared first: an entry is written when all that it names is there.
  const isShared = ({ path }) => path.includes('/.shared/');
  for (const group of [outputFiles.filter(isShared), outputFiles.filter((file) => !isShared(file))])
    await Promise.all(group.map(({ path, contents }) => writeWhole(path, contents)));
  const description = JSON.stringify({ type: 'module', exports: './index.js' });
  await Promise.all(PACKAGES.map((name) => writeWhole(join(PLACE, name, 'package.json'), description)));
  await writeWhole(stampFile, stamp);
};
