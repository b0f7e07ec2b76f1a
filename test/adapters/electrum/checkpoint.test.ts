import test, { type ExecutionContext } from 'ava';
import { createHeaderChain, SPAN } from '../../../src/adapters/electrum/header-chain.js';
import { falseBehind } from '../../../src/adapters/electrum/back-links.js';
import { readHeadersAt } from '../../../src/adapters/electrum/header-rules.js';
import { openElectrumChain, type ElectrumChain } from '../../../src/adapters/electrum/electrum-chain.js';
import type { DifficultyRule } from '../../../src/bch/difficulty.js';
import {
  openTestChain,
  present,
  refused,
  START,
  temporaryFolder,
  type TestChain,
} from '../local-chain/chain-fixture.js';
import { openThrough, recordLog, serveChain, SHORT, until } from './electrum-fixture.js';
import { frozenAt, serveLies } from './lies.js';

// One after the other: servers and clients share this process, and the limits are short.

/** The rule of a chain that has been behind schedule for years, so that its blocks are as easy as can be. */
const WORK: DifficultyRule = {
  anchor: { height: 0, bits: 0x207fffff, parentTime: START - 300_000_000 },
  anchorHash: null,
  halfLife: 172_800,
  easiest: 0x207fffff,
  easyAfter: null,
};
const ruled = { difficulty: WORK, now: () => START } as const;

const open = async (
  t: ExecutionContext,
  servers: readonly string[],
  options: Partial<Parameters<typeof openElectrumChain>[0]> = {},
): Promise<ElectrumChain> => {
  const chain = await openElectrumChain({
    network: 'regtest',
    servers,
    log: recordLog(),
    ...SHORT,
    ...ruled,
    ...options,
  });
  t.teardown(chain.close);
  return chain;
};

const twin = (t: ExecutionContext, local: TestChain): Promise<string> => serveLies(t, local, {});

test.serial(
  'first use › given two servers that agree › a block below their tips is the checkpoint',
  async (t) => {
    const { local, tcpUrl } = await serveChain(t);
    await local.mine(30);
    const other = await twin(t, local);
    const chain = await open(t, [tcpUrl, other]);
    t.is(chain.checkpoint(), null);
    t.deepEqual(await chain.tip(), await local.tip());
    const height = (await local.tip()).height - 10;
    t.like(chain.checkpoint(), {
      height,
      hash: present(await local.block(height)).hash,
      by: 'servers',
      servers: [tcpUrl, other],
    });
    t.deepEqual(await chain.block(3), await local.block(3), 'what is below it is linked to it');
  },
);

test.serial('first use › given two servers that show different chains › server_disagrees', async (t) => {
  const { local, tcpUrl } = await serveChain(t);
  const { local: other, tcpUrl: otherUrl } = await serveChain(t);
  await local.mine(30);
  await other.mine(30);
  const chain = await open(t, [tcpUrl, otherUrl]);
  await refused(t, chain.tip(), 'server_disagrees');
});

test.serial('first use › given one server › invalid_setting names the flag', async (t) => {
  const { tcpUrl } = await serveChain(t);
  const chain = await open(t, [tcpUrl]);
  const error = await refused(t, chain.tip(), 'invalid_setting');
  t.regex(error.message, /--checkpoint.*HEIGHT:HASH/);
});

test.serial(
  'first use › given two servers, one of which is away › chain_unavailable names the flag',
  async (t) => {
    const { tcpUrl } = await serveChain(t);
    const chain = await open(t, [tcpUrl, 'tcp://127.0.0.1:1']);
    const error = await refused(t, chain.tip(), 'chain_unavailable');
    t.regex(error.message, /--checkpoint HEIGHT:HASH/);
  },
);

test.serial(
  'a named checkpoint › given one server that has it › the chain is followed from it',
  async (t) => {
    const { local, tcpUrl } = await serveChain(t);
    await local.mine(30);
    const { height, hash } = present(await local.block(20));
    const chain = await open(t, [tcpUrl], { checkpoint: { height, hash } });
    t.deepEqual(await chain.tip(), await local.tip());
    t.like(chain.checkpoint(), { height, hash, by: 'operator', checkedDownTo: 9 });
  },
);

