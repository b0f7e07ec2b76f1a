/** A whole treasury in a temporary folder: real store, real embedded chain, real keys, a clock that stands still. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { alice, authority, bob, carol, dave, mallory, type Person } from '../fixtures/people.js';
import { openApp, type App } from '../src/app.js';
import { encodeWif, signerOf } from '../src/bch/keys.js';
import { signWalletTransaction, type WalletTransaction } from '../src/bch/wallet-transaction.js';
import type { Address } from '../src/bch/address.js';
import { sumSatoshis, sumTokens } from '../src/bch/coins.js';
import { TreasuryError, type ErrorCode } from '../src/errors.js';
import { execute, type Reply } from '../src/operation/execute.js';

/** 2026-06-01T00:00:00Z: when every test begins. */
export const TEST_TIME = 1_780_272_000;

const people = { alice, bob, carol, dave, mallory };

export type Treasury = {
  readonly app: App;
  readonly home: string;
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
  /** Signs and broadcasts; returns the transaction id. */
  readonly send: (who: Person, wcTransaction: unknown) => Promise<string>;
  /** Pays a person from the faucet: one coin at output index 0. */
  readonly give: (who: Person, satoshis: bigint) => Promise<string>;
  /** Mints a token to a person; returns its category. */
  readonly mint: (who: Person, supply: string, decimals: number) => Promise<string>;
  readonly addressOf: (who: Person) => Address;
  readonly satoshisOf: (who: Person) => Promise<bigint>;
  readonly tokensOf: (who: Person, category: string) => Promise<bigint>;
};

/** Opens a treasury with an authority and wallets for everybody; closed and removed when the test ends. */
export const openTreasury = async (t: ExecutionContext): Promise<Treasury> => {
  const home = mkdtempSync(join(tmpdir(), 'treasury-'));
  let now = TEST_TIME;
  const app = await openApp({ home, network: 'local', wall: () => now });
  t.teardown(async () => {
    await app.close();
    rmSync(home, { recursive: true, force: true });
  });
  const { keys, chain, localChain } = app.context;
  await keys.import({
    name: 'authority',
    passphrase: null,
    isAuthority: true,
    wif: encodeWif(authority.privateKey, 'local'),
  });
  for (const [name, { privateKey }] of Object.entries(people)) {
    await keys.import({ name, passphrase: null, wif: encodeWif(privateKey, 'local') });
  }

  const addressOf = (who: Person) => who.address('local');
  const ask: Treasury['ask'] = (who, operationId, input = {}) => {
    const operation = app.operations.find(({ id }) => id === operationId);
    if (operation === undefined) throw new Error(`there is no operation ${operationId}`);
    return execute(operation, input, app.context, {
      kind: 'operator',
      address: who === null ? null : addressOf(who),
    });
  };
  const sign: Treasury['sign'] = (who, wcTransaction) =>
    signWalletTransaction(wcTransaction as WalletTransaction, signerOf(who.name, who.privateKey, 'local'))
      .transaction;
  const send: Treasury['send'] = (who, wcTransaction) => chain.broadcast(sign(who, wcTransaction));
  const coinsOf = (who: Person) => chain.coins(addressOf(who).lockingBytecode);

  return {
    app,
    home,
    pass: (seconds) => {
      now += seconds;
    },
    ask,
    refusal: async (t, who, operationId, input, code) => {
      const error = await t.throwsAsync(ask(who, operationId, input), { instanceOf: TreasuryError });
      t.is(error.code, code, error.message);
      return error;
    },
    sign,
    send,
    give: (who, satoshis) =>
      localChain?.faucet(addressOf(who).lockingBytecode, satoshis) ?? Promise.reject(new Error()),
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
