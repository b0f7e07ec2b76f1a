/** Servers that lie, under a whole treasury: what they make up is never taken in, what they hide is never "not funded". */
import type { ExecutionContext } from 'ava';
import { startElectrumServer } from '../../src/adapters/electrum-server/electrum-server.js';
import { openLocalChain, type LocalChain } from '../../src/adapters/local-chain/local-chain.js';
import { decodeTransaction, decodeRaw, encodeRaw } from '../../src/bch/transaction.js';
import { people } from '../../fixtures/people.js';
import {
  forkedFrom,
  hidden,
  inventedAt,
  movedBy,
  serveLies,
  withTxid,
  type Lies,
} from '../adapters/electrum/lies.js';
import { temporaryFolder } from '../adapters/local-chain/chain-fixture.js';
import { steerEmbedded, TEST_TIME, throughServers, type ChainWorld } from '../chain-world.js';
import { openTreasury, type Treasury } from '../treasury.js';
import { onEmbeddedChain } from './on-every-chain.js';

const WHY = 'a server of somebody does not lie when it is asked to';

type Scene = {
  readonly treasury: Treasury;
  readonly local: LocalChain;
  /** What the lying server says in place of the truth; empty at first. */
  readonly lies: Lies;
  readonly id: string;
  /** The funding of the campaign, unsigned and signed. */
  readonly funding: unknown;
  readonly signed: string;
};

/** A campaign that waits for its funding, behind a server that lies and perhaps one that does not. */
const setScene = async (t: ExecutionContext, isAlone: boolean): Promise<Scene> => {
  const local = await openLocalChain({
    folder: temporaryFolder(t),
    now: () => TEST_TIME,
    automine: false,
  });
  t.teardown(local.close);
  const lies: Lies = {};
  const liar = await serveLies(t, local, lies);
  const honest = await startElectrumServer({ chain: local, tcpPort: 0 });
  t.teardown(honest.stop);
  const servers = isAlone ? [liar] : [liar, honest.tcpUrl ?? ''];
  const world: ChainWorld = {
    name: 'behind a liar',
    network: 'regtest',
    can: ['reorg'],
    open: () =>
      Promise.resolve({
        outside: throughServers(servers),
        wall: local.now,
        people,
        steer: () => steerEmbedded(local),
      }),
  };
  const treasury = await openTreasury(t, world);
  const { alice } = treasury.people;
  await treasury.give(alice, 20_000_000n);
  await local.mine(10);
  const terms = { title: 'Believe nobody', totalPool: 0.03, maxRewardAmount: 0.01 };
  const created = await treasury.ask(alice, 'rewards.create', terms);
  const { id } = created['campaign'] as { readonly id: string };
  const built = await treasury.ask(alice, 'rewards.funding-info', { id });
  const funding = built['wcTransaction'];
  return { treasury, local, lies, id, funding, signed: treasury.sign(alice, funding) };
};

const show = async ({ treasury, id }: Scene) => {
  const { campaign } = (await treasury.ask(null, 'rewards.show', { id })) as {
    readonly campaign: { readonly status: string; readonly confirmations?: number };
  };
  return campaign;
};

const confirm = ({ treasury, id }: Scene, txHash: string) =>
  treasury.ask(treasury.people.alice, 'rewards.confirm-funding', { id, txHash });

/** The same transaction without its signatures. */
const unsigned = (raw: string): string => {
  const transaction = decodeRaw(raw);
  for (const input of transaction.inputs) input.unlockingBytecode = new Uint8Array();
  return encodeRaw(transaction);
};

