import test from 'ava';
import { alice, bob, carol, dave } from '../../../../fixtures/people.js';
import { openTreasury, TEST_TIME, type Treasury } from '../../../treasury.js';
import { advance, createStream, DAY, fundStream, type Json } from '../stream.js';
import { createVault } from '../vault.js';

const labels = async (treasury: Treasury, input: Json): Promise<[number, string[]]> => {
  const { total, streams } = await treasury.ask(null, 'streams.list', input);
  return [Number(total), (streams as { stream_id: string }[]).map(({ stream_id }) => stream_id.slice(-1))];
};

test('list › every filter alone and together, newest first, with the right totals', async (t) => {
  const treasury = await openTreasury(t);
  const vaultId = await createVault(treasury);
  const launchContext = { source: 'dao' };
  const text = (who: typeof bob) => treasury.addressOf(who).text;
  await fundStream(treasury);
  await createStream(treasury, { recipient: text(carol), vaultId });
  await createStream(treasury, { recipient: text(carol), launchContext });
  await fundStream(treasury, { recipient: text(dave), vaultId, launchContext });

  t.deepEqual(await labels(treasury, {}), [4, ['4', '3', '2', '1']]);
  t.deepEqual(await labels(treasury, { sender: text(alice) }), [4, ['4', '3', '2', '1']]);
  t.deepEqual(await labels(treasury, { recipient: text(carol) }), [2, ['3', '2']]);
  t.deepEqual(await labels(treasury, { address: text(bob) }), [1, ['1']]);
  t.deepEqual(await labels(treasury, { status: 'ACTIVE' }), [2, ['4', '1']]);
  t.deepEqual(await labels(treasury, { recipient: text(carol), status: 'ACTIVE' }), [0, []]);
  t.deepEqual(await labels(treasury, { sender: text(alice), status: 'PENDING' }), [2, ['3', '2']]);
  t.deepEqual(await labels(treasury, { vaultId }), [2, ['4', '2']]);
  t.deepEqual(await labels(treasury, { treasury: true, status: 'ACTIVE' }), [1, ['4']]);
  t.deepEqual(await labels(treasury, { treasury: false }), [4, ['4', '3', '2', '1']]);
  t.deepEqual(await labels(treasury, { contextSource: 'dao' }), [2, ['4', '3']]);
  t.deepEqual(await labels(treasury, { contextSource: 'dao', vaultId, address: text(dave) }), [1, ['4']]);
  t.deepEqual(await labels(treasury, { vaultId: 'no-such-vault' }), [0, []]);
  t.deepEqual(await labels(treasury, { page: 2, limit: 3 }), [4, ['1']]);
  const page = await treasury.ask(null, 'streams.list', { page: 1, limit: 3 });
  t.like(page, { totalPages: 2, hasNextPage: true, hasPreviousPage: false });
  await treasury.refusal(t, null, 'streams.list', { limit: 101 }, 'invalid_input');
});

test('list › given a transfer › the stream is found under its new recipient', async (t) => {
  const treasury = await openTreasury(t);
  const stream = await fundStream(treasury);
  await treasury.give(bob, 100_000n);
  await stream.move(bob, 'transfer', { newRecipientAddress: treasury.addressOf(carol).text });
  t.is((await labels(treasury, { recipient: treasury.addressOf(carol).text }))[0], 1);
  t.is((await labels(treasury, { recipient: treasury.addressOf(bob).text }))[0], 0);
});

test('activity › by type, party, vault, source and time', async (t) => {
  const treasury = await openTreasury(t);
  const vaultId = await createVault(treasury);
  const text = (who: typeof bob) => treasury.addressOf(who).text;
  const first = await fundStream(treasury);
  const launchContext = { source: 'dao' };
  const second = await fundStream(treasury, { recipient: text(carol), vaultId, launchContext });
  await advance(treasury, 20 * DAY);
  await first.move(bob, 'claim');
  await second.move(carol, 'claim');
  await treasury.give(bob, 100_000n);
  await first.move(bob, 'transfer', { newRecipientAddress: text(dave) });

  const types = async (input: Json): Promise<string[]> => {
    const { events, total } = await treasury.ask(null, 'streams.activity', input);
    const found = (events as { event_type: string; stream_id: string }[]).map(
      ({ event_type, stream_id }) => `${stream_id.slice(-1)} ${event_type}`,
    );
    t.is(Number(total), found.length);
    return found;
  };
  const all = ['1 transferred', '2 claimed', '1 claimed', '2 funded', '2 created', '1 funded', '1 created'];
  t.deepEqual(await types({}), all);
  t.deepEqual(await types({ eventType: 'claimed' }), ['2 claimed', '1 claimed']);
  t.deepEqual(await types({ eventType: 'claim', address: text(bob) }), ['1 claimed']);
  t.deepEqual(await types({ address: text(dave) }), ['1 transferred']);
  t.deepEqual(await types({ address: text(carol) }), ['2 claimed', '2 funded', '2 created']);
  t.deepEqual(await types({ vaultId, eventType: 'funded' }), ['2 funded']);
  t.deepEqual(await types({ treasury: true, contextSource: 'dao', eventType: 'created' }), ['2 created']);
  t.deepEqual(await types({ dateFrom: TEST_TIME + 10 * DAY }), all.slice(0, 3));
  t.deepEqual(await types({ dateTo: TEST_TIME + 10 * DAY, eventType: 'funded' }), ['2 funded', '1 funded']);
});

test('templates › there are eighteen, each with its covenant and its preview', async (t) => {
  const treasury = await openTreasury(t);
  const { templates, total } = await treasury.ask(null, 'streams.templates');
  t.is(total, 18);
  t.like((templates as Json[])[1], {
    id: 'linear-cliff',
    streamType: 'LINEAR',
    contract: 'Stream',
    cliffDays: 90,
    supportsTokens: true,
  });
});
