/** A small treasury for the command line: real signing, a chain and a store in memory, operations of one noun. */
import { onMachine } from '../../src/adapters/machine.js';
import { encodeLockingBytecodeP2sh32, hexToBin } from '@bitauth/libauth';
import { z } from 'zod';
import { alice, bob } from '../../fixtures/people.js';
import type { App } from '../../src/app.js';
import type { Address } from '../../src/bch/address.js';
import {
  AddressField,
  AmountField,
  Title,
  TxHash,
  UnixSeconds,
  WalletTransactionField,
} from '../../src/bch/fields.js';
import { signerOf } from '../../src/bch/keys.js';
import type { Network } from '../../src/bch/network.js';
import { decodeTransaction } from '../../src/bch/transaction.js';
import {
  encodeWalletTransaction,
  signWalletTransaction,
  type WalletTransaction,
} from '../../src/bch/wallet-transaction.js';
import { TreasuryError } from '../../src/errors.js';
import type { Context } from '../../src/operation/context.js';
import { defineAction, defineOperation, operationsOf, type Offer } from '../../src/operation/define.js';
import type { WalletInfo } from '../../src/operation/ports/keys.js';
import type {
  AnyCollection,
  Query,
  StorePort,
  StoreReader,
  StoreWriter,
} from '../../src/operation/ports/store.js';

type Stored = { readonly id: string };

/** What the tests look at, and what they break. Kept between runs, as a data folder is. */
export type FakeState = {
  network: Network;
  /** Names of the wallets; the first is the default one. */
  wallets: string[];
  /** What was broadcast, oldest first. */
  readonly broadcast: string[];
  /** Transactions that the chain knows, by id. */
  readonly known: Set<string>;
  /** Records by collection, then id. */
  readonly records: Map<string, Map<string, Stored>>;
  /** Ids of operations that ran, in order. */
  readonly ran: string[];
  /** Inputs that confirmations were asked with. */
  readonly confirmed: unknown[];
  /** Thrown by the next broadcasts, one each. */
  readonly broadcastErrors: TreasuryError[];
  /** Thrown by the next confirmations, one each. */
  readonly confirmErrors: Error[];
  /** True: a preparation has to come first. */
  needsPreparation: boolean;
  hasNothingToPay: boolean;
  /** Which coin is spent next; every build of a new transaction takes another. */
  coin: number;
  unlocked: number;
  opened: number;
  closed: number;
  /** Runs whenever a home is opened. */
  onOpen: () => Promise<void>;
  /** Runs whenever a payment is built. */
  onBuild: () => Promise<void>;
};

/** A fresh home with alice's and bob's wallets. */
export const fakeState = (network: Network = 'local'): FakeState => ({
  network,
  wallets: ['alice', 'bob'],
  broadcast: [],
  known: new Set(),
  records: new Map(),
  ran: [],
  confirmed: [],
  broadcastErrors: [],
  confirmErrors: [],
  needsPreparation: false,
  hasNothingToPay: false,
  coin: 0,
  unlocked: 0,
  opened: 0,
  closed: 0,
  onOpen: () => Promise.resolve(),
  onBuild: () => Promise.resolve(),
});

const people = { alice, bob };
const personOf = (name: string) => (name === 'bob' ? people.bob : people.alice);

/** Changes of one home run alone, one after the other, whoever opened it. */
const turns = new WeakMap<FakeState['records'], Promise<unknown>>();

