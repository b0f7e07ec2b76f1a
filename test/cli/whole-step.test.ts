import { createHash } from 'node:crypto';
import { binToHex } from '@bitauth/libauth';
import test, { type ExecutionContext } from 'ava';
import { alice, carol } from '../../fixtures/people.js';
import { decodeWalletTransaction } from '../../src/bch/wallet-transaction.js';
import { TreasuryError } from '../../src/errors.js';
import { pendingStepCollection, type PendingStep } from '../../src/record/pending-steps.js';
import { CONTRACT, type FakeState } from './fake-app.js';
import { openCommandLine } from './fake-environment.js';

const PAY = ['things', 'pay', 'tea', '--yes'];

const pendingSteps = ({ records }: FakeState): unknown[] => [
  ...(records.get(pendingStepCollection.name)?.values() ?? []),
];

const conflict = (): TreasuryError => new TreasuryError('tx_conflict', { outpoint: 'a:0', spender: 'b' });
/** Refusals of what this program's own virtual machine has taken: another server may take it, or this one hand it on. */
const OF_ITSELF = [
  new TreasuryError('tx_not_standard', { reason: 'scriptpubkey' }),
  new TreasuryError('tx_script_failed', { reason: 'a signature' }),
  new TreasuryError('tx_dust', { output: 0, satoshis: 1, minimum: 546 }),
  new TreasuryError('tx_fee_too_low', { fee: 1, size: 200, minimum: 200 }),
  new TreasuryError('tx_token_rule', { reason: 'it makes tokens' }),
  new TreasuryError('tx_too_large', { size: 100_001, limit: 100_000 }),
  new TreasuryError('tx_malformed', { reason: 'it ends early' }),
];
/** Refusals that may pass. */
const PASSING = [
  conflict(),
  new TreasuryError('tx_missing_inputs', { outpoint: 'a:0' }),
  new TreasuryError('tx_not_final', { secondsLeft: 60 }),
  new TreasuryError('chain_unavailable', { reason: 'no route' }),
];
const notIndexed = (): TreasuryError => new TreasuryError('tx_not_indexed', { txHash: 'a' });

/** A home where `things pay tea` was cut off between broadcast and confirmation. */
const cutOff = async (t: ExecutionContext) => {
  const line = openCommandLine(t);
  line.state.confirmErrors.push(new Error('the power went'));
  const { exit } = await line.run(PAY);
  t.is(exit, 1);
  t.is(line.state.broadcast.length, 1);
  return line;
};

test('whole step › given --yes › it builds, signs, broadcasts and confirms', async (t) => {
  const { run, state } = openCommandLine(t);
  const { exit, stdout, stderr } = await run(PAY);
  t.is(exit, 0);
  t.is(state.broadcast.length, 1);
  const [txHash] = state.broadcast;
  t.deepEqual(state.confirmed, [{ id: 'tea', voteId: 'vote of tea', txHash }]);
  t.true(stdout.includes(txHash ?? 'none'));
  t.regex(stderr, /Done: [0-9a-f]{64}/);
  t.deepEqual(pendingSteps(state), []);
});

test('whole step › what will be signed › is shown on stderr before it is asked', async (t) => {
  const { run } = openCommandLine(t);
  const { stderr, asked } = await run(['things', 'pay', 'tea'], { answers: [true] });
  t.regex(stderr, /Pay 0\.0001 BCH into the thing/);
  t.regex(stderr, /^ {2}bchtest:p[a-z0-9]+\s+\(contract\)\n +BCH 0\.0001$/m);
  t.regex(stderr, /^ {2}bchtest:q[a-z0-9]+ \(you\)\n +BCH 0\.000897$/m);
  t.regex(stderr, /Fee +0\.000003 BCH/);
  t.regex(stderr, /You pay in all +0\.000103 BCH/);
  t.regex(stderr, /State +-> ACTIVE/);
  t.deepEqual(asked, ['Sign and send this?']);
});

test('whole step › given --json › the confirm reply is the one document on stdout', async (t) => {
  const { json, state } = openCommandLine(t);
  t.like(await json(PAY), { success: true, txHash: state.broadcast[0], status: 'ACTIVE' });
});

