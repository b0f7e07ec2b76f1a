/**
 * Streams: what a claim costs to build and check against the raw CashScript builder and VM, what a batch of 500 costs
 * to make in one go, and how long a page of the list and of the activity takes with few and with many streams.
 *
 * Aims: a claim at most 1.5 times the raw one; a page at 100,000 streams about as quick as at 100.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { binToHex, createVirtualMachineBch2026, hash160, hexToBin } from '@bitauth/libauth';
import { Contract, MockNetworkProvider, SignatureTemplate, TransactionBuilder } from 'cashscript';
import { alice, authority, bob, carol, dave, type Person } from '../fixtures/people.js';
import { openJsonStore } from '../src/adapters/store/json-store.js';
import { openApp, type App } from '../src/app.js';
import { encodeWif } from '../src/bch/keys.js';
import { encodeWalletTransaction, preflight } from '../src/bch/wallet-transaction.js';
import { collections } from '../src/collections.js';
import { loadArtifact } from '../src/covenant/artifact.js';
import { execute, type Reply } from '../src/operation/execute.js';
import { eventCollection, type EventRecord } from '../src/record/events.js';
import { activityOf, activityReaders } from '../src/products/streams/activity.js';
import { searchQuery } from '../src/products/streams/lists.js';
import { activityCollection, streamCollection } from '../src/products/streams/index.js';
import { streams } from '../src/products/streams/product.js';
import { showStream } from '../src/products/streams/reply.js';
import type { Shape } from '../src/products/streams/schedule.js';
import type { StreamRecord } from '../src/products/streams/stream.js';
import { buildVestingClaim, type StreamSpend } from '../src/products/streams/transactions.js';
import { fixedStream, spendAt } from '../test/products/streams/fixed-stream.js';

export type StreamBenchRow = {
  readonly what: string;
  readonly ms: number;
  /** Against the baseline of the same run, where there is one. */
  readonly ratio?: number;
  readonly bytes?: number;
};

const START = 1_780_272_000;
const HALF_WAY = START + 500_000;
const shape: Shape = {
  stream_type: 'LINEAR',
  total_amount: 100_000_000n,
  start_time: START,
  end_time: START + 1_000_000,
  cliff_timestamp: null,
  interval_seconds: null,
  hybrid_unlock_time: null,
  hybrid_upfront_percentage: null,
  tranche_schedule: null,
};

const round = (value: number): number => Number(value.toFixed(3));
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;

const timed = (work: () => unknown): number => {
  const from = performance.now();
  work();
  return performance.now() - from;
};

const timedAsync = async (work: () => Promise<unknown>): Promise<number> => {
  const from = performance.now();
  await work();
  return performance.now() - from;
};

const AMOUNT = 50_000_000n;
const FEE = 1_700n;

/** What a dapp would write by hand: bind, build with a known fee, sign, and run the VM. */
const rawClaim = ({ record: stream, coins, payerCoins, locktime }: StreamSpend, machine: Machine): void => {
  const provider = new MockNetworkProvider();
  const contract = new Contract(
    loadArtifact('stream'),
    [
      hexToBin(stream.on_chain_stream_id),
      hash160(alice.publicKey),
      hash160(authority.publicKey),
      new Uint8Array(32),
      hexToBin(stream.schedule),
    ],
    { provider, addressType: 'p2sh32' },
  );
  const signature = new SignatureTemplate(bob.privateKey);
  const [feeCoin] = payerCoins;
  const claim = contract.unlock['claim'];
  if (feeCoin === undefined || claim === undefined) throw new Error('a claim needs both');
  const { thread } = coins;
  const { token } = thread;
  const builder = new TransactionBuilder({ provider })
    .addInput(
      { ...thread, ...(token === undefined ? {} : { token }) },
      claim(bob.publicKey, signature, AMOUNT, 1n),
      { sequence: 0xfffffffe },
    )
    .addInput(
      { txid: feeCoin.txid, vout: feeCoin.vout, satoshis: feeCoin.satoshis },
      signature.unlockP2PKH(),
      {
        sequence: 0xfffffffe,
      },
    )
    .addOutput({
      to: contract.tokenAddress,
      amount: thread.satoshis - AMOUNT,
      ...(token === undefined
        ? {}
        : {
            token: {
              ...token,
              nft: { capability: 'mutable', commitment: nextCommitment(stream) },
            },
          }),
    })
    .addOutput({ to: bob.address('local').text, amount: AMOUNT })
    .addOutput({ to: bob.address('local').text, amount: feeCoin.satoshis - FEE })
    .setLocktime(locktime);
  const { transaction, sourceOutputs } = builder.generateWcTransactionObject();
  const verdict = machine.verify({ transaction, sourceOutputs });
  if (verdict !== true) throw new Error(verdict);
};