const memoryStore = ({ records }: FakeState): StorePort => {
  const recordsOf = ({ name }: AnyCollection): Map<string, Stored> => {
    const found = records.get(name) ?? new Map<string, Stored>();
    records.set(name, found);
    return found;
  };
  const matches = (collection: AnyCollection, record: Stored, where: Query<unknown>['where'] = {}): boolean =>
    Object.entries(where).every(([index, value = '']) =>
      [collection.indexes[index]?.(record) ?? []].flat().includes(value),
    );
  const reader: StoreReader = {
    get: (collection, id) => Promise.resolve((recordsOf(collection).get(id) ?? null) as never),
    find: (collection, { where } = {}) => {
      const items = [...recordsOf(collection).values()].filter((record) =>
        matches(collection, record, where),
      );
      return Promise.resolve({ items: items as never[], total: items.length });
    },
    readLog: ({ name }, { after, limit }) => {
      const all = [...recordsOf({ name } as AnyCollection).values()];
      return Promise.resolve({ entries: all.slice(after, after + limit) as never[], last: all.length });
    },
  };
  return {
    ...reader,
    time: () => Promise.resolve(0),
    isShared: false,
    refresh: () => Promise.resolve(),
    probe: () => Promise.resolve(),
    close: () => Promise.resolve(),
    transaction: (change) => {
      const writer: StoreWriter = {
        ...reader,
        put: (collection, record) => {
          z.encode(collection.schema, record);
          recordsOf(collection).set((record as Stored).id, record);
        },
        remove: (collection, id) => {
          recordsOf(collection).delete(id);
        },
        rest: () => Promise.resolve(),
        next: () => Promise.resolve(1),
        append: ({ name }, entry) => {
          const entries = recordsOf({ name } as AnyCollection);
          const sequence = entries.size + 1;
          entries.set(String(sequence), { ...entry, sequence } as unknown as Stored);
        },
      };
      const before = turns.get(records) ?? Promise.resolve();
      const running = before.then(() => change(writer));
      turns.set(
        records,
        running.catch(() => undefined),
      );
      return running;
    },
  };
};

const fakeChain = (state: FakeState): Context['chain'] =>
  ({
    broadcast: (raw: string) => {
      const error = state.broadcastErrors.shift();
      if (error !== undefined) return Promise.reject(error);
      const { txid } = decodeTransaction(raw);
      state.broadcast.push(txid);
      state.known.add(txid);
      return Promise.resolve(txid);
    },
    transaction: (txid: string) => Promise.resolve(state.known.has(txid) ? {} : null),
  }) as unknown as Context['chain'];

const fakeKeys = (state: FakeState): Context['keys'] => {
  const infoOf = (name: string): WalletInfo => ({
    name,
    address: personOf(name).address(state.network),
    publicKey: '',
    origin: 'wif',
    path: null,
    app: null,
    sessionEndsAt: null,
    encrypted: false,
    isDefault: name === state.wallets[0],
    isAuthority: false,
    createdAt: 0,
  });
  const find = (name = state.wallets[0] ?? 'none'): string => {
    if (state.wallets.includes(name)) return name;
    throw new TreasuryError('wallet_not_found', { name });
  };
  const unlock = (name?: string) => {
    state.unlocked += 1;
    const wallet = find(name);
    return signerOf(wallet, personOf(wallet).privateKey, state.network);
  };
  return {
    list: () => Promise.resolve(state.wallets.map(infoOf)),
    show: async (name?: string) => Promise.resolve(infoOf(find(name))),
    unlock: (name?: string) => Promise.resolve().then(() => unlock(name)),
    signTransaction: (name: string, transaction: WalletTransaction) =>
      Promise.resolve().then(() => signWalletTransaction(transaction, unlock(name))),
  } as unknown as Context['keys'];
};

