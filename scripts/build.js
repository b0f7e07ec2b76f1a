/**
 * Makes `dist`: the program and all that it imports, split where it imports dynamically, and the licences of what is in it.
 *
 * `npm run types` checks the types; nothing of them is shipped. Every file of `dist` lies one folder deep, as those of
 * `src` that look for the package's files do, so that `../../package.json` means the same in both.
 */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { buildPage } from './build-page.js';
import { writeManPages } from './man.js';

const DIST = 'dist';

/** Of the whole library only what is used: its one object, as a namespace, can be shaken. */
const zodInPieces = {
  name: 'zod in pieces',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      return {
        loader: 'ts',
        contents: text.replace("import { z } from 'zod';", "import * as z from 'zod';"),
      };
    });
  },
};

await rm(DIST, { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: {
    'cli/run': 'src/cli/run.ts',
    'complete/answer': 'src/cli/complete/answer.ts',
    'complete/describe': 'src/cli/complete/describe.ts',
  },
  outdir: DIST,
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  // What packages of the CommonJS kind find around them, and modules do not.
  define: { __filename: 'import.meta.filename', __dirname: 'import.meta.dirname' },
  metafile: true,
  plugins: [zodInPieces],
  logLevel: 'warning',
  // Natively faster, when somebody has installed them; `ws` does without.
  external: ['bufferutil', 'utf-8-validate'],
});

// The one place that asks for Node's own `require`, on behalf of packages of the CommonJS kind, is given one.
for (const file of Object.keys(metafile.outputs)) {
  const text = await readFile(file, 'utf8');
  if (!text.includes('typeof require<"u"?require')) continue;
  const given = "import{createRequire}from'node:module';const require=createRequire(import.meta.url);";
  await writeFile(file, `${given}${text}`);
}

/** The folder of the package that a file belongs to; null for the program's own. */
const packageOf = (file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? null;

const licenceOf = async (folder) => {
  const { name, version, license, author } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const file = (await readdir(folder)).find((one) => /^(?:licen[cs]e|copying)/i.test(one));
  const text =
    file === undefined
      ? `Licence: ${license} (${author?.name ?? author ?? 'its authors'})`
      : await readFile(join(folder, file), 'utf8');
  return `${name} ${version} (${license})\n\n${text.trim()}\n`;
};

const page = await buildPage();
const shipped = [metafile, page]
  .flatMap(({ outputs }) => Object.values(outputs))
  .flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
const folders = [...new Set(shipped.map(packageOf).filter((folder) => folder !== null))].sort();
const licences = await Promise.all(folders.map(licenceOf));
await writeFile(
  join(DIST, 'licences.txt'),
  `What this program contains of others, and under which licence.\n\n${licences.join(`\n${'-'.repeat(80)}\n\n`)}`,
);
// What is in each file, for the tests: it is not packed.
const outputs = { ...metafile.outputs, ...page.outputs };
await writeFile(join(DIST, 'meta.json'), JSON.stringify({ ...metafile, outputs }));

// What completion and the man pages are made of.
const { describeProgram } = await import('../dist/complete/describe.js');
await writeFile(join(DIST, 'commands.json'), JSON.stringify(await describeProgram()));
await writeManPages();
