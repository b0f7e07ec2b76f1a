/**
 * The transactions of a vault: coins in, an unsigned transaction and the outputs it promises out.
 * `observe.ts` reads the same promises back.
 */
import {
  encodeTransaction,
  hashTransaction,
  hexToBin,
  type Transaction as LibauthTransaction,
} from '@bitauth/libauth';
import { placeholderSignature } from 'cashscript';
import { parseAddress } from '../../bch/address.js';
import {
  categoriesOf,
  fungibleCoins,
  insufficientSatoshis,
  outpointText,
  sameOutpoint,
  sumSatoshis,
  sumTokens,
  type Coin,
  type Output,
} from '../../bch/coins.js';
import { transactionDigest } from '../../bch/digest.js';
import { insufficientTokens, tokenChange, TOKEN_CHANGE_SATOSHIS } from '../../bch/payment.js';
import type { Network } from '../../bch/network.js';
import {
  feeFor,
  outputSize,
  THREAD_DUST,
  toLibauthOutput,
  toLibauthTransaction,
} from '../../bch/transaction.js';
import type { GenesisMember } from '../../covenant/genesis.js';
import { poolGenesis } from '../../covenant/pool.js';
import {
  buildSpend,
  isInsufficient,
  SPEND_SEQUENCE,
  SPEND_VERSION,
  type UnsignedTransaction,
} from '../../covenant/spend.js';
import { leadOnward } from './coins.js';
import { initialState, vaultContract, vaultState } from './contract.js';
import type { SpendSignature } from './spend.js';
import type { VaultRecord } from './vault.js';

/** The thread that the first deposit mints. All of its satoshis are the vault's own money. */
export const vaultGenesis = (vault: VaultRecord, satoshis: bigint, network: Network): GenesisMember => {
  const at = { network, contract: vaultContract(vault, network), tokenCategory: null };
  return poolGenesis(at, vaultState.encode(initialState), satoshis - THREAD_DUST);
};

/** One of the two places for a signature in the vault's input. */
export type Slot = Pick<SpendSignature, 'public_key' | 'signature'>;

/** What a wallet fills in: 65 zero bytes. Source: wc2-bch-bcr. */
export const EMPTY_SIGNATURE = '00'.repeat(placeholderSignature().length);
/** Stands in the other place meanwhile: of the same size, and no placeholder to any wallet. */
export const FILLER_SIGNATURE = 'ff'.repeat(placeholderSignature().length);

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

/** A spend on its way: what leads it at input 0 (one coin, or none that must), and what it needs. */
type Led = SpendTerms & { readonly lead: readonly Coin[] };

/** Coins that hold a token of a category, those without an NFT first, the largest amount first. */
const holdersOfToken = (coins: readonly Coin[], category: string): Coin[] => [
  ...fungibleCoins(coins, category),
  ...coins
    .filter(({ token }) => token?.category === category && token.nft !== undefined && token.amount > 0n)
    .sort((a, b) => ((a.token?.amount ?? 0n) > (b.token?.amount ?? 0n) ? -1 : 1)),
];

/** The fewest coins that hold the tokens that are paid. @throws insufficient_funds in a token */
const chooseTokenCoins = ({ vault, payments, lead, coins }: Led): Coin[] =>
  categoriesOf(payments).flatMap((category) => {
    const needed = sumTokens(payments, category);
    const chosen: Coin[] = [];
    const available = () => sumTokens([...lead, ...chosen], category);
    for (const coin of holdersOfToken(coins, category)) {
      if (available() >= needed) break;
      chosen.push(coin);
    }
    if (available() >= needed) return chosen;
    throw insufficientTokens(vault.contract_address, category, available(), needed);
  });

/** What comes back to the vault: what is left of each token, and every NFT that rode on a coin. */
const tokensBack = (
  inputs: readonly Coin[],
  { payments, lead }: Pick<Led, 'payments' | 'lead'>,
): Output[] => {
  const lockingBytecode = inputs[0]?.lockingBytecode ?? '';
  const nfts = inputs.flatMap(({ token, ...coin }) =>
    token?.nft === undefined || lead.some((leading) => sameOutpoint(leading, coin))
      ? []
      : [{ lockingBytecode, satoshis: TOKEN_CHANGE_SATOSHIS, token: { ...token, amount: 0n } }],
  );
  return [...tokenChange(inputs, payments, lockingBytecode), ...nfts];
};

const sizeOf = (outputs: readonly Output[]): number =>
  outputs.reduce((sum, output) => sum + outputSize(output), 0);

/** What a coin adds to a spend: its satoshis without its fee, and without what its tokens ride back on. */
const worthOf = (coin: Coin): bigint => {
  const back = tokensBack([coin], { payments: [], lead: [] });
  return coin.satoshis - sumSatoshis(back) - feeFor(INPUT_SIZES.join + sizeOf(back));
};

const byOutpoint = (a: Coin, b: Coin): number => (outpointText(a) < outpointText(b) ? -1 : 1);