/** The record of a name: `tea` and `also-tea` are one. */
const findThing = (_store: StoreReader, name: string) =>
  Promise.resolve({ id: name.replace(/^also-|^#/, '').toLowerCase() });

/** One contract for all records, so that nothing but the record tells one payment from another. */
export const CONTRACT = encodeLockingBytecodeP2sh32(new Uint8Array(32).fill(1));

/** Spends a coin of the caller: 10,000 satoshis to the contract, the rest back. */
const buildPayment = (state: FakeState, caller: Address): WalletTransaction => {
  state.coin += 1;
  const lockingBytecode = hexToBin(caller.lockingBytecode);
  const input = {
    outpointTransactionHash: new Uint8Array(32).fill(state.coin),
    outpointIndex: 0,
    sequenceNumber: 0xfffffffe,
    unlockingBytecode: new Uint8Array(),
  };
  return encodeWalletTransaction({
    transaction: {
      version: 2,
      locktime: 0,
      inputs: [input],
      outputs: [
        { lockingBytecode: CONTRACT, valueSatoshis: 10_000n },
        { lockingBytecode, valueSatoshis: 89_700n },
      ],
    },
    sourceOutputs: [{ ...input, lockingBytecode, valueSatoshis: 100_000n }],
    broadcast: false,
    userPrompt: 'Pay 0.0001 BCH into the thing',
  });
};

const Built = z.object({
  label: z.string().optional(),
  amount: z.number().optional(),
  voteId: z.string().optional(),
  nextStatus: z.string().optional(),
  wcTransaction: WalletTransactionField.nullable(),
});
const Preparation = z.object({
  success: z.literal(false),
  code: z.literal('preparation_required'),
  requiresPreparation: z.literal(true),
  preparationTransaction: WalletTransactionField,
  message: z.string(),
});
const Confirmed = z.object({
  message: z.string(),
  txHash: z.string(),
  status: z.string(),
  state: z.string(),
});

const confirmWith = (state: FakeState, input: { txHash: string }) => {
  state.confirmed.push(input);
  const error = state.confirmErrors.shift();
  if (error !== undefined) throw error;
  const { txHash } = input;
  if (!state.known.has(txHash)) throw new TreasuryError('tx_not_indexed', { txHash });
  return Promise.resolve({ message: 'It is there', txHash, status: 'ACTIVE', state: 'confirmed' });
};

const payAction = (state: FakeState) =>
  defineAction({
    verb: 'pay',
    record: findThing,
    summary: 'Pay into a thing',
    build: defineOperation({
      id: 'things.pay',
      summary: 'Build the payment into a thing',
      http: { method: 'POST', path: '/api/things/:id/pay' },
      auth: 'address',
      input: z.object({ id: z.string(), amount: AmountField.optional() }),
      output: z.union([Preparation, Built]),
      errors: [],
      run: async ({ id }, { caller }) => {
        state.ran.push('things.pay');
        await state.onBuild();
        const wcTransaction = buildPayment(state, caller);
        if (!state.needsPreparation) {
          return {
            nextStatus: 'ACTIVE',
            voteId: `vote of ${id}`,
            wcTransaction: state.hasNothingToPay ? null : wcTransaction,
          };
        }
        state.needsPreparation = false;
        return {
          success: false as const,
          code: 'preparation_required' as const,
          requiresPreparation: true as const,
          preparationTransaction: wcTransaction,
          message: 'Make a coin first',
        };
      },
    }),
    confirm: defineOperation({
      id: 'things.confirm-pay',
      summary: 'Confirm a payment into a thing',
      http: { method: 'POST', path: '/api/things/:id/confirm-pay' },
      auth: 'address',
      input: z.object({ id: z.string(), voteId: z.string(), txHash: TxHash }),
      output: Confirmed,
      errors: ['tx_not_indexed'],
      run: (input) => confirmWith(state, input),
    }),
  });

const endAction = (state: FakeState) =>
  defineAction({
    verb: 'end',
    record: findThing,
    summary: 'End a thing',
    left: ({ label }: { readonly label: string }) => [
      { kind: 'text', text: `${label} has not ended.` },
      { kind: 'next', command: `things end ${label}`, why: 'to end it' },
    ],
    build: defineOperation({
      id: 'things.end',
      summary: 'Build the end of a thing',
      http: { method: 'POST', path: '/api/things/:id/end' },
      cli: { ending: true },
      auth: 'address',
      input: z.object({ id: z.string() }),
      output: Built,
      errors: [],
      run: (_input, { caller }) =>
        Promise.resolve({ label: '#THING-0001', wcTransaction: buildPayment(state, caller) }),
    }),
    confirm: defineOperation({
      id: 'things.confirm-end',
      summary: 'Confirm the end of a thing',
      http: { method: 'POST', path: '/api/things/:id/confirm-end' },
      auth: 'address',
      input: z.object({ id: z.string(), txHash: TxHash }),
      output: Confirmed,
      errors: ['tx_not_indexed'],
      run: (input) => confirmWith(state, input),
    }),
  });

const createInput = z.object({
  title: Title.describe('What it is called'),
  kind: z.enum(['BIG', 'SMALL']).default('BIG'),
  totalPool: AmountField,
  open: z.boolean().optional(),
  tags: z.array(z.string()).optional(),
  entries: z.array(z.object({ to: z.string() })).optional(),
  owner: AddressField,
  recipientAddress: AddressField.optional(),
});

const create = (state: FakeState) =>
  defineOperation({
    id: 'things.create',
    summary: 'Create a thing',
    http: { method: 'POST', path: '/api/things/create' },
    cli: { callerFields: ['owner'], example: 'things create --title Tea --total-pool 1' },
    auth: 'address',
    aliases: { recipient: 'recipientAddress' },
    input: createInput,
    output: z.object({ thing: createInput }),
    errors: [],
    run: (thing) => {
      state.ran.push('things.create');
      return Promise.resolve({ thing });
    },
  });

/** A create of which nothing is declared but its input. */
const make = (state: FakeState) =>
  defineOperation({
    id: 'things.make',
    summary: 'Make a thing',
    http: { method: 'POST', path: '/api/things/make', creates: true },
    auth: 'address',
    input: z.object({
      title: Title,
      size: z.enum(['BIG', 'SMALL']).default('BIG'),
      owner: AddressField.optional(),
      until: UnixSeconds.optional(),
      open: z.boolean().default(false),
      tags: z.array(z.string().max(5)).max(2).optional(),
      options: z
        .array(z.object({ name: Title, weight: AmountField, due: UnixSeconds.optional() }))
        .min(2)
        .max(3),
    }),
    output: z.object({ made: z.record(z.string(), z.unknown()) }),
    errors: ['wrong_state'],
    run: (made) => {
      state.ran.push('things.make');
      if (made.title === 'Taken')
        throw new TreasuryError('wrong_state', { label: 'Taken', status: 'THERE', allowed: 'another name' });
      return Promise.resolve({ made: JSON.parse(JSON.stringify(made)) as Record<string, unknown> });
    },
  });

const list = defineOperation({
  id: 'things.list',
  summary: 'List the things',
  http: { method: 'GET', path: '/api/things' },
  auth: 'optional',
  input: z.object({ limit: z.int().min(1).max(100).default(20) }),
  output: z.object({ things: z.array(z.object({ id: z.string(), title: z.string() })), total: z.number() }),
  errors: [],
  run: ({ limit }) =>
    Promise.resolve({
      things: [
        { id: '1', title: 'Tea' },
        { id: '2', title: 'Cake' },
      ].slice(0, limit),
      total: 2,
    }),
});

const show = defineOperation({
  id: 'things.show',
  summary: 'Show a thing',
  http: { method: 'GET', path: '/api/things/:id' },
  auth: 'optional',
  input: z.object({ id: z.string() }),
  output: z.object({ id: z.string(), caller: z.string().nullable() }),
  errors: ['reward_not_found'],
  run: ({ id }, { caller }) => {
    if (id === 'none') throw new TreasuryError('reward_not_found', { id });
    if (id === 'defect') throw new Error('a defect');
    return Promise.resolve({ id, caller: caller?.text ?? null });
  },
  view: ({ id, caller }) => [
    { kind: 'facts', rows: [['thing', id]] },
    { kind: 'table', head: ['Who'], rows: [[caller ?? 'nobody']] },
    { kind: 'next', command: `things pay ${id}`, why: 'to fill it' },
  ],
});

const remove = (state: FakeState) =>
  defineOperation({
    id: 'things.remove',
    summary: 'Remove a thing',
    http: { method: 'DELETE', path: '/api/things/:id' },
    cli: { ending: true },
    auth: 'address',
    input: z.object({ id: z.string() }),
    output: z.object({ message: z.string() }),
    errors: [],
    run: ({ id }) => {
      state.ran.push('things.remove');
      return Promise.resolve({ message: `${id} is gone` });
    },
  });

const init = (state: FakeState) =>
  defineOperation({
    id: 'init',
    summary: 'Set up this home',
    auth: 'none',
    input: z.object({}),
    output: z.object({ home: z.string() }),
    errors: [],
    run: (_input, { home }) => {
      state.ran.push('init');
      state.wallets.push('alice');
      return Promise.resolve({ home });
    },
  });

/** What the noun `things` offers. */
export const thingsOf = (state: FakeState): readonly Offer[] => [
  create(state),
  make(state),
  list,
  show,
  payAction(state),
  endAction(state),
  remove(state),
];

/** What the noun `init` offers. */
export const initOf = (state: FakeState): readonly Offer[] => [init(state)];

/** The app over a state. */
export const fakeApp = (state: FakeState, home: string): App => {
  state.opened += 1;
  const unused = {} as never;
  return {
    context: {
      network: state.network,
      home,
      program: { name: 'treasury', version: '9.9.9' },
      store: memoryStore(state),
      chain: fakeChain(state),
      localChain: null,
      keys: fakeKeys(state),
      access: unused,
      price: unused,
      probes: unused,
      meters: unused,
      messenger: unused,
      ...onMachine,
      covenants: unused,
      clock: { now: () => 1_700_000_000, wall: () => 1_700_000_000 },
      random: (length) => new Uint8Array(length),
      uuid: () => 'uuid',
      log: unused,
    },
    operations: operationsOf([...initOf(state), ...thingsOf(state)]),
    deployables: [],
    close: () => {
      state.closed += 1;
      return Promise.resolve();
    },
  };
};
