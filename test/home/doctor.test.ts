import {
  appendFileSync,
  chmodSync,
  existsSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { alice } from '../../fixtures/people.js';
import { openApp } from '../../src/app.js';
import { TreasuryError } from '../../src/errors.js';
import { eventCollection, type EventRecord } from '../../src/record/events.js';
import { pendingStepCollection, type PendingStep } from '../../src/record/pending-steps.js';
import { campaignCollection } from '../../src/products/rewards/index.js';
import { NOW } from '../operation/fake-context.js';
import { fundCampaign } from '../products/rewards/campaign.js';
import { openTreasury, TEST_TIME } from '../treasury.js';
import {
  answering,
  consult,
  examineMadeUp,
  findingsOf,
  makeFolder,
  makeHome,
  memoryStore,
  serversOf,
  type Report,
} from './doctor-fixture.js';

const HOUR = 3_600;

const checksOf = ({ checks }: Report, check: string) => findingsOf({ findings: checks }, check);

/** The only finding of a check that is not ok. */
const complaint = (t: ExecutionContext, report: Report, check: string) => {
  const complaints = checksOf(report, check).filter(({ state }) => state !== 'ok');
  t.is(complaints.length, 1, JSON.stringify(complaints));
  const [found] = complaints;
  if (found === undefined) throw new Error('there is no complaint');
  return found;
};

test('doctor › given a home that is well › it finds nothing wrong, and says so', async (t) => {
  const report = await consult(await makeHome(t));
  t.deepEqual(
    report.checks.filter(({ state, advice }) => state !== 'ok' || advice !== null),
    [],
  );
  t.like(report, { success: true, summary: { warnings: 0, problems: 0, text: 'Everything is well.' } });
  t.is(report.summary.ok, report.checks.length);
});

test('doctor › given a home that is well › it writes nothing', async (t) => {
  const home = await makeHome(t);
  const read = () =>
    ['treasury.json', 'treasury.journal', 'keystore.json', 'local-chain.journal'].map((name) =>
      readFileSync(join(home, 'local', name), 'utf8'),
    );
  const before = read();
  await consult(home);
  t.deepEqual(read(), before);
});

test('doctor › given --quick › records are not compared', async (t) => {
  const { checks } = await consult(await makeHome(t), { quick: true });
  t.deepEqual(
    checks.filter(({ check }) => check === 'records').map(({ detail }) => detail),
    ['not looked at, to be quick'],
  );
});

test('doctor › given no home › it says to run init, and makes nothing', async (t) => {
  const home = join(makeFolder(t), 'none');
  const report = await consult(home);
  t.like(complaint(t, report, 'home'), { state: 'problem', advice: 'run `treasury init`' });
  t.false(report.success);
  t.false(existsSync(home));
});

test('doctor › given no home › what needs no home is still looked at', async (t) => {
  const home = join(makeFolder(t), 'none');
  const unknownSettings = [{ name: 'TREASURY_HOEM', file: null, nearest: 'TREASURY_HOME', isSecret: false }];
  const report = await consult(home, {}, { inspectOnly: { unknownSettings, passphraseFile: null } });
  t.regex(complaint(t, report, 'settings').detail, /TREASURY_HOEM/);
});

test("doctor › given a store that is damaged › it is a problem with the error's own remedy, and the rest is looked at", async (t) => {
  const home = await makeHome(t);
  appendFileSync(join(home, 'local', 'treasury.journal'), 'nonsense\n');
  const report = await consult(home);
  const found = complaint(t, report, 'store');
  t.is(found.state, 'problem');
  t.regex(found.detail, /treasury\.journal is damaged at line 2/);
  t.regex(found.advice ?? '', /put the folder back from a backup/);
  t.deepEqual(
    checksOf(report, 'chain').map(({ state }) => state),
    ['ok'],
  );
  t.regex(complaint(t, report, 'records').detail, /the store cannot be opened/);
});

test('doctor › given a store of a newer version › it says to upgrade', async (t) => {
  const home = await makeHome(t);
  const file = join(home, 'local', 'treasury.json');
  writeFileSync(file, JSON.stringify({ schema: 99, sequence: 0, counters: {}, collections: {} }));
  t.like(complaint(t, await consult(home), 'store'), { state: 'problem', advice: 'upgrade treasury' });
});

test('doctor › given an embedded chain that is damaged › it is a problem, and the store is looked at', async (t) => {
  const home = await makeHome(t);
  appendFileSync(join(home, 'local', 'local-chain.journal'), 'nonsense\n');
  const report = await consult(home);
  t.like(complaint(t, report, 'chain'), { state: 'problem' });
  t.deepEqual(
    checksOf(report, 'store').map(({ state }) => state),
    ['ok'],
  );
});

test('doctor › given a keystore that is damaged › it is a problem, and nothing else is', async (t) => {
  const home = await makeHome(t);
  writeFileSync(join(home, 'local', 'keystore.json'), '{', { mode: 0o600 });
  const { checks } = await consult(home);
  const problems = checks.filter(({ state }) => state === 'problem');
  t.true(problems.length > 0);
  for (const { detail } of problems) t.regex(detail, /keystore\.json is damaged at its JSON/);
});

test('doctor › given files that others may read › a key file is a problem, with the command that mends it', async (t) => {
  const home = await makeHome(t);
  const file = join(home, 'local', 'keystore.json');
  chmodSync(file, 0o644);
  const found = complaint(t, await consult(home), 'permissions');
  t.like(found, { state: 'problem', advice: `chmod 600 ${file}` });
  t.regex(found.detail, /mode 0644/);
});

test('doctor › given files that others may read › a folder is a warning, with the command that mends it', async (t) => {
  const home = await makeHome(t);
  const folder = join(home, 'local');
  chmodSync(folder, 0o755);
  const report = await consult(home);
  t.like(complaint(t, report, 'permissions'), { state: 'warning', advice: `chmod 700 ${folder}` });
  t.true(report.success);
  t.is(statSync(folder).mode & 0o777, 0o755, 'mending it is up to its owner');
});

test('doctor › given little room on the disk › it is a warning', async (t) => {
  const home = {
    path: '/nowhere',
    isThere: true,
    folder: '/nowhere/local',
    isFolderThere: true,
    isWritable: true,
  };
  const at = async (freeBytes: number) => {
    const found = await examineMadeUp({ surroundings: { home: { ...home, freeBytes } } });
    return findingsOf(found, 'home').map(({ state }) => state);
  };
  t.deepEqual(await at(99_999_999), ['ok', 'warning', 'ok']);
  t.deepEqual(await at(100_000_000), ['ok', 'ok', 'ok']);
});

test('doctor › given a Node that is too old › it is a problem', async (t) => {
  const runtime = { node: '18.0.0', engines: '>=20.19', isSupported: false };
  const found = await examineMadeUp({ surroundings: { runtime } });
  t.like(findingsOf(found, 'home').at(-1), { state: 'problem', advice: 'install Node >=20.19' });
});

test('doctor › given a lock that was left behind › it only says so', async (t) => {
  const home = await makeHome(t);
  const path = join(home, 'local', 'treasury.lock');
  writeFileSync(path, JSON.stringify({ pid: 2 ** 30, startTicks: null, bootId: null }));
  const report = await consult(home);
  const found = checksOf(report, 'store').find(({ detail }) => detail.includes('treasury.lock'));
  t.is(found?.state, 'ok');
  t.regex(found?.detail ?? '', /was left by process 1073741824, which is gone/);
});

/** A home whose authority is under the passphrase `correct horse`. */
const makeLockedHome = async (t: ExecutionContext): Promise<string> => {
  const home = makeFolder(t);
  const { context, close } = await openApp({ home, network: 'local', wall: () => TEST_TIME });
  await context.keys.create({ name: 'authority', passphrase: 'correct horse', isAuthority: true });
  await context.keys.create({ name: 'main', passphrase: null });
  await close();
  return home;
};

test('doctor › given an authority under a passphrase › without a file of it, it says that it is asked for', async (t) => {
  const found = complaint(t, await consult(await makeLockedHome(t)), 'keys');
  t.is(found.state, 'warning');
  t.regex(found.detail, /commands ask for its passphrase/);
  t.regex(found.advice ?? '', /TREASURY_PASSPHRASE_FILE/);
});

test('doctor › given an authority under a passphrase › with that of another, it is a problem', async (t) => {
  const askPassphrase = () => Promise.resolve('wrong horse');
  const report = await consult(await makeLockedHome(t), {}, { askPassphrase });
  t.is(complaint(t, report, 'keys').state, 'problem');
});

test('doctor › given an authority under a passphrase › with a file that cannot be read, it is a problem', async (t) => {
  const file = '/nowhere/passphrase';
  const askPassphrase = () => Promise.reject(new TreasuryError('invalid_file', { file, reason: 'ENOENT' }));
  const inspectOnly = { unknownSettings: [], passphraseFile: file };
  const report = await consult(await makeLockedHome(t), {}, { askPassphrase, inspectOnly });
  const found = complaint(t, report, 'keys');
  t.is(found.state, 'problem');
  t.regex(found.detail, /cannot be read: ENOENT/);
});

test('doctor › given an authority under a passphrase › with it, it opens without asking', async (t) => {
  const askPassphrase = () => Promise.resolve('correct horse');
  const report = await consult(await makeLockedHome(t), {}, { askPassphrase });
  t.true(checksOf(report, 'keys').every(({ state }) => state === 'ok'));
});

test('doctor › given records of an authority that is not here › they are named', async (t) => {
  const treasury = await openTreasury(t);
  await fundCampaign(treasury);
  const keystore = join(treasury.home, 'local', 'keystore.json');
  renameSync(keystore, `${keystore}.away`);
  const report = await consult(treasury.home);
  const found = checksOf(report, 'keys').find(({ detail }) => detail.includes('REWARD-0001'));
  t.is(found?.state, 'problem');
});

test('doctor › given a record that the store has wrong › its label and its fields are named, and it is left as it is', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await fundCampaign(treasury);
  const { store } = treasury.app.context;
  const wrong = { ...(await store.get(campaignCollection, id)), distributed_total: 5n };
  await store.transaction((writer) => {
    writer.put(campaignCollection, wrong as never);
  });
  const report = await consult(treasury.home);
  const found = complaint(t, report, 'records');
  t.like(found, { state: 'problem', advice: 'treasury sync REWARD-0001' });
  t.regex(found.detail, /#REWARD-0001 .* differs in distributed_total$/);
  await store.refresh();
  t.deepEqual(await store.get(campaignCollection, id), wrong as never);
});

test('doctor › given a record that is behind the chain › it is a warning', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await fundCampaign(treasury);
  const { wcTransaction } = await treasury.ask(alice, 'rewards.pause', { id });
  await treasury.send(alice, wcTransaction);
  const report = await consult(treasury.home);
  const found = complaint(t, report, 'records');
  t.like(found, { state: 'warning', advice: 'treasury sync REWARD-0001' });
  t.regex(found.detail, /behind the chain in .*status/);
});

