/**
 * Trees of titles: `x.tree` beside `x.test.ts` says what is tested there, given, when and it, and each of its lines is
 * the title of a test. `npm test` fails when a tree and its titles differ; `npm run trees` writes the trees anew.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { AT_LENGTH, IS_LONG } from '../test/at-length.js';

const ARROW = ' › ';
/** What a line stands behind: four characters for every level. */
const BRANCHES = /^(?:│ {3}| {4}|├── |└── )*/;

/** The titles that a tree tells. */
export const readTree = (text: string): string[] => {
  const lines = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [branches = ''] = BRANCHES.exec(line) ?? [];
      return { depth: branches.length / 4, name: line.slice(branches.length) };
    });
  let path: string[] = [];
  return lines.flatMap(({ depth, name }, index) => {
    path = [...path.slice(0, depth), name];
    const isLeaf = (lines[index + 1]?.depth ?? 0) <= depth;
    return isLeaf ? [path.join(ARROW)] : [];
  });
};

type Path = readonly string[];

/** What begins with the same word stands together, in the order of the first of them. */
const branch = (paths: readonly Path[], indent: string, isTop = false): string[] => {
  const groups = new Map<string, Path[]>();
  for (const [name = '', ...rest] of paths) groups.set(name, [...(groups.get(name) ?? []), rest]);
  const lines = [...groups].flatMap(([name, rests]) => {
    const deeper = rests.filter(({ length }) => length > 0);
    // A title that others go on from is a line of its own.
    const own = rests.length > deeper.length ? [{ name, deeper: [] }] : [];
    return deeper.length > 0 ? [...own, { name, deeper }] : own;
  });
  return lines.flatMap(({ name, deeper }, index) => {
    const isLast = index === lines.length - 1;
    if (isTop) return [name, ...branch(deeper, '')];
    return [
      `${indent}${isLast ? '└── ' : '├── '}${name}`,
      ...branch(deeper, indent + (isLast ? '    ' : '│   ')),
    ];
  });
};

/** The tree of some titles. */
export const writeTree = (titles: readonly string[]): string =>
  `${branch(
    titles.map((title) => title.split(ARROW)),
    '',
    true,
  ).join('\n')}\n`;

/** The titles of a run by test file, without what names the file before them. */
export const titlesByFile = (files: readonly string[], titles: readonly string[]): Map<string, string[]> => {
  const names = new Map(
    files.map((file) => [file.slice('test/'.length, -'.test.ts'.length).replaceAll('/', ARROW), file]),
  );
  const found = new Map<string, string[]>(files.map((file) => [file, []]));
  for (const title of titles) {
    const parts = title.split(ARROW);
    for (let length = parts.length - 1; length > 0; length -= 1) {
      const file = names.get(parts.slice(0, length).join(ARROW));
      if (file === undefined) continue;
      found.get(file)?.push(parts.slice(length).join(ARROW));
      break;
    }
  }
  return found;
};

const testOf = (tree: string): string => tree.replace(/\.tree$/, '.test.ts');
const filesOf = (ending: string): string[] =>
  readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => `test/${file}`)
    .sort();

/** The test files that have a tree. */
export const filesWithTrees = (): string[] => filesOf('.tree').map(testOf);

/** The test files of operations of the products: each has a tree. */
export const filesOfOperations = (): string[] =>
  filesOf('.test.ts').filter((file) => file.includes('/operations/'));

/** Where the lines of a tree and the titles of its file differ, a sentence each. */
export const compareTree = (tree: string, lines: readonly string[], titles: readonly string[]): string[] => {
  const told = lines.filter((title) => IS_LONG || !title.endsWith(AT_LENGTH));
  return [
    ...told
      .filter((title) => !titles.includes(title))
      .map((title) => `${tree}: no test is called "${title}"`),
    ...titles.filter((title) => !told.includes(title)).map((title) => `${tree}: it lacks "${title}"`),
  ];
};

/** Where trees and titles of a whole run differ, a sentence each. */
export const differencesOf = (titles: readonly string[]): string[] => {
  const byFile = titlesByFile(filesOf('.test.ts'), titles);
  return filesOf('.tree').flatMap((tree) => {
    const tested = byFile.get(testOf(tree));
    if (tested === undefined) return [`${tree}: there is no ${testOf(tree)}`];
    return compareTree(tree, readTree(readFileSync(tree, 'utf8')), tested);
  });
};

/** Writes the trees that differ from the titles of a run of {@link filesWithTrees}. */
export const writeTrees = (titles: readonly string[]): void => {
  for (const [file, tested] of titlesByFile(filesWithTrees(), titles)) {
    const tree = file.replace(/\.test\.ts$/, '.tree');
    const told = readTree(readFileSync(tree, 'utf8'));
    if (told.length !== tested.length || told.some((title) => !tested.includes(title)))
      writeFileSync(tree, writeTree(tested));
  }
};
