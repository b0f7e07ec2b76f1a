/** A slice of the hostile requests: `npm run hostile` sends as many as one likes. */
import test from 'ava';
import { people } from '../../fixtures/people.js';
import { atLength } from '../at-length.js';
import { openTreasury } from '../treasury.js';
import { createEveryRecord } from '../roles/every-record.js';
import { changedRecords, knownOf, playHostile, recordsOf, startHostileDaemon } from './play.js';

const REQUESTS = Number(process.env['HOSTILE_REQUESTS'] ?? atLength(50_000, 1_500));
const SEED = Number(process.env['HOSTILE_SEED'] ?? 1);
/** What a daemon may have grown by after a fifth of them; in a short run caches are still filling. */
const GROWTH = (REQUESTS < 10_000 ? 160 : 64) * 1_048_576;

test('hostile requests › made from the document and below it › no defect answers, no record changes, and the daemon lives', async (t) => {
  t.timeout(3_600_000);
  const treasury = await openTreasury(t);
  const records = await createEveryRecord(treasury);
  const { store } = treasury.app.context;
  // What is deep in the chain and read once has nothing left to be followed.
  await treasury.app.context.localChain?.mine(10);
  await treasury.ask(people.alice, 'vaults.show', { id: records.vaultId });
  const before = await recordsOf(store);
  const daemon = await startHostileDaemon(treasury.home);
  t.teardown(() => daemon.stop());
  const report = await playHostile(daemon, {
    requests: REQUESTS,
    seed: SEED,
    known: knownOf(treasury, records),
    onProgress: (done, findings) => {
      t.log(`${done} requests, ${findings} findings`);
    },
  });
  t.log(JSON.stringify({ statuses: report.statuses, memory: report.memory }));
  t.deepEqual(report.findings, []);
  t.is(report.requests, REQUESTS);
  t.true(
    (report.statuses[200] ?? 0) > 0 && (report.statuses[400] ?? 0) > 0 && (report.statuses[403] ?? 0) > 0,
  );
  t.true(report.memory.late - report.memory.early < GROWTH, JSON.stringify(report.memory));
  t.deepEqual(changedRecords(before, await recordsOf(store)), []);
});
