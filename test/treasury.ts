/**
 * A whole treasury in a temporary folder: real store, real keys, a real chain, and a clock that stands still. The chain
 * is the embedded one, unless a world is given.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { People, Person } from '../fixtures/people.js';
import { openApp, type App } from '../src/app.js';
import { encodeWif, signerOf } from '../src/bch/keys.js';
import { buildPayment } from '../src/bch/payment.js';
import {
  encodeWalletTransaction,
  signWalletTransaction,
  type WalletTransaction,
} from '../src/bch/wallet-transaction.js';
import type { Address } from '../src/bch/address.js';
import { sumSatoshis, sumTokens, type Output } from '../src/bch/coins.js';
import { TreasuryError, type ErrorCode } from '../src/errors.js';
import { execute, type Reply } from '../src/operation/execute.js';
import { localWorld, type ChainSteering, type ChainWorld } from './chain-world.js';

export { TEST_TIME } from './chain-world.js';

export type Treasury = {
  readonly app: App;
  readonly home: string;
  /** Who has wallets here, the authority among them. */
  readonly people: People;
  /** What may be asked of the chain behind it. */
  readonly chain: ChainSteering;
  /** Moves the wall clock on, seconds. */
  readonly pass: (seconds: number) => void;
  /** Runs an operation for a person (null: nobody). */
  readonly ask: (who: Person | null, operationId: string, input?: Record<string, unknown>) => Promise<Reply>;
  /** The error that an operation answers with. */
  readonly refusal: (
    t: ExecutionContext,
    who: Person | null,
    operationId: string,
    input: Record<string, unknown>,
    code: ErrorCode,
  ) => Promise<TreasuryError>;
  /** Signs a wcTransaction as a person and returns the raw transaction. */
  readonly sign: (who: Person, wcTransaction: unknown) => string;
  /** Signs and broadcasts; returns the transaction id once the chain shows it. */
  readonly send: (who: Person, wcTransaction: unknown) => Promise<string>;
  /** Pays outputs of a person's coins, wherever they go: as another program would. Returns the transaction id. */
  readonly payAnywhere: (who: Person, outputs: readonly Output[]) => Promise<string>;
  /** Pays a person from the faucet: one coin at output index 0. */
  readonly give: (who: Person, satoshis: bigint) => Promise<string>;
  /** Mints a token to a person; returns its category. */
  readonly mint: (who: Person, supply: string, decimals: number) => Promise<string>;
  readonly addressOf: (who: Person) => Address;
  readonly satoshisOf: (who: Person) => Promise<bigint>;
  readonly tokensOf: (who: Person, category: string) => Promise<bigint>;
};

/** Gives the keys of a treasury to people. erin is a stranger: she has none. */
const importKeys = async ({ context: { keys, network } }: App, people: People): Promise<void> => {
  const { authority, alice, bob, carol, dave, mallory } = people;
  for (const { name, privateKey } of [authority, alice, bob, carol, dave, mallory]) {
    const wif = encodeWif(privateKey, network);
    await keys.import({
      name,
      passphrase: null,
      wif,
      ...(name === 'authority' ? { isAuthority: true } : {}),
    });
  }
};

/**
 * Opens a treasury with an authority and wallets for everybody; closed and removed when the test ends.
 *
 * @param from - a home that it begins as a copy of, wallets included
 */
export const openTreasury = async (
  t: ExecutionContext,
  world: ChainWorld = localWorld,
  from: string | null = null,
): Promise<Treasury> => {
  const home = mkdtempSync(join(tmpdir(), 'treasury-'));
  if (from !== null) cpSync(from, home, { recursive: true });
  const { network } = world;
  const { wall, people, outside, steer, database = null } = await world.open(t);
  let passed = 0;
  const app = await openApp({
    home,
    network,
    database,
    runsTwice: true,
    wall: () => wall() + passed,
    ...(outside === undefined ? {} : { outside }),
  });
  t.teardown(async () => {
    await app.close();
    rmSync(home, { recursive: true, force: true });
  });
  if (from === null) await importKeys(app, people);
  const { chain } = app.context;
  const steering = steer(app);

  const addressOf = (who: Person) => who.address(network);
  const ask: Treasury['ask'] = (who, operationId, input = {}) => {
    const operation = app.operations.find(({ id }) => id === operationId);
    if (operation === undefined) throw new Error(`there is no operation ${operationId}`);
    return execute(operation, input, app.context, {
      kind: 'operator',
      address: who === null ? null : addressOf(who),
    });
  };
  const sign: Treasury['sign'] = (who, wcTransaction) =>
    signWalletTransaction(wcTransaction as WalletTransaction, signerOf(who.name, who.privateKey, network))
      .transaction;
  const send: Treasury['send'] = async (who, wcTransaction) => {
    const txHash = await chain.broadcast(sign(who, wcTransaction));
    await steering.seen(txHash);
    return txHash;
  };
  const coinsOf = (who: Person) => chain.coins(addressOf(who).lockingBytecode);

  return {
    app,
    home,
    people,
    chain: steering,
    pass: (seconds) => {
      passed += seconds;
    },
    ask,
    refusal: async (t, who, operationId, input, code) => {
      const error = await t.throwsAsync(ask(who, operationId, input), { instanceOf: TreasuryError });
      t.is(error.code, code, error.message);
      return error;
    },
    sign,
    send,
    payAnywhere: async (who, outputs) => {
      const { transaction, sourceOutputs } = buildPayment({
        payer: addressOf(who),
        coins: await coinsOf(who),
        outputs,
      });
      const unsigned = { transaction, sourceOutputs: [...sourceOutputs], broadcast: false };
      return send(who, encodeWalletTransaction(unsigned));
    },
    give: (who, satoshis) => steering.pay(addressOf(who), satoshis),
    mint: async (who, supply, decimals) => {
      const input = { supply, decimals, symbol: 'GEMS' };
      const built = await ask(who, 'tokens.create', input);
      const txHash = await send(who, built['wcTransaction']);
      await ask(who, 'tokens.confirm-create', { ...input, txHash });
      const { tokens } = (await ask(who, 'tokens.list')) as { tokens: { category: string }[] };
      return tokens[0]?.category ?? '';
    },
    addressOf,
    satoshisOf: async (who) => sumSatoshis(await coinsOf(who)),
    tokensOf: async (who, category) => sumTokens(await coinsOf(who), category),
  };
};