test('whole step › given no at the prompt › exit 10, nothing is signed or sent', async (t) => {
  const { run, state } = openCommandLine(t);
  const { exit } = await run(['things', 'pay', 'tea'], { answers: [false] });
  t.is(exit, 10);
  t.is(state.unlocked, 0);
  t.deepEqual(state.broadcast, []);
  t.deepEqual(pendingSteps(state), []);
});

test('whole step › given no terminal and no --yes › missing_value names --yes, exit 2', async (t) => {
  const { run, state } = openCommandLine(t);
  const { exit, stderr } = await run(['things', 'pay', 'tea']);
  t.is(exit, 2);
  t.regex(stderr, /--yes is needed/);
  t.deepEqual(state.broadcast, []);
});

test('whole step › given nothing to sign › it says so and ends well', async (t) => {
  const { run, state } = openCommandLine(t);
  state.hasNothingToPay = true;
  const { exit, stderr } = await run(PAY);
  t.is(exit, 0);
  t.regex(stderr, /nothing to sign/);
  t.deepEqual(state.broadcast, []);
});

test('whole step › given an address of no wallet here › signing_failed before anything is built', async (t) => {
  const { json, run, state } = openCommandLine(t);
  const words = [...PAY, '--as', carol.address('local').text];
  t.is((await json(words))['code'], 'signing_failed');
  t.is((await run(words)).exit, 6);
  t.deepEqual(state.ran, []);
});

test('whole step › given the same command twice at once › one pays, the other is told to try again', async (t) => {
  const { run, state } = openCommandLine(t);
  // Neither goes on before both have built.
  const waiting: (() => void)[] = [];
  state.onBuild = () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 2) for (const proceed of waiting) proceed();
    });
  const outcomes = await Promise.all([run(PAY), run(PAY)]);
  t.deepEqual(outcomes.map(({ exit }) => exit).sort(), [0, 8]);
  t.is(state.broadcast.length, 1);
});

test('preparation › given it is needed › it is asked for, sent first, and the step goes on', async (t) => {
  const { run, state } = openCommandLine(t);
  state.needsPreparation = true;
  const { exit, asked } = await run(['things', 'pay', 'tea'], { answers: [true, true] });
  t.is(exit, 0);
  t.is(asked.length, 2);
  t.is(state.broadcast.length, 2);
  t.is(state.confirmed.length, 1);
});

test('preparation › given --unsigned › it is printed, exit 5', async (t) => {
  const { run, state } = openCommandLine(t);
  state.needsPreparation = true;
  const { exit, stdout, stderr } = await run(['things', 'pay', 'tea', '--unsigned']);
  t.is(exit, 5);
  t.notThrows(() => decodeWalletTransaction(JSON.parse(stdout)));
  t.regex(stderr, /preparation/);
});

test('--unsigned › it prints the wcTransaction and stops', async (t) => {
  const { run, state } = openCommandLine(t);
  const { exit, stdout, stderr } = await run(['things', 'pay', 'tea', '--unsigned']);
  t.is(exit, 0);
  const request = decodeWalletTransaction(JSON.parse(stdout));
  t.is(request.transaction.inputs[0]?.unlockingBytecode.length, 0);
  t.regex(stderr, /treasury things confirm-pay tea <tx-hash> --vote-id 'vote of tea'\n/);
  t.is(state.unlocked, 0);
  t.deepEqual(state.broadcast, []);
});

for (const flag of ['--unsigned', '--dry-run']) {
  test(`${flag} › given an earlier run that is not confirmed › it is said, on stderr alone`, async (t) => {
    const { run, state } = await cutOff(t);
    const [txid = 'none'] = state.broadcast;
    const { exit, stdout, stderr } = await run(['things', 'pay', 'also-tea', flag]);
    t.is(exit, 0);
    t.regex(stderr, new RegExp(`An earlier run of this command signed ${txid}, and it is not confirmed`));
    t.false(stdout.includes(txid));
    t.is(pendingSteps(state).length, 1);
    t.notRegex((await run(['things', 'pay', 'cake', flag])).stderr, /An earlier run/);
  });
}

