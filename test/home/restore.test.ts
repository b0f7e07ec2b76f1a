import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { bob } from '../../fixtures/people.js';
import { restoreStore } from '../../src/adapters/store/restore.js';
import { openApp, type App } from '../../src/app.js';
import { collections } from '../../src/collections.js';
import { TreasuryError } from '../../src/errors.js';
import { defineLog } from '../../src/operation/ports/store.js';
import { campaignCollection } from '../../src/products/rewards/index.js';
import { createCampaign, fundCampaign } from '../products/rewards/campaign.js';
import { openTreasury, TEST_TIME } from '../treasury.js';
import { consult, findingsOf, makeFolder, type Report } from './doctor-fixture.js';

const FILES = ['treasury.json', 'treasury.journal', 'treasury.json.previous', 'treasury.journal.previous'];

const contentOf = async ({ context: { store } }: App): Promise<Record<string, readonly unknown[]>> =>
  Object.fromEntries(
    await Promise.all(
      collections.map(
        async (one) =>
          [one.name, (await store.find(one, { limit: 1_000 })).items as readonly unknown[]] as const,
      ),
    ),
  );
type Content = Awaited<ReturnType<typeof contentOf>>;

/** The content of a home as it opens now. */
const openContent = async (home: string): Promise<Content> => {
  const app = await openApp({ home, network: 'local', wall: () => TEST_TIME });
  const content = await contentOf(app);
  await app.close();
  return content;
};

type Left = { readonly home: string; readonly folder: string; readonly content: Content };

/** A copy of a home as a crash leaves it: an ACTIVE campaign that has paid bob, folded twice, and a PENDING one since. */
const leaveHome = async (t: ExecutionContext): Promise<Left> => {
  const treasury = await openTreasury(t);
  const { store } = treasury.app.context;
  const fold = (store as unknown as { readonly fold: () => Promise<void> }).fold;
  const campaign = await fundCampaign(treasury);
  await fold();
  await campaign.pay(bob, '0.001');
  await fold();
  await createCampaign(treasury, { title: 'Pending' });
  const home = makeFolder(t);
  cpSync(treasury.home, home, { recursive: true });
  return { home, folder: join(home, 'local'), content: await contentOf(treasury.app) };
};

/** Flips a bit in the middle of what stands at `text` in a file. */
const flipAt = (folder: string, name: string, text: string): void => {
  const bytes = readFileSync(join(folder, name));
  const at = bytes.indexOf(text);
  if (at === -1) throw new Error(`${name} has no ${text}`);
  bytes[at + 1] = (bytes[at + 1] ?? 0) ^ 1;
  writeFileSync(join(folder, name), bytes);
};

const restoreFindings = (report: Report) => findingsOf({ findings: report.checks }, 'restore');

const bytesOf = (folder: string) =>
  Object.fromEntries(
    FILES.filter((name) => existsSync(join(folder, name))).map((name) => [
      name,
      readFileSync(join(folder, name)),
    ]),
  );

/** Whoever reads all of it is told. */
const isDamaged = (t: ExecutionContext, home: string) =>
  t.throwsAsync(openContent(home), { instanceOf: TreasuryError, code: 'store_damaged' });

test('doctor --restore › given a damaged snapshot › everything that was answered is there again', async (t) => {
  const { home, folder, content } = await leaveHome(t);
  flipAt(folder, 'treasury.json', 'Bug bounties');
  await isDamaged(t, home);
  const before = bytesOf(folder);
  const complaint = (await consult(home)).checks.find(
    ({ check, state }) => check === 'store' && state === 'problem',
  );
  t.regex(complaint?.advice ?? '', /doctor --restore/);
  t.deepEqual(bytesOf(folder), before, 'the doctor alone changes nothing');

  const report = await consult(home, { restore: true });
  t.true(report.success, JSON.stringify(report.checks.filter(({ state }) => state !== 'ok')));
  t.deepEqual(await openContent(home), content);
  t.like(content[campaignCollection.name], [{ status: 'PENDING' }, { status: 'ACTIVE' }]);
});

