/**
 * Compiles `contracts/**\/*.cash` into `contracts/artifacts/<name>.json`, and keeps what was published.
 *
 * Money lies in what was deployed, so a published version is never changed and never removed. It lies in
 * `contracts/artifacts/published/<name>/<fingerprint>.json`, and `published.json` beside that directory says which
 * version of the program brought which.
 *
 *   npm run contracts               compiles the sources
 *   npm run contracts:check         writes nothing; fails when an artifact is missing, differs or belongs to no source,
 *                                   and when a published one is missing or changed
 *   npm run contracts -- --publish  files the compiled contracts under the program's version: a release does so
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileString } from 'cashc';
import { fingerprintOf, type PublishedVersions } from '../src/covenant/artifact.js';

const root = fileURLToPath(new URL('../', import.meta.url));
const contracts = path.join(root, 'contracts');
const artifacts = path.join(contracts, 'artifacts');

const compiled = new Map<string, string>();

/** The artifact of a source as text that is the same for the same source: `updatedAt` is left out. */
export const compileArtifact = (source: string): string => {
  const text = compiled.get(source) ?? compileText(source);
  compiled.set(source, text);
  return text;
};

const compileText = (source: string): string => {
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

const LIST = 'published.json';

/** The artifacts of the present sources. */
const listArtifacts = (directory: string): string[] =>
  fs.readdirSync(directory).filter((file) => file.endsWith('.json') && file !== LIST);

const fingerprintIn = (text: string): string => fingerprintOf(JSON.parse(text) as { bytecode: string });

const readPublished = (directory: string): PublishedVersions =>
  JSON.parse(fs.readFileSync(path.join(directory, LIST), 'utf8')) as PublishedVersions;

const publishedFile = (name: string, fingerprint: string): string =>
  path.join('published', name, `${fingerprint}.json`);

/** What is wrong with the published artifacts, in words. */
const findLost = (directory: string): string[] => {
  const listed = Object.entries(readPublished(directory)).flatMap(([version, fingerprints]) =>
    Object.entries(fingerprints).flatMap(([name, fingerprint]) => {
      const file = publishedFile(name, fingerprint);
      const full = path.join(directory, file);
      if (!fs.existsSync(full))
        return [`${file} of version ${version} is missing: what it holds cannot move`];
      const text = fs.readFileSync(full, 'utf8');
      const isWhole = fingerprintIn(text) === fingerprint && compileArtifact(sourceIn(text)) === text;
      return isWhole
        ? []
        : [`${file} of version ${version} was changed: it is published, and stays as it is`];
    }),
  );
  const known = new Set(
    Object.values(readPublished(directory)).flatMap((fingerprints) =>
      Object.entries(fingerprints).map(([name, fingerprint]) => publishedFile(name, fingerprint)),
    ),
  );
  const found = fs
    .readdirSync(path.join(directory, 'published'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json'))
    .map((file) => path.join('published', file));
  return [...listed, ...found.filter((file) => !known.has(file)).map((file) => `${file} is in no version`)];
};

const sourceIn = (text: string): string => (JSON.parse(text) as { source: string }).source;

/** What is not as it should be, in words; empty when the artifacts are fresh. */
export const findStale = (directory = artifacts): string[] => {
  const expected = compileAll();
  const found = listArtifacts(directory);
  return [
    ...[...expected].flatMap(([name, text]) => {
      if (!found.includes(name)) return [`${name} is missing`];
      return fs.readFileSync(path.join(directory, name), 'utf8') === text ? [] : [`${name} is out of date`];
    }),
    ...found.filter((name) => !expected.has(name)).map((name) => `${name} belongs to no source`),
    ...findLost(directory),
  ];
};

const writeAll = (): void => {
  const expected = compileAll();
  for (const [name, text] of expected) fs.writeFileSync(path.join(artifacts, name), text);
  for (const name of listArtifacts(artifacts)) if (!expected.has(name)) fs.rmSync(path.join(artifacts, name));
};

/** Files the compiled contracts under the program's version. A version that is published stays as it is. */
const publish = (): void => {
  const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    version: string;
  };
  const published = readPublished(artifacts);
  if (published[version] !== undefined) throw new Error(`version ${version} is published already`);
  const entries = [...compileAll()].map(([file, text]) => {
    const [name, fingerprint] = [path.basename(file, '.json'), fingerprintIn(text)];
    const target = path.join(artifacts, publishedFile(name, fingerprint));
    fs.mkdirSync(path.dirname(target), { recursive: true });
    if (!fs.existsSync(target)) fs.writeFileSync(target, text);
    return [name, fingerprint] as const;
  });
  const list = { ...published, [version]: Object.fromEntries(entries) };
  fs.writeFileSync(path.join(artifacts, LIST), `${JSON.stringify(list, null, 2)}\n`);
};

const main = (): void => {
  if (!process.argv.includes('--check')) {
    writeAll();
    if (process.argv.includes('--publish')) publish();
    return;
  }
  const stale = findStale();
  for (const line of stale) console.error(`contracts/artifacts: ${line}`);
  if (stale.length > 0) {
    console.error(
      'Run `npm run contracts` and commit what it writes. What is published comes back from the history.',
    );
    process.exitCode = 1;
  }
};

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