test('--unsigned › given --json › it is the whole build reply', async (t) => {
  const { json } = openCommandLine(t);
  const body = await json(['things', 'pay', 'tea', '--unsigned']);
  t.is(body['success'], true);
  t.is(body['voteId'], 'vote of tea');
});

test('--dry-run › it shows what would be done and changes nothing', async (t) => {
  const { run, state } = openCommandLine(t);
  const { exit, stdout, stderr } = await run(['things', 'pay', 'tea', '--dry-run']);
  t.is(exit, 0);
  t.regex(stdout, /Receives/);
  t.regex(stderr, /nothing was signed and nothing was sent/);
  t.is(state.unlocked, 0);
  t.deepEqual(state.broadcast, []);
  t.deepEqual(pendingSteps(state), []);
});

test('confirm › given a chain that does not know it yet › it is asked for again', async (t) => {
  const { run, state } = openCommandLine(t);
  state.confirmErrors.push(notIndexed(), notIndexed());
  t.is((await run(PAY)).exit, 0);
  t.is(state.confirmed.length, 3);
});

test('confirm › given a chain that never knows it › exit 8, and the step is kept', async (t) => {
  const { run, state } = openCommandLine(t);
  state.confirmErrors.push(...Array.from({ length: 100 }, notIndexed));
  const { exit, stderr } = await run(PAY);
  t.is(exit, 8);
  t.regex(stderr, /The same command goes on from here/);
  t.is(pendingSteps(state).length, 1);
  t.true(state.confirmed.length < 30);
});

test('pick-up › given a crash between broadcast and confirm › the same command confirms and builds nothing', async (t) => {
  const { run, state } = await cutOff(t);
  const [txid] = state.broadcast;
  state.ran.length = 0;
  const { exit, stderr } = await run(PAY);
  t.is(exit, 0);
  t.deepEqual(state.ran, []);
  t.deepEqual([...new Set(state.broadcast)], [txid]);
  t.regex(stderr, /An earlier run of this command signed/);
  t.deepEqual(state.confirmed.at(-1), { id: 'tea', voteId: 'vote of tea', txHash: txid });
  t.deepEqual(pendingSteps(state), []);
});

test('pick-up › given a crash before it was said that it is done › the same command says so and sends nothing else', async (t) => {
  const { run, state } = openCommandLine(t);
  await run(PAY, {
    onStdout: () => {
      throw new Error('the power went');
    },
  });
  const { exit, stdout } = await run(PAY);
  t.is(exit, 0);
  t.is(new Set(state.broadcast).size, 1);
  t.true(stdout.includes(state.broadcast[0] ?? 'none'));
  t.deepEqual(pendingSteps(state), []);
});

test('pick-up › given a crash before the broadcast › the signed transaction is the one that is sent', async (t) => {
  const { run, state } = openCommandLine(t);
  state.broadcastErrors.push(new TreasuryError('chain_unavailable', { reason: 'no route' }));
  t.is((await run(PAY)).exit, 7);
  t.is(pendingSteps(state).length, 1);
  const [{ txid }] = pendingSteps(state) as [{ txid: string }];
  t.is((await run(PAY)).exit, 0);
  t.deepEqual(state.broadcast, [txid]);
  t.deepEqual(state.ran, ['things.pay']);
});

test('pick-up › given another input or another caller › it is another step', async (t) => {
  const { run, state } = await cutOff(t);
  t.is((await run(['things', 'pay', 'cake', '--yes'])).exit, 0);
  t.is((await run([...PAY, '--wallet', 'bob'])).exit, 0);
  t.is(new Set(state.broadcast).size, 3);
  t.is(pendingSteps(state).length, 1);
});

test('pick-up › given the record under another name › it is the same step, and nothing is built', async (t) => {
  const { run, state } = await cutOff(t);
  const [txid] = state.broadcast;
  state.ran.length = 0;
  const { exit, stderr } = await run(['things', 'pay', 'also-tea', '--yes']);
  t.is(exit, 0);
  t.regex(stderr, /An earlier run/);
  t.deepEqual([...new Set(state.broadcast)], [txid]);
  t.deepEqual(state.ran, []);
});

