/** What the names in a rule stand for in this home at this moment: a wallet, amounts of assets, addresses, hours. */
import { BCH_DECIMALS, readAmount, toUnits } from '../bch/amount.js';
import { readAmountWithUnit } from '../bch/amount-with-unit.js';
import { parseAddress } from '../bch/address.js';
import { parseSeconds } from '../bch/duration.js';
import { isTreasuryError } from '../errors.js';
import { readAddressName } from '../cli/written-names.js';
import type { Context } from '../operation/context.js';
import { isRemote, type WalletInfo } from '../operation/ports/keys.js';
import { findToken } from '../record/amount-of-asset.js';
import { tokenCollection } from '../record/assets.js';
import { normaliseLabel } from '../record/labels.js';
import { readHours, type Hours } from './hours.js';
import { badField, listOf, type Rule, type Rules } from './rules.js';

type Site = Pick<Context, 'store' | 'keys' | 'network'>;

/** Smallest units by asset; the key null is BCH. */
export type Amounts = ReadonlyMap<string | null, bigint>;

/** A rule whose names are known. */
export type KnownRule = Rule & {
  readonly signer: WalletInfo;
  /** Normalised labels; null: all. */
  readonly labels: readonly string[] | null;
  readonly least: Amounts;
  /** Satoshis. */
  readonly mostFee: bigint;
  /** Null: no limit but that of the fees. */
  readonly mostPerDay: Amounts | null;
  readonly hours: Hours | null;
  /** Locking bytecodes that may be paid. */
  readonly payees: readonly string[];
  /** Seconds before the end; null where it has none. */
  readonly ahead: number | null;
};

type Place = { readonly rule: Pick<Rule, 'number' | 'name'>; readonly field: string };

const tokenOf = async (unit: string, { rule, field }: Place, { store }: Site) => {
  const known = await store.get(tokenCollection, unit.toLowerCase());
  if (known !== null) return known;
  const reading = await findToken(unit, store);
  if ('problem' in reading) throw badField(rule, field, `expected ${reading.problem}`);
  return reading.value;
};

/** An amount with its unit. @throws invalid_input, which names the rule and the field */
const readUnits = async (
  text: string,
  place: Place,
  site: Site,
): Promise<readonly [string | null, bigint]> => {
  const { rule, field } = place;
  const reading = readAmountWithUnit(text);
  if ('problem' in reading)
    throw badField(rule, field, `"${text}" is no amount: expected ${reading.problem}`);
  const { decimal, unit } = reading.value;
  if (unit === null || unit === 'usd')
    throw badField(rule, field, `"${text}" has no asset: write "${decimal} BCH", or the symbol of a token`);
  const token = unit === 'bch' ? null : await tokenOf(unit.symbol, place, site);
  const written = readAmount(decimal);
  try {
    if (written === null) throw badField(rule, field, `"${text}" is no amount`);
    return [token?.id ?? null, toUnits(written, token?.decimals ?? BCH_DECIMALS, field)];
  } catch (error) {
    throw isTreasuryError(error) ? badField(rule, field, error.message) : error;
  }
};

const readAmounts = async (
  some: string | readonly string[] | undefined,
  place: Place,
  site: Site,
): Promise<Amounts> => {
  const found = new Map<string | null, bigint>();
  for (const text of listOf(some)) {
    const [category, units] = await readUnits(text, place, site);
    if (found.has(category)) throw badField(place.rule, place.field, `names an asset twice: "${text}"`);
    found.set(category, units);
  }
  return found;
};

const readBch = async (text: string, place: Place, site: Site): Promise<bigint> => {
  const [category, units] = await readUnits(text, place, site);
  if (category !== null) throw badField(place.rule, place.field, `"${text}": fees are paid in BCH`);
  return units;
};

const walletOf = async (rule: Rule, { keys }: Site): Promise<WalletInfo> => {
  const found = (await keys.list()).find(({ name }) => name === rule.wallet);
  if (found !== undefined && isRemote(found.origin))
    throw badField(
      rule,
      'wallet',
      `"${rule.wallet}" is on a phone: a keeper signs with keys of this home alone`,
    );
  if (found !== undefined) return found;
  throw badField(
    rule,
    'wallet',
    `there is no wallet "${rule.wallet}" in this home: \`treasury wallet list\` shows those there are`,
  );
};

const payeesOf = async (rule: Rule, site: Site): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const text of listOf(rule.to)) {
    try {
      const { address } = await readAddressName(text, site, 'to');
      found.push(parseAddress(address, site.network, 'to').lockingBytecode);
    } catch (error) {
      throw isTreasuryError(error) ? badField(rule, 'to', error.message) : error;
    }
  }
  return found;
};

/** Looks the names of a rule up. @throws invalid_input, which names the rule and the field */
export const knowRule = async (rule: Rule, site: Site): Promise<KnownRule> => {
  const labels = listOf(rule.for);
  const hours = rule.between === undefined ? null : readHours(rule.between);
  return {
    ...rule,
    signer: await walletOf(rule, site),
    labels: labels.includes('all') ? null : labels.map(normaliseLabel),
    least: await readAmounts(rule.minimum, { rule, field: 'minimum' }, site),
    mostFee: await readBch(rule.feeAtMost, { rule, field: 'feeAtMost' }, site),
    mostPerDay:
      rule.perDay === undefined ? null : await readAmounts(rule.perDay, { rule, field: 'perDay' }, site),
    hours: hours !== null && 'value' in hours ? hours.value : null,
    payees: await payeesOf(rule, site),
    ahead: rule.before === undefined ? null : parseSeconds(rule.before),
  };
};

/** The most that fees may come to in 24 hours, satoshis. @throws invalid_input */
export const mostFees = ({ feesPerDay }: Rules, site: Site): Promise<bigint> =>
  readBch(feesPerDay, { rule: { number: 0, name: 'all rules' }, field: 'feesPerDay' }, site);
