import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { TreasuryError } from '../../src/errors.js';
import { openCommandLine, type RunOptions } from './fake-environment.js';

type Purpose = 'unlock' | 'new';

/** What the home is told when it asks for passphrases while a command runs, one after the other. */
const askDuring =
  (purposes: readonly (readonly [wallet: string, purpose: Purpose])[]) =>
  async (
    { run, opened, state }: ReturnType<typeof openCommandLine>,
    words: readonly string[] = [],
    options: RunOptions = {},
  ) => {
    const answers: (string | null | TreasuryError)[] = [];
    state.onOpen = async () => {
      for (const [wallet, purpose] of purposes) {
        answers.push(
          (await opened
            .at(-1)
            ?.askPassphrase?.(wallet, purpose)
            .catch((error: unknown) => error as TreasuryError)) ?? null,
        );
      }
    };
    const outcome = await run(['things', 'list', '--quiet', ...words], options);
    return { ...outcome, answers };
  };

const unlockTwice = askDuring([
  ['savings', 'unlock'],
  ['savings', 'unlock'],
]);
const makeNew = askDuring([['savings', 'new']]);

test('passphrase › given --passphrase-stdin › standard input is read once, without its line end', async (t) => {
  const line = openCommandLine(t);
  const { answers } = await unlockTwice(line, ['--passphrase-stdin'], { stdin: 'sword fish \n' });
  t.deepEqual(answers, ['sword fish ', 'sword fish ']);
});

test('passphrase › given TREASURY_PASSPHRASE_FILE › the file is read, without its line end', async (t) => {
  const line = openCommandLine(t);
  writeFileSync(join(line.folder, 'secret'), 'swordfish\r\n');
  const { answers } = await unlockTwice(line, [], { env: { TREASURY_PASSPHRASE_FILE: 'secret' } });
  t.deepEqual(answers, ['swordfish', 'swordfish']);
});

test('passphrase › given a file that is not there › invalid_file', async (t) => {
  const line = openCommandLine(t);
  const { answers } = await makeNew(line, [], { env: { TREASURY_PASSPHRASE_FILE: 'nothing' } });
  t.is((answers[0] as TreasuryError).code, 'invalid_file');
});

test('passphrase › given a terminal › it is asked for once a wallet', async (t) => {
  const line = openCommandLine(t);
  const { answers, asked } = await unlockTwice(line, [], { answers: ['swordfish'] });
  t.deepEqual(answers, ['swordfish', 'swordfish']);
  t.deepEqual(asked, ['Passphrase of savings:']);
});

test('passphrase › given a new one on a terminal › it is asked for twice', async (t) => {
  const line = openCommandLine(t);
  const { answers, asked } = await makeNew(line, [], { answers: ['swordfish', 'swordfish'] });
  t.deepEqual(answers, ['swordfish']);
  t.is(asked.length, 2);
});

test('passphrase › given two different typings › invalid_input', async (t) => {
  const line = openCommandLine(t);
  const { answers } = await makeNew(line, [], { answers: ['swordfish', 'sardine'] });
  t.is((answers[0] as TreasuryError).code, 'invalid_input');
});

test('passphrase › given nobody to ask › there is none', async (t) => {
  const line = openCommandLine(t);
  const { answers } = await unlockTwice(line);
  t.deepEqual(answers, [null, null]);
});

test('passphrase › as the value of a flag › there is no such flag', async (t) => {
  const { run } = openCommandLine(t);
  t.is((await run(['things', 'list', '--passphrase', 'swordfish'])).exit, 2);
});

test('passphrase › given an operation that needs it while it works › the spinner is taken away first', async (t) => {
  const { run, state, opened } = openCommandLine(t);
  state.onBuild = async () => {
    await opened.at(-1)?.askPassphrase?.('authority', 'unlock');
  };
  const { exit, shown } = await run(['things', 'pay', 'tea', '--yes'], { answers: ['swordfish'] });
  t.is(exit, 0);
  const [begin, end, question] = shown;
  t.regex(begin ?? '', /^\+ Building/);
  t.regex(end ?? '', /^- Building/);
  t.is(question, 'Passphrase of authority:');
});
