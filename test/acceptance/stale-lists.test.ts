/** Lists while no chain server answers: they stand on the store, and say so. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { join } from 'node:path';
import { binToHex } from '@bitauth/libauth';
import { people } from '../../fixtures/people.js';
import { startElectrumServer } from '../../src/adapters/electrum-server/electrum-server.js';
import { openLocalChain } from '../../src/adapters/local-chain/local-chain.js';
import { steerEmbedded, TEST_TIME, throughServers } from '../chain-world.js';
import { runOn } from '../cli/real-environment.js';
import { openTreasury } from '../treasury.js';
import { serve } from './client.js';
import { onEmbeddedChain } from './on-every-chain.js';
import { wireWorld } from './wire-world.js';

onEmbeddedChain(
  'lists › given a server that goes away › each answers from the store with chain_stale, the terminal says it, and what asks about one record does not answer',
  'the server is stopped by the test',
  async (t) => {
    t.timeout(120_000);
    const folder = mkdtempSync(join(tmpdir(), 'treasury-chain-'));
    const chain = await openLocalChain({ folder, now: () => TEST_TIME });
    const server = await startElectrumServer({ chain, tcpPort: 0 });
    t.teardown(async () => {
      await server.stop();
      await chain.close();
      rmSync(folder, { recursive: true, force: true });
    });
    const treasury = await openTreasury(t, {
      ...wireWorld,
      open: () =>
        Promise.resolve({
          outside: throughServers([server.tcpUrl ?? '']),
          wall: chain.now,
          people,
          steer: () => steerEmbedded(chain),
        }),
    });
    const { alice, bob, carol } = treasury.people;
    const addressOf = (who: typeof alice): string => treasury.addressOf(who).text;
    const { id: vaultId } = await treasury.ask(alice, 'vaults.create', {
      name: 'Commons',
      signers: [alice, bob, carol].map(addressOf),
      signerPubkeys: [alice, bob, carol].map(({ publicKey }) => binToHex(publicKey)),
      totalDeposit: '0.05',
      isPublic: true,
    });
    const vault = String(vaultId);
    const pay = { sender: addressOf(alice), recipient: addressOf(bob), tokenType: 'BCH' };
    const { stream } = await treasury.ask(alice, 'streams.create', {
      ...pay,
      totalAmount: '0.02',
      scheduleTemplate: 'linear-open',
    });
    await treasury.ask(alice, 'payments.create', { ...pay, amountPerPeriod: '0.002', interval: 'DAILY' });
    await treasury.ask(alice, 'budgets.create', {
      vaultId: vault,
      recipient: addressOf(bob),
      milestones: [{ amount: '0.1', durationSeconds: 86_400 }],
    });
    await treasury.ask(alice, 'governance.propose', {
      vaultId: vault,
      title: 'Hire Dave',
      quorum: 10,
      votingDurationDays: 7,
    });

    await treasury.give(alice, 5_000_000n);
    const { batchId } = await treasury.ask(alice, 'streams.batch-create', {
      vaultId: vault,
      senderAddress: addressOf(alice),
      entries: [{ recipient: addressOf(bob), totalAmount: '0.02', scheduleTemplate: 'linear-open' }],
    });

    const { call } = await serve(t, treasury);
    const paths: readonly (readonly [path: string, list: string, count: number])[] = [
      ['/api/streams', 'streams', 2],
      [`/api/streams/batch-runs/${String(batchId)}`, 'streams', 1],
      [`/api/streams/batch-runs/${String(batchId)}/export?format=json`, 'streams', 1],
      ['/api/payments', 'payments', 1],
      ['/api/budget-plans', 'plans', 1],
      [`/api/vaults/${vault}/budget-plans`, 'plans', 1],
      [`/api/vaults/${vault}/governance`, 'proposals', 1],
      [`/api/vaults/${vault}/spends`, 'spends', 0],
      ['/api/deployment/registry?verify=true', 'entries', 5],
    ];
    const naming = { address: addressOf(alice) };
    for (const [path] of paths) {
      const { status, body } = await call('GET', path, undefined, naming);
      t.is(status, 200, path);
      t.false('chain_stale' in body, path);
    }
    await server.stop();
    // What was told a moment ago is fresh until it is noticed that nobody tells any more.
    const isStale = async () => 'chain_stale' in (await call('GET', '/api/streams', undefined, naming)).body;
    while (!(await isStale())) await setTimeout(10);
    for (const [path, list, count] of paths) {
      const { status, body } = await call('GET', path, undefined, naming);
      t.is(status, 200, path);
      t.is(body['chain_stale'], true, path);
      t.is((body[list] as unknown[]).length, count, path);
    }
    const { id } = stream as { id: string };
    const single = await call('GET', `/api/streams/${id}`, undefined, naming);
    t.like(single, { status: 503, body: { code: 'chain_unavailable', retryable: true } });

    const listed = await runOn(treasury, ['streams', 'list', '--json']);
    t.is(listed.exit, 0);
    t.like(JSON.parse(listed.stdout), { chain_stale: true, total: 2 });
    t.regex(listed.stderr, /no chain server answers: this is what was known last/);
  },
);