test('doctor › given a whole step that stopped half way › it names the command that goes on with it', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await fundCampaign(treasury);
  const step: PendingStep = {
    id: '11'.repeat(32),
    subject: '22'.repeat(32),
    operation: 'rewards.pause',
    caller: treasury.addressOf(alice).text,
    transaction: '00',
    txid: '33'.repeat(32),
    confirm_input: { id, txHash: '33'.repeat(32) },
    created_at: TEST_TIME - 2 * HOUR,
  };
  await treasury.app.context.store.transaction((writer) => {
    writer.put(pendingStepCollection, step);
  });
  const found = complaint(t, await consult(treasury.home), 'steps');
  t.is(found.state, 'warning');
  t.regex(found.detail, /stopped 2 hours ago: 3{64} is signed and is not on chain/);
  t.true(found.advice?.includes(`treasury rewards pause ${id}`), found.advice ?? '');
});

const event: EventRecord = {
  id: 'e',
  entity_type: 'campaign',
  entity_id: 'c',
  event_type: 'paused',
  actor: '',
  amount: 0n,
  decimals: 8,
  tx_hash: '44'.repeat(32),
  told: [],
  details: {},
  height: null,
  certainty: 'seen',
  created_at: NOW - 25 * HOUR,
};

const examineEvent = async (change: Partial<EventRecord>, height: number | null) => {
  const store = memoryStore();
  await store.transaction((writer) => {
    writer.put(eventCollection, { ...event, ...change });
  });
  const transaction = () => Promise.resolve({ transaction: {} as never, height, blockTime: null });
  return findingsOf(await examineMadeUp({ store, chain: { transaction } }), 'events');
};