test.serial('a named checkpoint › given a server with another block there › server_disagrees', async (t) => {
  const { tcpUrl } = await serveChain(t);
  const chain = await open(t, [tcpUrl], { checkpoint: { height: 5, hash: 'ab'.repeat(32) } });
  const error = await refused(t, chain.tip(), 'server_disagrees');
  t.regex(error.message, /not the checkpoint abab/);
});

test.serial(
  'a home › given a checkpoint from before › one server is enough, and a new name begins anew',
  async (t) => {
    const { local, tcpUrl } = await serveChain(t);
    await local.mine(30);
    const folder = temporaryFolder(t);
    const first = await open(t, [tcpUrl, await twin(t, local)], { folder });
    await first.tip();
    const { height } = present(first.checkpoint());
    await first.close();

    const alone = await open(t, [tcpUrl], { folder });
    t.deepEqual(await alone.tip(), await local.tip());
    t.like(alone.checkpoint(), { height, by: 'servers' });
    await alone.close();

    const named = present(await local.block(7));
    const anew = await open(t, [tcpUrl], { folder, checkpoint: named });
    t.deepEqual(await anew.tip(), await local.tip());
    t.like(anew.checkpoint(), { height: 7, by: 'operator' });
  },
);

test.serial('a home that is looked at only › nothing is written', async (t) => {
  const { local, tcpUrl } = await serveChain(t);
  const folder = temporaryFolder(t);
  const chain = await open(t, [tcpUrl], { folder, isReadOnly: true, difficulty: null });
  t.deepEqual(await chain.tip(), await local.tip());
  await chain.close();
  const next = await open(t, [tcpUrl], { folder, difficulty: null });
  t.is(next.checkpoint(), null);
});

test.serial('where blocks cost nothing › given one server › its first block is the checkpoint', async (t) => {
  const { local, tcpUrl } = await serveChain(t);
  const folder = temporaryFolder(t);
  const chain = await open(t, [tcpUrl], { folder, difficulty: null });
  t.deepEqual(await chain.tip(), await local.tip());
  t.like(chain.checkpoint(), { height: 0, by: 'first block' });
  await chain.close();
  await local.reset();
  const after = await open(t, [tcpUrl], { folder, difficulty: null });
  const error = await refused(t, after.tip(), 'server_disagrees');
  t.regex(error.message, /leaves the one this home knows/);
});

test.serial(
  'requests › given a home that knows the headers › a command asks for those it lacks alone',
  async (t) => {
    const { local, tcpUrl } = await serveChain(t);
    await local.mine(200);
    const folder = temporaryFolder(t);
    const first = await open(t, [tcpUrl], { folder, difficulty: null });
    await first.tip();
    await first.close();
    const asked: number[] = [];
    const url = await serveLies(t, local, {
      header: (height) => {
        asked.push(height);
        return local.header(height);
      },
    });
    const { height } = await local.mine(5);
    asked.length = 0;
    const chain = await openThrough(t, [url], { folder });
    t.deepEqual(await chain.tip(), await local.tip());
    t.true(
      asked.every((at) => at === 0 || at > height - 6),
      `asked for ${asked.join()}`,
    );
  },
);

test.serial('a server that falls behind › given a home that has seen more › its tip stays', async (t) => {
  const { local, tcpUrl } = await serveChain(t);
  await local.mine(30);
  const folder = temporaryFolder(t);
  const behind = await serveLies(t, local, await frozenAt(local));
  const genesis = present(await local.block(0));
  await local.mine(2);
  const first = await open(t, [tcpUrl], { folder, checkpoint: genesis });
  const tip = await first.tip();
  await first.close();
  const chain = await open(t, [behind], { folder, checkpoint: genesis });
  t.deepEqual(await chain.tip(), tip);
});

const hexesOf = async (local: TestChain): Promise<string[]> => {
  const { height } = await local.tip();
  return Promise.all(Array.from({ length: height + 1 }, async (_, at) => present(await local.header(at))));
};

