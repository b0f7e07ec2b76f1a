/** The tokens of a view by the names that this home knows: an amount of a category is one of its symbol. */
import { formatUnits } from '../bch/amount.js';
import type { View, ViewBlock } from '../operation/define.js';
import type { StoreReader } from '../operation/ports/store.js';
import { shortAsset, symbolOf, tokenCollection, type TokenRecord } from './assets.js';

/** `12.5 <category>`, and `1250 units of <category>` where decimals are the registry's. */
const AMOUNT = /(\d+(?:\.\d+)?) (units of )?([0-9a-f]{64})(?![0-9a-f])/g;

type Tokens = ReadonlyMap<string, TokenRecord>;

const named = (text: string, tokens: Tokens): string =>
  text.replace(AMOUNT, (whole, amount: string, ofUnits: string | undefined, category: string) => {
    const token = tokens.get(category);
    if (ofUnits !== undefined)
      // A note may say anything: there is no part of a unit.
      return token === undefined || amount.includes('.')
        ? whole
        : `${formatUnits(BigInt(amount), token.decimals)} ${symbolOf(token)}`;
    return `${amount} ${token === undefined ? shortAsset(category) : symbolOf(token)}`;
  });

/** A block with another text in the place of each of its texts; what others wrote stays as they wrote it. */
const mapBlock = (block: ViewBlock, change: (text: string) => string): ViewBlock => {
  switch (block.kind) {
    case 'text':
      return block.from === 'others' ? block : { ...block, text: change(block.text) };
    case 'facts':
      return { ...block, rows: block.rows.map(([label, value]) => [label, change(value)] as const) };
    case 'table':
      return { ...block, rows: block.rows.map((row) => row.map(change)) };
    default:
      return block;
  }
};

/** The view with the symbols of the tokens that the registry has. */
export const nameTokens = async (view: View, store: StoreReader): Promise<View> => {
  const categories = new Set<string>();
  const note = (text: string): string => {
    for (const [, , , category = ''] of text.matchAll(AMOUNT)) categories.add(category);
    return text;
  };
  for (const block of view) mapBlock(block, note);
  if (categories.size === 0) return view;
  const found = await Promise.all([...categories].map((id) => store.get(tokenCollection, id)));
  const tokens = new Map(found.flatMap((token) => (token === null ? [] : [[token.id, token] as const])));
  return view.map((block) => mapBlock(block, (text) => named(text, tokens)));
};