test('doctor › given an event that has waited for a block for over a day › it is a warning', async (t) => {
  const [found] = await examineEvent({}, null);
  t.is(found?.state, 'warning');
  t.regex(found?.detail ?? '', /4{64}.* for 1 day$/);
});

test('doctor › given an event whose transaction has left the chain › it is a warning', async (t) => {
  const store = memoryStore();
  await store.transaction((writer) => {
    writer.put(eventCollection, event);
  });
  const transaction = () => Promise.resolve(null);
  const [found] = findingsOf(await examineMadeUp({ store, chain: { transaction } }), 'events');
  t.is(found?.state, 'warning');
  t.regex(found?.detail ?? '', /has left the chain/);
});

test('doctor › given an event that is young, or has a block by now › all is well', async (t) => {
  t.like(await examineEvent({ created_at: NOW - 23 * HOUR }, null), [{ state: 'ok' }]);
  t.like(await examineEvent({}, 99), [{ state: 'ok' }]);
});

test('doctor › given servers › one of two that fails is a warning', async (t) => {
  const facts = [answering('wss://a'), { url: 'wss://b', kind: 'failed' as const, reason: 'hangs' }];
  const found = findingsOf(await examineMadeUp({ surroundings: serversOf(facts) }), 'servers');
  t.like(found, [{ state: 'ok' }, { state: 'warning', detail: 'wss://b hangs' }]);
  t.regex(found[0]?.detail ?? '', /protocol 1\.5\.1, tip 100; its genesis block is that of mainnet; in use$/);
});

