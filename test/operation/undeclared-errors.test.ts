/** What is declared of errors is what is thrown: a code that an operation throws and does not declare fails a test. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import test from 'ava';

const childPath = (name: string): string => fileURLToPath(new URL(`children/${name}`, import.meta.url));
const PROGRAM = childPath('undeclared.ts');
const TEST = childPath('swallowing.ts');
const AVA = fileURLToPath(new URL('cli.mjs', import.meta.resolve('ava')));

const run = (words: readonly string[], env: NodeJS.ProcessEnv) =>
  spawnSync(process.execPath, words, { env, encoding: 'utf8' });

/** The environment of a program that no test starts. */
const { NODE_OPTIONS: _none, ...outside } = process.env;

const told = 'things.break answers with voting_ended, which it does not declare in its errors';

test('execute › given an undeclared code in a program of a test › it ends, and names operation and code', (t) => {
  const { status, stdout, stderr } = run(['--import=tsx', PROGRAM], process.env);
  t.deepEqual({ status, stdout, stderr }, { status: 70, stdout: '', stderr: `${told}\n` });
});

test('execute › given an undeclared code in a test file › the file fails, whatever becomes of the error', (t) => {
  const { status, stdout } = run([AVA, TEST], outside);
  t.is(status, 1);
  t.regex(stdout, new RegExp(`Uncaught exception[\\s\\S]*${told}`));
});

test('execute › given an undeclared code elsewhere › it comes through as it is, and the log says so', (t) => {
  const { stdout } = run(['--import=tsx', PROGRAM], outside);
  t.deepEqual(JSON.parse(stdout), {
    code: 'voting_ended',
    warnings: [{ operation: 'things.break', code: 'voting_ended' }],
  });
});
