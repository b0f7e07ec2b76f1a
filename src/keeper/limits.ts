/** What a rule and all rules together may still move and pay in fees, of what the store remembers of the last 24 hours. */
import { BCH_DECIMALS, formatUnits } from '../bch/amount.js';
import type { StoreReader } from '../operation/ports/store.js';
import { tokenAsset } from '../record/assets.js';
import type { KeeperAct } from '../record/keeper.js';
import type { KnownRule } from './known-rule.js';
import { refused, type Moves } from './look.js';

/** What the fees of a vault's spend come out of is the vault. */
const isOwnFee = ({ task }: Pick<KeeperAct, 'task'>): boolean => task !== 'vaults spend broadcast';

export const feesOf = (acts: readonly KeeperAct[]): bigint =>
  acts.filter(isOwnFee).reduce((sum, { fee }) => sum + fee, 0n);

const movedOf = (acts: readonly KeeperAct[], { name }: KnownRule, category: string | null): bigint =>
  acts
    .filter(({ rule }) => rule === name)
    .flatMap(({ moved }) => moved)
    .filter((one) => one.category === category)
    .reduce((sum, { units }) => sum + units, 0n);

type Asked = {
  readonly rule: KnownRule;
  readonly label: string;
  readonly moves: Moves;
  /** Of all rules, satoshis. */
  readonly mostFees: bigint;
};

/**
 * Checks that an act keeps within the limits of a day.
 *
 * @param acts those of the last 24 hours, without this one
 * @throws keeper_refused
 */
export const checkLimits = async (
  { rule, label, moves, mostFees }: Asked,
  acts: readonly KeeperAct[],
  store: StoreReader,
): Promise<void> => {
  const fees = feesOf(acts) + (isOwnFee({ task: rule.do }) ? moves.fee : 0n);
  if (fees > mostFees)
    throw refused(
      label,
      `with its fee, those of 24 hours come to ${formatUnits(fees, BCH_DECIMALS)} BCH, and "feesPerDay" is ${formatUnits(mostFees, BCH_DECIMALS)} BCH`,
    );
  if (rule.mostPerDay === null) return;
  for (const [category, units] of moves.moved) {
    const most = rule.mostPerDay.get(category);
    // What is taken is limited where somebody limits it.
    if (most === undefined && (rule.flow === 'takes' || rule.flow === 'pushes')) continue;
    const sum = movedOf(acts, rule, category) + units;
    if (most !== undefined && sum <= most) continue;
    // The dust that tokens lie on is nothing that is paid.
    if (most === undefined && category === null && units <= 3_000n && moves.moved.size > 1) continue;
    const { symbol, decimals } =
      category === null ? { symbol: 'BCH', decimals: BCH_DECIMALS } : await tokenAsset(category, store);
    const limit = most === undefined ? 'names none of it' : `is ${formatUnits(most, decimals)} ${symbol}`;
    throw refused(
      label,
      `in 24 hours it would come to ${formatUnits(sum, decimals)} ${symbol}, and "perDay" of its rule ${limit}`,
    );
  }
};
