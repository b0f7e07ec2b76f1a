/** The script of bash, asked as bash asks it. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { openTreasury } from '../treasury.js';
import { runOn } from './real-environment.js';

const execute = promisify(execFile);

/** What bash offers for the last of some words. */
const offersOf = async (t: ExecutionContext, script: string, words: readonly string[]): Promise<string[]> => {
  const ask = 'COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _treasury; printf "%s\\n" "${COMPREPLY[@]}"';
  const { stdout, stderr } = await execute('bash', ['-c', `${script}\n${ask}`, 'bash', 'treasury', ...words]);
  t.is(stderr, '');
  return stdout.split('\n').filter((word) => word !== '');
};

test('completion › in bash › it offers nouns, verbs of one and of two words, and flags', async (t) => {
  const { stdout: script } = await runOn(await openTreasury(t), ['completion', 'bash']);
  const offers = (...words: string[]) => offersOf(t, script, words);
  t.deepEqual(await offers('cha'), ['chain']);
  t.deepEqual(await offers('conf'), ['config']);
  t.deepEqual(await offers('chain', 'se'), ['serve']);
  t.deepEqual(await offers('config', ''), ['list']);
  t.deepEqual(await offers('tx', 'c'), ['combine']);
  t.deepEqual(await offers('vaults', 'sp'), ['spend']);
  t.deepEqual(await offers('vaults', 'spend', 'br'), ['broadcast']);
  t.deepEqual(await offers('wallet', 'address', '--q'), ['--qr', '--quiet']);
});
