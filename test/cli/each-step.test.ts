import test from 'ava';
import { bob } from '../../fixtures/people.js';
import { EXIT, TreasuryError } from '../../src/errors.js';
import { worstExit } from '../../src/cli/many-steps.js';
import { batchCollection, streamCollection } from '../../src/products/streams/index.js';
import { fundPayment } from '../products/payments/payment.js';
import { advance, createStream, DAY, fundStream, tokenTerms } from '../products/streams/stream.js';
import { createVault } from '../products/streams/vault.js';
import { openTreasury, TEST_TIME, type Treasury } from '../treasury.js';
import { alice } from '../../fixtures/people.js';
import { runOn } from './real-environment.js';

const LATER = { startTime: TEST_TIME + 50 * DAY, endTime: TEST_TIME + 100 * DAY };
const CLAIM_ALL = ['streams', 'claim', '--all', '--yes', '--wallet', 'bob'];

/** Two streams of bob that have vested a tenth, one that vests later, and one that is not funded. */
const openStreams = async (t: Parameters<typeof openTreasury>[0]) => {
  const treasury = await openTreasury(t);
  const first = await fundStream(treasury);
  const later = await fundStream(treasury, LATER);
  const second = await fundStream(treasury);
  await createStream(treasury);
  await advance(treasury, 10 * DAY);
  return { treasury, first, later, second };
};