test('pick-up › given another record › it is another step, though it asks for the same', async (t) => {
  const { run, state } = await cutOff(t);
  const [txid] = state.broadcast;
  const { exit, stderr } = await run(['things', 'pay', 'cake', '--yes']);
  t.is(exit, 0);
  t.notRegex(stderr, /An earlier run/);
  t.is(state.broadcast.length, 2);
  t.is((pendingSteps(state) as { txid: string }[])[0]?.txid, txid);
});

test('pick-up › given a step of 0.1.0 › it is never taken for that of another record', async (t) => {
  const { run, state } = await cutOff(t);
  const [step] = pendingSteps(state) as PendingStep[];
  if (step === undefined) return t.fail();
  // Its subject was this hash, whatever the record: of a payment to one contract.
  const caller = alice.address('local').text;
  const contracts = [binToHex(CONTRACT)];
  const old = JSON.stringify({ caller, contracts, input: {}, network: 'local', operation: 'things.pay' });
  const subject = createHash('sha256').update(old).digest('hex');
  const renamed: PendingStep = { ...step, subject };
  state.records.get(pendingStepCollection.name)?.set(step.id, renamed);
  t.is((await run(['things', 'pay', 'cake', '--yes'])).exit, 0);
  t.is(new Set(state.broadcast).size, 2);
  // The very same command still finds it.
  state.ran.length = 0;
  t.is((await run(PAY)).exit, 0);
  return t.deepEqual(state.ran, []);
});

test('pick-up › given a label in another spelling › it is the same step', async (t) => {
  const { run, state } = openCommandLine(t);
  state.confirmErrors.push(new Error('the power went'));
  await run(['things', 'pay', '#REWARD-0001', '--yes']);
  state.ran.length = 0;
  t.is((await run(['things', 'pay', 'reward-0001', '--yes'])).exit, 0);
  t.deepEqual(state.ran, []);
});

for (const error of OF_ITSELF) {
  test(`pick-up › given a server that refuses it (${error.code}) › the step is kept, and no other is built`, async (t) => {
    const { run, state } = await cutOff(t);
    state.known.clear();
    state.ran.length = 0;
    state.broadcastErrors.push(error);
    t.is((await run(PAY)).exit, 6);
    t.is(pendingSteps(state).length, 1);
    t.is((await run(PAY)).exit, 0);
    t.deepEqual(state.ran, []);
    t.is(new Set(state.broadcast).size, 1);
    t.deepEqual(pendingSteps(state), []);
  });
}

for (const error of [...PASSING, ...OF_ITSELF]) {
  test(`broadcast › given a refusal (${error.code}) › the step is kept, and goes on`, async (t) => {
    const { run, state } = openCommandLine(t);
    state.broadcastErrors.push(error);
    const { exit, stderr } = await run(PAY);
    t.is(exit, error.exit);
    t.is(error.retryable, [7, 8].includes(exit));
    t.regex(stderr, /is signed and kept.*\. The same command goes on with it; --start-over builds another/);
    if (exit === 6) t.true(stderr.includes(`the network refuses it: ${error.message.slice(0, -1)}`), stderr);
    const [{ txid }] = pendingSteps(state) as [{ txid: string }];
    state.ran.length = 0;
    t.is((await run(PAY)).exit, 0);
    t.deepEqual(state.broadcast, [txid]);
    t.deepEqual(state.ran, []);
  });
}

test('pick-up › given a refusal of what the chain knows › it is confirmed all the same', async (t) => {
  const { run, state } = await cutOff(t);
  state.broadcastErrors.push(new TreasuryError('tx_missing_inputs', { outpoint: 'a:0' }));
  t.is((await run(PAY)).exit, 0);
  t.is(state.broadcast.length, 1);
});

test('pick-up › given --start-over › the earlier step is forgotten', async (t) => {
  const { run, state } = await cutOff(t);
  const { exit, stderr } = await run([...PAY, '--start-over']);
  t.is(exit, 0);
  t.regex(stderr, /was sent, and is on the chain\. It is forgotten, and what is built now is paid beside it/);
  t.is(new Set(state.broadcast).size, 2);
  t.deepEqual(pendingSteps(state), []);
});

