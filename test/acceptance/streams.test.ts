/** The specification's stream flows, through a real socket, with a wallet that knows only wc2-bch-bcr. */
import { binToHex } from '@bitauth/libauth';
import type { Person } from '../../fixtures/people.js';
import { atLength } from '../at-length.js';
import { openTreasury, type Treasury } from '../treasury.js';
import { serve, type Answer, type Client, type Json } from './client.js';
import { onEveryChain } from './on-every-chain.js';

const DAY = 86_400;

type Party = { readonly person: Person; readonly address: string };

/** An hour before chain now, which is then behind the start of every stream. */
const anHourAgo = async ({ app }: Treasury): Promise<number> =>
  (await app.context.chain.tip()).medianTimePast - 3_600;

/** People with their addresses, as requests name them. */
const partiesOf = ({ people, addressOf }: Treasury) => {
  const party = (person: Person): Party => ({ person, address: addressOf(person).text });
  const { alice, bob, carol, dave, mallory } = people;
  return {
    alice: party(alice),
    bob: party(bob),
    carol: party(carol),
    dave: party(dave),
    mallory: party(mallory),
  };
};

/** Builds, signs, broadcasts and confirms a move; returns the answers of build and confirm. */
const carryOut = async (
  { call, send }: Client,
  who: Party,
  path: string,
  verb: string,
  body: Json = {},
): Promise<{ built: Answer; confirmed: Answer }> => {
  const built =
    verb === 'funding'
      ? await call('GET', `${path}/funding-info`)
      : await call('POST', `${path}/${verb}`, body, who);
  if (built.status !== 200) throw new Error(JSON.stringify(built.body));
  const sent = await send(who.person, built.body['wcTransaction']);
  if (sent.status !== 200) throw new Error(JSON.stringify(sent.body));
  const { txHash } = sent.body;
  return { built, confirmed: await call('POST', `${path}/confirm-${verb}`, { txHash }, who) };
};

/** The kinds of streams, with terms that count from a start. */
const typesFrom = (start: number): Readonly<Record<string, Json>> => ({
  'LINEAR with a cliff': {
    streamType: 'LINEAR',
    endTime: start + 100 * DAY,
    cliffTimestamp: start + 10 * DAY,
  },
  STEP: { streamType: 'STEP', endTime: start + 100 * DAY, intervalSeconds: 10 * DAY },
  HYBRID: {
    streamType: 'HYBRID',
    endTime: start + 100 * DAY,
    hybridUnlockTimestamp: start + 20 * DAY,
    hybridUpfrontPercentage: 25,
  },
  TRANCHE: {
    streamType: 'TRANCHE',
    trancheSchedule: [
      { unlockTime: start + 30 * DAY, amount: 0.03 },
      { unlockTime: start + 90 * DAY, amount: 0.07 },
    ],
  },
  RECURRING: { streamType: 'RECURRING', endTime: start + 100 * DAY, intervalSeconds: 10 * DAY },
});

for (const name of Object.keys(typesFrom(0))) {
  const title = `${name} through HTTP: create, fund, claim half way, pause, resume, cancel`;
  onEveryChain(title, ['advance'], async (t, world) => {
    const treasury = await openTreasury(t, world);
    const { authority } = treasury.people;
    const { alice, bob, mallory } = partiesOf(treasury);
    for (let coin = 0; coin < 3; coin += 1) await treasury.give(alice.person, 20_000_000n);
    await treasury.give(authority, 1_000_000n);
    const client = await serve(t, treasury);
    const { call } = client;
    const start = await anHourAgo(treasury);
    const terms = typesFrom(start)[name];

    // Create, fund
    const body = {
      sender: alice.address,
      recipient: bob.address,
      tokenType: 'BCH',
      totalAmount: 0.1,
      startTime: start,
    };
    const created = await call('POST', '/api/streams/create', { ...body, ...terms }, alice);
    t.is(created.status, 200, JSON.stringify(created.body));
    const path = `/api/streams/${String((created.body['stream'] as Json)['id'])}`;
    t.is((await call('POST', '/api/streams/create', body)).status, 401);
    t.is((await call('POST', '/api/streams/create', { ...body, ...terms }, mallory)).status, 403);
    const early = await call('POST', `${path}/confirm-funding`, { txHash: '00'.repeat(32) });
    t.is(early.status, 409);
    t.like(early.body, { code: 'tx_not_indexed', state: 'pending', retryable: true });
    t.regex(String(early.body['message']), /is not indexed yet/);
    const funding = await carryOut(client, alice, path, 'funding');
    t.like(funding.confirmed.body, { success: true, status: 'ACTIVE', state: 'confirmed' });

    // Claim half way
    await treasury.chain.advance(50 * DAY);
    const info = await call('GET', `${path}/claim-info`);
    const { claimableAmount } = info.body['claimInfo'] as { claimableAmount: number };
    t.true(claimableAmount >= 0.03 && claimableAmount <= 0.0626, `${claimableAmount}`);
    t.is((await call('POST', `${path}/claim`, { recipientAddress: mallory.address }, mallory)).status, 403);
    const claim = await carryOut(client, bob, path, 'claim', { recipientAddress: bob.address });
    t.like(claim.built.body, { success: true, claimableAmount });
    t.like(claim.confirmed.body, { success: true, claimedAmount: claimableAmount });
    t.is(
      await treasury.satoshisOf(bob.person),
      BigInt(Math.round(claimableAmount * 1e8)) - BigInt(Number(claim.built.body['fee'])),
    );

    // Pause, resume, cancel
    t.is((await call('POST', `${path}/pause`, {}, mallory)).status, 403);
    const paused = await carryOut(client, alice, path, 'pause');
    t.like(paused.built.body, { nextStatus: 'PAUSED' });
    t.like(paused.confirmed.body, { status: 'PAUSED' });
    const resumed = await carryOut(client, alice, path, 'resume');
    t.like(resumed.confirmed.body, { status: 'ACTIVE' });
    await treasury.chain.advance(20 * DAY);
    const cancelled = await carryOut(client, alice, path, 'cancel');
    t.like(cancelled.built.body, { nextStatus: 'CANCELLED', cancelReturnAddress: alice.address });
    t.like(cancelled.confirmed.body, { status: 'CANCELLED' });
    const shares = [claim.built, cancelled.built].map(({ body: reply }) => reply);
    const parts = [
      shares[0]?.['claimableAmountOnChain'],
      shares[1]?.['vestedAmountOnChain'],
      shares[1]?.['unvestedAmountOnChain'],
    ];
    t.is(
      parts.reduce((sum: bigint, part) => sum + BigInt(String(part)), 0n),
      10_000_000n,
    );

    // The record tells it
    const shown = await call('GET', path);
    t.like(shown.body, { success: true, stream: { status: 'CANCELLED', thread: null } });
    const list = await call(
      'GET',
      `/api/streams?address=${encodeURIComponent(bob.address)}&status=CANCELLED`,
    );
    t.like(list.body, { success: true, total: 1, page: 1, limit: 20 });
    const activity = await call('GET', `/api/streams/activity?eventType=claimed`);
    t.like(activity.body, { success: true, total: 1 });
  });
}

