/** An hour of a person at the terminal, who has read nothing: what they type, and what they make of the answer. */
import { setTimeout as wait } from 'node:timers/promises';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { fundCampaign } from '../products/rewards/campaign.js';
import { describeField, faceOf, fieldsOf } from '../../src/cli/fields.js';
import { operationsOf } from '../../src/operation/define.js';
import { nouns } from '../../src/app.js';
import { advance, DAY, fundStream } from '../products/streams/stream.js';
import { createVault } from '../products/streams/vault.js';
import { openTreasury, TEST_TIME } from '../treasury.js';
import { runAt, tooWide } from './drawn-terminal.js';
import { runOn } from './real-environment.js';
import { converse, KEYS, openTerminal } from './terminal.js';

test('--jq › what it takes out of a document is as it stands there, whatever it looks like', async (t) => {
  const treasury = await openTreasury(t);
  // A public key, and what a reader of numbers with exponents makes of it.
  const key = '02f42e478d1a4494323ef3d7a4750208e32bb8f0ee52c70fdf1861a9523246e2c4';
  const { stdout } = await runOn(treasury, ['wallet', 'list', '--jq', `"${key}", [2e-8, "1e-9"], "a\\nb"`]);
  t.is(stdout, `${key}\n[\n  0.00000002,\n  "1e-9"\n]\na\nb\n`);
});

test('claim › given that nothing has vested › it says the day on which something will', async (t) => {
  const treasury = await openTreasury(t);
  const startTime = TEST_TIME + 50 * DAY;
  await fundStream(treasury, { startTime, endTime: startTime + 100 * DAY });
  const { exit, stderr } = await runOn(treasury, [
    'streams',
    'claim',
    'STREAM-0001',
    '--yes',
    '--wallet',
    'bob',
  ]);
  t.is(exit, 5);
  t.regex(
    stderr,
    /nothing to claim from #STREAM-0001 now \(next unlock: \d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)? UTC\)/,
  );
});

