/** The real command line, over real records: what a lost answer leaves behind is the business of one record alone. */
import test, { type ExecutionContext } from 'ava';
import { alice, bob, erin } from '../../fixtures/people.js';
import type { Outpoint } from '../../src/bch/coins.js';
import type { ChainPort } from '../../src/operation/ports/chain.js';
import { decodeTransaction } from '../../src/bch/transaction.js';
import { TreasuryError } from '../../src/errors.js';
import { pendingStepCollection } from '../../src/record/pending-steps.js';
import { openLocalChain } from '../../src/adapters/local-chain/local-chain.js';
import { join } from 'node:path';
import { advance, DAY, fundStream } from '../products/streams/stream.js';
import { fundPlan } from '../products/budgets/plan.js';
import { fundPayment } from '../products/payments/payment.js';
import { openTreasury, TEST_TIME, type Treasury } from '../treasury.js';
import { runOn } from './real-environment.js';

const underWay = async ({ app }: Treasury): Promise<readonly string[]> =>
  (await app.context.store.find(pendingStepCollection)).items.map(({ txid }) => txid);

/** Lets the chain take the next transaction of a step (the authority may send its own before), and loses its answer. */
const loseNextAnswer = (treasury: Treasury, { arrives = true } = {}): { readonly sent: () => string } => {
  const { context } = treasury.app;
  const { chain } = context;
  let sent = '';
  Object.assign(context, {
    chain: {
      ...chain,
      broadcast: async (raw: string) => {
        if (!(await underWay(treasury)).includes(decodeTransaction(raw).txid)) return chain.broadcast(raw);
        Object.assign(context, { chain });
        sent = arrives ? await chain.broadcast(raw) : decodeTransaction(raw).txid;
        throw new TreasuryError('chain_unavailable', { reason: 'the answer is lost' });
      },
    },
  });
  return { sent: () => sent };
};

type Made = { readonly id: string; readonly shown: () => Promise<Record<string, unknown>> };

const CASES: readonly {
  readonly noun: string;
  readonly verb: string;
  readonly wallet: string;
  readonly label: string;
  readonly make: (treasury: Treasury) => Promise<Made>;
  /** What the record says once the move is made, and not before. */
  readonly done: Record<string, unknown>;
}[] = [
  {
    noun: 'streams',
    verb: 'cancel',
    wallet: 'alice',
    label: 'STREAM',
    make: fundStream,
    done: { status: 'CANCELLED' },
  },
  {
    noun: 'streams',
    verb: 'claim',
    wallet: 'bob',
    label: 'STREAM',
    make: fundStream,
    done: { claimable_amount: 0 },
  },
  {
    noun: 'payments',
    verb: 'cancel',
    wallet: 'alice',
    label: 'PAY',
    make: fundPayment,
    done: { status: 'CANCELLED' },
  },
  {
    noun: 'payments',
    verb: 'claim',
    wallet: 'bob',
    label: 'PAY',
    make: fundPayment,
    done: { payment_count: 10 },
  },
  {
    noun: 'budgets',
    verb: 'cancel',
    wallet: 'alice',
    label: 'BUDGET',
    make: fundPlan,
    done: { status: 'CANCELLED' },
  },
  {
    noun: 'budgets',
    verb: 'release',
    wallet: 'bob',
    label: 'BUDGET',
    make: fundPlan,
    done: { current_milestone: 1 },
  },
];

for (const { noun, verb, wallet, label, make, done } of CASES) {
  test(`${noun} ${verb} › given a lost answer for one record › another record gets its own, and the first goes on`, async (t) => {
    const treasury = await openTreasury(t);
    const [first, second] = [await make(treasury), await make(treasury)];
    await advance(treasury, 10 * DAY);
    await treasury.give(bob, 1_000_000n);
    const run = (record: string) =>
      runOn(treasury, [noun, verb, record, '--yes', '--wallet', wallet, '--json']);

    const { sent } = loseNextAnswer(treasury);
    t.is((await run(`${label}-0001`)).exit, 7);
    t.deepEqual(await underWay(treasury), [sent()]);

    // The other one.
    const other = await run(`${label}-0002`);
    t.is(other.exit, 0, `${other.stdout}${other.stderr}`);
    t.notRegex(other.stderr, /An earlier run/);
    const { txHash } = JSON.parse(other.stdout) as { txHash: string };
    t.not(txHash, sent());
    t.like(await second.shown(), done);
    t.deepEqual(await underWay(treasury), [sent()]);

    // And the first, by its id instead of its label.
    const again = await run(first.id);
    t.is(again.exit, 0, `${again.stdout}${again.stderr}`);
    t.regex(again.stderr, /An earlier run of this command signed/);
    t.like(JSON.parse(again.stdout), { success: true, txHash: sent() });
    t.like(await first.shown(), done);
    t.deepEqual(await underWay(treasury), []);
  });
}

