/** A context for one operation at a time: a store in memory, a clock that stands still, and no chain unless one is given. */
import { onMachine } from '../../src/adapters/machine.js';
import { noMeters } from '../../src/operation/ports/meters.js';
import { declaredTable, memoryOf } from '../../src/adapters/store/memory.js';
import { readerOf, runChangeTwice } from '../../src/adapters/store/change.js';
import { emptySnapshot } from '../../src/adapters/store/store-data.js';
import { addressOfHash } from '../../src/bch/address.js';
import { TreasuryError } from '../../src/errors.js';
import { eventCollection } from '../../src/record/events.js';
import { tokenCollection } from '../../src/record/assets.js';
import type { Context } from '../../src/operation/context.js';
import type { Collection, StorePort } from '../../src/operation/ports/store.js';

/** Unix seconds. */
export const NOW = 1_780_272_000;

export const alice = addressOfHash(new Uint8Array(20).fill(1), 'local');
export const bob = addressOfHash(new Uint8Array(20).fill(2), 'local');

/** The real store's memory without its files: same frozen records, same indexes, same undoing. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export const openMemoryStore = (collections: readonly Collection<any>[]): StorePort => {
  const memory = memoryOf(emptySnapshot(1), {
    onBadRecord: (collection, id) => {
      throw new Error(`${collection} has a bad record ${id}`);
    },
  });
  for (const collection of collections) declaredTable(memory, collection);
  let last: Promise<unknown> = Promise.resolve();
  return {
    ...readerOf(() => memory),
    time: () => Promise.resolve(0),
    isShared: false,
    refresh: () => Promise.resolve(),
    probe: () => Promise.resolve(),
    transaction: async (change) => {
      const running = last.then(() => runChangeTwice(memory, change));
      last = running;
      const outcome = await running;
      if (outcome.kind === 'thrown') throw outcome.error;
      return outcome.value;
    },
    close: () => Promise.resolve(),
  };
};

const missing = () => Promise.reject(new Error('this test has none'));

/** Access tokens are `token-of-<address>`; every other one is refused. */
const access: Context['access'] = {
  verify: (token) => {
    const [, address] = /^token-of-(.+)$/.exec(token) ?? [];
    return address === undefined
      ? Promise.reject(new TreasuryError('invalid_token', { reason: 'it was not signed here' }))
      : Promise.resolve(`bchtest:${address}`);
  },
  issue: missing,
  challenge: missing,
  checkChallenge: missing,
  revokeAll: missing,
};

/** The Authorization header of an address. */
export const bearer = (address: { readonly text: string }): string =>
  `Bearer token-of-${address.text.slice('bchtest:'.length)}`;

export const fakeContext = (changes: Partial<Context> = {}): Context => ({
  network: 'local',
  home: '/nowhere',
  program: { name: 'treasury', version: '0.0.0' },
  store: openMemoryStore([eventCollection, tokenCollection]),
  chain: {
    coins: missing,
    transaction: missing,
    history: missing,
    faultOf: missing,
    broadcast: missing,
    tip: missing,
    askNode: missing,
    block: missing,
    watch: missing,
    close: () => Promise.resolve(),
  },
  localChain: null,
  keys: {
    list: missing,
    show: missing,
    create: missing,
    import: missing,
    use: missing,
    unlock: missing,
    signTransaction: missing,
    signMessage: missing,
    connect: missing,
    disconnect: missing,
    export: missing,
    authority: missing,
    authorityPublicKey: missing,
  },
  access,
  price: { reading: () => Promise.resolve(null), latest: missing },
  probes: {
    page: () => Promise.resolve(null),
    indexer: () => Promise.resolve(null),
    limits: { chain: 1_000, database: 1_000 },
    explorerLink: () => null,
    beat: () => undefined,
    sinceBeat: () => null,
    elapsed: () => 0,
  },
  meters: noMeters,
  messenger: { checkUrl: missing, makeSecret: missing, secretsOf: missing, sendSigned: missing },
  ...onMachine,
  covenants: { at: () => Promise.resolve(null) },
  clock: { now: () => NOW, wall: () => NOW },
  random: (length) => new Uint8Array(length),
  uuid: () => '00000000-0000-4000-8000-000000000000',
  log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  ...changes,
});
