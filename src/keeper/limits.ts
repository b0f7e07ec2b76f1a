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
  /** Of the service's clock. */
  readonly now: number;
};

/** How long a record that was pushed is left alone where no minimum says when it is worth it again, seconds. */
const PUSHED_SECONDS = 12 * 3_600;

/** Checks that what vests every second does not use up the fees that others are paid with. @throws keeper_refused */
const checkPushed = ({ rule, label, moves, now }: Asked, acts: readonly KeeperAct[]): void => {
  if (rule.flow !== 'pushes' || [...moves.moved.keys()].some((category) => rule.least.has(category))) return;
  const isRecent = ({ task, label: pushed, booked_at: at }: KeeperAct): boolean =>
    task === rule.do && pushed === label && at <= now && now - at < PUSHED_SECONDS;
  if (acts.some(isRecent))
    throw refused(
      label,
      'it was pushed in the last 12 hours, and its rule has no "minimum" for more than that',
    );
};

/**
 * Checks that an act keeps within the limits of a day.
 *
 * @param acts those of the last 24 hours, without this one
 * @throws keeper_refused
 */
export const checkLimits = async (
  asked: Asked,
  acts: readonly KeeperAct[],
  store: StoreReader,
): Promise<void> => {
  const { rule, label, moves, mostFees } = asked;
  checkPushed(asked, acts);
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
