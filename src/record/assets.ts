/** What an amount is counted in: BCH, or a token with the decimals the registry gives. */
import { z } from 'zod';
import { BCH_DECIMALS, showAmounts, MAXIMUM_SATOSHIS, MAXIMUM_TOKEN_AMOUNT } from '../bch/amount.js';
import type { Holding } from '../bch/coins.js';
import { Hex32, type TokenType } from '../bch/fields.js';
import { defineKeptRecord } from './kept-record.js';
import { defineCollection, type StoreReader } from '../operation/ports/store.js';
import { invalidInput } from '../operation/read-input.js';

/** A token of the registry. Its id is the category. Source: BCMR (symbol, decimals, name). */
export const TokenRecord = z.object({
  id: Hex32,
  symbol: z.string().min(1).max(26),
  name: z.string().max(200),
  decimals: z.int().min(0).max(18),
  /** `created` here, `added` by hand, or `imported` from a BCMR registry file. */
  source: z.enum(['created', 'added', 'imported']),
  created_at: z.int(),
});
export type TokenRecord = z.output<typeof TokenRecord>;

export const tokenCollection = defineCollection({
  name: 'tokens',
  schema: TokenRecord,
  indexes: { symbol: (token) => token.symbol.toLowerCase() },
});

/** The registry of tokens: a store may call one otherwise than the file, and keeps what it says. */
export const keptTokens = defineKeptRecord<TokenRecord>({
  collection: tokenCollection,
  pack: (token) => token,
  identity: ({ id }) => id,
});

export type Asset = {
  readonly tokenType: z.output<typeof TokenType>;
  /** 64 hex digits; null for BCH. */
  readonly category: string | null;
  /** Pinned on the record at creation: a later change of the registry changes no record. */
  readonly decimals: number;
  readonly symbol: string;
  /** The most there can be, in the smallest unit. */
  readonly maximum: bigint;
};

export const BCH: Asset = {
  tokenType: 'BCH',
  category: null,
  decimals: BCH_DECIMALS,
  symbol: 'BCH',
  maximum: MAXIMUM_SATOSHIS,
};

/** What a token may call itself, and never is: also with marks about it, as in `BCH.`. */
const RESERVED = /^(?:bch|sats?|satoshis?|usd|)$/i;

/** One word of what every keyboard has. Letters of other scripts look like `BCH` too, and words go on with a sentence. */
const PLAIN_SYMBOL = /^[!-~]+$/;

/**
 * What amounts of a token are called: its symbol, unless that is another currency's name, or may be read as one.
 * Source: BCMR has symbols of capital letters, digits and dashes.
 */
export const symbolOf = ({ id, symbol }: Pick<TokenRecord, 'id' | 'symbol'>): string =>
  !PLAIN_SYMBOL.test(symbol) || RESERVED.test(symbol.replace(/[^A-Za-z0-9]/g, '')) ? shortAsset(id) : symbol;

/** The asset of a token category: its registered decimals, 0 when it is not registered. */
export const tokenAsset = async (category: string, store: StoreReader): Promise<Asset> => {
  const token = await store.get(tokenCollection, category);
  return {
    tokenType: 'FUNGIBLE_TOKEN',
    category,
    decimals: token?.decimals ?? 0,
    symbol: token === null ? shortAsset(category) : symbolOf(token),
    maximum: MAXIMUM_TOKEN_AMOUNT,
  };
};

/**
 * The asset that a request names.
 *
 * @throws invalid_input when FUNGIBLE_TOKEN comes without a category, or BCH with one
 */
export const requestedAsset = async (
  {
    tokenType,
    tokenCategory,
  }: { readonly tokenType: Asset['tokenType']; readonly tokenCategory?: string | null | undefined },
  store: StoreReader,
): Promise<Asset> => {
  const category = tokenCategory ?? null;
  if (tokenType === 'BCH') {
    if (category === null) return BCH;
    throw invalidInput([
      { path: 'tokenCategory', message: 'is only for FUNGIBLE_TOKEN; leave it out for BCH' },
    ]);
  }
  if (category !== null) return tokenAsset(category, store);
  throw invalidInput([{ path: 'tokenCategory', message: 'is required when tokenType is FUNGIBLE_TOKEN' }]);
};

/** What is held of one token, as answers show it. */
export const HoldingReply = z.object({
  category: z.string(),
  symbol: z.string(),
  decimals: z.number(),
  amount: z.number().describe('Display units'),
  amountOnChain: z.string().describe('Smallest unit'),
  nfts: z.number(),
});

/** What is held of each token, by what the registry says of it. */
export const showHoldings = (
  holdings: readonly Holding[],
  store: StoreReader,
): Promise<z.output<typeof HoldingReply>[]> =>
  Promise.all(
    holdings.map(async ({ category, amount, nfts }) => {
      const { symbol, decimals } = await tokenAsset(category, store);
      return { category, symbol, decimals, ...showAmounts({ amount }, decimals), nfts };
    }),
  );

/** An asset in a column: `BCH`, or the first digits of its category. */
export const shortAsset = (category: string | null): string =>
  category === null ? 'BCH' : `${category.slice(0, 8)}...`;
