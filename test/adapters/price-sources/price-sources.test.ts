import test, { type ExecutionContext } from 'ava';
import { openPriceSources, type PriceSources } from '../../../src/adapters/price-sources/price-sources.js';
import { TreasuryError } from '../../../src/errors.js';
import { deadUrl, hangUp, json, silence, startWebServer, type WebServer } from '../web-server.js';
import { forgedMessage, ORACLE_KEY, signedMessage, type MessageFields } from './oracle-messages.js';

const START = 1_780_272_000;

const relay = (...messages: readonly ReturnType<typeof signedMessage>[]) =>
  json({ oracleMessages: messages });
const apiPrice = (usd: unknown) => json({ 'bitcoin-cash': { usd } });

const openPrice = async (t: ExecutionContext, changes: Partial<PriceSources> = {}) => {
  const clock = { milliseconds: START * 1000 };
  const oracle = await startWebServer(t, relay(signedMessage({ timestamp: START - 30 })));
  const api = await startWebServer(t, apiPrice(399.5));
  const warnings: unknown[] = [];
  const price = openPriceSources({
    oracle: { url: `${oracle.url}/`, publicKey: ORACLE_KEY },
    fallbackUrl: `${api.url}/price?ids=bitcoin-cash`,
    limitMilliseconds: 5_000,
    isEager: true,
    now: () => clock.milliseconds,
    log: { warn: (fields) => warnings.push(fields) },
    ...changes,
  });
  t.teardown(price.close);
  return { price, oracle, api, clock, warnings };
};

const message = (fields: Partial<MessageFields> = {}) => signedMessage({ timestamp: START, ...fields });

/** Waits until a server was asked that often. */
const until = async (server: WebServer, count: number): Promise<void> => {
  while (server.asked.length < count) await new Promise((resolve) => setTimeout(resolve, 2));
};

test('price › given an oracle that answers › it is its price with the proof, and the API is not asked', async (t) => {
  const { price, oracle, api } = await openPrice(t);
  const signed = signedMessage({ timestamp: START - 30 });
  t.deepEqual(await price.latest(), {
    usd: 412.34,
    source: 'oracle',
    proof: {
      publicKey: ORACLE_KEY,
      messageTimestamp: START - 30,
      messageHex: signed.message,
      signatureHex: signed.signature,
    },
    updatedAt: START * 1000,
    cachedFor: 60_000,
  });
  t.deepEqual(oracle.asked, [`GET /api/v1/oracleMessages?publicKey=${ORACLE_KEY}&count=10`]);
  t.deepEqual(api.asked, []);
});

test('price › given a reading of less than 60 seconds › it is given again, with less time left', async (t) => {
  const { price, oracle, clock } = await openPrice(t);
  await price.latest();
  oracle.answer = relay(message({ sequence: 1_001, cents: 50_000 }));
  clock.milliseconds += 59_999;
  t.like(await price.latest(), { usd: 412.34, cachedFor: 1, updatedAt: START * 1000 });
  clock.milliseconds += 1;
  t.like(await price.latest(), { usd: 500, cachedFor: 60_000 });
  t.is(oracle.asked.length, 2);
});

test('price › given many who ask at once › the oracle is asked once', async (t) => {
  const { price, oracle } = await openPrice(t);
  const answers = await Promise.all(Array.from({ length: 50 }, () => price.latest()));
  t.is(new Set(answers.map(({ usd }) => usd)).size, 1);
  t.is(oracle.asked.length, 1);
});

const liars: Record<string, WebServer['answer']> = {
  'answers 500': json({}, 500),
  'answers no JSON': (_request, response) => void response.end('<html>'),
  'answers JSON of another shape': json({ messages: [] }),
  'has no messages': relay(),
  'has metadata only': relay(message({ priceSequence: -1 })),
  'gives a forged signature': relay(forgedMessage({ timestamp: START })),
  'gives a message of another key': relay({ ...message(), publicKey: `02${'11'.repeat(32)}` }),
  'gives a price of 11 minutes ago': relay(message({ timestamp: START - 660 })),
  'hangs up': hangUp,
  'sends without end': (_request, response) => {
    response.on('error', () => undefined);
    const send = (): void => {
      while (!response.destroyed && response.write('x'.repeat(65_536))) continue;
    };
    response.on('drain', send);
    send();
  },
};

