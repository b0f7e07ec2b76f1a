import test, { type ExecutionContext } from 'ava';
import { startElectrumServer } from '../../../src/adapters/electrum-server/electrum-server.js';
import type { Output } from '../../../src/bch/coins.js';
import { decodeRaw, encodeRaw, type ChainTransaction } from '../../../src/bch/transaction.js';
import {
  ALICE,
  BOB,
  FEE,
  fund,
  openTestChain,
  payAll,
  present,
  signSpend,
} from '../local-chain/chain-fixture.js';
import { openThrough, serveChain } from './electrum-fixture.js';
import { lyingChain, type LyingChain } from './lying-chain.js';

const BITCOIN = 100_000_000n;

/** A chain behind a server that shows whatever the test makes up; `asked` are the ids whose bytes were asked for. */
const serveLies = async (t: ExecutionContext) => {
  const asked: string[] = [];
  const real = await openTestChain(t);
  const liar = lyingChain({
    ...real,
    rawTransaction: (txid) => {
      asked.push(txid);
      return real.rawTransaction(txid);
    },
  });
  const server = await startElectrumServer({ chain: liar, tcpPort: 0 });
  t.teardown(server.stop);
  return { real, liar, url: server.tcpUrl ?? '', asked };
};

const pay = (satoshis: bigint, token?: Output['token']): Output => ({
  lockingBytecode: BOB.lockingBytecode,
  satoshis,
  ...(token === undefined ? {} : { token }),
});

/** Raw hex without anything that unlocks its inputs. */
const unsign = (raw: string): string => {
  const transaction = decodeRaw(raw);
  return encodeRaw({
    ...transaction,
    inputs: transaction.inputs.map((input) => ({ ...input, unlockingBytecode: Uint8Array.of() })),
  });
};

/** Raw hex of what has one input, which spends an outpoint that the test names. */
const spendOf = (txid: string, vout: number, raw: string): string => {
  const transaction = decodeRaw(raw);
  const [input] = transaction.inputs;
  return encodeRaw({
    ...transaction,
    inputs: [
      {
        ...present(input),
        outpointTransactionHash: Uint8Array.from(Buffer.from(txid, 'hex')),
        outpointIndex: vout,
      },
    ],
  });
};

test('fault › given payments of every kind that the chain took › there is none', async (t) => {
  const { local, tcpUrl } = await serveChain(t, { automine: false });
  const chain = await openThrough(t, [tcpUrl]);
  const coin = await fund(local, ALICE, BITCOIN);
  await local.mine(1);
  const minted = await local.broadcast(
    signSpend({ coins: [coin], outputs: [pay(BITCOIN - FEE, { category: coin.txid, amount: 7n })] }),
  );
  const coinbase = present(await local.blockTxids(1))[0] ?? '';
  for (const txid of [coin.txid, minted, coinbase])
    t.is(await chain.faultOf(present(await chain.transaction(txid))), null);
  t.deepEqual(chain.log.warnings, []);
});

/** What a server may make up of a coin of Alice, and what is found of it. */
const lies: readonly (readonly [what: string, make: (liar: LyingChain) => Promise<string>, fault: RegExp])[] =
  [
    [
      'a payment that nobody signed',
      async (liar) => unsign(payAll(await fund(liar, ALICE, BITCOIN), BOB)),
      /error in evaluating input index 0/,
    ],
    [
      'a payment that somebody else signed',
      async (liar) => payAll(await fund(liar, ALICE, BITCOIN), BOB, { signer: BOB }),
      /error in evaluating input index 0/,
    ],
    [
      'a payment of more than it spends',
      async (liar) => signSpend({ coins: [await fund(liar, ALICE, BITCOIN)], outputs: [pay(BITCOIN + 1n)] }),
      /exceeds|exceed/,
    ],
    [
      'a token that comes from nowhere',
      async (liar) =>
        signSpend({
          coins: [await fund(liar, ALICE, BITCOIN)],
          outputs: [pay(BITCOIN - FEE, { category: 'ab'.repeat(32), amount: 5n })],
        }),
      /token/,
    ],
    [
      'a spend of an output that never was',
      async (liar) => {
        const coin = await fund(liar, ALICE, BITCOIN);
        return payAll({ ...coin, vout: 9 }, BOB);
      },
      /which never was/,
    ],
    [
      'a spend of a transaction that nobody knows',
      async (liar) => spendOf('ab'.repeat(32), 0, payAll(await fund(liar, ALICE, BITCOIN), BOB)),
      /which is not shown/,
    ],
    [
      'a coinbase that waits for a block',
      async (liar) => spendOf('00'.repeat(32), 0xffffffff, payAll(await fund(liar, ALICE, BITCOIN), BOB)),
      /a coinbase without a block/,
    ],
  ];

for (const [what, make, fault] of lies) {
  test(`fault › given ${what} › it is found, and the log names the server that shows it`, async (t) => {
    const { liar, url } = await serveLies(t);
    const chain = await openThrough(t, [url]);
    const txid = await liar.show(await make(liar));
    const found = present(await chain.transaction(txid));
    const said = present(await chain.faultOf(found));
    t.regex(said, fault);
    t.true(said.startsWith(`${url} shows it, and `), said);
    t.is(await chain.faultOf(found), said);
    t.is(chain.log.warnings.length, 1);
    t.regex(chain.log.warnings[0] ?? '', /"event":"chain\.invalid_transaction"/);
    t.true(chain.log.warnings[0]?.includes(`"txid":"${txid}"`));
    t.true(chain.log.warnings[0]?.includes(`"server":"${url}"`));
  });
}

test('fault › given a transaction of several coins from one other › that one is asked for once, and a second look asks nothing', async (t) => {
  const { real, url, asked } = await serveLies(t);
  const coin = await fund(real, ALICE, BITCOIN);
  const half = BITCOIN / 2n - FEE;
  const split = await real.broadcast(
    signSpend({
      coins: [coin],
      outputs: [half, half].map((satoshis) => ({ lockingBytecode: ALICE.lockingBytecode, satoshis })),
    }),
  );
  const coins = (await real.coins(ALICE.lockingBytecode)).filter(({ txid }) => txid === split);
  const joined = await real.broadcast(signSpend({ coins, outputs: [pay(2n * half - FEE)] }));
  const chain = await openThrough(t, [url]);
  const found: ChainTransaction = present(await chain.transaction(joined));
  t.is(await chain.faultOf(found), null);
  t.deepEqual(asked, [joined, split]);
  t.is(await chain.faultOf(found), null);
  t.deepEqual(asked, [joined, split]);
});

test('fault › given another server › it is asked from then on', async (t) => {
  const { real, liar, url } = await serveLies(t);
  const honest = await startElectrumServer({ chain: real, tcpPort: 0 });
  t.teardown(honest.stop);
  const chain = await openThrough(t, [url, honest.tcpUrl ?? '']);
  const txid = await liar.show(unsign(payAll(await fund(real, ALICE, BITCOIN), BOB)));
  t.not(await chain.faultOf(present(await chain.transaction(txid))), null);
  t.deepEqual(await chain.history(BOB.lockingBytecode), []);
  t.is(await chain.transaction(txid), null);
});
