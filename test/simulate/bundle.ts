/**
 * Makes a bundle of the simulator and of the program that it plays, in `build/simulate`. With a mutant, the program is
 * changed on the way.
 */
import { readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { build, type Plugin } from 'esbuild';

/** One text of one file that a mutant replaces. */
export type Change = { readonly file: string; readonly from: string; readonly to: string };

/** @throws Error when a file does not have its text just once: the mutant is out of date */
const changing = (root: string, changes: readonly Change[]): Plugin => ({
  name: 'a mutant',
  setup: (building) => {
    building.onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
      const own = changes.filter(({ file }) => relative(root, path) === file);
      if (own.length === 0) return undefined;
      let contents = await readFile(path, 'utf8');
      for (const { file, from, to } of own) {
        if (contents.split(from).length !== 2)
          throw new Error(`${file} does not have this just once: ${from}`);
        contents = contents.replace(from, () => to);
      }
      return { loader: 'ts', contents };
    });
  },
});

/**
 * Bundles, and returns the path of the program.
 *
 * @param root - of the checkout
 * @param name - of the bundle's folder
 * @throws Error when a change is not of what is bundled
 */
export const bundleSimulator = async (
  root: string,
  name = 'plain',
  changes: readonly Change[] = [],
): Promise<string> => {
  const outdir = join(root, 'build', 'simulate', name);
  await rm(outdir, { recursive: true, force: true });
  const { metafile } = await build({
    entryPoints: [join(root, 'test/simulate/main.ts')],
    absWorkingDir: root,
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    keepNames: true,
    sourcemap: 'inline',
    sourcesContent: false,
    metafile: true,
    define: { __filename: 'import.meta.filename', __dirname: 'import.meta.dirname' },
    banner: {
      js: "import{createRequire as requireOf}from'node:module';const require=requireOf(import.meta.url);",
    },
    plugins: [changing(root, changes)],
    logLevel: 'warning',
    external: ['bufferutil', 'utf-8-validate'],
  });
  const absent = changes.find(({ file }) => metafile.inputs[file] === undefined);
  if (absent !== undefined) throw new Error(`${absent.file} is not part of what is simulated`);
  return join(outdir, 'main.mjs');
};
