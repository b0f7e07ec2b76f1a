import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { decodeTransaction } from '../../../src/bch/transaction.js';
import type { DifficultyRule } from '../../../src/bch/difficulty.js';
import {
  ALICE,
  BOB,
  fund,
  payAll,
  present,
  refused,
  START,
  temporaryFolder,
} from '../local-chain/chain-fixture.js';
import { openThrough, serveChain, type Served } from './electrum-fixture.js';
import { forkedFrom, frozenAt, hidden, inventedAt, movedBy, serveLies, withTxid, type Lies } from './lies.js';

// One after the other: servers and clients share this process, and the limits are short.

const BITCOIN = 100_000_000n;
const script = ALICE.lockingBytecode;

/** The rule of a chain that has been behind schedule for years, so that its blocks are as easy as can be. */
const WORK: DifficultyRule = {
  anchor: { height: 0, bits: 0x207fffff, parentTime: START - 300_000_000 },
  anchorHash: null,
  halfLife: 172_800,
  easiest: 0x207fffff,
  easyAfter: null,
};

type Scene = Served & {
  /** A payment to Alice, seven blocks deep. */
  readonly txid: string;
  readonly height: number;
  /** Raw hex of a payment to Alice that spends what nobody has. */
  readonly invented: string;
};

const setScene = async (t: ExecutionContext): Promise<Scene> => {
  const served = await serveChain(t);
  const { local } = served;
  const coin = await fund(local, ALICE, BITCOIN);
  const invented = payAll({ ...(await fund(local, BOB, BITCOIN)), txid: 'ab'.repeat(32) }, ALICE, {
    signer: BOB,
  });
  await local.mine(6);
  const { height } = (await local.transaction(coin.txid)) ?? {};
  if (height == null) throw new Error('the payment is in a block');
  return { ...served, txid: coin.txid, height, invented };
};

/** A network where work counts, and a home whose operator has named the first block. */
const ruledFrom = async ({ local }: Pick<Scene, 'local'>) => ({
  difficulty: WORK,
  now: () => START,
  checkpoint: { height: 0, hash: present(await local.block(0)).hash },
});

test.serial(
  'a funding that never was › given a server that claims a block for it › it is not believed',
  async (t) => {
    const { local, invented } = await setScene(t);
    const url = await serveLies(t, local, inventedAt(local, invented, 5));
    const chain = await openThrough(t, [url]);
    const error = await refused(t, chain.transaction(decodeTransaction(invented).txid), 'server_disagrees');
    t.regex(error.message, /cannot prove/);
    t.true(error.retryable);
    t.is(error.exit, 7);
    t.is(error.status, 409);
  },
);

test.serial(
  'a funding that never was › given a proof that leads elsewhere › it is not believed',
  async (t) => {
    const { local, invented } = await setScene(t);
    const { txid } = decodeTransaction(invented);
    const lies = { ...inventedAt(local, invented, 5), ...withTxid(local, txid, 5) };
    const chain = await openThrough(t, [await serveLies(t, local, lies)]);
    await refused(t, chain.transaction(txid), 'server_disagrees');
  },
);

test.serial(
  'a funding that never was › given a header of its own that is linked to nothing › the header is refused',
  async (t) => {
    const { local, invented } = await setScene(t);
    const { txid } = decodeTransaction(invented);
    const forged = await forkedFrom(local, 5, { txid, isWorked: true, blocks: 1 });
    const lies: Lies = {
      ...inventedAt(local, invented, 5),
      ...forged,
      tip: local.tip,
      header: (height) => (height === 5 ? (forged.header ?? local.header)(5) : local.header(height)),
    };
    const chain = await openThrough(t, [await serveLies(t, local, lies)]);
    const error = await refused(t, chain.tip(), 'server_disagrees');
    t.regex(error.message, /block 6 that does not stand upon block 5/);
    await refused(t, chain.transaction(txid), 'server_disagrees');
  },
);

test.serial(
  'a funding that never was › given a home that knew the chain, and a fork without work › it is refused',
  async (t) => {
    const scene = await setScene(t);
    const { local, tcpUrl, invented } = scene;
    const { txid } = decodeTransaction(invented);
    const folder = temporaryFolder(t);
    const ruled = await ruledFrom(scene);
    const before = await openThrough(t, [tcpUrl], { folder, ...ruled });
    const tip = await before.tip();
    await before.close();
    const forged = await forkedFrom(local, 8, { txid, isWorked: false, blocks: 30 });
    const url = await serveLies(t, local, { ...inventedAt(local, invented, 8), ...forged });
    const chain = await openThrough(t, [url], { folder, ...ruled });
    const error = await refused(t, chain.transaction(txid), 'server_disagrees');
    t.regex(error.message, /lacks the work/);
    const honest = await openThrough(t, [tcpUrl], { folder, ...ruled });
    t.deepEqual(await honest.tip(), tip);
  },
);