test('doctor --restore › given a damaged snapshot › it says what it did, and the damaged files are kept', async (t) => {
  const { home, folder } = await leaveHome(t);
  flipAt(folder, 'treasury.json', 'Bug bounties');
  const before = bytesOf(folder);
  const findings = restoreFindings(await consult(home, { restore: true }));
  t.regex(findings[0]?.detail ?? '', /made again of .*treasury\.json\.previous and \d+ commits since it/);
  t.regex(findings[2]?.detail ?? '', /no commit is lost/);
  t.regex(findings[3]?.detail ?? '', /2 records read anew from the chain/);
  const kept = readdirSync(folder).filter((name) => name.includes('.damaged-'));
  t.is(kept.length, FILES.length);
  for (const name of kept) {
    t.deepEqual(readFileSync(join(folder, name)), before[name.replace(/\.damaged-.*/, '')]);
    t.true(findings[1]?.detail.includes(name), name);
  }
});

const told = defineLog({ name: 'tests', schema: z.object({ id: z.string() }) });

test('doctor --restore › given a damaged entry of a log › it is said to be lost, and the others are there', async (t) => {
  const treasury = await openTreasury(t);
  const { store } = treasury.app.context;
  const { fold } = store as unknown as { readonly fold: () => Promise<void> };
  for (const id of ['first', 'second', 'third']) {
    await store.transaction((writer) => {
      writer.append(told, { id });
    });
    await fold();
  }
  const home = makeFolder(t);
  cpSync(treasury.home, home, { recursive: true });
  const name = join('tests', '0000000000000001.jsonl');
  flipAt(join(home, 'local'), name, 'first');
  const complaint = (await consult(home)).checks.find(
    ({ check, state }) => check === 'store' && state === 'problem',
  );
  t.regex(complaint?.detail ?? '', /tests\/0000000000000001\.jsonl is damaged at line 2/);
  t.regex(complaint?.advice ?? '', /doctor --restore/);

  const findings = restoreFindings(await consult(home, { restore: true }));
  t.like(
    findings.find(({ state }) => state === 'warning'),
    { detail: '1 entry of the event log could not be read: what it told is not told again' },
  );
  const app = await openApp({ home, network: 'local', wall: () => TEST_TIME });
  t.deepEqual(await app.context.store.readLog(told, { after: 0, limit: 9 }), {
    entries: [
      { sequence: 2, id: 'second' },
      { sequence: 3, id: 'third' },
    ],
    last: 3,
  });
  await app.close();
});

test('doctor --restore › given a damaged line of the journal › the others are made again, and the loss is said', async (t) => {
  const { home, folder, content } = await leaveHome(t);
  flipAt(folder, 'treasury.journal', '"tx_hash":null');
  await isDamaged(t, home);
  const findings = restoreFindings(await consult(home, { restore: true }));
  t.true(findings.some(({ state, detail }) => state === 'warning' && /^1 line of the journal/.test(detail)));
  const restored = await openContent(home);
  t.deepEqual(restored[campaignCollection.name], content[campaignCollection.name]?.slice(1));
});

test('doctor --restore › given what the journal said last and the chain knows › the chain gives it back', async (t) => {
  const treasury = await openTreasury(t);
  const campaign = await createCampaign(treasury);
  const { store } = treasury.app.context;
  await (store as unknown as { readonly fold: () => Promise<void> }).fold();
  await campaign.move('funding');
  const home = makeFolder(t);
  cpSync(treasury.home, home, { recursive: true });
  flipAt(join(home, 'local'), 'treasury.journal', '"status":"ACTIVE"');
  const findings = restoreFindings(await consult(home, { restore: true }));
  t.true(
    findings.some(({ detail }) => detail.includes('changed: #REWARD-0001')),
    JSON.stringify(findings),
  );
  t.like((await openContent(home))[campaignCollection.name], [{ status: 'ACTIVE' }]);
});

