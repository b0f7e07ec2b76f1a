/** What is kept of streams between answers is never older than what they are: whatever happens, and whoever does it. */
import test from 'ava';
import { alice, bob, carol } from '../../../fixtures/people.js';
import { openApp } from '../../../src/app.js';
import { execute, type Reply } from '../../../src/operation/execute.js';
import { streamCollection } from '../../../src/products/streams/stream.js';
import { openTreasury, TEST_TIME, type Treasury } from '../../treasury.js';
import { createStream, DAY } from './stream.js';

/** Asks in a process that has never looked at these records, and keeps nothing of them. */
const askCold = async ({ home }: Treasury, id: string, input: Record<string, unknown>): Promise<Reply> => {
  const app = await openApp({ home, network: 'local', wall: () => TEST_TIME });
  try {
    const operation = app.operations.find((candidate) => candidate.id === id);
    if (operation === undefined) throw new Error(`there is no operation ${id}`);
    return await execute(operation, input, app.context, { kind: 'operator', address: null });
  } finally {
    await app.close();
  }
};

test('a stream in a list and by itself › whatever has happened to it › is what one sees who looks for the first time', async (t) => {
  t.timeout(120_000);
  const treasury = await openTreasury(t);
  const { localChain: chain, store } = treasury.app.context;
  const one = await createStream(treasury, { transferable: true });
  const other = await createStream(treasury, {
    streamType: 'TRANCHE',
    startTime: undefined,
    endTime: undefined,
    scheduleTemplate: 'tranche-backweighted',
  });
  await treasury.give(bob, 1_000_000n);
  const seen: string[] = [];
  const look = async (): Promise<void> => {
    const list = await treasury.ask(null, 'streams.list', {});
    // Twice: the second answer is the kept one.
    t.deepEqual(await treasury.ask(null, 'streams.list', {}), list);
    t.deepEqual(list, await askCold(treasury, 'streams.list', {}));
    for (const { id } of [one, other])
      t.deepEqual(
        await treasury.ask(null, 'streams.show', { id }),
        await askCold(treasury, 'streams.show', { id }),
      );
    seen.push(JSON.stringify(await treasury.ask(null, 'streams.list', {})));
  };
  const pass = async (days: number) => chain?.advance(days * DAY);

  await look();
  for (const { move } of [one, other]) await move(alice, 'funding');
  await look();
  await pass(10);
  await look();
  await one.move(bob, 'claim');
  await look();
  await one.move(alice, 'pause');
  await look();
  await pass(5);
  await one.move(alice, 'resume');
  await look();
  // The blocks of the last moves are taken back, and come again.
  await chain?.reorg(3);
  await look();
  await chain?.mine(2);
  await look();
  await one.move(bob, 'transfer', { newRecipient: treasury.addressOf(carol).text });
  await look();
  // Somebody else's process follows it first.
  await pass(30);
  const claim = await treasury.ask(carol, 'streams.claim', { id: one.id });
  await treasury.send(carol, claim['wcTransaction']);
  await askCold(treasury, 'streams.show', { id: one.id });
  await look();
  // One that is damaged says so in the list at once.
  await store.transaction(async (writer) => {
    const record = await writer.get(streamCollection, other.id);
    if (record !== null) writer.put(streamCollection, { ...record, schedule: '' });
  });
  const { streams } = (await treasury.ask(null, 'streams.list', {})) as { streams: Reply[] };
  t.is(streams.find(({ id }) => id === other.id)?.['damaged'], true);
  t.true(
    new Set(seen).size >= seen.length - 2,
    'all but a reorganisation and its blocks change what a list says',
  );
});
