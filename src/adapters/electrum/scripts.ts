/** Coins and histories of scripts. With several servers, two are asked, and what blocks hold must be the same. */
import { outpointText, type Coin } from '../../bch/coins.js';
import { COINBASE_MATURITY, isCoinbase, type Transaction } from '../../bch/transaction.js';
import { atOnce } from '../../operation/at-once.js';
import type { HistoryEntry } from '../../operation/ports/chain.js';
import { differingCoins, findDifference, LAG_BLOCKS, mergeHistories, type Difference } from './agreement.js';
import { disagreement } from './contradiction.js';
import type { Answer, FailOver } from './fail-over.js';
import type { Headers } from './headers.js';
import { stands } from './home-headers.js';
import { readCoins, readHistory, scriptHashOf, type ReadReply } from './replies.js';
import type { ServerSession } from './session.js';
import type { Transactions } from './transactions.js';

export type Scripts = {
  readonly coins: (lockingBytecode: string) => Promise<Coin[]>;
  readonly history: (lockingBytecode: string) => Promise<HistoryEntry[]>;
};

/** What two servers answered; `second` is null where there was no second. */
type Pair<T> = { readonly first: Answer<T>; readonly second: Answer<T> | null };

/** Asks the server in use and another. */
const createAskTwo =
  ({ askFor, askOne, second }: FailOver) =>
  async <T>(method: string, params: readonly unknown[], read: ReadReply<T>): Promise<Pair<T>> => {
    const askOther = async (): Promise<Answer<T> | null> => {
      const session = await second();
      if (session === null) return null;
      // What does not answer is no second opinion.
      return askOne(session, method, params, read).then(
        (value) => ({ value, session }),
        () => null,
      );
    };
    const [first, other] = await Promise.all([askFor(method, params, read), askOther()]);
    return { first, second: other?.session.server === first.session.server ? null : other };
  };

/** Ends a disagreement: who cannot prove what it shows, or hides what another proves, is let go of. */
const createJudge =
  ({ blame }: FailOver, { proves }: Transactions) =>
  async (
    { txid, height, shownBy }: Difference,
    first: ServerSession,
    second: ServerSession,
  ): Promise<never> => {
    const [shower, other] = shownBy === 'first' ? [first, second] : [second, first];
    const isProven = (await proves(shower, txid, height)) === true;
    const [liar, what] = isProven
      ? [other, `hides ${txid}, which ${shower.server.text} proves to be in block ${height}`]
      : [shower, `shows ${txid} in block ${height} without proof, and ${other.server.text} does not`];
    blame(liar, what);
    throw disagreement(`${liar.server.text} ${what}`);
  };

export const createScripts = (failOver: FailOver, headers: Headers, transactions: Transactions): Scripts => {
  const askTwo = createAskTwo(failOver);
  const judge = createJudge(failOver, transactions);

  /** Both histories; null where there is no second. @throws server_disagrees */
  const compareHistories = async (lockingBytecode: string) => {
    const params = [scriptHashOf(lockingBytecode)];
    const { first, second } = await askTwo('blockchain.scripthash.get_history', params, readHistory);
    if (second === null) return { entries: first.value, first, settled: Infinity };
    const tip = (await headers.sync()).tip();
    const settled = Math.min(tip.height, second.session.tip().height) - LAG_BLOCKS;
    const difference = findDifference(first.value, second.value, settled);
    if (difference !== null) await judge(difference, first.session, second.session);
    return { entries: mergeHistories(first.value, second.value), first, settled };
  };

  const history: Scripts['history'] = async (lockingBytecode) => {
    const { entries, first } = await compareHistories(lockingBytecode);
    const shown = new Set(entries.map(({ txid }) => txid));
    const gone = headers.proofs.paying(lockingBytecode).filter(({ txid }) => !shown.has(txid));
    if (gone.length === 0) return entries;
    const chain = await headers.sync();
    const hidden = gone.find((proof) => stands(proof, chain));
    if (hidden === undefined) return entries;
    const what = `hides ${hidden.txid}, which was proven to be in block ${hidden.height}`;
    failOver.blame(first.session, what);
    throw disagreement(`${first.session.server.text} ${what}`);
  };

  /** True when a transaction of a history spends a coin. */
  const isSpent = async (coin: Coin, entries: readonly HistoryEntry[]): Promise<boolean> => {
    const outpoint = outpointText(coin);
    for (const { txid } of [...entries].reverse()) {
      const found = await transactions.raw(txid);
      if (found?.inputs.some((input) => outpointText(input) === outpoint) === true) return true;
    }
    return false;
  };

  const coins: Scripts['coins'] = async (lockingBytecode) => {
    const params = [scriptHashOf(lockingBytecode), 'include_tokens'];
    const read = readCoins(lockingBytecode);
    const { first, second } = await askTwo('blockchain.scripthash.listunspent', params, read);
    if (second === null) return first.value;
    const [differing] = differingCoins(first.value, second.value);
    if (differing === undefined) return first.value;
    const { entries, settled } = await compareHistories(lockingBytecode);
    const isRecent = entries.some(({ height }) => height === null || height > settled);
    if (isRecent) return first.value;
    // Nothing has happened of late: one of the two is wrong about this coin.
    const isUnspent = !(await isSpent(differing, entries));
    const isShownByFirst = first.value.includes(differing);
    const { session } = isUnspent === isShownByFirst ? second : first;
    const what = isUnspent
      ? `hides the coin ${outpointText(differing)}`
      : `shows the coin ${outpointText(differing)}, which is spent`;
    failOver.blame(session, what);
    throw disagreement(`${session.server.text} ${what}`);
  };

  return { coins, history };
};

export type Maturity = {
  /** Height of the tip. */
  readonly tipHeight: () => Promise<number>;
  /** The bytes of an id; null when no server has them. */
  readonly transaction: (txid: string) => Promise<Transaction | null>;
};

/** Transactions that are asked for in one breath. */
const AT_ONCE = 50;

/**
 * The coins without those of a young coinbase. Whether a transaction is one is seen in its bytes, which are asked for
 * only where it matters: for coins of fewer than 100 confirmations, and without a token, which no coinbase can make.
 */
export const matureCoins = async (
  coins: readonly Coin[],
  { tipHeight, transaction }: Maturity,
): Promise<Coin[]> => {
  const mined = coins.filter(({ height, token }) => height !== null && token === undefined);
  if (mined.length === 0) return [...coins];
  const nextHeight = (await tipHeight()) + 1;
  const young = mined.filter(({ height }) => nextHeight - (height ?? 0) < COINBASE_MATURITY);
  const txids = [...new Set(young.map(({ txid }) => txid))];
  const found = await atOnce(AT_ONCE, txids, transaction);
  const immature = found.filter((one) => one !== null && isCoinbase(one)).map((one) => one?.txid);
  return coins.filter(({ txid, height }) => height === null || !immature.includes(txid));
};