test('claim --all › it claims what is claimable, one line for each, and nothing twice', async (t) => {
  const { treasury, first, later, second } = await openStreams(t);
  const { exit, stdout, stderr } = await runOn(treasury, CLAIM_ALL);
  t.is(exit, 0, stderr);
  const lines = stdout.trimEnd().split('\n');
  t.is(lines.length, 2);
  t.regex(
    lines[0] ?? '',
    /^#?STREAM-0001 {2}done {2}0\.01\d* BCH was claimed from #?STREAM-0001 {2}[0-9a-f]{64}$/,
  );
  t.regex(lines[1] ?? '', /^#?STREAM-0003 {2}done /);
  for (const stream of [first, second]) t.is((await stream.claims()).length, 1);
  t.is((await later.claims()).length, 0);
  t.true((await treasury.satoshisOf(bob)) > 1_990_000n);
});

test('claim --all › given --json › one document has every result', async (t) => {
  const { treasury } = await openStreams(t);
  const { exit, stdout } = await runOn(treasury, [...CLAIM_ALL, '--json']);
  t.is(exit, 0);
  const document = JSON.parse(stdout) as { results: Record<string, unknown>[] };
  t.like(document, { success: true, total: 2, done: 2, failed: 0 });
  for (const result of document.results) {
    t.like(result, { success: true, exit: 0, state: 'confirmed' });
    t.true(Number(result['claimedAmount']) > 0);
  }
});

test('claim --all › given one that fails › the others are claimed, and the worst exit code is kept', async (t) => {
  const { treasury, second } = await openStreams(t);
  const { chain } = treasury.app.context;
  const broadcast = chain.broadcast.bind(chain);
  let calls = 0;
  const breaking = {
    ...treasury,
    app: {
      ...treasury.app,
      context: {
        ...treasury.app.context,
        chain: {
          ...chain,
          broadcast: (raw: string) => {
            calls += 1;
            if (calls > 1) return broadcast(raw);
            return Promise.reject(new TreasuryError('chain_unavailable', { reason: 'it is away' }));
          },
        },
      },
    },
  };
  const { exit, stdout } = await runOn(breaking, CLAIM_ALL);
  t.is(exit, EXIT.network);
  const lines = stdout.trimEnd().split('\n');
  t.regex(lines[0] ?? '', /^#?STREAM-0001 {2}failed {2}The chain cannot be reached: it is away\.$/);
  t.regex(lines[1] ?? '', /^#?STREAM-0003 {2}done /);
  t.is((await second.claims()).length, 1);
  const again = await runOn(treasury, CLAIM_ALL);
  t.is(again.exit, 0);
  t.regex(again.stderr, /An earlier run of this command signed/);
});

test('claim --all › given --dry-run › nothing is claimed', async (t) => {
  const { treasury, first } = await openStreams(t);
  const { exit, stdout } = await runOn(treasury, [...CLAIM_ALL, '--dry-run']);
  t.is(exit, 0);
  t.is(stdout.trimEnd().split('\n').length, 2);
  t.is((await first.claims()).length, 0);
});

test('claim --all › given nothing claimable › it says so on stderr, exit 0', async (t) => {
  const treasury = await openTreasury(t);
  for (const noun of ['streams', 'payments']) {
    const { exit, stdout, stderr } = await runOn(treasury, [
      noun,
      'claim',
      '--all',
      '--yes',
      '--wallet',
      'bob',
    ]);
    t.is(exit, 0);
    t.is(stdout, '');
    t.regex(stderr, /^(?:There is nothing to claim|Nothing is due) now\.$/m);
  }
});

test('claim --all › given a record, --unsigned or nobody to ask › exit 2 and nothing is signed', async (t) => {
  const { treasury, first } = await openStreams(t);
  const all = ['streams', 'claim', '--all', '--wallet', 'bob'];
  for (const words of [[...all, 'STREAM-0001', '--yes'], [...all, '--unsigned'], all]) {
    t.is((await runOn(treasury, words)).exit, 2);
  }
  t.regex((await runOn(treasury, all)).stderr, /--yes is needed/);
  t.is((await runOn(treasury, ['streams', 'claim', '--wallet', 'bob'])).exit, 2);
  t.is((await first.claims()).length, 0);
});

/** A stream of which so little has vested that claiming it costs more. */
const fundTiny = (treasury: Treasury) => fundStream(treasury, { totalAmount: '0.00005' });

test('claim --all › given what is worth less than twice its fee › it is left alone, said and counted; --min 0 takes it', async (t) => {
  const { treasury, first } = await openStreams(t);
  const tiny = await fundTiny(treasury);
  await advance(treasury, 20 * DAY);
  await treasury.give(bob, 100_000n);
  const { exit, stderr } = await runOn(treasury, CLAIM_ALL);
  t.is(exit, 0, stderr);
  t.regex(stderr, /1 more is left alone, 0\.0000\d+ BCH in all: .* --min 0 takes it too\./);
  t.is((await tiny.claims()).length, 0);
  t.is((await first.claims()).length, 1);

  const listed = await runOn(treasury, ['streams', 'claimable', '--wallet', 'bob']);
  t.regex(listed.stdout, /There is nothing to claim now[\s\S]*1 more is left alone/);
  const again = await runOn(treasury, [...CLAIM_ALL, '--json']);
  t.is(again.exit, 0);
  t.like(JSON.parse(again.stdout), { success: true, total: 0, leftOut: { count: 1 } });

  const all = await runOn(treasury, [...CLAIM_ALL, '--min', '0', '--json']);
  t.is(all.exit, 0, `${all.stdout}${all.stderr}`);
  t.is((await tiny.claims()).length, 1);
  t.is((await runOn(treasury, ['streams', 'claim', 'STREAM-0001', '--min', '0', '--wallet', 'bob'])).exit, 2);
});

test('claim --all › given a least of its own › what is worth less is left alone', async (t) => {
  const { treasury } = await openStreams(t);
  for (const min of ['5', '5 BCH', '500000000 sats']) {
    const { exit, stdout, stderr } = await runOn(treasury, [...CLAIM_ALL, '--min', min]);
    t.is(exit, 0, stderr);
    t.is(stdout, '');
    t.regex(stderr, /2 more are left alone/);
  }
  t.is((await runOn(treasury, [...CLAIM_ALL, '--min', '-5'])).exit, 2);
});

test('claim --all › on a terminal › one summary with totals, one question, n of N, and one closing line', async (t) => {
  const { treasury, first, second } = await openStreams(t);
  const words = CLAIM_ALL.filter((word) => word !== '--yes');
  const declined = await runOn(treasury, words, { answers: [false] });
  t.is(declined.exit, EXIT.declined);
  t.is((await first.claims()).length + (await second.claims()).length, 0);

  const { exit, stderr } = await runOn(treasury, words, { answers: [true] });
  t.is(exit, 0, stderr);
  t.is(stderr.match(/Sign and send/g)?.length, 1);
  t.regex(stderr, /Transactions +2\n/);
  t.regex(stderr, /In all +0\.02\d* BCH/);
  t.regex(stderr, /Fees +about 0\.0000\d+ BCH/);
  t.regex(stderr, /Signed by +bchtest:\w+ \(bob\)/);
  t.regex(stderr, /1\/2 {2}#?STREAM-0001[\s\S]*2\/2 {2}#?STREAM-0003/);
  t.regex(stderr, /2 of 2 done, 0\.02\d* BCH\./);
});

test('claim --all › given tokens and BCH › a total for each asset', async (t) => {
  const { treasury } = await openStreams(t);
  const tokens = await fundStream(treasury, (await tokenTerms(treasury)).terms);
  await advance(treasury, 20 * DAY);
  await treasury.give(bob, 100_000n);
  const { exit, stdout, stderr } = await runOn(treasury, [...CLAIM_ALL, '--json']);
  t.is(exit, 0, `${stdout}${stderr}`);
  t.is((await tokens.claims()).length, 1);
  const { totals } = JSON.parse(stdout) as { totals: { symbol: string }[] };
  t.deepEqual(
    totals.map(({ symbol }) => symbol),
    ['BCH', 'GEMS'],
  );
  t.regex(stderr, /In all +0\.0\d+ BCH and \d+(?:\.\d+)? GEMS/);
});

test('payments claim --all › it claims every payment that is due', async (t) => {
  const treasury = await openTreasury(t);
  const payments = [await fundPayment(treasury), await fundPayment(treasury)];
  await treasury.give(bob, 100_000n);
  await advance(treasury, 3 * DAY);
  const words = ['payments', 'claim', '--all', '--yes', '--wallet', 'bob', '--jsonl'];
  const { exit, stdout, stderr } = await runOn(treasury, words);
  t.is(exit, 0, stderr);
  const results = stdout.trimEnd().split('\n');
  t.is(results.length, 2);
  for (const line of results) t.like(JSON.parse(line), { success: true, exit: 0 });
  for (const payment of payments) t.is((await payment.executions()).length, 1);
});

test('worst exit › what needs a person comes before what another run may mend', (t) => {
  t.is(worstExit([]), EXIT.done);
  t.is(worstExit([EXIT.done, EXIT.pending, EXIT.done]), EXIT.pending);
  t.is(worstExit([EXIT.pending, EXIT.rule, EXIT.unexpected]), EXIT.unexpected);
  t.deepEqual(
    Object.values(EXIT).filter((code) => code !== EXIT.done && worstExit([code]) !== code),
    [],
  );
});

test('streams batch › given that nobody agrees to it › what is left is said, and is funded with one command', async (t) => {
  const treasury = await openTreasury(t);
  const vaultId = await createVault(treasury);
  await treasury.give(alice, 50_000_000n);
  const { store } = treasury.app.context;
  const batch = ['streams', 'batch', vaultId, '--wallet', 'alice', '--file', 'fixtures/team.csv'];
  const { exit, stderr } = await runOn(treasury, batch, { cwd: process.cwd() });
  t.is(exit, EXIT.invalid);
  t.regex(stderr, /#STREAM-0001 to #STREAM-0005 are stored, and wait for their funding\./);
  const [, next = ''] = /Next: treasury (.+?) {2}\(/.exec(stderr) ?? [];
  t.is(next, 'streams fund STREAM-0001');

  const funded = await runOn(treasury, [...next.split(' '), '--wallet', 'alice', '--yes']);
  t.is(funded.exit, 0, funded.stderr);
  for (const { id } of (await store.find(streamCollection)).items)
    t.like(await treasury.ask(alice, 'streams.show', { id }), { stream: { status: 'ACTIVE' } });
});

test('streams batch › --file takes a name or standard input, and --dry-run stores nothing', async (t) => {
  const treasury = await openTreasury(t);
  const vaultId = await createVault(treasury);
  await treasury.give(alice, 50_000_000n);
  const { store } = treasury.app.context;
  const stored = async () =>
    (await store.find(streamCollection)).total + (await store.find(batchCollection)).total;
  const batch = ['streams', 'batch', vaultId, '--wallet', 'alice', '--file'];
  const at = { cwd: process.cwd() };

  const dry = await runOn(treasury, [...batch, 'fixtures/team.csv', '--dry-run'], at);
  t.is(dry.exit, 0, dry.stderr);
  t.regex(dry.stdout, /3 .*STEP .*0\.06 .*good/);
  t.regex(dry.stderr, /nothing was stored, signed or sent/);
  t.is(await stored(), 0);

  const bad = { stdin: 'recipient,amount,type,end\nnobody,1,LINEAR,\nx,1,LINEAR,2026-07-01\n' };
  const refused = await runOn(treasury, [...batch, '-', '--dry-run'], bad);
  t.is(refused.exit, 2);
  t.regex(refused.stdout, /2 of 2 rows are refused/);
  const failed = await runOn(treasury, [...batch, '-', '--yes'], bad);
  t.is(failed.exit, 2);
  t.regex(failed.stderr, /^ {2}line 2, recipient: /m);
  t.regex(failed.stderr, /^ {2}line 3, recipient: /m);
  t.is(await stored(), 0);

  const done = await runOn(treasury, [...batch, 'fixtures/team.csv', '--yes', '--json'], at);
  t.is(done.exit, 0, done.stderr);
  t.like(JSON.parse(done.stdout), { success: true, batch: { active: 5 } });
});
