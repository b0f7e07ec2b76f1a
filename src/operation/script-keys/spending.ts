/**
 * The maximum of a key: what is handed out under it is measured and written down before it leaves, in one commit with the
 * question whether there is room for it, so that many requests at once do not exceed it together.
 *
 * What counts: what moves on the chain have moved that the key has built within the period, and what it has built in the
 * last ten minutes. Of all that spends one coin only one can happen: it counts once, by the largest.
 */
import { formatUnits } from '../../bch/amount.js';
import { sameOutpoint } from '../../bch/coins.js';
import { showDuration } from '../../bch/duration.js';
import { fromLibauthTransaction, type Transaction } from '../../bch/transaction.js';
import { decodeWalletTransaction, type WalletTransaction } from '../../bch/wallet-transaction.js';
import { TreasuryError } from '../../errors.js';
import type { Context } from '../context.js';
import type { Measurable, Spending } from '../ports/spending.js';
import { amountsMoved, unsignedHash } from './measure.js';
import {
  keyBuildCollection,
  keyInWords,
  type KeyBuildRecord,
  type KeyMaximum,
  type ScriptKeyRecord,
} from './script-key.js';
import { requireLive } from './live-key.js';
import { amountOf, BUILD_SECONDS, buildsOf, largest, ofBuilds, usedOf, type Amounts } from './used.js';

/** How many transactions that spend one coin are kept; of more the largest is remembered. */
const MOST_BUILDS = 20;
/** How many coins are looked for on the chain for one request; those beyond count as spent. */
const MOST_LOOKED_FOR = 100;

/** The transaction that has spent a coin; null while none has. 'unknown': the chain shows neither. */
const spenderOf = async (
  { coin }: KeyBuildRecord,
  { chain }: Pick<Context, 'chain'>,
): Promise<Transaction | 'unknown' | null> => {
  if ((await chain.coins(coin.lock)).some((held) => sameOutpoint(held, coin))) return null;
  for (const { txid } of [...(await chain.history(coin.lock))].reverse()) {
    const found = await chain.transaction(txid);
    if (found?.transaction.inputs.some((input) => sameOutpoint(input, coin)) === true)
      return found.transaction;
  }
  return 'unknown';
};

/** What became of a build, by what spent its coin; null: nothing of this key, and it is forgotten. */
const settled = (row: KeyBuildRecord, spender: Transaction): KeyBuildRecord | null => {
  const hash = unsignedHash(spender);
  const made = row.builds.find((build) => build.hash === hash);
  const newest = row.builds.at(-1)?.built_at ?? 0;
  if (made !== undefined) return { ...row, moved: { amounts: made.amounts, built_at: made.built_at } };
  // One of those that were too many to keep may be it.
  return row.older.length === 0 ? null : { ...row, moved: { amounts: row.older, built_at: newest } };
};

const newestOf = ({ builds }: KeyBuildRecord): number => builds.at(-1)?.built_at ?? 0;

/**
 * Looks for what became of what was built more than ten minutes ago, and writes it down.
 *
 * @returns the ids of those that nobody can say it of now: they count in full
 */
const settleOld = async (
  key: ScriptKeyRecord,
  context: Pick<Context, 'store' | 'chain' | 'clock'>,
): Promise<ReadonlySet<string>> => {
  const { store, clock } = context;
  const now = clock.wall();
  const longest = Math.max(...key.maximums.map(({ seconds }) => seconds));
  const old = (await buildsOf(key, store)).filter((row) => now - newestOf(row) >= BUILD_SECONDS);
  const waiting = old.filter(({ moved }) => moved === null);
  const doubtful = new Set(waiting.slice(MOST_LOOKED_FOR).map(({ id }) => id));
  const changed = new Map<string, KeyBuildRecord | null>();
  for (const row of old.filter(({ moved }) => moved !== null))
    if (now - (row.moved?.built_at ?? 0) >= longest) changed.set(row.id, null);
  const lookedFor = waiting.slice(0, MOST_LOOKED_FOR);
  const spenders = await Promise.all(lookedFor.map((row) => spenderOf(row, context)));
  for (const [index, row] of lookedFor.entries()) {
    const spender = spenders[index] ?? null;
    if (spender === 'unknown') doubtful.add(row.id);
    else if (spender !== null) changed.set(row.id, settled(row, spender));
    else if (now - newestOf(row) >= longest) changed.set(row.id, null);
  }
  if (changed.size === 0) return doubtful;
  await store.transaction(async (writer) => {
    for (const [id, row] of changed) {
      const known = await writer.get(keyBuildCollection, id);
      // What was built upon it meanwhile is settled another time.
      if (known === null || now - newestOf(known) < BUILD_SECONDS) continue;
      if (row === null) writer.remove(keyBuildCollection, id);
      else writer.put(keyBuildCollection, row);
    }
  });
  return doubtful;
};