test.serial(
  'long chains › given more headers than are kept › the old ones are linked again when they are asked for',
  async (t) => {
    const { local, tcpUrl } = await serveChain(t);
    await local.mine(2 * SPAN + 500);
    const folder = temporaryFolder(t);
    const chain = await open(t, [tcpUrl], { folder, difficulty: null });
    t.deepEqual(await chain.tip(), await local.tip());
    for (const height of [5, SPAN - 1, SPAN, SPAN + 7, 2 * SPAN - 1, 2 * SPAN, 3_100])
      t.deepEqual(await chain.block(height), await local.block(height), `block ${height}`);
    await chain.close();
    const next = await open(t, [tcpUrl], { folder, difficulty: null });
    t.deepEqual(await next.block(1_234), await local.block(1_234));
    const forged = await serveLies(t, local, {
      header: async (height) => (height === 1_500 ? local.header(1_501) : local.header(height)),
    });
    const lying = await open(t, [forged], { folder, difficulty: null });
    await refused(t, lying.block(1_499), 'server_disagrees');
  },
);

test('back links › given headers with false bits behind a checkpoint › it is refused', async (t) => {
  const local = await openTestChain(t);
  await local.mine(20);
  const headers = readHeadersAt(0, await hexesOf(local));
  t.is(falseBehind(headers, ruled), null);
  const strict = { ...WORK, anchor: { ...WORK.anchor, parentTime: START } };
  t.regex(falseBehind(headers, { ...ruled, difficulty: strict }) ?? '', /has the bits 207fffff/);
  const elsewhere = { ...WORK, anchorHash: 'ab'.repeat(32) };
  t.regex(falseBehind(headers, { ...ruled, difficulty: elsewhere }) ?? '', /leads back to/);
});

test('back links › given a bound › they are checked down to the first block', async (t) => {
  const local = await openTestChain(t);
  await local.mine(40);
  const hexes = await hexesOf(local);
  const kept = { start: 30, headers: hexes.slice(30), ends: {} };
  const chain = createHeaderChain(kept, { ...ruled, checkpoint: { height: 35 } });
  t.is(chain.lowest(), 30);
  t.throws(() => chain.descend(30, 0, 0, hexes.slice(1, 31)), { message: /shows another block 29/ });
  t.is(chain.descend(30, 0, 0, hexes.slice(0, 30)).length, 30);
  t.is(chain.lowest(), 0);
});

test.serial(
  'back links › given an open chain › they are checked in the background, and a false checkpoint is refused',
  async (t) => {
    const { local, tcpUrl } = await serveChain(t);
    await local.mine(60);
    const named = present(await local.block(40));
    const folder = temporaryFolder(t);
    const good = await open(t, [tcpUrl], { checkpoint: named });
    const elsewhere = { ...WORK, anchorHash: 'ab'.repeat(32) };
    const bad = await open(t, [tcpUrl], { checkpoint: named, difficulty: elsewhere, folder });
    for (const chain of [good, bad]) t.deepEqual(await chain.tip(), await local.tip());
    const isDown = (chain: ElectrumChain) => chain.checkpoint()?.checkedDownTo === 0;
    await until(t, () => isDown(good) && isDown(bad), 'the links down to the first block', 15_000);
    t.deepEqual(await good.tip(), await local.tip());
    const error = await refused(t, bad.tip(), 'server_disagrees');
    t.regex(error.message, /is on no valid chain .*name another with --checkpoint/);
    await bad.close();
    const again = await open(t, [tcpUrl], { checkpoint: named, difficulty: elsewhere, folder });
    await refused(t, again.tip(), 'server_disagrees');
  },
);

test.serial(
  'a named checkpoint › given one from before the rule of difficulty › invalid_setting',
  async (t) => {
    const { tcpUrl } = await serveChain(t);
    const difficulty = { ...WORK, anchor: { ...WORK.anchor, height: 8 } };
    const chain = await open(t, [tcpUrl], { difficulty, checkpoint: { height: 7, hash: 'ab'.repeat(32) } });
    const error = await refused(t, chain.tip(), 'invalid_setting');
    t.regex(error.message, /a block from 8 on/);
  },
);
