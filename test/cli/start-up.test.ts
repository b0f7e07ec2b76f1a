/** What a command loads of the bundle that is shipped: a light one waits for nothing heavy. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';

const BIN = resolve('bin/treasury.js');

const { outputs } = JSON.parse(readFileSync('dist/meta.json', 'utf8')) as {
  outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }>;
};

/** The command line on a home of its own; each answers with the source files whose code was loaded. */
const openHome = (t: ExecutionContext) => {
  const folder = mkdtempSync(join(tmpdir(), 'treasury-'));
  t.teardown(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  let count = 0;
  return async (
    ...words: string[]
  ): Promise<{ readonly stdout: string; readonly sources: readonly string[] }> => {
    // V8 names every script that it has loaded when it is asked for their coverage.
    const coverage = join(folder, `coverage-${(count += 1)}`);
    const { PATH } = process.env;
    const env = { PATH, HOME: folder, TREASURY_HOME: join(folder, 'home'), NODE_V8_COVERAGE: coverage };
    const { stdout } = await promisify(execFile)(process.execPath, [BIN, ...words], { env });
    const urls = readdirSync(coverage).flatMap((file) =>
      (
        JSON.parse(readFileSync(join(coverage, file), 'utf8')) as { result: readonly { url: string }[] }
      ).result.map(({ url }) => url),
    );
    const chunks = urls
      .filter((url) => url.startsWith('file:'))
      .map((url) => relative(resolve('.'), fileURLToPath(url)));
    const sources = chunks.flatMap((chunk) =>
      Object.entries(outputs[chunk]?.inputs ?? {}).flatMap(([file, { bytesInOutput }]) =>
        bytesInOutput > 0 ? [file] : [],
      ),
    );
    return { stdout, sources: [...new Set(sources)] };
  };
};

const HEAVY =
  /libauth\/build\/lib\/(?:bin|crypto|vm|key)\/|\/(?:cashscript|@cashscript|inquirer|ora|jose|electrum-cash|ws|pino|polka)\/|^src\/adapters\/(?:electrum|electrum-server|local-chain|price-sources)\/|^src\/adapters\/keystore\/secrets|^src\/(?:daemon|http|demo)\//;
const PRODUCT = /^src\/products\/([^/]+)\//;

const heavyIn = (sources: readonly string[]): readonly string[] => sources.filter((file) => HEAVY.test(file));
const productsIn = (sources: readonly string[]): readonly string[] => [
  ...new Set(sources.flatMap((file) => PRODUCT.exec(file)?.[1] ?? [])),
];

test('start-up › given --help › neither a schema nor a product nor libauth is loaded', async (t) => {
  const { stdout, sources } = await openHome(t)('--help');
  t.regex(stdout, /streams/);
  t.true(sources.includes('src/cli/run.ts'), 'sources are told');
  t.deepEqual(heavyIn(sources), []);
  t.deepEqual(
    sources.filter((file) => /node_modules\/(?:zod|@bitauth)\//.test(file)),
    [],
  );
  t.deepEqual(productsIn(sources.filter((file) => !file.endsWith('/index.ts'))), []);
});

test('start-up › given reads without a covenant › no WebAssembly of libauth, no CashScript, no chain, no product', async (t) => {
  const treasury = openHome(t);
  // The first command sets the home up, and needs all of it.
  t.true(
    (await treasury('wallet', 'list')).sources.some((file) => file.startsWith('src/adapters/local-chain/')),
  );
  for (const words of [
    'wallet list --no-balances',
    'wallet show',
    'wallet address',
    'contacts list',
    'tokens list',
  ]) {
    const { sources } = await treasury(...words.split(' '));
    t.deepEqual(heavyIn(sources), [], words);
    t.deepEqual(
      sources.filter((file) => PRODUCT.test(file) && file !== 'src/products/index.ts'),
      [],
      words,
    );
    t.true(sources.includes('src/adapters/store/json-store.ts'), words);
  }
});

test('start-up › given a list of streams › products that have nothing to do with streams are not loaded', async (t) => {
  const treasury = openHome(t);
  await treasury('wallet', 'list');
  const { sources } = await treasury('streams', 'list');
  t.deepEqual([...productsIn(sources)].sort(), ['streams', 'vaults']);
  t.deepEqual(
    sources.filter((file) => /^src\/(?:daemon|http|demo)\/|\/(?:inquirer|jose|pino|polka)\//.test(file)),
    [],
  );
});
