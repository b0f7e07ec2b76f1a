/** Tells the clients what has changed, after every change of the chain, whoever made it. */
import { scriptHashOf } from '../electrum/replies.js';
import type { LocalChain } from '../local-chain/local-chain.js';
import { readTip } from './server-methods.js';
import type { ScriptIndex } from './script-index.js';
import { statusOf } from './script-methods.js';
import { isNews, type Session } from './session.js';
import { heightOf } from './transaction-methods.js';

export type Notifier = {
  readonly sessions: Set<Session>;
  /** Stops listening, and returns when the round that runs has ended. */
  readonly stop: () => Promise<void>;
};

/** What has changed since the last round. */
type News = { headers: boolean; readonly scripts: Set<string> };

const tellTip = async (chain: LocalChain, sessions: ReadonlySet<Session>): Promise<void> => {
  if (![...sessions].some((session) => session.tip !== null)) return;
  const tip = await readTip(chain);
  for (const { tip: subscription, notify } of sessions) {
    if (subscription !== null && isNews(subscription, tip)) notify('blockchain.headers.subscribe', [tip]);
  }
};

const tellScript = async (
  chain: LocalChain,
  sessions: ReadonlySet<Session>,
  lockingBytecode: string,
): Promise<void> => {
  const scriptHash = scriptHashOf(lockingBytecode);
  if (![...sessions].some(({ scripts }) => scripts.has(scriptHash))) return;
  const status = await statusOf(chain, { lockingBytecode });
  for (const { scripts, notify } of sessions) {
    const subscription = scripts.get(scriptHash);
    if (subscription === undefined || !isNews(subscription, status)) continue;
    notify(subscription.method, [subscription.alias, status]);
  }
};

const tellTransactions = async (chain: LocalChain, sessions: ReadonlySet<Session>): Promise<void> => {
  for (const { transactions, notify } of sessions) {
    for (const [txid, subscription] of transactions) {
      const height = await heightOf(chain, txid);
      if (isNews(subscription, height)) notify('blockchain.transaction.subscribe', [txid, height]);
    }
  }
};

/** Starts telling. Rounds run one after the other; what changes meanwhile waits for the next. */
export const startNotifier = (chain: LocalChain, index: ScriptIndex): Notifier => {
  const sessions = new Set<Session>();
  let news: News = { headers: false, scripts: new Set() };
  let round: Promise<void> | null = null;

  const runRounds = async (): Promise<void> => {
    while (news.headers || news.scripts.size > 0) {
      const { headers, scripts } = news;
      news = { headers: false, scripts: new Set() };
      if (headers) await tellTip(chain, sessions);
      for (const script of scripts) await tellScript(chain, sessions, script);
      await tellTransactions(chain, sessions);
    }
  };
  const stopListening = chain.subscribe((changes) => {
    index.add(changes.lockingBytecodes);
    if (changes.headers) news.headers = true;
    for (const script of changes.lockingBytecodes) news.scripts.add(script);
    // A round that fails answers nobody: the next change begins another.
    round ??= runRounds()
      .catch(() => undefined)
      .finally(() => {
        round = null;
      });
  });
  return {
    sessions,
    stop: async () => {
      stopListening();
      sessions.clear();
      await round;
    },
  };
};