/** Writes the snapshot as version 0.1.0 did, with other terms of the ACTIVE campaign: no checksum tells. */
const damageTerms = (folder: string): void => {
  const file = join(folder, 'treasury.json');
  const { contents, documents } = JSON.parse(readFileSync(file, 'utf8')) as {
    contents: {
      schema: number;
      sequence: number;
      counters: object;
      collections: Record<string, { count: number }>;
    };
    documents: { status?: string; max_reward_amount?: string }[];
  };
  let at = 0;
  const lists = Object.entries(contents.collections).map(([name, { count }]) => {
    const from = at;
    at += count;
    return [name, documents.slice(from, at)] as const;
  });
  for (const document of documents)
    if (document.max_reward_amount !== undefined) document.max_reward_amount = '1000004';
  const { schema, sequence, counters } = contents;
  const content = { schema, sequence, counters, collections: Object.fromEntries(lists) };
  writeFileSync(file, `${JSON.stringify(content)}\n`);
};

test('doctor --restore › given a record whose terms do not give its address › it is that of the snapshot before', async (t) => {
  const { home, folder, content } = await leaveHome(t);
  damageTerms(folder);
  const report = await consult(home);
  t.true(
    report.checks.some(
      ({ check, detail, advice }) =>
        check === 'records' &&
        /REWARD-0001 is damaged/.test(detail) &&
        advice === 'treasury doctor --restore',
    ),
  );
  t.true((await consult(home, { restore: true })).success);
  t.deepEqual(await openContent(home), content);
});

test('doctor --restore › given that no copy is better › it is refused, and nothing changes', async (t) => {
  const { home, folder } = await leaveHome(t);
  damageTerms(folder);
  for (const name of FILES.slice(2)) writeFileSync(join(folder, name), 'not what was written\n');
  const before = bytesOf(folder);
  const error = await t.throwsAsync(consult(home, { restore: true }), { instanceOf: TreasuryError });
  t.is(error.code, 'store_damaged');
  t.regex(error.message, /REWARD-0001.*nothing was changed.*backup/);
  t.deepEqual(bytesOf(folder), before);
});

test('doctor --restore › given a home that is well › nothing is done', async (t) => {
  const { home, folder } = await leaveHome(t);
  const before = bytesOf(folder);
  const report = await consult(home, { restore: true });
  t.regex(restoreFindings(report)[0]?.detail ?? '', /nothing was done/);
  t.deepEqual(bytesOf(folder), before);
});

test('doctor --restore › given a chain that cannot be read › nothing is touched', async (t) => {
  const { home, folder } = await leaveHome(t);
  flipAt(folder, 'treasury.json', 'Bug bounties');
  const chain = join(folder, 'local-chain.journal');
  writeFileSync(chain, `00000000 []\n${readFileSync(chain, 'utf8')}`);
  const before = bytesOf(folder);
  await t.throwsAsync(consult(home, { restore: true }), { instanceOf: TreasuryError });
  t.deepEqual(bytesOf(folder), before);
});

test('doctor --restore › given that it is cut off after any of its writes › it is done again to the same end', async (t) => {
  const { folder, content } = await leaveHome(t);
  flipAt(folder, 'treasury.json', 'Bug bounties');
  const before = bytesOf(folder);
  const options = { folder, collections, damagedIn: () => Promise.resolve([]), now: TEST_TIME };
  await restoreStore(options);
  const after = bytesOf(folder);
  const order = ['treasury.json.previous', 'treasury.journal.previous', 'treasury.json', 'treasury.journal'];
  for (let written = 1; written < order.length; written += 1) {
    const home = makeFolder(t);
    cpSync(folder, join(home, 'local'), { recursive: true });
    for (const [index, name] of order.entries())
      writeFileSync(join(home, 'local', name), (index < written ? after : before)[name] ?? '');
    await restoreStore({ ...options, folder: join(home, 'local') });
    t.deepEqual(await openContent(home), content, `${written}`);
  }
});
