/** Two chains and the records of one database. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { openApp, type App, type AppSettings } from '../../src/app.js';
import { startElectrumServer } from '../../src/adapters/electrum-server/electrum-server.js';
import { openLocalChain } from '../../src/adapters/local-chain/local-chain.js';
import type { TreasuryError } from '../../src/errors.js';
import type { Network } from '../../src/bch/network.js';
import { reset } from '../../src/home/chain.js';
import { execute } from '../../src/operation/execute.js';
import type { ChainPort } from '../../src/operation/ports/chain.js';
import { chainCollection, ofOneChain } from '../../src/record/own-chain.js';
import { whyNoPostgres } from '../acceptance/postgres-world.js';
import { consult } from '../home/doctor-fixture.js';
import { openMemoryStore } from '../operation/fake-context.js';
import { makeTreasuryDatabase } from '../postgres/database.js';

const onPostgres = whyNoPostgres === null ? test : test.skip;

const makeFolder = (t: ExecutionContext): string => {
  const folder = mkdtempSync(join(tmpdir(), 'treasury-'));
  t.teardown(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
};

/** Opens homes on one database. */
const onDatabase = async (t: ExecutionContext) => {
  const database = { url: await makeTreasuryDatabase(t), connections: 2 };
  const open = async (home: string, more: Partial<AppSettings> = {}): Promise<App> => {
    const app = await openApp({ home, network: 'local', database, part: 'command', ...more });
    t.teardown(app.close);
    return app;
  };
  return { database, open };
};

onPostgres(
  'a home of another chain › given records of the first › it is refused, and nothing of them changes',
  async (t) => {
    const { database, open } = await onDatabase(t);
    const [home, other] = [makeFolder(t), makeFolder(t)];
    const first = await open(home);
    const { hash } = (await first.context.chain.block(0)) ?? { hash: '' };
    const error = (await t.throwsAsync(open(other), { code: 'other_chain' })) as TreasuryError;
    t.is(error.exit, 5);
    t.like(error.details, { height: 0, hash });
    t.false(error.message.includes('{'), error.message);
    await t.throwsAsync(open(other, { part: 'all' }), { code: 'other_chain' });
    await t.notThrowsAsync(open(home));
    await t.notThrowsAsync(open(other, { part: 'home' }), 'what asks no chain works');

    const { checks } = await consult(other, {}, { database });
    t.like(
      checks.find(({ check, state }) => check === 'store' && state === 'problem'),
      {
        detail: error.message,
      },
    );
    const sound = await consult(home, {}, { database });
    t.deepEqual(
      sound.checks.filter(({ check, state }) => check === 'store' && state !== 'ok'),
      [],
    );
  },
);

onPostgres(
  'chain reset › given records in a database › they are of the new chain from then on',
  async (t) => {
    const { open } = await onDatabase(t);
    const [home, other] = [makeFolder(t), makeFolder(t)];
    const { context } = await open(home);
    const before = await context.store.get(chainCollection, 'chain');
    await execute(reset, {}, context, { kind: 'operator', address: null });
    const after = await context.store.get(chainCollection, 'chain');
    t.not(after?.hash, before?.hash);
    t.is(after?.hash, (await context.chain.block(0))?.hash);
    await t.notThrowsAsync(open(home));
    await t.throwsAsync(open(other), { code: 'other_chain' });
  },
);

/** A chain that is served; it takes no connection while it is away. */
const serveChain = async (t: ExecutionContext) => {
  const chain = await openLocalChain({ folder: makeFolder(t), now: () => Date.now() / 1_000 });
  const served = await startElectrumServer({ chain, tcpPort: 0, host: '127.0.0.1' });
  t.teardown(async () => {
    await served.stop();
    await chain.close();
  });
  return served.tcpUrl ?? '';
};

test('files › given another chain › nothing is kept, and nothing is asked', async (t) => {
  const chain = { block: () => t.fail() } as unknown as ChainPort;
  const store = openMemoryStore([chainCollection]);
  const given = { store, chain, network: 'local' as Network, database: 'files', isReadOnly: false };
  t.is(await ofOneChain(given), chain);
});

const TIP = { height: 1, hash: 'ff', time: 0, medianTimePast: 0 };

/** A chain whose block 1 is given, or which is away, or has none yet. */
const regtestChain = (said: { hash: string | null }): ChainPort =>
  ({
    block: async (height: number) => {
      if (said.hash === 'away') throw new Error('away');
      return Promise.resolve(said.hash === null ? null : { height, hash: said.hash });
    },
    tip: () => Promise.resolve(TIP),
  }) as unknown as ChainPort;

const sharedStore = () => ({ ...openMemoryStore([chainCollection]), isShared: true });

test('regtest › given a server that is away or has no block yet › it is asked before each question until it says', async (t) => {
  const store = sharedStore();
  const network = 'regtest' as const;
  const opened = (chain: ChainPort) =>
    ofOneChain({ store, chain, network, database: 'db', isReadOnly: false });
  const said = { hash: null as string | null };
  const young = await opened(regtestChain(said));
  t.deepEqual(await young.tip(), TIP);
  t.is(await store.get(chainCollection, 'chain'), null);
  said.hash = 'aa';
  await young.tip();
  t.like(await store.get(chainCollection, 'chain'), { height: 1, hash: 'aa' });

  const later = { hash: 'away' };
  const away = await opened(regtestChain(later));
  t.deepEqual(await away.tip(), TIP, 'silence says nothing');
  later.hash = 'bb';
  await t.throwsAsync(away.tip(), { code: 'other_chain' });
  await t.throwsAsync(away.broadcast('00'), { code: 'other_chain' });
  later.hash = 'aa';
  await t.notThrowsAsync(away.tip());
  later.hash = 'bb';
  await t.notThrowsAsync(away.tip(), 'what is known is not asked again');
  await t.throwsAsync(opened(regtestChain({ hash: 'bb' })), { code: 'other_chain' });
});

test('a public network › given any chain › nothing more is asked of it or of the store', async (t) => {
  const chain = { block: () => t.fail() } as unknown as ChainPort;
  const store = { ...sharedStore(), get: () => t.fail() };
  t.is(await ofOneChain({ store, chain, network: 'chipnet', database: 'db', isReadOnly: false }), chain);
});

onPostgres('regtest › given two servers of two chains › the home behind the second is refused', async (t) => {
  const { store } = (await (await onDatabase(t)).open(makeFolder(t))).context;
  const [one, two] = [await serveChain(t), await serveChain(t)];
  const { openElectrumChain } = await import('../../src/adapters/electrum/electrum-chain.js');
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const behind = async (url: string): Promise<ChainPort> => {
    const chain = await openElectrumChain({ network: 'regtest', servers: [url], log, folder: makeFolder(t) });
    t.teardown(chain.close);
    return chain;
  };
  await store.transaction((writer) => {
    writer.remove(chainCollection, 'chain');
  });
  const opened = async (url: string) =>
    ofOneChain({ store, chain: await behind(url), network: 'regtest', database: 'db', isReadOnly: false });
  await opened(one);
  await opened(one);
  await t.throwsAsync(opened(two), { code: 'other_chain', message: /block 1 is/ });
});