/** Lets somebody else be quicker with a coin of the next transactions of steps, so many times. */
const loseRaces = (treasury: Treasury, times: number): void => {
  const { context } = treasury.app;
  const { chain } = context;
  let left = times;
  const broadcast = async (raw: string): Promise<string> => {
    if (left === 0 || !(await underWay(treasury)).includes(decodeTransaction(raw).txid))
      return chain.broadcast(raw);
    left -= 1;
    throw new TreasuryError('tx_conflict', { outpoint: `${'ab'.repeat(32)}:0`, spender: 'cd'.repeat(32) });
  };
  Object.assign(context, { chain: { ...chain, broadcast } });
};

for (const { noun, verb, wallet, label, make, done } of CASES) {
  const isRebuilt = verb !== 'cancel';
  test(`${noun} ${verb} › given that somebody else was quicker with a coin › it is ${isRebuilt ? 'built once more, and no third time' : 'left to whoever asked'}`, async (t) => {
    const treasury = await openTreasury(t);
    const record = await make(treasury);
    await advance(treasury, 10 * DAY);
    await treasury.give(bob, 1_000_000n);
    const run = () => runOn(treasury, [noun, verb, `${label}-0001`, '--yes', '--wallet', wallet, '--json']);
    const { chain } = treasury.app.context;

    loseRaces(treasury, isRebuilt ? 2 : 1);
    t.is((await run()).exit, 6);
    Object.assign(treasury.app.context, { chain });
    if (!isRebuilt) return;
    await run();
    if ((await underWay(treasury)).length > 0) await run();
    t.like(await record.shown(), done);

    const other = await make(treasury);
    await advance(treasury, 10 * DAY);
    loseRaces(treasury, 1);
    const again = await runOn(treasury, [noun, verb, other.id, '--yes', '--wallet', wallet, '--json']);
    t.is(again.exit, 0, again.stderr);
    t.regex(again.stderr, /Somebody else was quicker with one of its coins: building it once more/);
    t.like(await other.shown(), done);
    t.deepEqual(await underWay(treasury), []);
  });
}

/** A stream whose claim is signed and did not arrive, and the chain behind it, which mines when it is told to. */
const openUnsent = async (t: ExecutionContext) => {
  const treasury = await openTreasury(t);
  const stream = await fundStream(treasury);
  await advance(treasury, 10 * DAY);
  await treasury.give(bob, 1_000_000n);
  const claim = (...more: string[]) =>
    runOn(treasury, ['streams', 'claim', stream.id, '--yes', '--wallet', 'bob', '--json', ...more]);
  const { sent } = loseNextAnswer(treasury, { arrives: false });
  t.is((await claim()).exit, 7);
  const slow = await openLocalChain({
    folder: join(treasury.home, 'local'),
    now: () => TEST_TIME,
    automine: false,
  });
  t.teardown(() => slow.close());
  return { treasury, stream, claim, sent, slow };
};

test('a conflict › given a winner that no block has › the step is kept; once a block has it, a new one is built', async (t) => {
  const { treasury, stream, claim, sent, slow } = await openUnsent(t);
  const built = await treasury.ask(bob, 'streams.claim', { id: stream.id, amount: '0.001' });
  await slow.broadcast(treasury.sign(bob, built['wcTransaction']));

  const waiting = await claim();
  t.is(waiting.exit, 6, waiting.stderr);
  t.like(JSON.parse(waiting.stdout), { code: 'tx_conflict' });
  t.regex(waiting.stderr, /is signed and kept/);
  t.deepEqual(await underWay(treasury), [sent()]);

  await slow.mine(1);
  const mined = await claim();
  t.is(mined.exit, 0, mined.stderr);
  t.regex(mined.stderr, /dropped, since the network refuses it for good/);
  t.not((JSON.parse(mined.stdout) as { txHash: string }).txHash, sent());
  t.deepEqual(await underWay(treasury), []);
});

test('a conflict › given a winner that is evicted › the step that was kept is the one that is made', async (t) => {
  const { treasury, stream, claim, sent, slow } = await openUnsent(t);
  const built = await treasury.ask(bob, 'streams.claim', { id: stream.id, amount: '0.001' });
  const winner = await slow.broadcast(treasury.sign(bob, built['wcTransaction']));
  t.is((await claim()).exit, 6);
  await slow.reorg(1, { drop: [winner] });
  const again = await claim();
  t.is(again.exit, 0, again.stderr);
  t.like(JSON.parse(again.stdout), { txHash: sent() });
});

