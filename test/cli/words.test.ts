/** What goes wrong is said in the words of the command line: flags, and no language of the API or of a library. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { nouns } from '../../src/app.js';
import type { Call } from '../../src/cli/call.js';
import { faceOf, fieldsOf, pathSegments, verbOf } from '../../src/cli/fields.js';
import { globalNames, kebabCase } from '../../src/cli/flags.js';
import { createOutput } from '../../src/cli/output.js';
import { reportError } from '../../src/cli/report-error.js';
import { ERRORS, isTreasuryError, type ErrorCode } from '../../src/errors.js';
import { operationsOf, type AnyOperation } from '../../src/operation/define.js';
import { readInput } from '../../src/operation/read-input.js';
import { openTreasury } from '../treasury.js';
import { runOn } from './real-environment.js';

const MAINNET = 'bitcoincash:qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqfnhks603';

/** Sentences of the schema library, names of fields as the API writes them, and routes. */
const FOREIGN = [
  /\b[a-z]+[A-Z]\w*/,
  /\bInvalid (?:input|option|string|type|number)/i,
  /\bToo (?:big|small)\b/i,
  /\bexpected (?:string|number|boolean|array|object|int|nonoptional)\b/,
  // Its own sentences have a comma before it: `expected string, received undefined`. A basis is called so too.
  /, received\b/,
  /\b(?:GET|POST|DELETE) \//,
  /x-user-address/,
];

/** What a person has written is theirs, and keys within a structure are as the structure writes them. */
const withoutValues = (text: string): string =>
  text
    .replaceAll(/"[^"]*"/g, '""')
    .replaceAll(/\(got [^)]*\)/g, '')
    .replaceAll(/item \d+, [\w.]+/g, 'item');

const foreignIn = (text: string): readonly string[] =>
  FOREIGN.flatMap((pattern) => pattern.exec(withoutValues(text))?.[0] ?? []);

/** Codes that only an HTTP request can meet. */
const HTTP_ALONE: readonly ErrorCode[] = [
  'invalid_json',
  'request_too_large',
  'unsupported_media_type',
  'method_not_allowed',
  'host_not_allowed',
  'origin_not_allowed',
  'route_not_found',
  'idempotency_mismatch',
  'idempotency_in_progress',
  'token_expired',
  'invalid_challenge',
  'challenge_expired',
  'challenge_used',
  'address_token_mismatch',
];

test('the table of errors › each sentence that a command can end with › is none of the API', (t) => {
  const odd = (Object.keys(ERRORS) as ErrorCode[])
    .filter((code) => !HTTP_ALONE.includes(code))
    .map((code) => ({ code, found: foreignIn(ERRORS[code].message.replaceAll(/\{\w+\}/g, 'X')) }))
    .filter(({ found }) => found.length > 0);
  t.deepEqual(odd, []);
});

const JUNK: readonly unknown[] = [
  '',
  'x',
  '-1',
  '1,5',
  '1e-9',
  'x'.repeat(6_000),
  0,
  -1,
  1.5,
  1e300,
  4_000_000_001,
  true,
  null,
  [],
  ['x'],
  {},
  [{}],
  [{ to: 'x', amount: 'x', recipient: 'x' }],
];

/** What is said of a failure at the terminal, by the command of an operation. */
const reportOf = (operation: AnyOperation, error: unknown): string => {
  const said: string[] = [];
  const fields = fieldsOf(operation, [...pathSegments(operation), 'txHash']);
  const takes: Call['takes'] = {
    positions: fields.filter(({ place }) => place === 'position').map(({ name }) => kebabCase(name)),
    flags: [...fields.map(({ name }) => kebabCase(name)), ...globalNames.map(kebabCase)],
  };
  const sink = { write: (text: string) => said.push(text) };
  const output = createOutput({ stdout: sink, stderr: sink, env: {} }, { mode: 'text', quiet: false });
  reportError({ output, command: operation.id.replace('.', ' '), takes }, error);
  return said.join('');
};

test('every command › given rubbish in each of its fields › says what is wrong in its own words', async (t) => {
  let refusals = 0;
  for (const { load } of nouns) {
    const { operations } = await load();
    for (const operation of operationsOf(operations).filter((one) => faceOf(one) !== null)) {
      for (const { name } of fieldsOf(operation)) {
        for (const value of JUNK) {
          try {
            readInput(operation, { [name]: value }, 'local');
          } catch (error) {
            if (!isTreasuryError(error)) throw error;
            refusals += 1;
            const text = reportOf(operation, error);
            const found = foreignIn(text);
            if (found.length > 0) t.fail(`${verbOf(operation)} ${name}=${JSON.stringify(value)}: ${text}`);
          }
        }
      }
    }
  }
  t.true(refusals > 1_000, `${refusals} refusals`);
});

test('a word of which there are few › given another › the nearest is named', async (t) => {
  const treasury = await openTreasury(t);
  const { exit, stderr } = await runOn(treasury, ['streams', 'list', '--status', 'actve']);
  t.is(exit, 2);
  t.true(
    stderr.includes(
      '--status: expected PENDING, ACTIVE, PAUSED, CANCELLED or COMPLETED (got actve; ACTIVE?)',
    ),
  );
});

test('several values that lack › off a terminal › one line names their flags', async (t) => {
  const treasury = await openTreasury(t);
  const { exit, stderr } = await runOn(treasury, ['vaults', 'create', '--name', 'x']);
  t.is(exit, 2);
  t.regex(stderr, /^Error: These are needed: --signers, --signer-pubkeys, --total-deposit\. /);
  t.is(stderr.split('\n').filter((line) => line !== '').length, 2);
});

test('an error that begins with its field › at the terminal › begins with the flag', async (t) => {
  const treasury = await openTreasury(t);
  const { stderr } = await runOn(treasury, ['wallet', 'send', '--to', 'bitcoincash:x', '--amount', '1']);
  t.regex(stderr, /^Error: --to: "bitcoincash:x" is not/);
});

test('a message that names a field of the command › at the terminal › names its flag', async (t) => {
  const treasury = await openTreasury(t);
  const words = ['rewards', 'create', '--title', 'x', '--total-pool', '1', '--max-reward-amount', '2'];
  const { stderr } = await runOn(treasury, words);
  t.true(stderr.includes('--max-reward-amount: 2 must be above 0 and at most --total-pool (1)'), stderr);
});

for (const place of ['/proc/treasury', '/dev/null/treasury', '/etc/passwd']) {
  test(`a home at ${place} › given a command › one line says that none can be there, and it ends`, async (t) => {
    const words = ['bin/treasury.js', '--home', place, 'streams', 'list'];
    const { code, stderr } = await t.throwsAsync<Error & { code: number; stderr: string }>(
      promisify(execFile)(process.execPath, words, { timeout: 60_000 }),
    );
    t.is(code, 2);
    t.regex(
      stderr,
      /^Error: The setting home has the value "[^"]+": expected a folder, or where one can be made/,
    );
  });
}

test('a network on which this home has nothing › given what needs a wallet › it says how to begin there', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'treasury-'));
  t.teardown(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const words = [
    '--home',
    folder,
    '--network',
    'mainnet',
    'wallet',
    'send',
    '--to',
    MAINNET,
    '--amount',
    '1',
  ];
  const { code, stderr } = await t.throwsAsync<Error & { code: number; stderr: string }>(
    promisify(execFile)(process.execPath, ['bin/treasury.js', ...words]),
  );
  t.is(code, 4);
  t.regex(stderr, /^Error: This home has no wallet on mainnet: run `treasury --network mainnet init`, then/);
});
