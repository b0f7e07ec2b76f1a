/** The page's words, amounts and moments. */
import test from 'ava';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { showAmount, showUnits, shorten } from '../../src/page/amounts.js';
import { languageOf, localeOf, say, showDistance } from '../../src/page/say.js';
import { en } from '../../src/page/words/en.js';
import { withPrefix } from '../../src/page/who.js';

const FOLDER = 'src/page';
const sources = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.startsWith('words'))
  .map((name) => readFileSync(join(FOLDER, name), 'utf8'))
  .join('\n');

/** Keys that are put together: their part before what is filled in. */
const prefixes = [...sources.matchAll(/`([a-z]+\.[a-z-]*)\$\{/g)].map(([, prefix = '']) => prefix);

test('every word is said somewhere', (t) => {
  const isSaid = (key: string) =>
    sources.includes(`'${key}'`) ||
    sources.includes(`"${key}"`) ||
    prefixes.some((prefix) => key.startsWith(prefix));
  t.deepEqual(
    Object.keys(en).filter((key) => !isSaid(key)),
    [],
  );
});

test('the forms of a word fill in the same', (t) => {
  const gaps = (text: string) =>
    [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))].filter((name) => name !== 'count');
  for (const [key, words] of Object.entries(en)) {
    if (typeof words === 'string') continue;
    const { one, other } = words;
    t.deepEqual(gaps(one).sort(), gaps(other).sort(), key);
  }
});

test('a word has the form of its number, and numbers stand as the language writes them', (t) => {
  t.is(say('waiting.title'), en['waiting.title']);
  t.is(say('runway.soon', { count: 1 }), '1 runs dry within 30 days.');
  t.is(say('runway.soon', { count: 1_200 }), '1,200 run dry within 30 days.');
  t.is(say('step.claim-short', { amount: '$& {label}' }), 'Claim $& {label}');
  t.is(say('step.claim', { amount: '1 BCH' }), 'Claim 1 BCH from {label}');
});

test('a reader without words in their language reads English', (t) => {
  t.is(languageOf(['de-CH', 'en-GB']), 'en');
  t.is(languageOf(['de']), 'en');
  t.is(languageOf([]), 'en');
});

test('a browser that names no language as others write it is read to in English', (t) => {
  t.is(localeOf(['en-US@posix', 'de-AT']), 'de-AT');
  t.is(localeOf(['C']), 'en');
  t.is(localeOf([]), 'en');
});

test('amounts are exact, however large', (t) => {
  t.is(showUnits('28904163', 8), '0.28904163');
  t.is(showUnits('100000000', 8), '1');
  t.is(showUnits('0', 8), '0');
  t.is(showUnits('5', 0), '5');
  t.is(showUnits(-150n, 2), '-1.5');
  t.is(showUnits('9223372036854775807', 8), '92233720368.54775807');
  t.is(showAmount('1250', { category: 'ab'.repeat(32), decimals: 2 }), '12.5 abababab…');
  t.is(showAmount('1250', { category: 'ab'.repeat(32), decimals: 2 }, 'GEMS'), '12.5 GEMS');
  t.is(showAmount('1', { category: null, decimals: 8 }), '0.00000001 BCH');
});

test('an address in short keeps both ends', (t) => {
  t.is(shorten('bchtest:qqxkfhtyqzmg0lqu4lr4tq4jw6w54gamkvv27de2ew'), 'qqxkfh…7de2ew');
  t.is(shorten('short'), 'short');
});

test('a moment is as far as its largest unit says, never nearer', (t) => {
  const DAY = 86_400;
  t.is(showDistance(0, 0), 'this minute');
  t.is(showDistance(90, 0), 'in 1 minute');
  t.is(showDistance(3 * DAY, 0), 'in 3 days');
  t.is(showDistance(13 * DAY, 0), 'in 13 days');
  t.is(showDistance(0, 400 * DAY), '13 months ago');
  t.is(showDistance(DAY, 0), 'in 24 hours');
});

test('what is typed as an address gets its prefix and small letters', (t) => {
  t.is(withPrefix(' QQXK ', 'chipnet'), 'bchtest:qqxk');
  t.is(withPrefix('qqxk', 'mainnet'), 'bitcoincash:qqxk');
  t.is(withPrefix('qqxk', 'regtest'), 'bchreg:qqxk');
  t.is(withPrefix('BITCOINCASH:QQXK', 'chipnet'), 'bitcoincash:qqxk');
  t.is(withPrefix('  ', 'chipnet'), '');
});
