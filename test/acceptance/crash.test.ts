/**
 * A process that is killed loses no answered change, and holds nobody up.
 *
 * On the embedded chain alone, since it is about what two processes share on disk: the store, its lock, and that chain.
 * What becomes of a client whose server is killed is in `restart.test.ts`.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { bob } from '../../fixtures/people.js';
import { openApp } from '../../src/app.js';
import { distributionCollection } from '../../src/products/rewards/index.js';
import { fundCampaign } from '../products/rewards/campaign.js';
import { openTreasury, TEST_TIME } from '../treasury.js';
import { onEmbeddedChain } from './on-every-chain.js';

const CHILD = new URL('children/confirmer.js', import.meta.url).pathname;
/** Confirmations before the kill. */
const ANSWERED = 4;
const AT_ONCE_MILLISECONDS = 5_000;

const title =
  'kill -9 during a stream of confirmations › loses no answered one, and the next writer does not wait';

onEmbeddedChain(title, 'two processes share the files of the embedded chain', async (t) => {
  const treasury = await openTreasury(t);
  const { id, pay } = await fundCampaign(treasury);
  const child = spawn(process.execPath, [CHILD, treasury.home, id, String(TEST_TIME)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const answered: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    answered.push(line);
    if (answered.length === ANSWERED) child.kill('SIGKILL');
  }
  t.true(answered.length >= ANSWERED);

  // The next writer, at once.
  const begun = Date.now();
  await pay(bob, '0.00002');
  t.true(Date.now() - begun < AT_ONCE_MILLISECONDS, 'the lock of a dead process holds nobody up');

  // Every answered confirmation is there, in this process and in one that opens the home anew.
  const reopened = await openApp({ home: treasury.home, network: 'local', wall: () => TEST_TIME });
  t.teardown(() => reopened.close());
  for (const { store } of [treasury.app.context, reopened.context]) {
    const { items } = await store.find(distributionCollection, { where: { reward: id }, limit: 1_000 });
    const known = new Set(items.map(({ tx_hash }) => tx_hash));
    t.deepEqual(
      answered.filter((txHash) => !known.has(txHash)),
      [],
    );
    t.is(known.size, items.length, 'each counts once');
  }
});
