/**
 * Compiles `contracts/**\/*.cash` into `contracts/artifacts/<name>.json`.
 *
 * With `--check` it writes nothing and fails when an artifact is missing, differs or belongs to no source.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileString } from 'cashc';

const contracts = fileURLToPath(new URL('../contracts/', import.meta.url));
const artifacts = path.join(contracts, 'artifacts');

/** The artifact of a source as text that is the same for the same source: `updatedAt` is left out. */
export const compileArtifact = (source: string): string => {
  const { contractName, constructorInputs, abi, bytecode, debug, compiler } = compileString(source);
  const artifact = { contractName, constructorInputs, abi, bytecode, source, debug, compiler };
  return `${JSON.stringify(artifact, null, 2)}\n`;
};

/** Every source's path under `contracts/`, by the name of its artifact's file. */
export const findSources = (): ReadonlyMap<string, string> =>
  new Map(
    fs
      .readdirSync(contracts, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.cash'))
      .sort()
      .map((file) => [`${path.basename(file, '.cash')}.json`, path.join(contracts, file)]),
  );

const compileAll = (): ReadonlyMap<string, string> =>
  new Map([...findSources()].map(([name, file]) => [name, compileArtifact(fs.readFileSync(file, 'utf8'))]));

const listArtifacts = (): string[] => (fs.existsSync(artifacts) ? fs.readdirSync(artifacts) : []);

/** What is not as it should be, in words; empty when the artifacts are fresh. */
export const findStale = (): string[] => {
  const expected = compileAll();
  const found = listArtifacts();
  return [
    ...[...expected].flatMap(([name, text]) => {
      if (!found.includes(name)) return [`${name} is missing`];
      return fs.readFileSync(path.join(artifacts, name), 'utf8') === text ? [] : [`${name} is out of date`];
    }),
    ...found.filter((name) => !expected.has(name)).map((name) => `${name} belongs to no source`),
  ];
};

const writeAll = (): void => {
  const expected = compileAll();
  fs.mkdirSync(artifacts, { recursive: true });
  for (const [name, text] of expected) fs.writeFileSync(path.join(artifacts, name), text);
  for (const name of listArtifacts()) if (!expected.has(name)) fs.rmSync(path.join(artifacts, name));
};

const main = (): void => {
  if (!process.argv.includes('--check')) {
    writeAll();
    return;
  }
  const stale = findStale();
  for (const line of stale) console.error(`contracts/artifacts: ${line}`);
  if (stale.length > 0) {
    console.error('Run `npm run contracts` and commit what it writes.');
    process.exitCode = 1;
  }
};

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