test('a flag that is none › it names the one that begins or ends with it', async (t) => {
  const treasury = await openTreasury(t);
  const said = async (...words: string[]) => (await runOn(treasury, words)).stderr;
  t.regex(await said('payments', 'create', '--amount', '1'), /--amount'.*--amount-per-period/);
  t.regex(await said('payments', 'refill', 'PAY-0001', '--period', '1'), /--periods/);
});

test('a word too many › it says that values have flags, and which of them are needed', async (t) => {
  const treasury = await openTreasury(t);
  const { exit, stderr } = await runOn(treasury, ['wallet', 'send', 'ben', '0.1']);
  t.is(exit, 2);
  t.regex(stderr, /`treasury wallet send` takes no word like "ben"/);
  t.notRegex(stderr, /[Aa]rguments? (?:for|but)/);
  const more = await runOn(treasury, ['streams', 'show', 'STREAM-0001', 'STREAM-0002']);
  t.regex(more.stderr, /`treasury streams show` takes one word, <id>: "STREAM-0002" is one too many/);
});

test('a sum that is too much › both sums have their unit', async (t) => {
  const treasury = await openTreasury(t);
  await fundCampaign(treasury);
  const { stderr } = await runOn(treasury, [
    ...['rewards', 'distribute', 'REWARD-0001', '--recipient-address', 'bob', '--amount', '900', '--yes'],
  ]);
  t.regex(stderr, /Error: 900 BCH is more than the maximum reward of [\d.]+ BCH\./);
});

test('an end between two intervals › it is said with dates and durations, and no second is counted', async (t) => {
  const treasury = await openTreasury(t);
  const { exit, stderr } = await runOn(treasury, [
    ...['streams', 'create', '--recipient', 'bob', '--total-amount', '1', '--stream-type', 'recurring'],
    ...['--interval-seconds', 'weekly'],
  ]);
  t.is(exit, 2);
  t.regex(stderr, /"weekly" is 7d/);
  t.regex(stderr, /is not a whole number of intervals of 7d after the start \(\d{4}-\d\d-\d\d /);
  t.notRegex(stderr, /\d{9,}|seconds after/);
});

test('two crons at once › both end well: what one has claimed the other leaves, and says so', async (t) => {
  const treasury = await openTreasury(t);
  const streams = [await fundStream(treasury), await fundStream(treasury)];
  await advance(treasury, 200 * DAY);
  const words = ['streams', 'claim', '--all', '--yes', '--wallet', 'bob'];
  const runs = await Promise.all([1, 2].map(() => runOn(treasury, words, { sleep: () => wait(5) })));
  const said = runs.map(({ stdout, stderr }) => `${stdout}${stderr}`).join('\n');
  t.deepEqual(
    runs.map(({ exit }) => exit),
    [0, 0],
    said,
  );
  for (const stream of streams) t.is((await stream.claims()).length, 1);
  t.regex(said, /#STREAM-000\d {2}left alone {2}another command was quicker/);
  t.notRegex(said, /failed/);
});

/** Routes, what only programs write, and names of fields as the API has them: but for those within a structure. */
const OF_THE_API = [/\b(?:GET|POST) \//, /\b(?:unix seconds|display units)\b/i, /\b[a-z]+[A-Z]\w*/];

test('--help › every flag is explained in the words of the command line, and none of the API', async (t) => {
  const found: string[] = [];
  for (const { load } of nouns)
    for (const operation of operationsOf((await load()).operations)) {
      if (faceOf(operation) === null) continue;
      const fields = fieldsOf(operation);
      for (const field of fields.filter(({ place }) => place !== 'global')) {
        const said = describeField(field, fields);
        const plain = said.replaceAll(/\{[^}]*\}|\[[^\]]*\]|`[^`]*`|bch_\w+/g, '');
        const foreign = OF_THE_API.find((pattern) => pattern.test(plain));
        if (foreign !== undefined) found.push(`${operation.id} ${field.label}: ${said}`);
      }
    }
  t.deepEqual(found, []);
});

test('--help › fits the terminal: a long name has what it means below it, and commands come first', async (t) => {
  const { app } = await openTreasury(t);
  for (const columns of [40, 80, 120])
    for (const words of [[], ['streams'], ['vaults'], ['payments', 'create']]) {
      const { stdout } = await runAt(app, [...words, '--help'], { columns });
      const listed = stdout
        .split('\n')
        .filter((line) => /^ {2}\S.* {2}|^ {6}/.test(line) && !/treasury /.test(line));
      t.not(listed.length, 0);
      t.deepEqual(tooWide(listed.join('\n'), columns), [], `${words.join(' ')} at ${columns}`);
      if (words.length === 1) t.true(stdout.indexOf('Commands:') < stdout.indexOf('Options:'));
    }
});

test('consent › a wallet of this home is named, and a new token is counted as it will be called', async (t) => {
  const { app } = await openTreasury(t);
  const at = { columns: 200 };
  t.is((await runAt(app, ['chain', 'faucet', 'alice', '1'], at)).exit, 0);
  const sent = await runAt(
    app,
    ['wallet', 'send', '--to', 'bob', '--amount', '0.001', '--yes', '--wallet', 'alice'],
    at,
  );
  t.is(sent.exit, 0, sent.stderr);
  t.regex(sent.stderr, /bchtest:\w+ \(bob\) +0\.001/);
  t.regex(sent.stdout, /^Transaction +[0-9a-f]{64}\nConfirmations +\d+\n$/);
  const words = [
    'tokens',
    'create',
    '--supply',
    '1000',
    '--decimals',
    '2',
    '--symbol',
    'GEMS',
    '--yes',
    '--wallet',
    'alice',
  ];
  const { stderr } = await runAt(app, words, at);
  t.regex(stderr, / 1000 GEMS\n/);
});

test('tx inspect › a state is an NFT and no amount, and nobody is named twice', async (t) => {
  const treasury = await openTreasury(t);
  await fundCampaign(treasury);
  const { stdout } = await runOn(treasury, [
    'rewards',
    'pause',
    'REWARD-0001',
    '--unsigned',
    '--wallet',
    'alice',
  ]);
  writeFileSync(join(treasury.home, 'pause.json'), stdout);
  const seen = await runAt(treasury.app, ['tx', 'inspect', join(treasury.home, 'pause.json')], {
    columns: 200,
  });
  t.is(seen.exit, 0, seen.stderr);
  t.regex(seen.stdout, /NFT \(mutable\) of [0-9a-f]{64}/);
  t.notRegex(seen.stdout, /\b0 (?:smallest )?units/);
  t.notRegex(seen.stdout, /\(alice\) \(wallet alice\)/);
});

test('a batch from a spreadsheet › a fault has its line and column and no path; a sum has its unit', async (t) => {
  const treasury = await openTreasury(t);
  const vault = await createVault(treasury);
  const file = join(treasury.home, 'team.csv');
  const words = ['streams', 'batch', vault, '--file', file, '--dry-run', '--wallet', 'alice'];
  const batch = (...rows: string[]) => {
    writeFileSync(file, `\ufeff${['Recipient;Amount;Template', ...rows].join('\r\n')}\r\n`);
    return runOn(treasury, words);
  };
  const bad = await batch('bob;0.5;linear-cliff', 'bbo;0.5;linear-cliff');
  t.is(bad.exit, 2);
  t.regex(`${bad.stdout}${bad.stderr}`, /3 +recipient: "bbo" is not a usable address/);
  t.is((await runOn(treasury, ['chain', 'faucet', 'alice', '1'])).exit, 0);
  const twice = await batch('bob;0.002;linear-cliff', 'bob;0.003;linear-cliff');
  t.regex(twice.stderr, /is paid 2 times \(line 2, line 3\), 0\.005 BCH in all/);
});

test('at a terminal › Ctrl-C or no at the question › nothing is signed or sent, and it says so', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'treasury-'));
  t.teardown(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const env = { HOME: folder, TREASURY_HOME: join(folder, 'data'), TREASURY_NETWORK: 'local' };
  const words = ['wallet', 'send', '--to', 'authority', '--amount', '0.2'];
  const answer = async (typed: string, end: string = KEYS.enter) => {
    const terminal = openTerminal(t, words, env);
    await converse(terminal, [[/Sign and send this\?/, typed, end]]);
    return terminal.ended;
  };
  await answer('n');
  // While one command asks, another waits for its coins: it can be left too.
  const asking = openTerminal(t, [...words.slice(0, -1), '9.5'], env);
  await asking.see(/Sign and send this\?/);
  const waiting = openTerminal(t, [...words.slice(0, -1), '9.4'], env);
  await waiting.see(/waiting for it/);
  waiting.type('', KEYS.ctrlC);
  const left = await waiting.ended;
  t.is(left.exit, 130, left.screen);
  t.regex(left.screen, /Interrupted: nothing more was done\./);
  asking.type('', KEYS.ctrlC);
  t.is((await asking.ended).exit, 130);

  const stopped = await answer('', KEYS.ctrlC);
  t.is(stopped.exit, 130, stopped.screen);
  t.regex(stopped.screen, /\(authority\) +0\.2[\s\S]*Interrupted: nothing more was done\./);
  const refused = await answer('n');
  t.is(refused.exit, 10, refused.screen);
  t.regex(refused.screen, /Declined: nothing was signed and nothing was sent\./);
  const terminal = openTerminal(t, ['wallet', 'balance', '--wallet', 'authority'], env);
  t.regex((await terminal.ended).screen, /Balance +1 BCH/);
});
