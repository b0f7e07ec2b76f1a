/** The examples in the sources of `bch` and `covenant` say what is true: each is run. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { isTreasuryError } from '../src/errors.js';
import { exampleWorld } from './example-world.js';

type Example = { readonly name: string; readonly code: string | null };

const files = ['bch', 'covenant'].flatMap((folder) =>
  readdirSync(join('src', folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
);

const exported = /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*)?^export const (\w+)/gm;

const examplesOf = (file: string): readonly Example[] =>
  [...readFileSync(join('src', file), 'utf8').matchAll(exported)].map(([, comment = '', name = '']) => {
    const [, body] = /@example\s*\n([\s\S]*?)(?=\n\s*\*\s*@|$)/.exec(comment) ?? [];
    const code = body?.replaceAll(/^\s*\* ?/gm, '').trim();
    return { name, code: code ?? null };
  });

/** `expression; // value`: what the expression gives. Anything else is run as it stands. */
const checked = /^(?!const )([\s\S]+?); \/\/ (.+)$/;

const statementsOf = (code: string): readonly string[] => {
  const statements: string[] = [];
  let open = '';
  for (const line of code.split('\n')) {
    open += `${open === '' ? '' : '\n'}${line}`;
    if (!/;(?: \/\/ .+)?$/.test(line)) continue;
    statements.push(open);
    open = '';
  }
  if (open !== '') throw new Error(`an example does not end: ${open}`);
  return statements;
};

const scriptOf = (code: string): string =>
  statementsOf(code)
    .map((statement) => {
      const [, expression, expected = ''] = checked.exec(statement) ?? [];
      if (expression === undefined) return statement;
      const [, thrown] = /^throws (\w+)$/.exec(expected) ?? [];
      return thrown === undefined
        ? `check(await (${expression}), ${expected});`
        : `await refuses(async () => await (${expression}), '${thrown}');`;
    })
    .join('\n');

const AsyncFunction = (async () => Promise.resolve()).constructor as new (
  ...parts: readonly string[]
) => (...values: readonly unknown[]) => Promise<void>;

const runExample = async (t: ExecutionContext, code: string, names: Readonly<Record<string, unknown>>) => {
  const scope: Readonly<Record<string, unknown>> = {
    ...names,
    ...exampleWorld,
    check: (actual: unknown, expected: unknown) => t.deepEqual(actual, expected, code),
    refuses: async (act: () => Promise<unknown>, expected: string) => {
      const error: unknown = await t.throwsAsync(act, { any: true }, code);
      t.is(isTreasuryError(error) ? error.code : (error as Error).constructor.name, expected, code);
    },
  };
  await new AsyncFunction(...Object.keys(scope), scriptOf(code))(...Object.values(scope));
};

type Module = Readonly<Record<string, unknown>>;
const loaded = await Promise.all(
  files.map(async (file) => {
    const module = (await import(`../src/${file.replace(/\.ts$/, '.js')}`)) as Module;
    return { file, module };
  }),
);
const everything: Module = Object.assign({}, ...loaded.map(({ module }) => module)) as Module;

const isRead = (value: unknown): boolean =>
  typeof value === 'function' || (typeof value === 'object' && value !== null && 'safeParse' in value);

for (const { file, module } of loaded) {
  const examples = examplesOf(file).filter(({ name }) => isRead(module[name]));
  if (examples.length === 0) continue;
  test(`src/${file} › each function and schema that it exports has an example, and the example is true`, async (t) => {
    const bare = examples.filter(({ code }) => code === null).map(({ name }) => name);
    t.deepEqual(bare, [], 'these have no example');
    for (const { code } of examples) if (code !== null) await runExample(t, code, everything);
  });
}
