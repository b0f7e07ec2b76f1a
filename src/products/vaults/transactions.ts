/**
 * The transactions of a vault: coins in, an unsigned transaction and the outputs it promises out.
 * `observe.ts` reads the same promises back.
 */
import { encodeTransaction, hashTransaction, hexToBin } from '@bitauth/libauth';
import { placeholderSignature } from 'cashscript';
import { parseAddress } from '../../bch/address.js';
import {
  fungibleCoins,
  insufficientSatoshis,
  plainCoins,
  sameOutpoint,
  selectFungible,
  sumSatoshis,
  sumTokens,
  type Coin,
  type Output,
} from '../../bch/coins.js';
import { TOKEN_CHANGE_SATOSHIS } from '../../bch/payment.js';
import type { Network } from '../../bch/network.js';
import { feeFor, outputSize, THREAD_DUST, toLibauthOutput, type Transaction } from '../../bch/transaction.js';
import type { GenesisMember } from '../../covenant/genesis.js';
import { buildSpend, type UnsignedTransaction } from '../../covenant/spend.js';
import { threadOutput } from '../../covenant/thread.js';
import { TreasuryError } from '../../errors.js';
import { vaultContract } from './contract.js';
import { initialState, readState, vaultState } from './state.js';
import type { VaultRecord } from './vault.js';

/** The thread that the first deposit mints. All of its satoshis are the vault's own money. */
export const vaultGenesis = (vault: VaultRecord, satoshis: bigint, network: Network): GenesisMember => ({
  lockingBytecode: vaultContract(vault, network).lockingBytecode,
  commitment: vaultState.encode(initialState),
  pool: satoshis - THREAD_DUST,
  token: null,
});

/** One of the two places for a signature in the vault's input. */
export type Slot = { readonly publicKey: string; readonly signature: string };

/** What a wallet fills in: 65 zero bytes. Source: wc2-bch-bcr. */
export const EMPTY_SIGNATURE = '00'.repeat(placeholderSignature().length);
/** Stands in the other place meanwhile: of the same size, and no placeholder to any wallet. */
export const FILLER_SIGNATURE = 'ff'.repeat(placeholderSignature().length);

/** The two slots in the order that the contract asks for: that of its keys. */
export const orderSlots = (
  { signer_pubkeys: keys }: Pick<VaultRecord, 'signer_pubkeys'>,
  slots: readonly [Slot, Slot],
): readonly [Slot, Slot] => {
  const [first, second] = slots;
  return keys.indexOf(first.publicKey) < keys.indexOf(second.publicKey) ? [first, second] : [second, first];
};

/** Bytes of a signed input at a vault, outpoint and sequence included: with the signatures, and joining. */
export const INPUT_SIZES = { spend: 506, join: 306 } as const;
/** Version, locktime, and the counts of inputs and outputs, at most. */
const FRAME_SIZE = 8 + 2 * 3;

/** What a spend starts from. */
export type SpendTerms = {
  readonly vault: VaultRecord;
  readonly network: Network;
  /** What is paid, in order. */
  readonly payments: readonly Output[];
  /** The pinned thread, when it is free. */
  readonly thread: Coin | null;
  /** The vault's other coins that are free. */
  readonly coins: readonly Coin[];
};

/** The thread one spend on. What it held above its dust leaves it for the payments and the change. */
const threadOnward = (thread: Coin): Output => {
  const commitment = thread.token?.nft?.commitment ?? '';
  const state = readState(commitment);
  const onward = vaultState.encode({ ...state, spends: state.spends + 1 });
  return threadOutput(thread.lockingBytecode, thread.token?.category ?? '', onward, 0n);
};

const categoriesOf = (outputs: readonly Output[]): string[] => [
  ...new Set(outputs.flatMap(({ token }) => (token === undefined ? [] : [token.category]))),
];

/** The fewest coins that hold the tokens that are paid. @throws insufficient_funds in a token */
const chooseTokenCoins = ({ vault, payments, coins }: SpendTerms): Coin[] =>
  categoriesOf(payments).flatMap((category) => {
    const needed = sumTokens(payments, category);
    const chosen = selectFungible(coins, category, needed);
    if (chosen !== null) return chosen;
    throw new TreasuryError('insufficient_funds', {
      address: vault.contract_address,
      asset: `units of the token ${category}`,
      available: sumTokens(fungibleCoins(coins, category), category).toString(),
      needed: needed.toString(),
    });
  });

/** What is left of each token that is paid comes back to the vault. */
const tokenChange = (tokenCoins: readonly Coin[], payments: readonly Output[]): Output[] =>
  categoriesOf(payments).flatMap((category) => {
    const amount = sumTokens(tokenCoins, category) - sumTokens(payments, category);
    const lockingBytecode = tokenCoins[0]?.lockingBytecode ?? '';
    return amount === 0n
      ? []
      : [{ lockingBytecode, satoshis: TOKEN_CHANGE_SATOSHIS, token: { category, amount } }];
  });

/** Fee of a spend of `count` coins at most, satoshis. */
const feeAtMost = (count: number, outputs: readonly Output[]): bigint => {
  const inputs = INPUT_SIZES.spend + (count - 1) * INPUT_SIZES.join;
  const size = FRAME_SIZE + inputs + outputs.reduce((sum, output) => sum + outputSize(output), 0);
  return feeFor(size);
};

/**
 * Adds the largest plain coins, as few as suffice for the outputs and the fee.
 *
 * @throws insufficient_funds in BCH
 */
