/** How amounts, parties and times are said here: with the names and units that this home knows, and no others. */
import { hexToBin } from '@bitauth/libauth';
import { durationParts } from '../../../bch/duration.js';
import { addressOf, addressOfHash } from '../../../bch/address.js';
import { BCH_DECIMALS, formatUnits } from '../../../bch/amount.js';
import { showDate } from '../../../bch/show-date.js';
import type { Voice } from '../../../covenant/contract-words.js';
import type { Context } from '../../../operation/context.js';
import { symbolOf, tokenCollection, type TokenRecord } from '../../../record/assets.js';
import { contactCollection } from '../../../record/contacts.js';

const UNITS = { d: 'day', h: 'hour', m: 'minute', s: 'second' } as const;

/** `30 days`, `1 day 12 hours`. */
const durationWords = (seconds: number): string =>
  durationParts(seconds)
    .map(([count, unit]) => `${count} ${UNITS[unit]}${count === 1 ? '' : 's'}`)
    .join(' ') || '0 seconds';

/** A voice, and what it had no word for. */
export type HomeVoice = Voice & {
  /** The name that this home has for an address: of a contact or a wallet; null for none. */
  readonly nameOf: (lockingBytecode: string) => string | null;
  /** True for a category whose units are known. */
  readonly knowsToken: (category: string) => boolean;
};

const ALL = { limit: Number.MAX_SAFE_INTEGER };

/** The voice of a home. */
export const voiceOf = async ({
  network,
  store,
  keys,
}: Pick<Context, 'network' | 'store' | 'keys'>): Promise<HomeVoice> => {
  const contacts = (await store.find(contactCollection, ALL)).items;
  const tokens = (await store.find(tokenCollection, ALL)).items;
  const wallets = await keys.list();
  const names = new Map([
    ...contacts.map(({ address, id }) => [address, `@${id}`] as const),
    ...wallets.map(({ address, name }) => [address.text, `wallet ${name}`] as const),
  ]);
  const symbols = tokens.map((token) => symbolOf(token));
  const isUnsure = (symbol: string, { symbol: own }: TokenRecord): boolean =>
    symbol !== own || symbols.filter((one) => one.toLowerCase() === symbol.toLowerCase()).length > 1;
  const units = new Map(
    tokens.map((token): [string, { decimals: number; unit: string }] => {
      const symbol = symbolOf(token);
      return [
        token.id,
        { decimals: token.decimals, unit: isUnsure(symbol, token) ? `${symbol} (${token.id})` : symbol },
      ];
    }),
  );
  const nameOf = (lockingBytecode: string): string | null =>
    names.get(addressOf(lockingBytecode, network)?.text ?? '') ?? null;
  const lock = (lockingBytecode: string): string => {
    const text = addressOf(lockingBytecode, network)?.text ?? `the script ${lockingBytecode}`;
    const name = nameOf(lockingBytecode);
    return name === null ? text : `${text} (${name})`;
  };
  return {
    nameOf,
    knowsToken: (category) => units.has(category),
    amount: (amount, category) => {
      if (category === null) return `${formatUnits(amount, BCH_DECIMALS)} BCH`;
      const known = units.get(category);
      return known === undefined
        ? `${amount} smallest units of the token ${category}`
        : `${formatUnits(amount, known.decimals)} ${known.unit}`;
    },
    party: (keyHash) => lock(addressOfHash(hexToBin(keyHash), network).lockingBytecode),
    lock,
    date: (seconds) => showDate(seconds),
    duration: durationWords,
  };
};
