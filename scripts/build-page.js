/**
 * Makes `dist/page`: the page that the daemon serves, its files under names with their hashes, each also as brotli, and the list
 * of them. What it weighs is held against a limit.
 */
import { build } from 'esbuild';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';

const OUT = 'dist/page';
/** Bytes, as they are sent, of what one visitor can come to load: everything, with one of the two protocols of wallets. */
const LIMIT = 60 * 1024;
const PROTOCOLS = /^(?:walletconnect|wizardconnect)-.*\.js$/;

/** Templates say the same without the line breaks and blanks that they are written with; code does too. */
const withoutIndents = {
  name: 'without indents',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]src[\\/]page[\\/].*\.ts$/ }, async ({ path }) => ({
      loader: 'ts',
      contents: (await readFile(path, 'utf8')).replace(/\n\s+/g, '\n'),
    }));
  },
};

/** Builds the page. @returns what esbuild says of it */
export const buildPage = async () => {
  const { metafile } = await build({
    entryPoints: { main: 'src/page/main.ts', style: 'src/page/style.css' },
    outdir: OUT,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: ['es2022'],
    minify: true,
    legalComments: 'none',
    metafile: true,
    plugins: [withoutIndents],
    logLevel: 'warning',
  });
  const files = Object.keys(metafile.outputs).map((path) => basename(path));
  const nameOf = (pattern) => files.find((name) => pattern.test(name));
  const document = (await readFile('src/page/index.html', 'utf8'))
    .replace('STYLE', `/app/${nameOf(/^style-.*\.css$/)}`)
    .replace('MAIN', `/app/${nameOf(/^main-.*\.js$/)}`);
  await mkdir(OUT, { recursive: true });
  await writeFile(join(OUT, 'index.html'), document);
  let sent = 0;
  const protocols = [];
  for (const name of [...files, 'index.html']) {
    const packed = brotliCompressSync(await readFile(join(OUT, name)));
    if (PROTOCOLS.test(name)) protocols.push(packed.length);
    else sent += packed.length;
    await writeFile(join(OUT, `${name}.br`), packed);
  }
  await writeFile(join(OUT, 'files.json'), JSON.stringify(files));
  sent += Math.max(0, ...protocols);
  if (sent > LIMIT) throw new Error(`The page is ${sent} bytes compressed; it may be ${LIMIT}.`);
  return metafile;
};
