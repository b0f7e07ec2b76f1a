/**
 * What people write on the command line, put into the form that operations take: a name becomes its address, a date unix
 * seconds, a duration seconds, the symbol of a token its category, an amount with its unit a plain one. The API keeps its
 * own strict forms.
 */
import { readDate, readLastSecond, showLocalDate } from '../bch/date.js';
import { parseSeconds, showDuration } from '../bch/duration.js';
import {
  ADDRESS_FORMAT,
  AMOUNT_FORMAT,
  CATEGORY_FORMAT,
  DATE_FORMAT,
  DURATION_FORMAT,
  LAST_SECOND_FORMAT,
} from '../bch/fields.js';
import { cut, invalidField } from '../errors.js';
import type { Context } from '../operation/context.js';
import { findToken } from '../record/amount-of-asset.js';
import type { Call } from './call.js';
import { askConsent } from './consent.js';
import { priceDollars } from './dollars.js';
import type { RawInput } from './gather-input.js';
import type { Session as FullSession } from './session.js';
import { readAmountMeaning, type Meaning, type NamedAssets } from './written-amounts.js';
import { replaceWritten, writtenIn, type Target, type Written } from './written-input.js';
import { readAddressName } from './written-names.js';

type Site = Pick<Context, 'store' | 'clock' | 'keys' | 'network'>;

type Session = { readonly call: Pick<Call, 'output'>; readonly context: Site };

type Reader = (written: Written, site: Site) => Meaning | Promise<Meaning>;

const dateReader =
  (read: typeof readDate): Reader =>
  async ({ text, path }, { clock }) => {
    const reading = await read(text, clock.now());
    if ('problem' in reading) throw invalidField(path, `"${cut(text)}" is no date: ${reading.problem}`);
    const { value } = reading;
    return /^\d+$/.test(text) ? { value } : { value, note: `"${text}" is ${showLocalDate(value)}` };
  };

const READERS: Readonly<Record<string, Reader>> = {
  [ADDRESS_FORMAT]: async ({ text, path }, site) => {
    const { address, ...more } = await readAddressName(text, site, path);
    return { value: address, ...more };
  },
  [DATE_FORMAT]: dateReader(readDate),
  [LAST_SECOND_FORMAT]: dateReader(readLastSecond),
  [DURATION_FORMAT]: ({ text, path }) => {
    const value = parseSeconds(text, path);
    const said = showDuration(value);
    return said === text.trim() ? { value } : { value, note: `"${text}" is ${said}` };
  },
  [CATEGORY_FORMAT]: async ({ text, path }, { store }) => {
    if (/^[0-9a-f]{64}$/i.test(text)) return { value: text.toLowerCase() };
    const found = await findToken(text.trim(), store);
    if ('problem' in found) throw invalidField(path, `"${cut(text)}": expected ${found.problem}`);
    const { id, symbol } = found.value;
    return { value: id, note: `${symbol} is the token of category ${id}` };
  },
};

/** What units have named, put beside what names a token: where nothing did, an amount has said which it is. */
const addedBy =
  (named: NamedAssets, scopes: ReadonlyMap<string, boolean>) =>
  (path: string): Readonly<Record<string, unknown>> => {
    const category = named.get(path)?.category ?? null;
    if (category === null) return {};
    return { tokenCategory: category, ...(scopes.get(path) === true ? { tokenType: 'FUNGIBLE_TOKEN' } : {}) };
  };

/**
 * The input with what each text in it stands for. That is said on stderr, also with `--quiet`: nobody should sign for a
 * name alone, or for another day than they meant. Dollars stay (`$50`): see {@link agreeOnDollars}.
 *
 * @throws contact_not_found, invalid_address, invalid_input, invalid_amount, and what finding the record throws
 */
export const readWrittenValues = async (
  target: Target,
  input: RawInput,
  { call, context }: Session,
): Promise<RawInput> => {
  const said = new Set<string>();
  const say = (note: string | undefined): void => {
    if (note === undefined || said.has(note)) return;
    said.add(note);
    call.output.warn(note);
  };
  const meanings = new Map<string, unknown>();
  const keep = (path: string, { value, note }: Meaning): void => {
    meanings.set(path, value);
    say(note);
  };
  const meant = ({ path, text }: Written): unknown => (meanings.has(path) ? meanings.get(path) : text);
  for (const written of writtenIn(target, input)) {
    const reader = READERS[written.format];
    if (reader !== undefined) keep(written.path, await reader(written, context));
  }
  // Amounts come last: the record and the token that they are in are known then.
  const named: NamedAssets = new Map();
  const read = replaceWritten(target, input, meant);
  const amounts = writtenIn(target, read).filter(({ format }) => format === AMOUNT_FORMAT);
  const site = { operation: target.operation, input: read, store: context.store };
  for (const written of amounts) keep(written.path, await readAmountMeaning(written, site, named));
  const scopes = new Map(
    amounts.flatMap(({ scope }) => (scope === null ? [] : [[scope.path, scope.hasType]])),
  );
  return replaceWritten(target, read, meant, addedBy(named, scopes));
};

/**
 * The input with BCH in the place of dollars, which the operator has agreed to. Rate and age are said on stderr.
 *
 * @throws rate_unavailable, invalid_amount, declined, missing_value (nobody to ask)
 */
export const agreeOnDollars = async (
  target: Target,
  input: RawInput,
  session: FullSession,
): Promise<RawInput> => {
  const { input: priced, taken, notes } = await priceDollars(target, input, session.context);
  for (const note of notes) session.call.output.warn(note);
  if (taken.length > 0) {
    const question = `${taken.join(', ')}. Go on?`;
    await askConsent(session, { question, endingLabel: null, confirmed: undefined });
  }
  return priced;
};