const choosePlainCoins = (chosen: readonly Coin[], outputs: readonly Output[], terms: SpendTerms): Coin[] => {
  const candidates = plainCoins(terms.coins);
  for (let count = 0; count <= candidates.length; count += 1) {
    const inputs = [...chosen, ...candidates.slice(0, count)];
    if (inputs.length === 0) continue;
    const needed = sumSatoshis(outputs) + feeAtMost(inputs.length, outputs);
    if (sumSatoshis(inputs) >= needed) return inputs;
  }
  const all = [...chosen, ...candidates];
  const needed = sumSatoshis(outputs) + feeAtMost(Math.max(all.length, 1), outputs);
  throw insufficientSatoshis(terms.vault.contract_address, sumSatoshis(all), needed);
};

/** The spend of given coins to given outputs, with what stands in the two signature slots of input 0. */
const spendWith = (
  { vault, network }: Pick<SpendTerms, 'vault' | 'network'>,
  coins: readonly Coin[],
  outputs: readonly Output[],
  slots: readonly [Slot, Slot],
): UnsignedTransaction => {
  const contract = vaultContract(vault, network);
  const args = orderSlots(vault, slots).flatMap(({ publicKey, signature }) => [
    hexToBin(publicKey),
    hexToBin(signature),
  ]);
  return buildSpend({
    network,
    inputs: coins.map((coin, index) => ({
      coin,
      unlocker: index === 0 ? contract.unlock('spend', ...args) : contract.unlock('join'),
    })),
    outputs,
    // The vault pays its own fee and gets its own change.
    payer: parseAddress(vault.contract_address),
    payerCoins: [],
    // A vault knows no time, and a signature may come late.
    locktime: 0,
  });
};

/** Both slots empty, for the first two signers. */
export const emptySlots = ({
  signer_pubkeys: keys,
}: Pick<VaultRecord, 'signer_pubkeys'>): readonly [Slot, Slot] => [
  { publicKey: keys[0] ?? '', signature: EMPTY_SIGNATURE },
  { publicKey: keys[1] ?? '', signature: EMPTY_SIGNATURE },
];

/**
 * Builds a spend: the thread at input 0 when it is free, then the coins of the tokens that are paid, then the largest
 * plain coins. What is left comes back to the vault.
 *
 * @throws insufficient_funds, in BCH or in a token
 */
export const buildVaultSpend = (terms: SpendTerms): UnsignedTransaction => {
  const { vault, thread, payments } = terms;
  const tokenCoins = chooseTokenCoins(terms);
  const outputs = [
    ...(thread === null ? [] : [threadOnward(thread)]),
    ...payments,
    ...tokenChange(tokenCoins, payments),
  ];
  const coins = choosePlainCoins([...(thread === null ? [] : [thread]), ...tokenCoins], outputs, terms);
  return spendWith(terms, coins, outputs, emptySlots(vault));
};

/** A spend that was built before: its coins, and its outputs with the change. */
export type BuiltSpend = { readonly coins: readonly Coin[]; readonly outputs: readonly Output[] };

/** The same spend again with other things in its slots. Whatever stands there, its unsigned id is the same. */
export const rebuildSpend = (
  vault: VaultRecord,
  network: Network,
  { coins, outputs }: BuiltSpend,
  slots: readonly [Slot, Slot],
): UnsignedTransaction => spendWith({ vault, network }, coins, outputs, slots);

/** The id of a transaction as it was before anybody signed. */
export const unsignedTxid = ({
  version,
  locktime,
  inputs,
  outputs,
}: Pick<Transaction, 'version' | 'locktime' | 'inputs' | 'outputs'>): string =>
  hashTransaction(
    encodeTransaction({
      version,
      locktime,
      inputs: inputs.map(({ txid, vout, sequence }) => ({
        outpointTransactionHash: hexToBin(txid),
        outpointIndex: vout,
        sequenceNumber: sequence,
        unlockingBytecode: new Uint8Array(),
      })),
      outputs: outputs.map(toLibauthOutput),
    }),
  );

const STATE_SIZE = vaultState.size * 2;

/** True for a coin that the contract takes for the thread: it has a commitment of that size. Only one of them is. */
export const looksLikeThread = ({ token }: Coin): boolean => token?.nft?.commitment.length === STATE_SIZE;

/** True for another thread than the vault's own that a spend can start from: the contract counts it on as it does that. */
const isSecondThread = (coin: Coin): boolean =>
  coin.token?.nft?.capability === 'mutable' &&
  vaultState.decode(coin.token.nft.commitment) !== null &&
  coin.satoshis > THREAD_DUST;

/**
 * The coins of a vault: its pinned thread, those that join a spend freely, and other threads. These join nothing, but a
 * spend can start from one of them (a first deposit that was made twice), and then takes what it holds above its dust.
 */
export const sortCoins = (
  { thread }: Pick<VaultRecord, 'thread'>,
  coins: readonly Coin[],
): {
  readonly thread: Coin | null;
  readonly free: readonly Coin[];
  /** The largest first. */
  readonly second: readonly Coin[];
} => ({
  thread: (thread === null ? undefined : coins.find((coin) => sameOutpoint(coin, thread))) ?? null,
  free: coins.filter((coin) => !looksLikeThread(coin)),
  second: coins
    .filter((coin) => isSecondThread(coin) && (thread === null || !sameOutpoint(coin, thread)))
    .sort((a, b) => (a.satoshis === b.satoshis ? 0 : a.satoshis > b.satoshis ? -1 : 1)),
});
