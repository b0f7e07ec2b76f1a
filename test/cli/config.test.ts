/** `treasury config`: settings read, set and unset in files. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { openTreasury } from '../treasury.js';
import { runOn } from './real-environment.js';

test('config set › given a setting › it stands in the file of the user, and counts', async (t) => {
  const treasury = await openTreasury(t);
  const { exit, stdout, stderr } = await runOn(treasury, ['config', 'set', 'port', '5000']);
  t.is(exit, 0);
  const file = join(treasury.home, 'config.json');
  t.is(stdout, `port is set in ${file}.\n`);
  t.is(stderr, `It is 5000 now (user: ${file}).\n`);
  t.deepEqual(JSON.parse(readFileSync(file, 'utf8')), { port: 5000 });
  t.is((await runOn(treasury, ['config', 'get', 'port'])).stdout, '5000\n');
});

test('config set › given another form of a name, and several settings › all of them stand there', async (t) => {
  const treasury = await openTreasury(t);
  await runOn(treasury, ['config', 'set', 'rate-per-minute', '10']);
  await runOn(treasury, ['config', 'set', 'CORSORIGINS', 'https://a.example,https://b.example']);
  t.deepEqual(JSON.parse(readFileSync(join(treasury.home, 'config.json'), 'utf8')), {
    ratePerMinute: 10,
    corsOrigins: ['https://a.example', 'https://b.example'],
  });
});

test("config set › given --project › the project's file, and a path is meant from where it is typed", async (t) => {
  const treasury = await openTreasury(t);
  await runOn(treasury, ['config', 'set', 'home', 'data', '--project']);
  const file = join(treasury.home, 'treasury.config.json');
  t.deepEqual(JSON.parse(readFileSync(file, 'utf8')), { home: join(treasury.home, 'data') });
});

test('config set › given a variable of the same setting › it says what counts', async (t) => {
  const treasury = await openTreasury(t);
  const { exit, stderr } = await runOn(treasury, ['config', 'set', 'network', 'mainnet']);
  t.is(exit, 0);
  t.regex(stderr, /environment: TREASURY_NETWORK comes before .*config\.json, and counts\./);
});

test('config set › given what is no setting, no value or no usable one › exit 2, and no file is made', async (t) => {
  const treasury = await openTreasury(t);
  const refusals = [
    [['prot', '1'], /"prot" is no setting: use port, if that is meant/],
    [['passphrase', 'x'], /no secret stands in a file of settings/],
    [['port'], /The value of the setting/],
    [
      ['port', 'many'],
      /port: "many" is not usable: expected an integer from 0 to 65535|an integer from 0 to 65535/,
    ],
    [[], /The name of a setting/],
  ] as const;
  for (const [words, expected] of refusals) {
    const { exit, stderr } = await runOn(treasury, ['config', 'set', ...words]);
    t.is(exit, 2, words.join(' '));
    t.regex(stderr, expected);
  }
  t.throws(() => readFileSync(join(treasury.home, 'config.json')), { code: 'ENOENT' });
});

test('config set › given a file that is no JSON › it is left as it is', async (t) => {
  const treasury = await openTreasury(t);
  const file = join(treasury.home, 'config.json');
  writeFileSync(file, 'port: 1');
  t.is((await runOn(treasury, ['config', 'set', 'port', '1'])).exit, 2);
  t.is(readFileSync(file, 'utf8'), 'port: 1');
});

test('config unset › given a setting of the file › it is the default again, and the others stay', async (t) => {
  const treasury = await openTreasury(t);
  await runOn(treasury, ['config', 'set', 'port', '5000']);
  await runOn(treasury, ['config', 'set', 'logLevel', 'warn']);
  const { stderr } = await runOn(treasury, ['config', 'unset', 'port']);
  t.is(stderr, 'It is 4280 now (default).\n');
  t.deepEqual(JSON.parse(readFileSync(join(treasury.home, 'config.json'), 'utf8')), { logLevel: 'warn' });
});

test('config get › given --json › the value as it is, with its origin', async (t) => {
  const treasury = await openTreasury(t);
  const { stdout } = await runOn(treasury, ['config', 'get', 'port', '--json']);
  t.like(JSON.parse(stdout), { success: true, name: 'port', value: 4280, origin: 'default' });
});
