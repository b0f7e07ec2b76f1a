/** Where the coins of the embedded chain come from: a premine at a known key, paid out in real transactions. Pure. */
import {
  assertSuccess,
  encodeDataPush,
  flattenBinArray,
  generateSigningSerializationBch,
  hash256,
  hexToBin,
  secp256k1,
  sha256,
  SigningSerializationTypeBch,
  utf8ToBin,
  type CompilationContextBch,
  type Output,
} from '@bitauth/libauth';
import { addressOfPublicKey, publicKeyOf } from '../../bch/keys.js';
import { formatUnits, BCH_DECIMALS, MAXIMUM_SATOSHIS } from '../../bch/amount.js';
import { insufficientSatoshis, plainCoins, sumSatoshis, type Coin } from '../../bch/coins.js';
import { encodeRaw, feeFor, PAYOUT_DUST } from '../../bch/transaction.js';
import { TreasuryError } from '../../errors.js';

/** Coins of the premine: many, so that payments of the faucet do not hang on one another. */
const PREMINE_COINS = 100n;

/** A key that everybody can derive: the coins of the embedded chain are worth nothing. */
const deriveKey = (purpose: string): Uint8Array =>
  sha256.hash(utf8ToBin(`bch-treasury embedded chain: ${purpose}`));

const addressOfKey = (privateKey: Uint8Array): { lockingBytecode: string; text: string } =>
  addressOfPublicKey(publicKeyOf(privateKey), 'local');

/** Private key of the faucet. */
export const FAUCET_KEY = deriveKey('faucet');
/** Private key of what the coinbases pay: the fees. */
export const FEE_KEY = deriveKey('fees');

const faucetAddress = addressOfKey(FAUCET_KEY);

/** Locking bytecode (hex) of the coins that the faucet pays from. */
export const FAUCET_LOCKING_BYTECODE = faucetAddress.lockingBytecode;
/** Locking bytecode of the outputs that collect fees. */
export const FEE_LOCKING_BYTECODE = hexToBin(addressOfKey(FEE_KEY).lockingBytecode);

/** The outputs of the genesis block: all the money there will ever be, 21 million BCH. */
export const premineOutputs = (): Output[] =>
  Array.from({ length: Number(PREMINE_COINS) }, () => ({
    lockingBytecode: hexToBin(FAUCET_LOCKING_BYTECODE),
    valueSatoshis: MAXIMUM_SATOSHIS / PREMINE_COINS,
  }));

/** The unlocking bytecode of an input: the faucet's Schnorr signature over all outputs, and its public key. */
const unlock = (context: CompilationContextBch): Uint8Array => {
  const signingSerializationType = Uint8Array.of(SigningSerializationTypeBch.allOutputs);
  const coveredBytecode = hexToBin(FAUCET_LOCKING_BYTECODE);
  const serialization = generateSigningSerializationBch(context, {
    coveredBytecode,
    signingSerializationType,
  });
  const signature = assertSuccess(secp256k1.signMessageHashSchnorr(FAUCET_KEY, hash256(serialization)));
  const pushes = [flattenBinArray([signature, signingSerializationType]), publicKeyOf(FAUCET_KEY)];
  return flattenBinArray(pushes.map(encodeDataPush));
};

/** Signed raw hex that spends `coins` into `outputs`. */
const sign = (coins: readonly Coin[], outputs: Output[]): string => {
  const inputs = coins.map(({ txid, vout }) => ({
    outpointTransactionHash: hexToBin(txid),
    outpointIndex: vout,
    sequenceNumber: 0xffffffff,
    unlockingBytecode: new Uint8Array(),
  }));
  const transaction = { version: 2, locktime: 0, inputs, outputs };
  const sourceOutputs = coins.map(({ satoshis }) => ({
    lockingBytecode: hexToBin(FAUCET_LOCKING_BYTECODE),
    valueSatoshis: satoshis,
  }));
  const signed = inputs.map((input, inputIndex) => ({
    ...input,
    unlockingBytecode: unlock({ transaction, sourceOutputs, inputIndex }),
  }));
  return encodeRaw({ ...transaction, inputs: signed });
};

/**
 * Raw hex of a transaction that pays `satoshis` to `lockingBytecode` (hex) as its output 0, change as its output 1.
 *
 * @param coins what is unspent at {@link FAUCET_LOCKING_BYTECODE}
 * @throws invalid_amount when nothing is to be paid, insufficient_funds when the faucet has run dry
 */
export const buildFaucetPayment = (
  coins: readonly Coin[],
  lockingBytecode: string,
  satoshis: bigint,
): string => {
  if (satoshis <= 0n) {
    const value = formatUnits(satoshis, BCH_DECIMALS);
    throw new TreasuryError('invalid_amount', {
      field: 'satoshis',
      value,
      expected: 'an amount greater than 0',
    });
  }
  const outputsFor = (change: bigint): Output[] => [
    { lockingBytecode: hexToBin(lockingBytecode), valueSatoshis: satoshis },
    { lockingBytecode: hexToBin(FAUCET_LOCKING_BYTECODE), valueSatoshis: change },
  ];
  const chosen: Coin[] = [];
  for (const coin of plainCoins(coins)) {
    chosen.push(coin);
    const rest = sumSatoshis(chosen) - satoshis;
    if (rest < PAYOUT_DUST) continue;
    const change = rest - feeFor(sign(chosen, outputsFor(rest)).length / 2);
    if (change >= PAYOUT_DUST) return sign(chosen, outputsFor(change));
  }
  throw insufficientSatoshis(faucetAddress.text, sumSatoshis(chosen), satoshis);
};
