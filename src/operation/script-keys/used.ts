/** What a key has used of its maximum, from what is written down of its builds. Light: it decodes no transaction. */
import type { StoreReader } from '../ports/store.js';
import {
  keyBuildCollection,
  type KeyBuildRecord,
  type KeyMaximum,
  type MovedAmount,
  type ScriptKeyRecord,
} from './script-key.js';

/** How long what was built counts without having happened. */
export const BUILD_SECONDS = 600;
/** Of each asset at most once. */
export type Amounts = readonly MovedAmount[];

/** The amount of one asset among some. */
export const amountOf = (amounts: Amounts, category: string | null): bigint =>
  amounts.find((one) => one.category === category)?.amount ?? 0n;

/** The larger of both, asset by asset. */
export const largest = (a: Amounts, b: Amounts): MovedAmount[] =>
  [...new Set([...a, ...b].map(({ category }) => category))].map((category) => {
    const [left, right] = [amountOf(a, category), amountOf(b, category)];
    return { category, amount: left > right ? left : right };
  });

/** The largest of what several builds move, asset by asset. */
export const ofBuilds = (builds: readonly { readonly amounts: Amounts }[]): MovedAmount[] =>
  builds.reduce<MovedAmount[]>((sum, { amounts }) => largest(sum, amounts), []);

/** What the builds of one coin count for within a period; `doubtful`: nobody has said what became of the coin. */
const counted = (
  { moved, builds, older }: KeyBuildRecord,
  { category, seconds }: KeyMaximum,
  now: number,
  isDoubtful: boolean,
): bigint => {
  const young = builds.filter(({ built_at }) => now - built_at < BUILD_SECONDS);
  // Among those that were too many to keep may be young ones.
  const open = isDoubtful ? builds : young;
  const waiting = amountOf(ofBuilds(open.length === 0 ? [] : [...open, { amounts: older }]), category);
  if (moved === null || now - moved.built_at >= seconds) return waiting;
  const done = amountOf(moved.amounts, category);
  return done > waiting ? done : waiting;
};

/** What counts against a maximum now, smallest unit. @param doubtful ids of what nobody has said the end of */
export const usedOf = (
  rows: readonly KeyBuildRecord[],
  maximum: KeyMaximum,
  now: number,
  doubtful: ReadonlySet<string> = new Set(),
): bigint => rows.reduce((sum, row) => sum + counted(row, maximum, now, doubtful.has(row.id)), 0n);

/** What a key has built. */
export const buildsOf = async (
  key: ScriptKeyRecord,
  store: Pick<StoreReader, 'find'>,
): Promise<readonly KeyBuildRecord[]> =>
  (await store.find(keyBuildCollection, { where: { key: key.id }, order: 'oldest' })).items;