const MADE_UP: readonly (readonly [what: string, make: (local: LocalChain, raw: string) => Promise<Lies>])[] =
  [
    ['a block that does not hold it', (local, raw) => Promise.resolve(inventedAt(local, raw, 8))],
    [
      'a proof that leads elsewhere',
      (local, raw) =>
        Promise.resolve({ ...inventedAt(local, raw, 8), ...withTxid(local, decodeTransaction(raw).txid, 8) }),
    ],
    ['a block far above the tip', (local, raw) => Promise.resolve(inventedAt(local, raw, 8_000))],
    [
      'a header of its own',
      async (local, raw) => {
        const { txid } = decodeTransaction(raw);
        const { header = local.header } = await forkedFrom(local, 8, { txid, isWorked: true, blocks: 1 });
        return {
          ...inventedAt(local, raw, 8),
          ...withTxid(local, txid, 8),
          header: (height) => (height === 8 ? header(8) : local.header(height)),
        };
      },
    ],
  ];

for (const [what, make] of MADE_UP) {
  for (const isSigned of [true, false]) {
    onEmbeddedChain(
      `a funding that never was › given ${what}, ${isSigned ? 'signed' : 'without a signature'} › the campaign stays as it was`,
      WHY,
      async (t) => {
        const scene = await setScene(t, true);
        const raw = isSigned ? scene.signed : unsigned(scene.signed);
        const { txid } = decodeTransaction(raw);
        Object.assign(scene.lies, await make(scene.local, raw));
        const error = await t.throwsAsync(confirm(scene, txid));
        t.is((error as { code?: unknown }).code, 'server_disagrees', error.message);
        for (const name of Object.keys(scene.lies)) Reflect.deleteProperty(scene.lies, name);
        t.is((await show(scene)).status, 'PENDING');
      },
    );
  }
}

onEmbeddedChain(
  'a funding that never was › given an honest second server › it is not indexed, and the campaign is shown as it is',
  WHY,
  async (t) => {
    const scene = await setScene(t, false);
    Object.assign(scene.lies, inventedAt(scene.local, scene.signed, 8));
    const { txid } = decodeTransaction(scene.signed);
    const error = await t.throwsAsync(confirm(scene, txid));
    t.true(['server_disagrees', 'tx_not_indexed'].includes(String((error as { code?: unknown }).code)));
    t.is((await show(scene)).status, 'PENDING');
  },
);

/** The same, its funding ten blocks deep and confirmed while nobody lied. */
const setFundedScene = async (
  t: ExecutionContext,
  isAlone: boolean,
): Promise<Scene & { readonly txid: string }> => {
  const scene = await setScene(t, isAlone);
  const txid = await scene.local.broadcast(scene.signed);
  await scene.local.mine(6);
  await confirm(scene, txid);
  t.is((await show(scene)).status, 'ACTIVE');
  return { ...scene, txid };
};

for (const isAlone of [true, false]) {
  const servers = isAlone ? 'a single server' : 'a second server that has it';
  onEmbeddedChain(
    `a funding that is hidden › given ${servers} › server_disagrees for moves, and the campaign is never unfunded`,
    WHY,
    async (t) => {
      const scene = await setFundedScene(t, isAlone);
      const { treasury, id, txid } = scene;
      Object.assign(scene.lies, hidden(scene.local, txid));
      const reward = { id, recipientAddress: treasury.addressOf(treasury.people.bob).text, amount: 0.01 };
      const error = await t.throwsAsync(treasury.ask(treasury.people.alice, 'rewards.distribute', reward));
      t.is((error as { code?: unknown }).code, 'server_disagrees', error.message);
      if (!isAlone) t.is((await show(scene)).status, 'ACTIVE', 'reads go on with the other server');
      for (const name of Object.keys(scene.lies)) Reflect.deleteProperty(scene.lies, name);
      t.is((await show(scene)).status, 'ACTIVE');
    },
  );
}

onEmbeddedChain(
  'confirmations › given a server that moves the funding down › they are what the proof says',
  WHY,
  async (t) => {
    const scene = await setScene(t, false);
    const txid = await scene.local.broadcast(scene.signed);
    await scene.local.mine(1);
    Object.assign(scene.lies, movedBy(scene.local, txid, -9));
    const attempt = () => confirm(scene, txid);
    const confirmed = await attempt().catch(attempt);
    t.is(confirmed['confirmations'], 1);
  },
);