test.serial(
  'a funding that never was › given a short fork with work under what a home knew › it is refused',
  async (t) => {
    const scene = await setScene(t);
    const { local, tcpUrl, invented } = scene;
    const { txid } = decodeTransaction(invented);
    const folder = temporaryFolder(t);
    const ruled = await ruledFrom(scene);
    const before = await openThrough(t, [tcpUrl], { folder, ...ruled });
    await before.tip();
    await before.close();
    const forged = await forkedFrom(local, 8, { txid, isWorked: true, blocks: 4 });
    const url = await serveLies(t, local, { ...inventedAt(local, invented, 8), ...forged });
    const chain = await openThrough(t, [url], { folder, ...ruled });
    const error = await refused(t, chain.tip(), 'server_disagrees');
    t.regex(error.message, /less work/);
  },
);

test.serial('bits that are not due › given the rule of a network › the header is refused', async (t) => {
  const scene = await setScene(t);
  const strict = { ...WORK, anchor: { ...WORK.anchor, parentTime: START } };
  const chain = await openThrough(t, [scene.tcpUrl], { ...(await ruledFrom(scene)), difficulty: strict });
  const error = await refused(t, chain.tip(), 'server_disagrees');
  t.regex(error.message, /has the bits 207fffff where .* is due/);
});

test.serial('time ahead of the clock › given the rule of a network › the header is refused', async (t) => {
  const scene = await setScene(t);
  await scene.local.advance(5 * 3_600);
  const chain = await openThrough(t, [scene.tcpUrl], await ruledFrom(scene));
  const error = await refused(t, chain.tip(), 'server_disagrees');
  t.regex(error.message, /ahead of the clock/);
});

for (const blocks of [-3, 3, 500]) {
  test.serial(
    `a height that is not so › given a payment moved by ${blocks} blocks › the server is not believed, the next one is`,
    async (t) => {
      const { local, tcpUrl, txid, height } = await setScene(t);
      const url = await serveLies(t, local, movedBy(local, txid, blocks));
      const alone = await openThrough(t, [url]);
      await refused(t, alone.transaction(txid), 'server_disagrees');
      const both = await openThrough(t, [url, tcpUrl]);
      t.is((await both.transaction(txid))?.height, height);
      t.regex(both.log.warnings.join(), /cannot prove it/);
    },
  );
}

test.serial(
  'hidden history › given an honest second server › server_disagrees, and then the other answers',
  async (t) => {
    const { local, tcpUrl, txid, height } = await setScene(t);
    const url = await serveLies(t, local, hidden(local, txid));
    for (const servers of [
      [url, tcpUrl],
      [tcpUrl, url],
    ]) {
      const chain = await openThrough(t, servers);
      const error = await refused(t, chain.history(script), 'server_disagrees');
      t.true(error.message.includes(`${url} hides ${txid}`), error.message);
      t.deepEqual(await chain.history(script), [{ txid, height }]);
      t.is((await chain.coins(script)).length, 1);
    }
  },
);

test.serial(
  'invented history › given an honest second server › who cannot prove it is let go of',
  async (t) => {
    const { local, tcpUrl, txid, height, invented } = await setScene(t);
    const url = await serveLies(t, local, inventedAt(local, invented, 5));
    for (const servers of [
      [url, tcpUrl],
      [tcpUrl, url],
    ]) {
      const chain = await openThrough(t, servers);
      const error = await refused(t, chain.history(script), 'server_disagrees');
      t.regex(error.message, /without proof/);
      t.deepEqual(await chain.history(script), [{ txid, height }]);
    }
  },
);

test.serial(
  'a hidden coin › given an honest second server › server_disagrees, and then the other answers',
  async (t) => {
    const { local, tcpUrl, txid } = await setScene(t);
    const unspent = async (asked: string) =>
      (await local.unspent(asked)).filter((coin) => coin.txid !== txid);
    const url = await serveLies(t, local, { unspent });
    const chain = await openThrough(t, [url, tcpUrl]);
    const error = await refused(t, chain.coins(script), 'server_disagrees');
    t.true(error.message.includes(`${url} hides the coin ${txid}:0`), error.message);
    t.is((await chain.coins(script)).length, 1);
  },
);

test.serial('a coin that is spent › given a server that shows it still › server_disagrees', async (t) => {
  const { local, tcpUrl } = await setScene(t);
  const old = await local.coins(script);
  await local.broadcast(payAll(old[0] ?? (await fund(local, ALICE, 1n)), BOB));
  await local.mine(4);
  const url = await serveLies(t, local, { unspent: () => Promise.resolve(old) });
  const chain = await openThrough(t, [url, tcpUrl]);
  const error = await refused(t, chain.coins(script), 'server_disagrees');
  t.regex(error.message, /which is spent/);
  t.deepEqual(await chain.coins(script), []);
});

test.serial(
  'a vanished transaction › given a second server that has it › server_disagrees, never unknown',
  async (t) => {
    const { local, tcpUrl, txid, height } = await setScene(t);
    const url = await serveLies(t, local, hidden(local, txid));
    const chain = await openThrough(t, [url, tcpUrl]);
    await refused(t, chain.transaction(txid), 'server_disagrees');
    t.is((await chain.transaction(txid))?.height, height);
  },
);