test('pick-up › given --start-over, and the record under another name › the new one takes the place of the first', async (t) => {
  const { run, state } = openCommandLine(t);
  state.broadcastErrors.push(new TreasuryError('chain_unavailable', { reason: 'no route' }), conflict());
  t.is((await run(PAY)).exit, 7);
  const [first] = pendingSteps(state) as PendingStep[];
  const over = await run(['things', 'pay', 'also-tea', '--yes', '--start-over']);
  t.is(over.exit, 6);
  t.regex(over.stderr, /Warning: this spends no coin of [0-9a-f]{64}, which .*: the network may take both/);
  const steps = pendingSteps(state) as PendingStep[];
  t.is(steps.length, 1);
  t.not(steps[0]?.txid, first?.txid);
  t.deepEqual(
    steps[0]?.instead_of?.map(({ txid }) => txid),
    [first?.txid],
  );
  // The chain gets the first after all: what took its place is no more.
  state.known.add(first?.txid ?? '');
  state.broadcastErrors.push(conflict());
  const again = await run(PAY);
  t.is(again.exit, 0);
  t.like(state.confirmed.at(-1), { txHash: first?.txid });
  t.deepEqual(pendingSteps(state), []);
});

test('confirm verb › given the txid of a step under way › it is confirmed and no longer under way', async (t) => {
  const { run, state } = await cutOff(t);
  const [txid = ''] = state.broadcast;
  const { exit } = await run(['things', 'confirm-pay', 'tea', txid, '--vote-id', 'vote of tea']);
  t.is(exit, 0);
  t.deepEqual(pendingSteps(state), []);
});

test('ending › given a terminal › the label is asked for, and anything else declines', async (t) => {
  const { run, state } = openCommandLine(t);
  t.is((await run(['things', 'end', 'tea'], { answers: ['#THING-0002'] })).exit, 10);
  t.deepEqual(state.broadcast, []);
  const { exit, asked } = await run(['things', 'end', 'tea'], { answers: ['thing-0001'] });
  t.is(exit, 0);
  t.regex(asked[0] ?? '', /#THING-0001/);
});

const LEFT = /#THING-0001 has not ended\.\nNext: treasury things end THING-0001 {2}\(to end it\)\n/;

test('what is left › given no at the prompt › it is said, and how to go on', async (t) => {
  const { run } = openCommandLine(t);
  const { exit, stdout, stderr } = await run(['things', 'end', 'tea'], { answers: ['no'] });
  t.is(exit, 10);
  t.regex(stderr, LEFT);
  t.is(stdout, '');
});

test('what is left › given --unsigned › it is said, on stderr alone', async (t) => {
  const { run, json } = openCommandLine(t);
  t.regex((await run(['things', 'end', 'tea', '--unsigned'])).stderr, LEFT);
  t.like(await json(['things', 'end', 'tea', '--unsigned']), { label: '#THING-0001' });
});

test('what is left › given a step that is done, or cut off after its broadcast › nothing is said', async (t) => {
  const { run, state } = openCommandLine(t);
  t.notRegex((await run(['things', 'end', 'tea', '--yes'])).stderr, LEFT);
  state.confirmErrors.push(new Error('the power went'));
  t.notRegex((await run(['things', 'end', 'tea', '--yes'])).stderr, LEFT);
});

test('ending › given --confirm › the label has to be that of the record', async (t) => {
  const { run, json } = openCommandLine(t);
  t.is((await json(['things', 'end', 'tea', '--confirm', '#THING-0002']))['code'], 'invalid_input');
  t.is((await run(['things', 'end', 'tea', '--confirm', '#THING-0001'])).exit, 0);
});

test('ending › given --yes › it is enough off mainnet', async (t) => {
  const { run } = openCommandLine(t, 'chipnet');
  t.is((await run(['things', 'end', 'tea', '--yes'])).exit, 0);
});

test('ending › given --yes on mainnet › it is not enough: --confirm is named, exit 2', async (t) => {
  const { run, state } = openCommandLine(t, 'mainnet');
  const { exit, stderr } = await run(['things', 'end', 'tea', '--yes']);
  t.is(exit, 2);
  t.regex(stderr, /--confirm "#THING-0001"/);
  t.deepEqual(state.broadcast, []);
});