/** What is kept of a coin once one more transaction that spends it was built. */
const withBuild = (
  known: KeyBuildRecord | null,
  fresh: Pick<KeyBuildRecord, 'id' | 'key' | 'coin'>,
  build: KeyBuildRecord['builds'][number],
): KeyBuildRecord => {
  const others = (known?.builds ?? []).filter(({ hash }) => hash !== build.hash);
  const builds = [...others, build];
  const dropped = builds.slice(0, Math.max(0, builds.length - MOST_BUILDS));
  return {
    ...fresh,
    builds: builds.slice(-MOST_BUILDS),
    older: largest(known?.older ?? [], ofBuilds(dropped)),
    moved: known?.moved ?? null,
  };
};

/** @throws key_not_allowed, amount_exceeds_key_maximum */
const requireRoom = (
  key: ScriptKeyRecord,
  amounts: Amounts,
  totalOf: (maximum: KeyMaximum) => { readonly used: bigint; readonly after: bigint },
): void => {
  const keyName = keyInWords(key);
  const without = amounts.find(({ category }) => !key.maximums.some((one) => one.category === category));
  if (without !== undefined) {
    const asset = without.category === null ? 'BCH' : `the token ${without.category}`;
    const missing = `it has a maximum, and none for ${asset}, which this would move`;
    throw new TreasuryError('key_not_allowed', { keyName, missing });
  }
  for (const maximum of key.maximums) {
    const { amount, decimals, symbol, seconds, category } = maximum;
    const { used, after } = totalOf(maximum);
    if (amountOf(amounts, category) === 0n || after <= amount) continue;
    const show = (units: bigint) => formatUnits(units, decimals);
    throw new TreasuryError('amount_exceeds_key_maximum', {
      keyName,
      amount: show(amountOf(amounts, category)),
      asset: symbol,
      maximum: show(amount),
      period: showDuration(seconds),
      used: show(used),
    });
  }
};

const transactionsIn = (value: unknown): WalletTransaction[] => {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(transactionsIn);
  if ('transaction' in value && 'sourceOutputs' in value) return [value as WalletTransaction];
  return Object.values(value).flatMap(transactionsIn);
};

/**
 * The spending of one request by a key that has a maximum.
 *
 * @throws nothing; its functions key_not_allowed, key_revoked, key_expired, amount_exceeds_key_maximum, and what the
 *   chain and the store throw
 */
export const openSpending = (
  key: ScriptKeyRecord,
  context: Pick<Context, 'store' | 'chain' | 'clock'>,
): Spending => {
  const taken = new Set<string>();
  const take = async (handed: Measurable): Promise<void> => {
    const amounts = amountsMoved(handed);
    if (amounts === null) {
      const missing = 'it has a maximum, and what this moves cannot be measured';
      throw new TreasuryError('key_not_allowed', { keyName: keyInWords(key), missing });
    }
    const transaction = fromLibauthTransaction(handed.transaction);
    const [hash, [input], [source]] = [unsignedHash(transaction), transaction.inputs, handed.sourceOutputs];
    if (input === undefined || source === undefined) throw new Error('a transaction spends something');
    const lock = Buffer.from(source.lockingBytecode).toString('hex');
    const coin = { txid: input.txid, vout: input.vout, lock };
    const doubtful = await settleOld(key, context);
    const now = context.clock.wall();
    await context.store.transaction(async (writer) => {
      await requireLive(key, writer, now);
      const rows = await buildsOf(key, writer);
      const id = `${key.id} ${coin.txid}:${coin.vout}`;
      const known = rows.find((row) => row.id === id) ?? null;
      const row = withBuild(known, { id, key: key.id, coin }, { hash, amounts: [...amounts], built_at: now });
      const after = [...rows.filter((one) => one.id !== id), row];
      requireRoom(key, amounts, (maximum) => ({
        used: usedOf(rows, maximum, now, doubtful),
        after: usedOf(after, maximum, now, doubtful),
      }));
      writer.put(keyBuildCollection, row);
    });
    taken.add(hash);
  };
  return {
    take,
    takeReply: async (reply) => {
      for (const found of transactionsIn(reply)) {
        const request = decodeWalletTransaction(found);
        if (!taken.has(unsignedHash(fromLibauthTransaction(request.transaction)))) await take(request);
      }
    },
  };
};