test('every action › whose build names a record › says which record that is', async (t) => {
  const { nouns } = await import('../../src/app.js');
  const offers = (await Promise.all(nouns.map(({ load }) => load()))).flatMap(({ operations }) => operations);
  const actions = offers.filter((offer) => 'kind' in offer);
  t.true(actions.length > 20);
  const silent = actions.filter(
    ({ build, record }) => /:\w/.test(build.http?.path ?? '') && record === undefined,
  );
  // A batch makes its records anew each time.
  t.deepEqual(
    silent.map(({ build }) => build.id),
    ['streams.batch-create'],
  );
});

const hiddenRival = (): TreasuryError =>
  new TreasuryError('tx_conflict', { outpoint: 'a coin', spender: 'another transaction' });

/** A server that keeps the next transaction of a step for itself, says that it refuses it, and hides its coins or not. */
const lieNext = (
  treasury: Treasury,
  { refusal = hiddenRival(), hides = true } = {},
): { readonly handOn: () => Promise<unknown>; readonly forget: () => void; readonly kept: () => string } => {
  const { context } = treasury.app;
  const { chain } = context;
  let kept: string | null = null;
  const isHidden = ({ txid, vout }: Outpoint): boolean =>
    hides &&
    kept !== null &&
    decodeTransaction(kept).inputs.some((input) => input.txid === txid && input.vout === vout);
  const lying: Partial<ChainPort> = {
    broadcast: async (raw) => {
      if (kept !== null || !(await underWay(treasury)).includes(decodeTransaction(raw).txid))
        return chain.broadcast(raw);
      kept = raw;
      throw refusal;
    },
    coins: async (lock, look) => (await chain.coins(lock, look)).filter((coin) => !isHidden(coin)),
  };
  Object.assign(context, { chain: { ...chain, ...lying } });
  return {
    handOn: async () => {
      Object.assign(context, { chain });
      return kept === null ? null : chain.broadcast(kept);
    },
    forget: () => {
      Object.assign(context, { chain });
    },
    kept: () => (kept === null ? 'none' : decodeTransaction(kept).txid),
  };
};

test('a conflict › given a server that keeps what was sent, says that another was quicker, and hands it on later › nobody is paid twice', async (t) => {
  const treasury = await openTreasury(t);
  await treasury.give(alice, 1_000_000n);
  await treasury.give(alice, 1_000_000n);
  const words = ['wallet', 'send', '--wallet', 'alice', '--to', treasury.addressOf(erin).text];
  const send = () => runOn(treasury, [...words, '--amount', '0.002', '--yes', '--json']);
  const { handOn } = lieNext(treasury);
  const lied = await send();
  t.is(lied.exit, 6, lied.stderr);
  t.regex(lied.stderr, /is signed and kept/);
  t.is((await underWay(treasury)).length, 1);
  await handOn();
  t.is(await treasury.satoshisOf(erin), 200_000n);
  const again = await send();
  t.is(again.exit, 0, again.stderr);
  t.is(await treasury.satoshisOf(erin), 200_000n);
});

/** Refusals of the transaction itself. The virtual machine has taken it when it was signed. */
const OF_ITSELF = [
  new TreasuryError(
    'tx_script_failed',
    { reason: 'a signature' },
    { cause: new Error('tcp://127.0.0.1:1 refuses it: mandatory-script-verify-flag-failed') },
  ),
  new TreasuryError('tx_dust', { output: 0, satoshis: 1, minimum: 546 }),
];

/** A wallet of two coins, either of which is enough for its payment to erin; and the payment. */
const openSend = async (t: ExecutionContext) => {
  const treasury = await openTreasury(t);
  await treasury.give(alice, 1_000_000n);
  await treasury.give(alice, 1_000_000n);
  const words = ['wallet', 'send', '--wallet', 'alice', '--to', treasury.addressOf(erin).text];
  const send = (...more: string[]) =>
    runOn(treasury, [...words, '--amount', '0.002', '--yes', '--json', ...more]);
  return { treasury, send };
};

for (const refusal of OF_ITSELF) {
  test(`a refusal for good (${refusal.code}) › given a server that keeps what was sent, and hands it on later › nobody is paid twice`, async (t) => {
    const { treasury, send } = await openSend(t);
    const { handOn, kept } = lieNext(treasury, { refusal });
    const lied = await send();
    t.is(lied.exit, 6, lied.stderr);
    t.like(JSON.parse(lied.stdout), { code: refusal.code, retryable: false });
    t.deepEqual(await underWay(treasury), [kept()]);
    t.regex(lied.stderr, /is signed and kept/);
    t.regex(lied.stderr, /(tcp:\/\/127\.0\.0\.1:1|the network) refuses it: (mandatory|Output 0)/);
    t.regex(lied.stderr, /--start-over builds another in its place/);
    // The same command sends the same, whether the server still refuses it or not.
    await handOn();
    const again = await send();
    t.is(again.exit, 0, again.stderr);
    t.like(JSON.parse(again.stdout), { txHash: kept() });
    t.is(await treasury.satoshisOf(erin), 200_000n);
    t.deepEqual(await underWay(treasury), []);
  });
}

