/** Chains in temporary folders, keys, and signed payments, for the tests of the embedded chain. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {
  assertSuccess,
  binToHex,
  encodeTransaction,
  generateTransaction,
  hexToBin,
  importWalletTemplate,
  secp256k1,
  sha256,
  utf8ToBin,
  walletTemplateP2pkhNonHd,
  walletTemplateToCompilerBch,
} from '@bitauth/libauth';
import type { ExecutionContext } from 'ava';
import { openLocalChain, type LocalChain } from '../../../src/adapters/local-chain/local-chain.js';
import { addressOfPublicKey } from '../../../src/bch/keys.js';
import type { Coin, Output } from '../../../src/bch/coins.js';
import { toLibauthOutput } from '../../../src/bch/transaction.js';
import { TreasuryError, type ErrorCode } from '../../../src/errors.js';

/** The wall clock of the tests, unix seconds. */
export const START = 1_800_000_000;

export const FINAL = 0xffffffff;

export type Party = { readonly privateKey: Uint8Array; readonly lockingBytecode: string };

const partyOf = (name: string): Party => {
  const privateKey = sha256.hash(utf8ToBin(name));
  const publicKey = assertSuccess(secp256k1.derivePublicKeyCompressed(privateKey));
  return { privateKey, lockingBytecode: addressOfPublicKey(publicKey, 'local').lockingBytecode };
};

export const ALICE = partyOf('alice');
export const BOB = partyOf('bob');

/** A folder that is gone after the test. */
export const temporaryFolder = (t: ExecutionContext): string => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'treasury-'));
  t.teardown(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
};

export type TestChain = LocalChain & { readonly folder: string; readonly wall: { seconds: number } };

/** A chain with a wall clock that stands still until the test moves it; closed after the test. */
export const openTestChain = async (
  t: ExecutionContext,
  options: { folder?: string; automine?: boolean } = {},
): Promise<TestChain> => {
  const folder = options.folder ?? temporaryFolder(t);
  const wall = { seconds: START };
  const chain = await openLocalChain({
    folder,
    now: () => wall.seconds,
    automine: options.automine ?? true,
  });
  t.teardown(() => chain.close());
  return { ...chain, folder, wall };
};

/** Pays a party from the faucet and returns the new coin. */
export const fund = async (
  chain: LocalChain,
  { lockingBytecode }: Party,
  satoshis: bigint,
): Promise<Coin> => {
  const txid = await chain.faucet(lockingBytecode, satoshis);
  const coins = await chain.coins(lockingBytecode);
  const coin = coins.find((found) => found.txid === txid);
  if (coin === undefined) throw new Error('the faucet paid nothing');
  return coin;
};

const compiler = walletTemplateToCompilerBch(assertSuccess(importWalletTemplate(walletTemplateP2pkhNonHd)));

export type Spend = {
  readonly coins: readonly Coin[];
  readonly outputs: readonly Output[];
  /** Who signs. Default: Alice. */
  readonly signer?: Party;
  readonly locktime?: number;
  readonly sequence?: number;
  readonly version?: number;
};

/** Raw hex of a signed P2PKH spend. */
export const signSpend = ({
  coins,
  outputs,
  signer = ALICE,
  locktime = 0,
  sequence = FINAL,
  version = 2,
}: Spend): string => {
  const signed = generateTransaction({
    version,
    locktime,
    outputs: outputs.map(toLibauthOutput),
    inputs: coins.map((coin) => ({
      outpointTransactionHash: hexToBin(coin.txid),
      outpointIndex: coin.vout,
      sequenceNumber: sequence,
      unlockingBytecode: {
        compiler,
        data: { keys: { privateKeys: { key: signer.privateKey } } },
        script: 'unlock',
        valueSatoshis: coin.satoshis,
        ...('token' in coin ? { token: toLibauthOutput(coin).token } : {}),
      },
    })),
  });
  if (!signed.success) throw new Error(JSON.stringify(signed.errors));
  return binToHex(encodeTransaction(signed.transaction));
};

/** Satoshis that the tests leave for the fee. */
export const FEE = 1_000n;

/** Raw hex of Alice's payment of all of a coin, less the fee. */
export const payAll = (coin: Coin, to: Party, rest: Omit<Spend, 'coins' | 'outputs'> = {}): string =>
  signSpend({
    coins: [coin],
    outputs: [{ lockingBytecode: to.lockingBytecode, satoshis: coin.satoshis - FEE }],
    ...rest,
  });

/** The value, which the test needs to be there. */
export const present = <T>(value: T | null | undefined): T => {
  if (value === null || value === undefined) throw new Error('the test needs a value that is not there');
  return value;
};

/** Asserts that a promise is refused with a code, and returns the error. */
export const refused = async (
  t: ExecutionContext,
  promise: Promise<unknown>,
  code: ErrorCode,
): Promise<TreasuryError> => {
  const error = await t.throwsAsync(promise, { instanceOf: TreasuryError });
  t.is(error.code, code, error.message);
  return error;
};
