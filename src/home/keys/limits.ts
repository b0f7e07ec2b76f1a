/** What a key is limited to: records, amounts in a time, networks. */
import {
  BCH_DECIMALS,
  MAXIMUM_SATOSHIS,
  MAXIMUM_TOKEN_AMOUNT,
  readAmount,
  toPositiveUnits,
} from '../../bch/amount.js';
import { parseSeconds } from '../../bch/duration.js';
import { cut, invalidField, TreasuryError } from '../../errors.js';
import type { Offer } from '../../operation/define.js';
import type { StoreReader } from '../../operation/ports/store.js';
import { readCidr } from '../../operation/script-keys/networks.js';
import type { KeyMaximum, ScriptKeyRecord } from '../../operation/script-keys/script-key.js';
import { findToken } from '../../record/amount-of-asset.js';
import { tokenAsset } from '../../record/assets.js';

const separated = (words: readonly string[]): string[] =>
  words
    .flatMap((word) => word.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '');

type Finder = (store: StoreReader, name: string) => Promise<{ readonly id: string }>;

/** Whatever finds a record by its name, of every product. What is funded in a batch is found as the batch: that is left out. */
const findersOf = (offers: readonly Offer[]): readonly Finder[] => [
  ...new Set(
    offers.flatMap((offer) =>
      'kind' in offer && offer.verb !== 'fund' && offer.record !== undefined ? [offer.record] : [],
    ),
  ),
];

const isNotFound = (error: unknown): boolean =>
  error instanceof TreasuryError && String(error.code).endsWith('_not_found');

/** @throws invalid_input when there is no such record */
const findRecord = async (name: string, finders: readonly Finder[], store: StoreReader) => {
  for (const find of finders) {
    try {
      return { id: (await find(store, name)).id, name: name.replace(/^#/, '') };
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  throw invalidField(
    'records',
    `there is no record "${cut(name)}": expected a label such as PAY-0001, or an id`,
  );
};

/** The records of `--records`; null where none are named: all of them. @throws invalid_input */
export const readRecords = async (
  words: readonly string[],
  offers: readonly Offer[],
  store: StoreReader,
): Promise<ScriptKeyRecord['records']> => {
  const names = separated(words);
  if (words.length > 0 && names.length === 0) throw invalidField('records', 'is empty');
  if (names.length === 0) return null;
  const finders = findersOf(offers);
  const found = await Promise.all(names.map((name) => findRecord(name, finders, store)));
  return found.filter(({ id }, index) => found.findIndex((other) => other.id === id) === index);
};

const MAXIMUM = /^(\S+?)(?:\s+(\S+))?\s*\/\s*(\S.*)$/;
const EXPECTED = 'an amount in a time, such as 0.5/30d, or 100 TEAM/7d for a token';

/** @throws invalid_input when no token, or more than one, has that symbol */
const tokenOf = async (name: string, store: StoreReader) => {
  if (/^[0-9a-f]{64}$/i.test(name)) return tokenAsset(name.toLowerCase(), store);
  const found = await findToken(name, store);
  if ('problem' in found) throw invalidField('max', `"${cut(name)}": expected ${found.problem}`);
  return tokenAsset(found.value.id, store);
};

/** @throws invalid_input, invalid_amount */
const readMaximum = async (text: string, store: StoreReader): Promise<KeyMaximum> => {
  const [, number = '', unit = 'BCH', period = ''] = MAXIMUM.exec(text) ?? [];
  const written = number === '' ? null : readAmount(number);
  if (written === null) throw invalidField('max', `"${cut(text)}" is none: expected ${EXPECTED}`);
  const seconds = parseSeconds(period, 'max');
  if (/^bch$/i.test(unit)) {
    const amount = toPositiveUnits(written, BCH_DECIMALS, 'max', MAXIMUM_SATOSHIS);
    return { category: null, symbol: 'BCH', decimals: BCH_DECIMALS, amount, seconds };
  }
  const { category, symbol, decimals } = await tokenOf(unit, store);
  const amount = toPositiveUnits(written, decimals, 'max', MAXIMUM_TOKEN_AMOUNT);
  return { category, symbol, decimals, amount, seconds };
};

/** The maximums of `--max`. @throws invalid_input, invalid_amount */
export const readMaximums = (words: readonly string[], store: StoreReader): Promise<KeyMaximum[]> =>
  Promise.all(separated(words).map((text) => readMaximum(text, store)));

/** The networks of `--from`. @throws invalid_input */
export const readNetworks = (words: readonly string[]): readonly string[] =>
  separated(words).map((text) => {
    const cidr = readCidr(text);
    if (cidr !== null) return `${cidr.address}/${cidr.bits}`;
    throw invalidField(
      'from',
      `"${cut(text)}" is no network: expected one such as 203.0.113.0/24, or an address`,
    );
  });
