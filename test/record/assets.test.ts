import test from 'ava';
import { MAXIMUM_SATOSHIS, MAXIMUM_TOKEN_AMOUNT } from '../../src/bch/amount.js';
import { TreasuryError } from '../../src/errors.js';
import {
  BCH,
  requestedAsset,
  tokenAsset,
  tokenCollection,
  type TokenRecord,
} from '../../src/record/assets.js';
import { openMemoryStore } from '../operation/fake-context.js';

const category = 'cc'.repeat(32);
const gems: TokenRecord = {
  id: category,
  symbol: 'GEMS',
  name: 'Gems',
  decimals: 2,
  source: 'added',
  created_at: 0,
};

const storeWith = async (...tokens: readonly TokenRecord[]) => {
  const store = openMemoryStore([tokenCollection]);
  await store.transaction((writer) => {
    for (const token of tokens) writer.put(tokenCollection, token);
  });
  return store;
};

test('asset › given BCH › it has 8 decimals and 21 million of them', async (t) => {
  const asset = await requestedAsset({ tokenType: 'BCH' }, await storeWith());
  t.is(asset, BCH);
  t.like(asset, { category: null, decimals: 8, symbol: 'BCH', maximum: MAXIMUM_SATOSHIS });
});

test('asset › given BCH with a category of null › it is BCH', async (t) => {
  t.is(await requestedAsset({ tokenType: 'BCH', tokenCategory: null }, await storeWith()), BCH);
});

test('asset › given a registered token › it has the decimals and symbol of the registry', async (t) => {
  t.deepEqual(
    await requestedAsset({ tokenType: 'FUNGIBLE_TOKEN', tokenCategory: category }, await storeWith(gems)),
    {
      tokenType: 'FUNGIBLE_TOKEN',
      category,
      decimals: 2,
      symbol: 'GEMS',
      maximum: MAXIMUM_TOKEN_AMOUNT,
    },
  );
});

test('asset › given a token that nobody registered › it has no decimals and the beginning of its category', async (t) => {
  t.like(await tokenAsset(category, await storeWith()), { decimals: 0, symbol: 'cccccccc...' });
});

const refused = [
  ['BCH with a category', { tokenType: 'BCH', tokenCategory: category }],
  ['a token without a category', { tokenType: 'FUNGIBLE_TOKEN' }],
  ['a token with a category of null', { tokenType: 'FUNGIBLE_TOKEN', tokenCategory: null }],
] as const;

for (const [name, request] of refused) {
  test(`asset › given ${name} › it is invalid_input at tokenCategory`, async (t) => {
    const store = await storeWith(gems);
    const error = await t.throwsAsync(() => requestedAsset(request, store), { instanceOf: TreasuryError });
    t.is(error.code, 'invalid_input');
    t.like(error.details['issues'], [{ path: 'tokenCategory' }]);
  });
}

test('tokens › given another case of a symbol › the index finds it', async (t) => {
  const store = await storeWith(gems);
  t.is((await store.find(tokenCollection, { where: { symbol: 'gems' } })).total, 1);
});
