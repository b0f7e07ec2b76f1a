/**
 * A home in a temporary folder: real store, real embedded chain, real keys, and nothing that differs between runs but
 * the folder. It knows no product: operations are imported by the test that runs them.
 */
import { onMachine } from '../src/adapters/machine.js';
import { openProbes } from '../src/adapters/probes/probes.js';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { openMessenger } from '../src/adapters/messenger/messenger.js';
import { openAccessTokens } from '../src/adapters/access-tokens.js';
import { openKeystore, type KeystoreSettings } from '../src/adapters/keystore/keystore.js';
import { openLocalChain } from '../src/adapters/local-chain/local-chain.js';
import { noMeters } from '../src/operation/ports/meters.js';
import { openJsonStore } from '../src/adapters/store/json-store.js';
import type { Address } from '../src/bch/address.js';
import type { Network } from '../src/bch/network.js';
import { collections } from '../src/collections.js';
import { TreasuryError, type ErrorCode } from '../src/errors.js';
import type { Context } from '../src/operation/context.js';
import type { AnyOperation } from '../src/operation/define.js';
import { execute, type Reply } from '../src/operation/execute.js';
import type { LocalChainPort } from '../src/operation/ports/chain.js';
import type { StorePort } from '../src/operation/ports/store.js';

/** 2026-06-01T00:00:00Z: when every test begins. */
export const HOME_TIME = 1_780_272_000;

/** What scrypt costs in tests: as little as the keystore allows. */
const CHEAP_SCRYPT = { N: 2 ** 14, r: 8, p: 1 };

export type TestHomeOptions = {
  /** Default `local`. Others are served by an embedded chain too, which they cannot steer. */
  readonly network?: Network;
  /** Default: nobody is there to ask. */
  readonly askPassphrase?: KeystoreSettings['askPassphrase'];
  /** Where its records are. Default: files of its own. */
  readonly store?: StorePort;
};

export type TestHome = Context & {
  /** The chain behind every network, for money and blocks. */
  readonly embedded: LocalChainPort;
  /** Moves the wall clock on, seconds. */
  readonly pass: (seconds: number) => void;
  /** Runs an operation as somebody (null: nobody) at the terminal. */
  readonly ask: (
    operation: AnyOperation,
    input?: Record<string, unknown>,
    caller?: Address | null,
  ) => Promise<Reply>;
  /** The error that an operation answers with. */
  readonly refusal: (
    t: ExecutionContext,
    code: ErrorCode,
    operation: AnyOperation,
    input?: Record<string, unknown>,
    caller?: Address | null,
  ) => Promise<TreasuryError>;
};

/** Bytes that look random and are the same in every run. */
const countedBytes = () => {
  let calls = 0;
  return (length: number): Uint8Array => {
    calls += 1;
    const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, block) =>
      createHash('sha256').update(`test home ${calls} ${block}`).digest(),
    );
    return new Uint8Array(Buffer.concat(blocks).subarray(0, length));
  };
};

const uuidOf = (bytes: Uint8Array): string => {
  const hex = Buffer.from(bytes).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

/** Opens a home; it is closed and removed when the test ends. */
export const openTestHome = async (
  t: ExecutionContext,
  { network = 'local', askPassphrase = () => Promise.resolve(null), ...options }: TestHomeOptions = {},
): Promise<TestHome> => {
  const home = mkdtempSync(join(tmpdir(), 'treasury-'));
  const folder = join(home, network);
  let wallNow = HOME_TIME;
  const wall = () => wallNow;
  const random = countedBytes();
  const embedded = await openLocalChain({ folder, now: wall, random });
  const store = options.store ?? (await openJsonStore({ folder, collections }));
  t.teardown(async () => {
    await embedded.close();
    await store.close();
    rmSync(home, { recursive: true, force: true });
  });

  const context: Context = {
    network,
    home,
    program: { name: 'treasury', version: '0.0.0-test' },
    store,
    chain: embedded,
    localChain: network === 'local' ? embedded : null,
    keys: openKeystore({ folder, network, askPassphrase, now: wall, random, cost: CHEAP_SCRYPT }),
    access: openAccessTokens({ folder, network, domain: 'treasury.test', wall, random }),
    price: {
      reading: () => Promise.resolve(null),
      latest: () => Promise.reject(new TreasuryError('price_unavailable')),
    },
    probes: openProbes({
      pages: { frontend: null, docs: null, explorer: null },
      indexerUrl: null,
      limits: { page: 1_000, indexer: 1_000, chain: 1_000, database: 1_000 },
    }),
    meters: noMeters,
    messenger: openMessenger({ folder, agent: 'treasury/0.0.0-test', allowPrivate: false, random }),
    ...onMachine,
    covenants: { at: () => Promise.resolve(null) },
    clock: { now: embedded.now, wall },
    random,
    uuid: () => uuidOf(random(16)),
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  };
  const ask: TestHome['ask'] = (operation, input = {}, caller = null) =>
    execute(operation, input, context, { kind: 'operator', address: caller });
  return {
    ...context,
    embedded,
    pass: (seconds) => {
      wallNow += seconds;
    },
    ask,
    refusal: async (test, code, operation, input, caller) => {
      const error = await test.throwsAsync(ask(operation, input, caller), { instanceOf: TreasuryError });
      test.is(error.code, code, error.message);
      return error;
    },
  };
};
