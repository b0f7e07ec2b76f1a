/** The price over a real socket, from real local sources. No chain plays a part in it: one is enough. */
import type { ExecutionContext } from 'ava';
import { openPriceSources } from '../../src/adapters/price-sources/price-sources.js';
import { startDaemon } from '../../src/daemon/start-daemon.js';
import { operationsOf } from '../../src/operation/define.js';
import { operations } from '../../src/products/price/index.js';
import { ORACLE_KEY, signedMessage } from '../adapters/price-sources/oracle-messages.js';
import { hangUp, json, startWebServer } from '../adapters/web-server.js';
import { openTreasury, TEST_TIME } from '../treasury.js';
import { onEmbeddedChain } from './on-every-chain.js';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

const servePrice = async (t: ExecutionContext) => {
  const treasury = await openTreasury(t);
  const clock = { milliseconds: TEST_TIME * 1000 };
  const message = signedMessage({ timestamp: TEST_TIME - 5 });
  const oracle = await startWebServer(t, json({ oracleMessages: [message] }));
  const api = await startWebServer(t, json({ 'bitcoin-cash': { usd: 401.5 } }));
  const price = openPriceSources({
    oracle: { url: oracle.url, publicKey: ORACLE_KEY },
    fallbackUrl: api.url,
    limitMilliseconds: 5_000,
    isEager: false,
    now: () => clock.milliseconds,
    log,
  });
  t.teardown(price.close);
  const { context, operations: all } = treasury.app;
  const app = {
    context: { ...context, price },
    operations: [...all.filter(({ id }) => !id.startsWith('price.')), ...operationsOf(operations)],
    deployables: [],
    close: () => Promise.resolve(),
  };
  const daemon = await startDaemon({ app, port: 0, signals: null, log });
  t.teardown(() => daemon.stop());
  const ask = async () => {
    const response = await fetch(`${daemon.url}/api/price/bch-usd`);
    const body = (await response.json()) as Record<string, unknown>;
    return { status: response.status, cache: response.headers.get('cache-control'), body };
  };
  return { ask, clock, oracle, api, message };
};

const WHY = 'a price comes from no chain';

const oracleTitle =
  'GET /api/price/bch-usd › from the oracle › the fields of the specification, cached for what is left';

onEmbeddedChain(oracleTitle, WHY, async (t) => {
  const { ask, clock, message } = await servePrice(t);
  const { status, cache, body } = await ask();
  t.is(status, 200);
  t.is(cache, 'public, max-age=60');
  t.deepEqual(body, {
    success: true,
    usd: 412.34,
    source: 'oracle',
    oraclePubkey: ORACLE_KEY,
    messageTimestamp: TEST_TIME - 5,
    signedMessageHex: message.message,
    signatureHex: message.signature,
    updatedAt: TEST_TIME * 1000,
    cachedFor: 60_000,
  });
  clock.milliseconds += 41_500;
  const later = await ask();
  t.is(later.cache, 'public, max-age=18');
  t.is(later.body['cachedFor'], 18_500);
});

const fallbackTitle = 'GET /api/price/bch-usd › from the fallback › no field of the oracle is there';

onEmbeddedChain(fallbackTitle, WHY, async (t) => {
  const { ask, oracle } = await servePrice(t);
  oracle.answer = hangUp;
  const { body } = await ask();
  t.deepEqual(body, {
    success: true,
    usd: 401.5,
    source: 'coingecko',
    updatedAt: TEST_TIME * 1000,
    cachedFor: 60_000,
  });
});

const nobodyTitle =
  'GET /api/price/bch-usd › from nobody › 502 price_unavailable, never cached, and the next call tries again';

onEmbeddedChain(nobodyTitle, WHY, async (t) => {
  const { ask, oracle, api } = await servePrice(t);
  const { answer } = oracle;
  [oracle.answer, api.answer] = [hangUp, hangUp];
  const { status, cache, body } = await ask();
  t.is(status, 502);
  t.is(cache, 'no-store');
  t.like(body, { success: false, code: 'price_unavailable', retryable: true });
  oracle.answer = answer;
  t.like((await ask()).body, { source: 'oracle' });
});