test.serial(
  'a vanished transaction › given a single server, and a home to which it was proven › server_disagrees, never unknown',
  async (t) => {
    const { local, txid, height } = await setScene(t);
    const lies: Record<string, unknown> = {};
    const url = await serveLies(t, local, lies);
    const folder = temporaryFolder(t);
    const before = await openThrough(t, [url], { folder });
    t.is((await before.transaction(txid))?.height, height);
    await before.close();
    Object.assign(lies, hidden(local, txid));
    const chain = await openThrough(t, [url], { folder });
    await refused(t, chain.transaction(txid), 'server_disagrees');
    const error = await refused(t, chain.history(script), 'server_disagrees');
    t.regex(error.message, /was proven to be in block/);
  },
);

test.serial('lag › given a second server that is two blocks behind › it is no disagreement', async (t) => {
  const { local, tcpUrl } = await setScene(t);
  const before = await local.history(script);
  const url = await serveLies(t, local, {
    ...(await frozenAt(local)),
    history: () => Promise.resolve(before),
  });
  const { txid } = await fund(local, ALICE, BITCOIN);
  await local.mine(1);
  for (const servers of [
    [tcpUrl, url],
    [url, tcpUrl],
  ]) {
    const chain = await openThrough(t, servers);
    const history = await chain.history(script);
    t.true(
      history.some((entry) => entry.txid === txid),
      'what one of them has seen is shown',
    );
    t.not(await chain.transaction(txid), null);
  }
});

test.serial('lag › given a payment that only one mempool has › it is shown', async (t) => {
  const { local, tcpUrl } = await serveChain(t, { automine: false });
  const { txid } = await fund(local, ALICE, BITCOIN);
  const url = await serveLies(t, local, hidden(local, txid));
  const chain = await openThrough(t, [url, tcpUrl]);
  t.deepEqual(await chain.history(script), [{ txid, height: null }]);
  t.is((await chain.transaction(txid))?.transaction.txid, txid);
});

test.serial(
  'a reorganisation › given a proven payment that is not in the new branch › it is unproven again',
  async (t) => {
    const { local, tcpUrl, txid, height } = await setScene(t);
    const chain = await openThrough(t, [tcpUrl]);
    t.is((await chain.transaction(txid))?.height, height);
    await local.reorg(9);
    t.is((await chain.transaction(txid))?.height, null);
    await local.mine(1);
    const again = await chain.transaction(txid);
    t.deepEqual(again, await local.transaction(txid));
    t.true((again?.height ?? 0) > height);
  },
);

test.serial('a proven payment › asked for again › its proof is not asked for again', async (t) => {
  const { local, txid } = await setScene(t);
  let asked = 0;
  const url = await serveLies(t, local, {
    blockTxids: (at) => {
      asked += 1;
      return local.blockTxids(at);
    },
  });
  const folder = temporaryFolder(t);
  const chain = await openThrough(t, [url], { folder });
  asked = 0;
  for (let times = 0; times < 3; times += 1) t.not(await chain.transaction(txid), null);
  t.is(asked, 1);
  await chain.close();
  const next = await openThrough(t, [url], { folder });
  t.not(await next.transaction(txid), null);
  t.is(asked, 1, 'not even by the next command');
});

test.serial(
  'the kept headers › given a file that is damaged › it is said, and they are asked for again',
  async (t) => {
    const { local, tcpUrl } = await setScene(t);
    const folder = temporaryFolder(t);
    const first = await openThrough(t, [tcpUrl], { folder });
    await first.tip();
    await first.close();
    const file = path.join(folder, 'headers.json');
    const text = readFileSync(file, 'utf8');
    writeFileSync(
      file,
      text.replace(
        /"headers":\["(.)/,
        (all, digit: string) => all.slice(0, -1) + (digit === '1' ? '2' : '1'),
      ),
    );
    t.not(readFileSync(file, 'utf8'), text);
    const chain = await openThrough(t, [tcpUrl], { folder });
    t.deepEqual(await chain.tip(), await local.tip());
    t.regex(chain.log.warnings.join(), /headers\.json is not used/);
  },
);

test.serial(
  'an inflated tip › given blocks that are not there › the server is let go of, and the next one asked',
  async (t) => {
    const { local, tcpUrl } = await setScene(t);
    const honest = await local.tip();
    const url = await serveLies(t, local, {
      tip: () => Promise.resolve({ ...honest, height: honest.height + 1_000 }),
      header: (height) => local.header(height === honest.height + 1_000 ? 3 : height),
    });
    const both = await openThrough(t, [url, tcpUrl]);
    t.deepEqual(await both.tip(), honest);
    const alone = await openThrough(t, [url]);
    const error = await refused(t, alone.tip(), 'chain_unavailable');
    t.regex(error.message, /shows a tip at 10\d\d, and no block/);
  },
);

test.serial(
  'a funding that never was › given a second server that claims a block for it › it is unknown',
  async (t) => {
    const { local, tcpUrl, invented } = await setScene(t);
    const url = await serveLies(t, local, inventedAt(local, invented, 5));
    const chain = await openThrough(t, [tcpUrl, url]);
    t.is(await chain.transaction(decodeTransaction(invented).txid), null);
    t.regex(chain.log.warnings.join(), /cannot prove it/);
  },
);
