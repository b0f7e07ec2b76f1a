/** Coins (UTXOs) and how they are chosen. */
import { TreasuryError } from '../errors.js';
import { formatUnits, BCH_DECIMALS } from './amount.js';

export type NftCapability = 'none' | 'mutable' | 'minting';

/** A token on a coin or an output. Source: CashTokens CHIP. */
export type Token = {
  /** 64 hex digits, in the order transaction ids are shown. */
  readonly category: string;
  /** Fungible amount in the smallest unit, 0 to 2^63 - 1. */
  readonly amount: bigint;
  readonly nft?: { readonly capability: NftCapability; /** Hex. */ readonly commitment: string };
};

export type Outpoint = { readonly txid: string; readonly vout: number };

/** An unspent output. */
export type Coin = Outpoint & {
  readonly satoshis: bigint;
  readonly token?: Token;
  /** Hex. */
  readonly lockingBytecode: string;
  /** Height of its block, or null while in the mempool. */
  readonly height: number | null;
};

/** An output to be made. */
export type Output = {
  /** Hex. */
  readonly lockingBytecode: string;
  readonly satoshis: bigint;
  readonly token?: Token;
};

/**
 * `txid:vout`, the way outpoints are written.
 *
 * @example
 * outpointText({ txid: 'ab'.repeat(32), vout: 1 }); // `${'ab'.repeat(32)}:1`
 */
export const outpointText = ({ txid, vout }: Outpoint): string => `${txid}:${vout}`;

/**
 * True for two that name one output, whatever else is said of it.
 *
 * @example
 * sameOutpoint(coin, tokenCoin); // false
 */
export const sameOutpoint = (a: Outpoint, b: Outpoint): boolean => a.txid === b.txid && a.vout === b.vout;

/** Largest first, then by outpoint, so that the same coins give the same choice. */
const byValue = (a: Coin, b: Coin): number =>
  a.satoshis === b.satoshis ? (outpointText(a) < outpointText(b) ? -1 : 1) : a.satoshis > b.satoshis ? -1 : 1;

/**
 * Coins without a token, largest first. Coins with tokens are never spent for their satoshis.
 *
 * @example
 * plainCoins([tokenCoin, coin]); // [coin]
 */
export const plainCoins = (coins: readonly Coin[]): Coin[] =>
  coins.filter((coin) => coin.token === undefined).sort(byValue);

/**
 * Coins that hold a fungible amount of `category` and no NFT, largest amount first.
 *
 * @example
 * fungibleCoins([coin, tokenCoin], category); // [tokenCoin]
 */
export const fungibleCoins = (coins: readonly Coin[], category: string): Coin[] =>
  coins
    .filter(({ token }) => token?.category === category && token.nft === undefined && token.amount > 0n)
    .sort((a, b) => {
      const [left, right] = [a.token?.amount ?? 0n, b.token?.amount ?? 0n];
      return left === right ? byValue(a, b) : left > right ? -1 : 1;
    });

/**
 * Fungible coins that hold at least `amount` of `category`, as few as possible; null when there is too little.
 *
 * @example
 * selectFungible([coin, tokenCoin], category, 500n); // [tokenCoin]
 * selectFungible([coin, tokenCoin], category, 501n); // null
 */
export const selectFungible = (coins: readonly Coin[], category: string, amount: bigint): Coin[] | null => {
  const chosen: Coin[] = [];
  let sum = 0n;
  for (const coin of fungibleCoins(coins, category)) {
    if (sum >= amount) break;
    chosen.push(coin);
    sum += coin.token?.amount ?? 0n;
  }
  return sum >= amount ? chosen : null;
};

/**
 * The sum of the satoshis of coins or outputs.
 *
 * @example
 * sumSatoshis([coin, tokenCoin]); // 100_001_000n
 */
export const sumSatoshis = (items: readonly { readonly satoshis: bigint }[]): bigint =>
  items.reduce((sum, { satoshis }) => sum + satoshis, 0n);

/**
 * The sum of the fungible amount of one category over coins or outputs.
 *
 * @example
 * sumTokens([coin, tokenCoin], category); // 500n
 */
export const sumTokens = (items: readonly { readonly token?: Token }[], category: string): bigint =>
  items.reduce((sum, { token }) => (token?.category === category ? sum + token.amount : sum), 0n);

/**
 * The categories of the tokens on coins or outputs, each once.
 *
 * @example
 * categoriesOf([coin, tokenCoin]); // [category]
 */
export const categoriesOf = (items: readonly { readonly token?: Token }[]): string[] => [
  ...new Set(items.flatMap(({ token }) => (token === undefined ? [] : [token.category]))),
];

/** A fungible amount and a number of NFTs of one category. */
export type Holding = { readonly category: string; readonly amount: bigint; readonly nfts: number };

/**
 * What coins hold of each token, by category.
 *
 * @example
 * holdingsOf([coin, tokenCoin]); // [{ category, amount: 500n, nfts: 0 }]
 */
export const holdingsOf = (coins: readonly Coin[]): Holding[] =>
  categoriesOf(coins)
    .sort()
    .map((category) => ({
      category,
      amount: sumTokens(coins, category),
      nfts: coins.filter(({ token }) => token?.category === category && token.nft !== undefined).length,
    }));

/**
 * `insufficient_funds` in BCH for an address.
 *
 * @example
 * insufficientSatoshis(alice.address.text, 1n, 2n).code; // 'insufficient_funds'
 */
export const insufficientSatoshis = (address: string, available: bigint, needed: bigint): TreasuryError =>
  new TreasuryError('insufficient_funds', {
    address,
    asset: 'BCH',
    available: formatUnits(available, BCH_DECIMALS),
    needed: formatUnits(needed, BCH_DECIMALS),
  });