test('doctor › given servers › one that serves another network is a problem', async (t) => {
  const facts = [
    answering('wss://a'),
    answering('wss://b', { serves: ['testnet4', 'chipnet'], isOurs: false }),
  ];
  const found = findingsOf(await examineMadeUp({ surroundings: serversOf(facts) }), 'servers');
  t.like(found, [
    { state: 'ok' },
    { state: 'problem', detail: 'wss://b serves testnet4 or chipnet, not mainnet' },
  ]);
});

test('doctor › given servers › one that is behind the others is a warning', async (t) => {
  const facts = [
    answering('wss://a', { height: 104 }),
    answering('wss://b'),
    answering('wss://c', { height: 101 }),
  ];
  const found = findingsOf(await examineMadeUp({ surroundings: serversOf(facts) }), 'servers');
  t.deepEqual(
    found.map(({ state }) => state),
    ['ok', 'warning', 'ok'],
  );
});

const CHECKPOINT = {
  height: 90,
  hash: 'cd'.repeat(32),
  by: 'servers',
  servers: ['wss://a', 'wss://b'],
  checkedDownTo: 79,
} as const;

test('doctor › given servers › one without the block that this home trusts is a problem', async (t) => {
  const facts = [
    answering('wss://a', { hasCheckpoint: true }),
    answering('wss://b', { hasCheckpoint: false }),
  ];
  const found = findingsOf(await examineMadeUp({ surroundings: serversOf(facts, CHECKPOINT) }), 'servers');
  t.like(found, [{ state: 'ok' }, { state: 'problem' }, { state: 'ok' }]);
  t.regex(found[1]?.detail ?? '', /^wss:\/\/b does not have the block 90 that this home trusts \(cdcd/);
});

test('doctor › given servers › two that show different blocks are problems', async (t) => {
  const compared = { height: 98, hash: 'aa'.repeat(32) };
  const facts = [
    answering('wss://a', { compared }),
    answering('wss://b', { compared: { height: 98, hash: 'bb'.repeat(32) } }),
  ];
  const found = findingsOf(await examineMadeUp({ surroundings: serversOf(facts) }), 'servers');
  t.deepEqual(
    found.map(({ state }) => state),
    ['problem', 'problem'],
  );
  t.regex(found[0]?.detail ?? '', /^wss:\/\/a shows aa.* as block 98, and wss:\/\/b another$/);
});

test('doctor › given servers › the checkpoint is told, and who named it', async (t) => {
  const facts = [answering('wss://a')];
  const found = findingsOf(await examineMadeUp({ surroundings: serversOf(facts, CHECKPOINT) }), 'servers');
  t.regex(
    found.at(-1)?.detail ?? '',
    /^this home trusts block 90 \(cd.*\), which two servers agreed on; links are checked from block 79 on$/,
  );
});

test('doctor › given servers that all fail › what needs no chain is looked at, and what needs it says why not', async (t) => {
  const facts = [{ url: 'wss://a', kind: 'failed' as const, reason: 'hangs' }];
  const tip = () => Promise.reject(new TreasuryError('chain_unavailable', { reason: 'wss://a hangs' }));
  const found = await examineMadeUp({ surroundings: serversOf(facts), chain: { tip } });
  t.false(found.isChainReached);
  t.like(findingsOf(found, 'servers'), [{ state: 'problem', detail: 'wss://a hangs' }]);
  t.like(findingsOf(found, 'steps'), [{ state: 'ok' }]);
  for (const check of ['tip', 'clock', 'witness', 'records', 'events']) {
    t.like(findingsOf(found, check), [
      { state: 'warning', detail: 'not looked at, since the chain cannot be reached' },
    ]);
  }
});

test('doctor › given servers that answer and a chain that does not › the chain is a problem', async (t) => {
  const tip = () => Promise.reject(new TreasuryError('chain_unavailable', { reason: 'it hangs' }));
  const found = await examineMadeUp({ surroundings: serversOf([answering('wss://a')]), chain: { tip } });
  t.false(found.isChainReached);
  t.like(findingsOf(found, 'servers'), [{ state: 'ok' }, { state: 'problem' }]);
});

test('doctor › given servers that answer while their nodes are dead › each is a problem, and the chain counts as away', async (t) => {
  const nodeFailure = 'answers, but its node does not: connection to bitcoind lost';
  const askNode = () => Promise.reject(new TreasuryError('chain_unavailable', { reason: nodeFailure }));
  const dead = answering('wss://a', { nodeFailure });
  const found = await examineMadeUp({ surroundings: serversOf([dead]), chain: { askNode } });
  t.false(found.isChainReached);
  t.like(findingsOf(found, 'servers'), [{ state: 'problem', detail: `wss://a ${nodeFailure}` }]);
  t.like(findingsOf(found, 'tip'), [{ state: 'ok' }]);
});

test('doctor › given servers of which one has a dead node › it is a warning', async (t) => {
  const facts = [
    answering('wss://a', { nodeFailure: 'answers, but its node does not' }),
    answering('wss://b'),
  ];
  const found = await examineMadeUp({ surroundings: serversOf(facts) });
  t.true(found.isChainReached);
  t.like(findingsOf(found, 'servers'), [{ state: 'warning' }, { state: 'ok' }]);
});

for (const [network, hours, state] of [
  ['mainnet', 2, 'ok'],
  ['mainnet', 2.1, 'warning'],
  ['mainnet', 6.1, 'problem'],
  ['chipnet', 12, 'ok'],
  ['chipnet', 12.1, 'warning'],
  ['testnet4', 24.1, 'problem'],
  ['regtest', 1_000, 'ok'],
] as const) {
  test(`doctor › given a tip of ${network} that is ${hours} hours old › it is ${state}`, async (t) => {
    const time = NOW - hours * HOUR;
    const found = await examineMadeUp({ network, tip: { time, medianTimePast: time - HOUR } });
    t.like(findingsOf(found, 'tip'), [{ state }]);
  });
}

test('doctor › given a clock that is behind the tip by more than two hours › it is a problem', async (t) => {
  const at = async (time: number) =>
    findingsOf(await examineMadeUp({ tip: { time } }), 'clock').map(({ state }) => state);
  t.deepEqual(await at(NOW + 2 * HOUR), ['ok']);
  t.deepEqual(await at(NOW + 2 * HOUR + 1), ['problem']);
});

test('doctor › given a clock that is behind median time past › it is a problem', async (t) => {
  const at = async (medianTimePast: number) =>
    findingsOf(await examineMadeUp({ tip: { time: NOW + 60, medianTimePast } }), 'clock').map(
      ({ state }) => state,
    );
  t.deepEqual(await at(NOW), ['ok']);
  t.deepEqual(await at(NOW + 1), ['problem']);
});

test('doctor › given a database whose clock is another › it is a warning, with how far they are apart', async (t) => {
  const at = async (seconds: number, isShared = true) => {
    const store = { ...memoryStore(), isShared, time: () => Promise.resolve((NOW + seconds) * 1_000 + 500) };
    return findingsOf(await examineMadeUp({ store }), 'clock').slice(1);
  };
  t.deepEqual(await at(600, false), [], 'files have no clock of their own');
  t.like(await at(5), [{ state: 'ok' }]);
  t.like(await at(-5), [{ state: 'ok' }]);
  const [behind] = await at(6);
  t.like(behind, { state: 'warning' });
  t.regex(behind?.detail ?? '', /6 seconds behind the database's/);
  const [ahead] = await at(-120);
  t.like(ahead, { state: 'warning' });
  t.regex(ahead?.detail ?? '', /2 minutes ahead of the database's/);
});

test('doctor › given files with secrets that settings name › one that everybody may read is a warning', async (t) => {
  const home = await makeHome(t);
  const file = join(makeFolder(t), 'database-url');
  writeFileSync(file, 'postgres://me:secret@x/y');
  const secretFiles = [file, '/nowhere/token-secret'];
  const inspectOnly = { unknownSettings: [], passphraseFile: null, secretFiles };
  const ask = (mode: number) => {
    chmodSync(file, mode);
    return consult(home, {}, { inspectOnly });
  };
  for (const mode of [0o644, 0o604, 0o444, 0o660]) {
    const found = complaint(t, await ask(mode), 'permissions');
    t.is(found.state, 'warning');
    t.regex(found.detail, new RegExp(`${file} has mode 0${mode.toString(8)}`));
    t.regex(found.advice ?? '', new RegExp(`^chmod 600 ${file}`));
    t.regex(found.advice ?? '', /container/);
  }
  for (const mode of [0o600, 0o400, 0o440, 0o640])
    t.deepEqual(
      checksOf(await ask(mode), 'permissions').filter(({ state }) => state !== 'ok'),
      [],
    );
});

test('doctor › given a chain whose clock was advanced › it says by how much', async (t) => {
  const treasury = await openTreasury(t);
  await treasury.app.context.localChain?.advance(3 * 24 * HOUR);
  const [found] = checksOf(await consult(treasury.home), 'clock');
  t.is(found?.state, 'ok');
  t.regex(found?.detail ?? '', /was advanced by 3 days/);
});

test('doctor › given an authority without coins where money is real › it names the address to fund', async (t) => {
  const treasury = await openTreasury(t);
  const { keys, chain, store } = treasury.app.context;
  const found = await examineMadeUp({
    network: 'chipnet',
    surroundings: serversOf([answering('wss://a')]),
    context: { keys, chain, store },
  });
  const { address } = await keys.show('authority');
  t.like(findingsOf(found, 'witness'), [{ state: 'warning', advice: `send 0.001 BCH to ${address.text}` }]);
});

test('doctor › given what is no setting › it is named with the one that is meant', async (t) => {
  const unknownSettings = [
    { name: 'TREASURY_HOEM', file: null, nearest: 'TREASURY_HOME', isSecret: false },
    { name: 'netwrok', file: '/a.json', nearest: 'network', isSecret: false },
    { name: 'password', file: '/a.json', nearest: null, isSecret: true },
  ];
  const found = findingsOf(await examineMadeUp({ surroundings: { unknownSettings } }), 'settings');
  t.deepEqual(
    found.map(({ state, advice }) => [state, advice]),
    [
      ['warning', 'rename it to TREASURY_HOME, or take it out'],
      ['problem', 'rename it to network, or take it out'],
      ['problem', 'take it out: a settings file holds no secret; name a file in passphraseFile instead'],
    ],
  );
});

test('doctor › given a check that throws › it is a problem with its message, and the others are performed', async (t) => {
  const context = { keys: { list: () => Promise.reject(new Error('the keys are on fire')) } as never };
  const found = await examineMadeUp({ context });
  t.like(findingsOf(found, 'keys'), [
    { state: 'problem', detail: 'the keys are on fire' },
    { state: 'problem', detail: 'the keys are on fire' },
  ]);
  t.like(findingsOf(found, 'settings'), [{ state: 'ok' }]);
});