type Machine = ReturnType<typeof createVirtualMachineBch2026>;

/** The state after the claim: `released` stands after the status. */
const nextCommitment = ({ thread }: StreamRecord): string => {
  const before = thread?.commitment ?? '';
  const released = AMOUNT.toString(16).padStart(16, '0');
  return before.slice(0, 2) + binToHex(hexToBin(released).reverse()) + before.slice(18);
};

/** Ours: build with the exact fee, run it through the VM as far as signatures allow, and write it for wallets. */
const ourClaim = (spend: StreamSpend): void => {
  const { transaction, sourceOutputs } = buildVestingClaim(spend, {
    amount: AMOUNT,
    to: bob.address('local'),
  });
  const request = { transaction, sourceOutputs: [...sourceOutputs] };
  const { lockingBytecode } = bob.address('local');
  preflight(request, { lockingBytecode }, { medianTimePast: spend.locktime + 1 });
  encodeWalletTransaction({ ...request, broadcast: true });
};

/** A claim as a dapp would write it by hand, again at each call: the baseline of other benches too. */
export const rawClaims = (): (() => void) => {
  const spend = spendAt(fixedStream(shape), HALF_WAY);
  const machine = createVirtualMachineBch2026(true);
  return () => {
    rawClaim(spend, machine);
  };
};

const CLAIMS = 120;

const benchClaim = (): StreamBenchRow[] => {
  const spend = spendAt(fixedStream(shape), HALF_WAY);
  const claimByHand = rawClaims();
  const [raw, ours]: [number[], number[]] = [[], []];
  for (let count = 0; count < CLAIMS; count += 1) {
    raw.push(timed(claimByHand));
    ours.push(
      timed(() => {
        ourClaim(spend);
      }),
    );
  }
  return [
    { what: 'claim: CashScript builder and VM', ms: round(median(raw)), ratio: 1 },
    {
      what: 'claim: built and checked here',
      ms: round(median(ours)),
      ratio: round(median(ours) / median(raw)),
    },
  ];
};

const openBenchApp = async (home: string): Promise<App> => {
  const app = await openApp({ home, network: 'local', wall: () => START });
  const { keys, localChain } = app.context;
  const wif = (who: Person) => encodeWif(who.privateKey, 'local');
  await keys.import({ name: 'authority', passphrase: null, isAuthority: true, wif: wif(authority) });
  await localChain?.faucet(alice.address('local').lockingBytecode, 10_000_000_000n);
  return app;
};

const BATCH = 500;

const benchBatch = async (): Promise<StreamBenchRow[]> => {
  const home = mkdtempSync(join(tmpdir(), 'treasury-bench-'));
  const app = await openBenchApp(home);
  const ask = (id: string, input: Record<string, unknown>): Promise<Reply> => {
    const operation = app.operations.find((candidate) => candidate.id === id);
    if (operation === undefined) throw new Error(`there is no operation ${id}`);
    return execute(operation, input, app.context, { kind: 'operator', address: alice.address('local') });
  };
  const signers = [alice, carol, dave];
  const { id: vaultId } = await ask('vaults.create', {
    name: 'Team',
    signers: signers.map((who) => who.address('local').text),
    signerPubkeys: signers.map(({ publicKey }) => binToHex(publicKey)),
    totalDeposit: '0.1',
    isPublic: true,
  });
  const templates = ['linear-cliff', 'step-monthly', 'hybrid-upfront-linear', 'tranche-backweighted'];
  const entries = Array.from({ length: BATCH }, (_, index) => ({
    recipient: bob.address('local').text,
    totalAmount: '0.01',
    scheduleTemplate: templates[index % templates.length],
  }));
  const senderAddress = alice.address('local').text;
  const from = performance.now();
  const built = await ask('streams.batch-create', { vaultId, senderAddress, entries });
  const ms = performance.now() - from;
  const { transaction } = built['wcTransaction'] as { transaction: string };
  await app.close();
  rmSync(home, { recursive: true });
  const bytes = transaction.length / 2;
  return [
    { what: `batch of ${BATCH}: created, built, checked, stored`, ms: round(ms), bytes },
    { what: 'batch: per stream', ms: round(ms / BATCH), bytes: round(bytes / BATCH) },
  ];
};

