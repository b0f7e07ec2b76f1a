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
  outpointText,
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
import { TreasuryError } from '../../errors.js';
import { leadOnward } from './coins.js';
import { vaultContract } from './contract.js';
import { initialState, vaultState } from './state.js';
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
export const INPUT_SIZES = { spend: 572, join: 372 } as const;
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
  /** The vault's other coins that join and are free. */
  readonly coins: readonly Coin[];
  /** Coins like the thread that are free: one of them leads where the rest does not suffice. */
  readonly alike?: readonly Coin[];
};

/** A spend on its way: what leads it at input 0, if anything must, and what it needs. */
type Led = SpendTerms & { readonly lead: Coin | null };

const leadOf = ({ lead }: Pick<Led, 'lead'>): readonly Coin[] => (lead === null ? [] : [lead]);

const categoriesOf = (items: readonly { readonly token?: Output['token'] }[]): string[] => [
  ...new Set(items.flatMap(({ token }) => (token === undefined ? [] : [token.category]))),
];

/** Coins that hold a token of a category, those without an NFT first, the largest amount first. */
const holdersOfToken = (coins: readonly Coin[], category: string): Coin[] => [
  ...fungibleCoins(coins, category),
  ...coins
    .filter(({ token }) => token?.category === category && token.nft !== undefined && token.amount > 0n)
    .sort((a, b) => ((a.token?.amount ?? 0n) > (b.token?.amount ?? 0n) ? -1 : 1)),
];

/** The fewest coins that hold the tokens that are paid. @throws insufficient_funds in a token */
const chooseTokenCoins = (terms: Led): Coin[] =>
  categoriesOf(terms.payments).flatMap((category) => {
    const needed = sumTokens(terms.payments, category);
    const held = sumTokens(leadOf(terms), category);
    const chosen: Coin[] = [];
    for (const coin of holdersOfToken(terms.coins, category)) {
      if (held + sumTokens(chosen, category) >= needed) break;
      chosen.push(coin);
    }
    const available = held + sumTokens(chosen, category);
    if (available >= needed) return chosen;
    throw new TreasuryError('insufficient_funds', {
      address: terms.vault.contract_address,
      asset: `units of the token ${category}`,
      available: available.toString(),
      needed: needed.toString(),
    });
  });

/** What comes back to the vault: what is left of each token, and every NFT that rode on a coin. */
const tokensBack = (inputs: readonly Coin[], { payments, lead }: Led): Output[] => {
  const back = (token: NonNullable<Output['token']>): Output => ({
    lockingBytecode: inputs[0]?.lockingBytecode ?? '',
    satoshis: TOKEN_CHANGE_SATOSHIS,
    token,
  });
  const amounts = categoriesOf(inputs).flatMap((category) => {
    const amount = sumTokens(inputs, category) - sumTokens(payments, category);
    return amount === 0n ? [] : [back({ category, amount })];
  });
  const nfts = inputs.flatMap((coin) =>
    coin === lead || coin.token?.nft === undefined ? [] : [back({ ...coin.token, amount: 0n })],
  );
  return [...amounts, ...nfts];
};

/** Fee of a spend of `count` coins at most, satoshis. */
const feeAtMost = (count: number, outputs: readonly Output[]): bigint => {
  const inputs = INPUT_SIZES.spend + (count - 1) * INPUT_SIZES.join;
  const size = FRAME_SIZE + inputs + outputs.reduce((sum, output) => sum + outputSize(output), 0);
  return feeFor(size);
};

/** What a coin adds to a spend: its satoshis without its fee, and without what its tokens ride back on. */
const worthOf = (coin: Coin, terms: Led): bigint => {
  const back = tokensBack([coin], { ...terms, payments: [], lead: null });
  const size = INPUT_SIZES.join + back.reduce((sum, output) => sum + outputSize(output), 0);
  return coin.satoshis - sumSatoshis(back) - feeFor(size);
};

/**
 * Adds the coins that are worth most, as few as suffice for the outputs and the fee.
 *
 * @throws insufficient_funds in BCH
 */
const chooseCoins = (chosen: readonly Coin[], promised: readonly Output[], terms: Led): Coin[] => {
  const candidates = terms.coins
    .filter((coin) => !chosen.includes(coin))
    .map((coin) => ({ coin, worth: worthOf(coin, terms) }))
    .filter(({ worth }) => worth > 0n)
    .sort((a, b) => (a.worth === b.worth ? byOutpoint(a.coin, b.coin) : a.worth > b.worth ? -1 : 1))
    .map(({ coin }) => coin);
  const needs = (inputs: readonly Coin[]): bigint => {
    const outputs = [...promised, ...tokensBack(inputs, terms)];
    return sumSatoshis(outputs) + feeAtMost(Math.max(inputs.length, 1), outputs);
  };
  for (let count = 0; count <= candidates.length; count += 1) {
    const inputs = [...chosen, ...candidates.slice(0, count)];
    if (inputs.length > 0 && sumSatoshis(inputs) >= needs(inputs)) return inputs;
  }
  const all = [...chosen, ...candidates];
  throw insufficientSatoshis(terms.vault.contract_address, sumSatoshis(all), needs(all));
};

const byOutpoint = (a: Coin, b: Coin): number => (outpointText(a) < outpointText(b) ? -1 : 1);

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

/** @throws insufficient_funds, in BCH or in a token */
const buildLed = (terms: Led): UnsignedTransaction => {
  const promised = [...leadOf(terms).map(leadOnward), ...terms.payments];
  const coins = chooseCoins([...leadOf(terms), ...chooseTokenCoins(terms)], promised, terms);
  return spendWith(terms, coins, [...promised, ...tokensBack(coins, terms)], emptySlots(terms.vault));
};

/**
 * Builds a spend: the thread at input 0 when it is free, then the coins of the tokens that are paid, then those that
 * are worth most. What is left comes back to the vault, NFTs included. Where that does not suffice, a coin like the
 * thread leads in its place: no two of them move at once.
 *
 * @throws insufficient_funds, in BCH or in a token
 */
export const buildVaultSpend = (terms: SpendTerms): UnsignedTransaction => {
  try {
    return buildLed({ ...terms, lead: terms.thread });
  } catch (error) {
    if (!isInsufficient(error)) throw error;
    const others = [...(terms.alike ?? [])].sort((a, b) => (a.satoshis > b.satoshis ? -1 : 1));
    for (const lead of others) {
      try {
        return buildLed({ ...terms, lead });
      } catch (refused) {
        if (!isInsufficient(refused)) throw refused;
      }
    }
    throw error;
  }
};

const isInsufficient = (error: unknown): boolean =>
  error instanceof TreasuryError && error.code === 'insufficient_funds';

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