/**
 * Adds the coins that are worth most, as few as suffice for the outputs and the fee at most.
 *
 * @throws insufficient_funds in BCH
 */
const chooseCoins = (chosen: readonly Coin[], promised: readonly Output[], terms: Led): Coin[] => {
  const candidates = terms.coins
    .filter((coin) => !chosen.includes(coin))
    .map((coin) => ({ coin, worth: worthOf(coin) }))
    .filter(({ worth }) => worth > 0n)
    .sort((a, b) => (a.worth === b.worth ? byOutpoint(a.coin, b.coin) : a.worth > b.worth ? -1 : 1))
    .map(({ coin }) => coin);
  const needs = (inputs: readonly Coin[]): bigint => {
    const outputs = [...promised, ...tokensBack(inputs, terms)];
    const joining = Math.max(inputs.length, 1) - 1;
    const size = FRAME_SIZE + INPUT_SIZES.spend + joining * INPUT_SIZES.join + sizeOf(outputs);
    return sumSatoshis(outputs) + feeFor(size);
  };
  for (let count = 0; count <= candidates.length; count += 1) {
    const inputs = [...chosen, ...candidates.slice(0, count)];
    if (inputs.length > 0 && sumSatoshis(inputs) >= needs(inputs)) return inputs;
  }
  const all = [...chosen, ...candidates];
  throw insufficientSatoshis(terms.vault.contract_address, sumSatoshis(all), needs(all));
};

/** A spend of a vault on a network: its coins, and its outputs with the change. */
export type BuiltSpend = Pick<SpendTerms, 'vault' | 'network'> & {
  readonly spend: { readonly coins: readonly Coin[]; readonly outputs: readonly Output[] };
};

/** Both slots empty, for the first two signers. */
export const emptySlots = ({ signer_pubkeys: keys }: Pick<VaultRecord, 'signer_pubkeys'>): readonly Slot[] =>
  [0, 1].map((index) => ({ public_key: keys[index] ?? '', signature: EMPTY_SIGNATURE }));

/**
 * The transaction of a spend, with what stands in the two signature slots of input 0, in any order: the contract asks for
 * that of its keys. Whatever stands there, its unsigned id is the same.
 */
export const rebuildSpend = (
  { vault, network, spend: { coins, outputs } }: BuiltSpend,
  slots: readonly Slot[],
): UnsignedTransaction => {
  const contract = vaultContract(vault, network);
  const { signer_pubkeys: keys } = vault;
  const args = [...slots]
    .sort((a, b) => keys.indexOf(a.public_key) - keys.indexOf(b.public_key))
    .flatMap(({ public_key, signature }) => [hexToBin(public_key), hexToBin(signature)]);
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

/** @throws insufficient_funds, in BCH or in a token */
const buildLed = (terms: Led): UnsignedTransaction => {
  const { lead, payments, vault } = terms;
  const promised = [...lead.map(leadOnward), ...payments];
  const coins = chooseCoins([...lead, ...chooseTokenCoins(terms)], promised, terms);
  const outputs = [...promised, ...tokensBack(coins, terms)];
  return rebuildSpend({ ...terms, spend: { coins, outputs } }, emptySlots(vault));
};

/**
 * Builds a spend: the thread at input 0 when it is free, then the coins of the tokens that are paid, then those that
 * are worth most. What is left comes back to the vault, NFTs included. Where that does not suffice, a coin like the
 * thread leads in its place: no two of them move at once.
 *
 * @throws insufficient_funds, in BCH or in a token
 */
export const buildVaultSpend = (terms: SpendTerms): UnsignedTransaction => {
  const { thread, alike = [] } = terms;
  const others = [...alike].sort((a, b) => (a.satoshis > b.satoshis ? -1 : 1)).map((coin) => [coin]);
  let refusal: unknown;
  for (const lead of [thread === null ? [] : [thread], ...others]) {
    try {
      return buildLed({ ...terms, lead });
    } catch (error) {
      if (!isInsufficient(error)) throw error;
      refusal ??= error;
    }
  }
  throw refusal;
};

/** The digest of a spend as every signer sees it, whoever has signed. Nothing is bound for it: lists ask for many. */
export const spendDigest = (
  { coins, outputs }: { readonly coins: readonly Coin[]; readonly outputs: readonly Output[] },
  network: Network,
): string => {
  const inputs = coins.map(({ txid, vout }) => ({
    txid,
    vout,
    sequence: SPEND_SEQUENCE,
    unlockingBytecode: '',
  }));
  const transaction = toLibauthTransaction({ version: SPEND_VERSION, locktime: 0, inputs, outputs });
  return transactionDigest({ transaction, sourceOutputs: coins.map(toLibauthOutput) }, network);
};

/** The id of a transaction as it was before anybody signed. */
export const unsignedTxid = ({ inputs, ...transaction }: LibauthTransaction): string =>
  hashTransaction(
    encodeTransaction({
      ...transaction,
      inputs: inputs.map((input) => ({ ...input, unlockingBytecode: new Uint8Array() })),
    }),
  );
