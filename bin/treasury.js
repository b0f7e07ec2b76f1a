#!/usr/bin/env node
import { existsSync } from 'node:fs';
import * as modules from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** Compiled code is kept where nobody else can write: what stands there is run. Without such a place none is kept. */
const keepCompiled = () => {
  try {
    modules.enableCompileCache?.(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'treasury'));
  } catch {
    // A user without a home folder.
  }
};

/** Where files cannot be opened, Node also calls packages missing that are there. */
const isTooManyFiles = ({ code, message }) =>
  ['EMFILE', 'ENFILE'].includes(code) ||
  (code === 'ERR_MODULE_NOT_FOUND' && existsSync(dirname(/'([^']+)'/.exec(message)?.[1] ?? '')));

try {
  keepCompiled();
  const [first, ...rest] = process.argv.slice(2);
  if (first === '__complete') {
    const { answer } = await import('../dist/complete/answer.js');
    await answer(rest);
  } else {
    const { run } = await import('../dist/cli/run.js');
    process.exitCode = await run(process.argv.slice(2));
  }
} catch (error) {
  // Where so few files may be open that the program cannot even be loaded, nothing of it can say so.
  if (!isTooManyFiles(error)) throw error;
  process.stderr.write(
    'Error: Too many files are open (EMFILE): raise the limit of open files (`ulimit -n`), then try again.\n',
  );
  process.exitCode = 7;
}
