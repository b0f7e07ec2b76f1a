/** Many steps in one look: what they take together, what that costs, and what became of them. */
import { BCH_DECIMALS, formatUnits } from '../bch/amount.js';
import type { EachItem, LeftOut, View, Worth } from '../operation/define.js';
import { tellLeftOut } from '../offer/worth-claiming.js';
import type { StoreReader } from '../operation/ports/store.js';
import { BCH, tokenAsset } from '../record/assets.js';

/** Records that are named one by one; more of them are only counted. */
const MOST_SHOWN = 20;

/** What there is of one asset. */
export type Total = {
  /** 64 hex digits; null for BCH. */
  readonly category: string | null;
  readonly symbol: string;
  readonly units: bigint;
  readonly decimals: number;
};

type Amount = Pick<Worth, 'units' | 'category' | 'decimals'>;

const symbolOf = async (category: string | null, store: StoreReader): Promise<string> =>
  category === null ? BCH.symbol : (await tokenAsset(category, store)).symbol;

/** Amounts added up by their assets, BCH first. */
export const totalsOf = async (amounts: readonly Amount[], store: StoreReader): Promise<readonly Total[]> => {
  const categories = [...new Set(amounts.map(({ category }) => category))];
  const totals = await Promise.all(
    categories.map(async (category) => {
      const alike = amounts.filter((amount) => amount.category === category);
      return {
        category,
        symbol: await symbolOf(category, store),
        units: alike.reduce((sum, { units }) => sum + units, 0n),
        decimals: alike[0]?.decimals ?? 0,
      };
    }),
  );
  return totals.sort((a, b) => Number(b.category === null) - Number(a.category === null));
};

/** `0.03 BCH and 100 GEMS` */
export const tellTotals = (totals: readonly Total[]): string =>
  totals.map(({ units, decimals, symbol }) => `${formatUnits(units, decimals)} ${symbol}`).join(' and ');

/** Totals as documents have them. */
export const showTotals = (totals: readonly Total[]) =>
  totals.map(({ category, symbol, units, decimals }) => ({
    asset: category ?? 'BCH',
    symbol,
    amount: formatUnits(units, decimals),
    amountOnChain: units.toString(),
  }));

const tellFees = (items: readonly EachItem[]): string => {
  const known = items.flatMap(({ worth }) => worth?.fee ?? []);
  const sum = formatUnits(
    known.reduce((total, fee) => total + fee, 0n),
    BCH_DECIMALS,
  );
  const unknown = items.length - known.length;
  if (known.length === 0) return 'shown with each of them';
  return `about ${sum} BCH${unknown === 0 ? '' : `, and what ${unknown} more cost`}`;
};

/** What many steps do together. @param who signs, and pays what they cost */
export const summariseEach = async (
  items: readonly EachItem[],
  { who, left, store }: { readonly who: string; readonly left: LeftOut | null; readonly store: StoreReader },
): Promise<View> => {
  const amounts = items.flatMap(({ worth }) => worth ?? []);
  const shown = items.slice(0, MOST_SHOWN);
  const more = items.length - shown.length;
  const rows = await Promise.all(
    shown.map(async ({ label, worth }) => [
      label,
      worth === undefined ? '' : tellTotals(await totalsOf([worth], store)),
      worth?.fee == null ? '' : `${formatUnits(worth.fee, BCH_DECIMALS)} BCH`,
    ]),
  );
  return [
    { kind: 'table', head: ['For', 'Amount', 'Fee'], rows },
    ...(more === 0 ? [] : [{ kind: 'text' as const, text: `and ${more} more` }]),
    {
      kind: 'facts',
      rows: [
        ['Transactions', String(items.length)],
        ...(amounts.length === 0 ? [] : [['In all', tellTotals(await totalsOf(amounts, store))] as const]),
        ['Fees', tellFees(items)],
        ['Signed by', who],
      ],
    },
    ...(left === null || left.count === 0 ? [] : [{ kind: 'text' as const, text: tellLeftOut(left) }]),
  ];
};