const SIZES = [100, 10_000, 100_000];
const PEOPLE = 2;

/** A stream of many: its parties and its status follow from its number. */
const streamOf = (index: number, model: StreamRecord): StreamRecord => ({
  ...model,
  id: `stream-${index}`,
  stream_id: `#STREAM-${index}`,
  sender: `bchtest:q${String(index % PEOPLE).padStart(41, '0')}`,
  recipient: `bchtest:q${String((index * 7) % 1_000).padStart(41, '1')}`,
  status: index % 3 === 0 ? 'PENDING' : 'ACTIVE',
  thread: index % 3 === 0 ? null : model.thread,
});

const eventOf = (stream: StreamRecord): EventRecord => ({
  id: `event-${stream.id}`,
  entity_type: 'stream',
  entity_id: stream.id,
  event_type: 'claimed',
  actor: stream.recipient,
  amount: 1n,
  decimals: 8,
  tx_hash: null,
  told: [],
  details: {},
  height: null,
  certainty: null,
  created_at: START,
});

const LOOKS = 200;

/** The median time of a page of the list and of the activity of one sender, at a size. */
const benchPages = async (size: number): Promise<readonly [list: number, activity: number]> => {
  const folder = mkdtempSync(join(tmpdir(), 'treasury-bench-'));
  const store = await openJsonStore({ folder, collections });
  const model = fixedStream(shape);
  for (let from = 0; from < size; from += 5_000) {
    await store.transaction((writer) => {
      for (let index = from; index < Math.min(size, from + 5_000); index += 1) {
        const stream = streamOf(index, model);
        const event = eventOf(stream);
        writer.put(streamCollection, stream);
        writer.put(eventCollection, event);
        writer.put(activityCollection, activityOf(stream, event));
      }
    });
  }
  const asked = { store, caller: null };
  const ofActivity = { collection: activityCollection, ...activityReaders };
  const [lists, activities]: [number[], number[]] = [[], []];
  for (let look = 0; look < LOOKS; look += 1) {
    const sender = { ...alice.address('local'), text: streamOf(look, model).sender };
    const page = { limit: 20 };
    lists.push(
      await timedAsync(async () => {
        const query = await searchQuery(streams, { sender, facet: 'ACTIVE' }, asked);
        const { items } = await store.find(streamCollection, { ...query, ...page });
        return await Promise.all(items.map((stream) => showStream(stream, store, HALF_WAY)));
      }),
    );
    activities.push(
      await timedAsync(async () => {
        const query = await searchQuery(ofActivity, { address: sender, facet: 'claimed' }, asked);
        const { items } = await store.find(activityCollection, { ...query, ...page });
        return await Promise.all(items.map(({ id }) => store.get(eventCollection, id)));
      }),
    );
  }
  await store.close();
  rmSync(folder, { recursive: true });
  return [median(lists), median(activities)];
};

const benchLists = async (): Promise<StreamBenchRow[]> => {
  const rows: StreamBenchRow[] = [];
  let least: readonly [number, number] | null = null;
  for (const size of SIZES) {
    const [list, activity] = await benchPages(size);
    least ??= [list, activity];
    rows.push({ what: `list: a page of 20 of ${size}`, ms: round(list), ratio: round(list / least[0]) });
    rows.push({
      what: `activity: a page of 20 of ${size}`,
      ms: round(activity),
      ratio: round(activity / least[1]),
    });
  }
  return rows;
};

/** Measures claims, a batch, and pages. */
export const benchStreams = async (): Promise<{
  readonly name: string;
  readonly rows: readonly StreamBenchRow[];
}> => ({ name: 'streams', rows: [...benchClaim(), ...(await benchBatch()), ...(await benchLists())] });

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { rows } = await benchStreams();
  console.table(rows);
}