test('--start-over › given a refusal for good › what is built anew spends a coin of the first: one of them is mined', async (t) => {
  const { treasury, send } = await openSend(t);
  const { chain } = treasury.app.context;
  const { forget, kept } = lieNext(treasury, { refusal: OF_ITSELF[0] as TreasuryError, hides: false });
  t.is((await send()).exit, 6);
  forget();
  const first = kept();
  // More to choose from than before: the smallest and the largest coin are others.
  await treasury.give(alice, 5_000_000n);
  await treasury.give(alice, 300_000n);
  const raws: string[] = [];
  Object.assign(treasury.app.context, {
    chain: { ...chain, broadcast: (raw: string) => (raws.push(raw), chain.broadcast(raw)) },
  });
  const over = await send('--start-over');
  t.is(over.exit, 0, over.stderr);
  t.regex(over.stderr, new RegExp(`in the place of ${first}: .*only one of the two`));
  t.is(await treasury.satoshisOf(erin), 200_000n);
  t.deepEqual(await underWay(treasury), []);
});

test('--start-over › given a first that is mined after all › the second ends with it, and no third is built', async (t) => {
  const { treasury, claim, sent } = await openUnsent(t);
  const { chain } = treasury.app.context;
  const raws: string[] = [];
  const broadcast = async (raw: string): Promise<string> => {
    if (!(await underWay(treasury)).includes(decodeTransaction(raw).txid)) return chain.broadcast(raw);
    raws.push(raw);
    throw OF_ITSELF[0] as TreasuryError;
  };
  Object.assign(treasury.app.context, { chain: { ...chain, broadcast } });
  t.is((await claim()).exit, 6);
  await advance(treasury, 10 * DAY);
  const over = await claim('--start-over');
  t.is(over.exit, 6, over.stderr);
  t.regex(over.stderr, new RegExp(`in the place of ${sent()}: .*only one of the two`));
  t.notDeepEqual(await underWay(treasury), [sent()]);
  Object.assign(treasury.app.context, { chain });
  await chain.broadcast(raws[0] ?? '');
  await advance(treasury, 10 * DAY);
  const again = await claim();
  t.is(again.exit, 0, again.stderr);
  t.like(JSON.parse(again.stdout), { txHash: sent() });
  t.regex(again.stderr, /in whose place it was built: going on with that/);
  t.deepEqual(await underWay(treasury), []);
});

test('--start-over › given a first whose coins are not to be had › it is said that both may be paid', async (t) => {
  const { treasury, send } = await openSend(t);
  const { forget } = lieNext(treasury, { refusal: OF_ITSELF[0] as TreasuryError });
  t.is((await send()).exit, 6);
  const over = await send('--start-over');
  forget();
  t.is(over.exit, 0, over.stderr);
  t.regex(over.stderr, /Warning: .* spends no coin of .*: the network may take both/);
});

test('--start-over › given a first that is on the chain › it is said that both are paid', async (t) => {
  const { treasury, send } = await openSend(t);
  const { sent } = loseNextAnswer(treasury);
  t.is((await send()).exit, 7);
  const over = await send('--start-over');
  t.is(over.exit, 0, over.stderr);
  t.regex(over.stderr, new RegExp(`Warning: ${sent()} was sent, and is on the chain`));
  t.deepEqual(await underWay(treasury), []);
});

test('a conflict › given another payment of the same wallet that was quicker › it is built once more from other coins', async (t) => {
  const treasury = await openTreasury(t);
  await treasury.give(alice, 1_000_000n);
  const { context } = treasury.app;
  const { chain } = context;
  const words = ['wallet', 'send', '--wallet', 'alice', '--to', treasury.addressOf(erin).text];
  let isFirst = true;
  const broadcast = async (raw: string): Promise<string> => {
    if (!isFirst) return chain.broadcast(raw);
    isFirst = false;
    const input = { to: treasury.addressOf(bob).text, amount: '0.003' };
    const rival = await treasury.ask(alice, 'wallet.send', input);
    await chain.broadcast(treasury.sign(alice, rival['wcTransaction']));
    await treasury.give(alice, 1_000_000n);
    return chain.broadcast(raw);
  };
  Object.assign(context, { chain: { ...chain, broadcast } });
  const sent = await runOn(treasury, [...words, '--amount', '0.002', '--yes', '--json']);
  t.is(sent.exit, 0, sent.stderr);
  t.regex(sent.stderr, /Somebody else was quicker/);
  t.is(await treasury.satoshisOf(erin), 200_000n);
  t.is(await treasury.satoshisOf(bob), 300_000n);
});