for (const [name, answer] of Object.entries(liars)) {
  test(`price › given an oracle that ${name} › it is the API's price, without a proof`, async (t) => {
    const { price, oracle, warnings } = await openPrice(t);
    oracle.answer = answer;
    t.like(await price.latest(), { usd: 399.5, source: 'coingecko', proof: null, updatedAt: START * 1000 });
    t.is(warnings.length, 1);
  });
}

test("price › given an oracle that is dead › it is the API's price", async (t) => {
  const oracle = { url: await deadUrl(), publicKey: ORACLE_KEY };
  const { price } = await openPrice(t, { oracle });
  t.like(await price.latest(), { source: 'coingecko' });
});

test("price › given an oracle that is slower than the limit › it is the API's price", async (t) => {
  const { price, oracle } = await openPrice(t, { limitMilliseconds: 1_500 });
  oracle.answer = silence;
  t.like(await price.latest(), { source: 'coingecko' });
});

test("price › given an oracle that goes back behind what was taken › it is the API's price", async (t) => {
  const { price, oracle, clock } = await openPrice(t);
  oracle.answer = relay(message({ sequence: 1_000 }));
  await price.latest();
  clock.milliseconds += 60_000;
  oracle.answer = relay(message({ sequence: 999 }));
  t.like(await price.latest(), { source: 'coingecko' });
});

test('price › given that both fail › it is price_unavailable, and the next call tries again', async (t) => {
  const { price, oracle, api } = await openPrice(t);
  const good = oracle.answer;
  oracle.answer = json({}, 503);
  for (const answer of [json({}, 500), apiPrice('412'), apiPrice(-1), hangUp]) {
    api.answer = answer;
    const error = await t.throwsAsync(price.latest(), { instanceOf: TreasuryError });
    t.is(error.code, 'price_unavailable');
    t.is(error.status, 502);
  }
  t.is(oracle.asked.length, 4);
  oracle.answer = good;
  t.like(await price.latest(), { source: 'oracle' });
});

test('price › given an old reading and sources that fail › the old one is not given again', async (t) => {
  const { price, oracle, clock } = await openPrice(t, { fallbackUrl: null });
  await price.latest();
  clock.milliseconds += 60_000;
  oracle.answer = hangUp;
  const error = await t.throwsAsync(price.latest(), { instanceOf: TreasuryError });
  t.is(error.code, 'price_unavailable');
});

test('price › given no source › it is price_unavailable, and no reading', async (t) => {
  const { price } = await openPrice(t, { oracle: null, fallbackUrl: null });
  await t.throwsAsync(price.latest(), { instanceOf: TreasuryError });
  t.is(await price.reading(), null);
});

test('reading › given no fetch yet › it is null at once, and an eager port fetches behind it', async (t) => {
  const { price, oracle, clock } = await openPrice(t);
  t.is(await price.reading(), null);
  await until(oracle, 1);
  await price.latest();
  t.deepEqual(await price.reading(), { usd: 412.34, source: 'oracle', timestamp: START - 30 });
  t.is(oracle.asked.length, 1);
  clock.milliseconds += 600_000;
  t.not(await price.reading(), null);
  oracle.answer = hangUp;
  clock.milliseconds += 1;
  t.is(await price.reading(), null);
});

test('reading › given a port that is not eager › nothing is fetched', async (t) => {
  const { price, oracle, api } = await openPrice(t, { isEager: false });
  for (let asked = 0; asked < 3; asked += 1) t.is(await price.reading(), null);
  await new Promise((resolve) => setTimeout(resolve, 20));
  t.deepEqual([...oracle.asked, ...api.asked], []);
});

test('reading › given an API price › its time is that of the fetch', async (t) => {
  const { price } = await openPrice(t, { oracle: null });
  await price.latest();
  t.deepEqual(await price.reading(), { usd: 399.5, source: 'coingecko', timestamp: START });
});

test('reading › given sources that never answer › it neither waits nor throws, and closing ends what is under way', async (t) => {
  const { price, oracle, api, warnings } = await openPrice(t, { limitMilliseconds: 60_000 });
  oracle.answer = silence;
  api.answer = silence;
  t.is(await price.reading(), null);
  await until(oracle, 1);
  const waiting = t.throwsAsync(price.latest(), { instanceOf: TreasuryError });
  await price.close();
  t.is((await waiting).code, 'price_unavailable');
  t.deepEqual(warnings, []);
});
