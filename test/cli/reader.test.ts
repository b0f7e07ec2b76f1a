/** What is known of who reads: the rate that amounts are shown at, and where links lead. */
import test from 'ava';
import { knowReader, rateFor } from '../../src/cli/reader.js';
import { createCall } from '../../src/cli/call.js';
import type { Environment } from '../../src/cli/environment.js';
import type { Settings } from '../../src/settings/settings.js';
import type { PriceQuote } from '../../src/operation/ports/price.js';
import { openTreasury } from '../treasury.js';

const NOW = 1_800_000_000;

const quote = (usd: number, proof: PriceQuote['proof']): PriceQuote => ({
  usd,
  source: proof === null ? 'coingecko' : 'oracle',
  proof,
  updatedAt: NOW * 1_000,
  cachedFor: 0,
});

const signedAt = (messageTimestamp: number): PriceQuote['proof'] => ({
  publicKey: '',
  messageTimestamp,
  messageHex: '',
  signatureHex: '',
});

type RateContext = Parameters<typeof rateFor>[0];

const worldOf = (latest: () => Promise<PriceQuote>, events: readonly object[] = []): RateContext => ({
  network: 'chipnet',
  clock: { now: () => NOW, wall: () => NOW },
  price: { latest, reading: () => Promise.resolve(null) },
  store: {
    find: () => Promise.resolve({ items: events, total: events.length }),
  } as unknown as RateContext['store'],
});

test('rate › given one that an oracle signed just now › it needs no word about its age', async (t) => {
  t.deepEqual(await rateFor(worldOf(() => Promise.resolve(quote(500, signedAt(NOW - 60))))), {
    usd: 500,
    age: null,
  });
});

test('rate › given one that nobody signed, or no answer in time › the last signed one that was kept, with its age', async (t) => {
  const kept = [
    { details: { price: null } },
    { details: { price: { usd: 400, source: 'coingecko', timestamp: NOW } } },
    { details: { price: { usd: 450, source: 'oracle', timestamp: NOW - 3 * 3_600 } } },
  ];
  const last = { usd: 450, age: '3 hours old' };
  t.deepEqual(await rateFor(worldOf(() => Promise.resolve(quote(499, null)), kept)), last);
  t.deepEqual(await rateFor(worldOf(() => Promise.reject(new Error('down')), kept)), last);
  t.deepEqual(await rateFor(worldOf(() => new Promise(() => undefined), kept)), last);
  t.is(await rateFor(worldOf(() => Promise.reject(new Error('down')))), null);
});

test('rate › on the embedded chain › nobody is asked, since no money is real', async (t) => {
  const world = worldOf(() => {
    throw new Error('somebody was asked');
  });
  t.is(await rateFor({ ...world, network: 'local' }), null);
});

test('links › by network and settings › they lead to its explorer, to the one that is set, or nowhere', async (t) => {
  const treasury = await openTreasury(t);
  const stdout = { write: () => true, isTTY: true, columns: 80 };
  const call = createCall(
    { stdout, stderr: stdout, env: { FORCE_HYPERLINK: '1' } } as unknown as Environment,
    {},
    'streams show',
  );
  const linkOn = async (settings: Pick<Settings, 'network' | 'explorerUrl' | 'explorerLinks'>) => {
    const known = await knowReader(call, treasury.app.context, {
      settings: settings as Settings,
      address: null,
    });
    return known.output.paint.screen?.linkTo?.('tx', 'aa') ?? null;
  };
  const usual = { explorerUrl: null, explorerLinks: true } as const;
  t.is(await linkOn({ ...usual, network: 'mainnet' }), 'https://explorer.bitcoinunlimited.info/tx/aa');
  t.is(await linkOn({ ...usual, network: 'chipnet' }), 'https://chipnet.imaginary.cash/tx/aa');
  t.is(await linkOn({ ...usual, network: 'local' }), null);
  t.is(
    await linkOn({ ...usual, network: 'local', explorerUrl: 'https://e.example.org/' }),
    'https://e.example.org/tx/aa',
  );
  t.is(await linkOn({ ...usual, network: 'mainnet', explorerLinks: false }), null);
});
