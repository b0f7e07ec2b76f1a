/** A treasury whose price source answers with what a test says. */
import type { PriceQuote } from '../../src/operation/ports/price.js';
import { TEST_TIME, type Treasury } from '../treasury.js';

type Price = {
  readonly usd: number;
  /** Seconds before now that it was signed; null: it has no signature. */
  readonly age: number | null;
};

const quoteOf = ({ usd, age }: Price): PriceQuote => ({
  usd,
  source: age === null ? 'coingecko' : 'oracle',
  proof:
    age === null
      ? null
      : { publicKey: '', messageTimestamp: TEST_TIME - age, messageHex: '', signatureHex: '' },
  updatedAt: TEST_TIME * 1000,
  cachedFor: 0,
});

/** The treasury with a price. */
export const withPrice = (treasury: Treasury, price: Price): Treasury => {
  const port = { reading: () => Promise.resolve(null), latest: () => Promise.resolve(quoteOf(price)) };
  return { ...treasury, app: { ...treasury.app, context: { ...treasury.app.context, price: port } } };
};
