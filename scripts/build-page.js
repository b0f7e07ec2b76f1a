/**
 * Makes `dist/page`: the page that the daemon serves, its files under names with their hashes, each also as brotli, and the list
 * of them. What it weighs is held against a limit.
 */
import { build } from 'esbuild';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { brotliCompressSync } from 'node:zlib';

const OUT = 'dist/page';
const DOCUMENT = 'index.html';
/** Bytes, as they are sent, of what one visit to one address can come to load. */
const LIMIT = 60 * 1024;
const PAGES = 'src/page/pages/';
const PROTOCOL = /\/(?:walletconnect|wizardconnect)\.ts$/;

/** The files that a file cannot do without, itself among them. */
const neededBy = (outputs, path, found = new Set()) => {
  if (found.has(path)) return found;
  found.add(path);
  const { imports, cssBundle } = outputs[path];
  for (const { path: other, kind } of imports)
    if (kind === 'import-statement') neededBy(outputs, other, found);
  return cssBundle === undefined ? found : found.add(cssBundle);
};

/**
 * The most that a visit loads: the document, what it names, one page, everything that is loaded when somebody connects and signs, and
 * one of the protocols of wallets.
 *
 * @param sizeOf bytes of a file as it is sent
 */
export const heaviestVisit = (outputs, sizeOf) => {
  const entries = Object.entries(outputs).filter(([, { entryPoint }]) => entryPoint !== undefined);
  const isKind = {
    page: (entry) => entry.startsWith(PAGES),
    protocol: (entry) => PROTOCOL.test(entry),
  };
  const of = (kind) => entries.filter(([, { entryPoint }]) => isKind[kind](entryPoint)).map(([path]) => path);
  const [pages, protocols] = [of('page'), of('protocol')];
  const always = entries.map(([path]) => path).filter((path) => ![...pages, ...protocols].includes(path));
  const visits = pages.flatMap((page) =>
    protocols.map((protocol) => {
      const files = new Set([...always, page, protocol].flatMap((path) => [...neededBy(outputs, path)]));
      return {
        page: outputs[page].entryPoint,
        sent: [...files].reduce((sum, path) => sum + sizeOf(path), 0),
      };
    }),
  );
  return visits.toSorted((one, other) => other.sent - one.sent)[0];
};

const MAIN = 'src/page/main.ts';

/**
 * How sources are read: templates say the same without the line breaks and blanks that they are written with. What several pages need is
 * named by each of them and by the first file, so that it is one file: many small ones cannot be packed as well.
 *
 * @param shared paths of what stands in that file
 */
const readSources = (shared) => ({
  name: 'read sources',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]src[\\/]page[\\/].*\.ts$/ }, async ({ path }) => {
      const text = (await readFile(path, 'utf8')).replace(/\n\s+/g, '\n');
      const name = relative(process.cwd(), path);
      const isEntry = name === MAIN || shared.entries.includes(name);
      const named = isEntry ? shared.files.map((file) => `import ${JSON.stringify(resolve(file))};`) : [];
      return { loader: 'ts', contents: [...named, text].join('\n') };
    });
  },
});

/** What esbuild makes of the page. */
const bundle = (shared, more = {}) =>
  build({
    entryPoints: { main: MAIN, style: 'src/page/style.css' },
    outdir: OUT,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: ['es2022'],
    charset: 'utf8',
    minify: true,
    legalComments: 'none',
    metafile: true,
    plugins: [readSources(shared)],
    logLevel: 'warning',
    ...more,
  });

/** What several of the first file and the pages need, and the pages. */
const findShared = async () => {
  const { metafile } = await bundle({ entries: [], files: [] }, { write: false });
  const entries = Object.values(metafile.outputs)
    .map(({ entryPoint = '' }) => entryPoint)
    .filter((entry) => entry.startsWith(PAGES));
  const counts = new Map();
  for (const [path, { entryPoint }] of Object.entries(metafile.outputs)) {
    if (entryPoint !== MAIN && !entries.includes(entryPoint)) continue;
    for (const needed of neededBy(metafile.outputs, path))
      for (const file of Object.keys(metafile.outputs[needed].inputs))
        if (file.startsWith('src/page/') && file.endsWith('.ts'))
          counts.set(file, (counts.get(file) ?? 0) + 1);
  }
  const files = [...counts].filter(([file, count]) => count > 1 && ![MAIN, ...entries].includes(file));
  return { entries, files: files.map(([file]) => file).toSorted() };
};

/** Builds the page. @returns what esbuild says of it */
export const buildPage = async () => {
  const { metafile } = await bundle(await findShared());
  const files = Object.keys(metafile.outputs).map((path) => basename(path));
  const nameOf = (pattern) => files.find((name) => pattern.test(name));
  const main = nameOf(/^main-.*\.js$/);
  // What the first file needs is asked for together with it.
  const preloads = [...neededBy(metafile.outputs, join(OUT, main))]
    .map((path) => basename(path))
    .filter((name) => name !== main && name.endsWith('.js'))
    .map((name) => `<link rel="modulepreload" href="/app/${name}" />\n    `);
  const document = (await readFile('src/page/index.html', 'utf8'))
    .replace('STYLE', `/app/${nameOf(/^style-.*\.css$/)}`)
    .replace('<script', `${preloads.join('')}<script`)
    .replace('MAIN', `/app/${main}`);
  await mkdir(OUT, { recursive: true });
  await writeFile(join(OUT, DOCUMENT), document);
  const sizes = new Map();
  for (const name of [...files, DOCUMENT]) {
    const packed = brotliCompressSync(await readFile(join(OUT, name)));
    sizes.set(name, packed.length);
    await writeFile(join(OUT, `${name}.br`), packed);
  }
  await writeFile(join(OUT, 'files.json'), JSON.stringify(files));
  const { page, sent } = heaviestVisit(metafile.outputs, (path) => sizes.get(basename(path)));
  const whole = sent + sizes.get(DOCUMENT);
  if (whole > LIMIT)
    throw new Error(`A visit to ${page} loads ${whole} bytes compressed; it may be ${LIMIT}.`);
  return metafile;
};