const SIZE = atLength(200, 40);
const batchTitle = `a mixed batch of ${SIZE} through HTTP: one transaction, its history and its export`;

onEveryChain(batchTitle, [], async (t, world) => {
  const treasury = await openTreasury(t, world);
  const { alice, bob, carol, dave } = partiesOf(treasury);
  for (let coin = 0; coin < 3; coin += 1) await treasury.give(alice.person, 100_000_000n);
  const { url, call, send } = await serve(t, treasury);
  const startTime = await anHourAgo(treasury);
  const types = Object.values(typesFrom(startTime));
  const signers = [alice, carol, dave];
  const vault = await call(
    'POST',
    '/api/vaults',
    {
      name: 'Contributors',
      signers: signers.map(({ address }) => address),
      signerPubkeys: signers.map(({ person }) => binToHex(person.publicKey)),
      totalDeposit: 0.1,
      isPublic: true,
    },
    alice,
  );
  const path = `/api/treasuries/${String(vault.body['id'])}/batch-create`;
  const entries = Array.from({ length: SIZE }, (_, index) => ({
    recipient: ([bob, carol, dave][index % 3] ?? bob).address,
    totalAmount: 0.006,
    startTime,
    ...types[index % types.length],
    ...(index % types.length === 3
      ? { scheduleTemplate: 'tranche-cliff-staged', trancheSchedule: null }
      : {}),
  }));
  const body = { senderAddress: alice.address, tokenType: 'BCH', entries, launchContext: { source: 'dao' } };

  const bad = await call('POST', path, { ...body, entries: [...entries, { recipient: 'nobody' }] });
  t.is(bad.status, 400);
  t.true((bad.body['issues'] as Json[]).every(({ row }) => row === SIZE + 1));
  const built = await call('POST', path, body);
  t.is(built.status, 200, JSON.stringify(built.body).slice(0, 300));
  const sent = await send(alice.person, built.body['wcTransaction']);
  const { batchId, streamIds } = built.body;
  const confirmed = await call('POST', `${path}/confirm`, {
    txHash: sent.body['txHash'],
    batchId,
    streamIds,
  });
  t.like(confirmed.body, { success: true, status: 'ACTIVE', batch: { count: SIZE, active: SIZE } });

  const runs = await call('GET', '/api/streams/batch-runs?contextSource=dao');
  t.like(runs.body, { success: true, total: 1, batches: [{ id: batchId, batchId, streamIds }] });
  const run = await call('GET', `/api/streams/batch-runs/${String(batchId)}`);
  t.is((run.body['streams'] as Json[]).length, SIZE);
  const csv = await fetch(`${url}/api/streams/batch-runs/${String(batchId)}/export`);
  t.regex(csv.headers.get('content-type') ?? '', /^text\/csv/);
  t.regex(csv.headers.get('content-disposition') ?? '', /attachment; filename="batch-.+\.csv"/);
  t.is((await csv.text()).trimEnd().split('\r\n').length, SIZE + 1);
  const json = await call('GET', `/api/streams/batch-runs/${String(batchId)}/export?format=json`);
  t.is((json.body['streams'] as Json[]).length, SIZE);
  const active = await call('GET', `/api/streams?status=ACTIVE&treasury=true&limit=${SIZE / 2}&page=2`);
  t.like(active.body, { total: SIZE, totalPages: 2, hasNextPage: false });
});
