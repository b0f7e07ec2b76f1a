/** What is declared of errors is what is thrown: a code that an operation throws and does not declare fails a test. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import test from 'ava';

const PROGRAM = fileURLToPath(new URL('children/undeclared.js', import.meta.url));
const LOADED = fileURLToPath(new URL('../undeclared-errors.cjs', import.meta.url));

const run = (words: readonly string[], env: NodeJS.ProcessEnv) =>
  spawnSync(process.execPath, words, { env, encoding: 'utf8' });

/** The environment of a program that no test starts. */
const { NODE_OPTIONS: _none, ...outside } = process.env;

const told = 'things.break answers with voting_ended, which it does not declare in its errors';

test('execute › given an undeclared code in a program of a test › it ends, and names operation and code', (t) => {
  const { status, stdout, stderr } = run([PROGRAM], process.env);
  t.deepEqual({ status, stdout, stderr }, { status: 70, stdout: '', stderr: `${told}\n` });
});

test('execute › given an undeclared code in a test file › it is an uncaught exception, whatever becomes of the error', (t) => {
  const { status, stderr } = run([`--require=${LOADED}`, PROGRAM], outside);
  t.is(status, 1);
  t.regex(stderr, new RegExp(`throw new Error[\\s\\S]*${told}`));
});

test('execute › given an undeclared code elsewhere › it comes through as it is, and the log says so', (t) => {
  const { stdout } = run([PROGRAM], outside);
  t.deepEqual(JSON.parse(stdout), {
    code: 'voting_ended',
    warnings: [{ operation: 'things.break', code: 'voting_ended' }],
  });
});
