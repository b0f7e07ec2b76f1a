/**
 * Amounts as people write them, on the command line: `0.25 BCH`, `25000 sats`, `100 GEMS`.
 *
 * The unit has to be that of the record, or of the token that is named beside it. Where neither says anything, the unit
 * itself says which token the command is about. Dollars wait for their rate (`dollars.ts`).
 */
import { readAmountWithUnit, type AmountWithUnit } from '../bch/amount-with-unit.js';
import { cut, TreasuryError } from '../errors.js';
import type { AnyOperation } from '../operation/define.js';
import type { StoreReader } from '../operation/ports/store.js';
import { findToken, unitName, unitProblem, type AssetName } from '../record/amount-of-asset.js';
import { BCH, tokenAsset } from '../record/assets.js';
import { faceOf } from './fields.js';
import type { RawInput } from './gather-input.js';
import type { Scope, Written } from './written-input.js';

/** What a text stands for, and what is to be said of that. */
export type Meaning = { readonly value: unknown; readonly note?: string };

type Unit = NonNullable<AmountWithUnit['unit']>;

/** Where amounts stand: the operation that they are for, and its input with everything else read. */
export type AmountSite = {
  readonly operation: AnyOperation;
  readonly input: RawInput;
  readonly store: StoreReader;
};

/** The assets that units have named so far, by the path of what names its token. */
export type NamedAssets = Map<string, AssetName>;

/** @throws invalid_amount */
const refuse = ({ path, text }: Pick<Written, 'path' | 'text'>, expected: string): never => {
  const message = `"${cut(text)}" is not a usable amount: expected ${expected}`;
  throw new TreasuryError('invalid_amount', {
    field: path,
    value: text,
    expected,
    issues: [{ path, message }],
  });
};

/** The asset that a command says beside the amount: `token` and null leave open which. */
const saidAsset = async ({ values }: Scope, store: StoreReader): Promise<AssetName | 'token' | null> => {
  const { tokenCategory, tokenType } = values;
  if (typeof tokenCategory === 'string') return tokenAsset(tokenCategory, store);
  if (typeof tokenType !== 'string') return null;
  return tokenType === 'BCH' ? BCH : 'token';
};

/** The asset that amounts at a place are in, as far as something other than their unit says so. */
const assetAt = async (
  { unit: kind, scope }: Written,
  { operation, input, store }: AmountSite,
  named: NamedAssets,
): Promise<AssetName | 'token' | null> => {
  if (kind === 'BCH') return BCH;
  const known = await faceOf(operation)?.assetOf?.(input, store);
  if (known !== undefined && known !== null) return known;
  if (scope === null) return BCH;
  const said = named.get(scope.path) ?? (await saidAsset(scope, store));
  return said ?? (kind === 'token' ? 'token' : null);
};

/** The asset that a unit names. @throws invalid_amount */
const assetOfUnit = async (
  written: Written,
  unit: Unit,
  isToken: boolean,
  store: StoreReader,
): Promise<AssetName> => {
  if (typeof unit === 'string')
    return isToken ? refuse(written, 'an amount of a token, such as "100 GEMS"') : BCH;
  if (/^[0-9a-f]{64}$/i.test(unit.symbol)) return tokenAsset(unit.symbol.toLowerCase(), store);
  const found = await findToken(unit.symbol, store);
  return 'problem' in found
    ? refuse(written, found.problem)
    : { category: found.value.id, symbol: found.value.symbol };
};

/** What is only a number: a percentage, a weight; or the amount of a token that the command names. @throws invalid_amount */
const checkNoUnit = (written: Written, { decimal, unit }: AmountWithUnit, own: unknown): void => {
  const isOwn = typeof unit === 'object' && unit?.symbol.toLowerCase() === String(own).toLowerCase();
  if (unit !== null && !isOwn) refuse(written, `a number without a unit: write ${decimal}`);
};

/**
 * What an amount stands for: plain decimal text, or `$50` where it is one of dollars.
 *
 * @param named the tokens that units name are added to it
 * @throws invalid_amount, and what finding the record throws
 */
export const readAmountMeaning = async (
  written: Written,
  site: AmountSite,
  named: NamedAssets,
): Promise<Meaning> => {
  const text = written.unit === 'none' ? written.text.replace(/\s*%\s*$/, '') : written.text;
  const reading = readAmountWithUnit(text);
  if ('problem' in reading) return refuse(written, reading.problem);
  const { decimal, unit } = reading.value;
  if (written.unit === 'none' || written.unit === 'own') {
    checkNoUnit(written, reading.value, written.unit === 'own' ? site.input['symbol'] : undefined);
    return { value: decimal };
  }
  if (unit === null) return { value: decimal };
  const known = await assetAt(written, site, named);
  const isOpen = known === null || known === 'token';
  const asset = isOpen ? await assetOfUnit(written, unit, known === 'token', site.store) : known;
  if (unit === 'usd') {
    if (asset.category !== null)
      refuse(written, `an amount of ${asset.symbol}: a rate of dollars there is for BCH alone`);
    return { value: `$${decimal}` };
  }
  const problem = unitProblem(reading.value, asset);
  if (problem !== null) refuse(written, problem);
  if (written.scope !== null) named.set(written.scope.path, asset);
  if (unit === 'bch' && /bch$/i.test(text)) return { value: decimal };
  if (unit === 'bch') return { value: decimal, note: `"${text}" is ${decimal} BCH` };
  return {
    value: decimal,
    note: `"${text}" is of the token ${unitName(unit)}, category ${asset.category ?? ''}`,
  };
};
