/** The chains that a test treasury may stand on, and what a test may ask of them. */
import type { ExecutionContext } from 'ava';
import { people, type People } from '../fixtures/people.js';
import type { Address } from '../src/bch/address.js';
import type { Network } from '../src/bch/network.js';
import type { App, OutsideSettings } from '../src/app.js';
import type { DatabaseSettings } from '../src/settings/database.js';
import type { LocalChainPort } from '../src/operation/ports/chain.js';

/** What not every chain lets a test do. */
export type Ability = 'advance' | 'reorg';

/** What a test may ask of the chain behind its treasury. */
export type ChainSteering = {
  /** Pays an address, as output 0 of a transaction; returns its id. */
  readonly pay: (to: Address, satoshis: bigint) => Promise<string>;
  readonly mine: (blocks: number) => Promise<unknown>;
  /** Moves median time past on by as many seconds, or a little more. */
  readonly advance: (seconds: number) => Promise<unknown>;
  /** Takes the last blocks off; their transactions wait for a block again. */
  readonly reorg: (depth: number) => Promise<unknown>;
  /** Resolves once the chain shows a transaction that was broadcast. */
  readonly seen: (txid: string) => Promise<void>;
};

/** A chain that a treasury can be opened on. */
export type WorldChain = {
  /** Where the records are kept; left out: in files of the home. */
  readonly database?: DatabaseSettings;
  readonly outside?: OutsideSettings;
  /** The wall clock of the treasury, unix seconds. */
  readonly wall: () => number;
  /** Who has the wallets of the treasury. */
  readonly people: People;
  readonly steer: (app: App) => ChainSteering;
};

/** A kind of chain. */
export type ChainWorld = {
  /** Stands before the titles of the tests. */
  readonly name: string;
  readonly network: Network;
  readonly can: readonly Ability[];
  /** Opens a chain for one test; it ends with the test. */
  readonly open: (t: ExecutionContext) => Promise<WorldChain>;
};

/** 2026-06-01T00:00:00Z: when every test begins that has a chain of its own. */
export const TEST_TIME = 1_780_272_000;

/** Settings that name Electrum servers and nothing else outside. */
export const throughServers = (electrum: readonly string[]): OutsideSettings => ({
  electrum,
  checkpoint: null,
  priceOracleUrl: null,
  priceOraclePubkey: '',
  priceFallbackUrl: null,
  priceLimitMs: 1_000,
  frontendUrl: null,
  docsUrl: null,
  explorerUrl: null,
  indexerStatusUrl: null,
  probeLimitMs: 1_000,
});

/** An embedded chain does what it is asked before it answers. */
export const steerEmbedded = ({ faucet, mine, advance, reorg }: LocalChainPort): ChainSteering => ({
  pay: ({ lockingBytecode }, satoshis) => faucet(lockingBytecode, satoshis),
  mine,
  advance,
  reorg,
  seen: () => Promise.resolve(),
});

/** The embedded chain inside the treasury's own process. */
export const localWorld: ChainWorld = {
  name: 'local',
  network: 'local',
  can: ['advance', 'reorg'],
  open: () =>
    Promise.resolve({
      wall: () => TEST_TIME,
      people,
      steer: ({ context: { localChain } }) => {
        if (localChain === null) throw new Error('the treasury has no chain of its own');
        return steerEmbedded(localChain);
      },
    }),
};
