/**
 * One look at the chain: what one request, or one pass over many records, asks for more than once is asked once.
 *
 * The tip, the coins of a script and a transaction that was found are kept for as long as the look lasts. A history is
 * asked anew each time: what follows a record has to see no less than whoever wrote it last. Everything is asked anew once
 * somebody else was quicker to write, or the chain was moved from here.
 */
import type { Context } from './context.js';
import type { ChainPort, LocalChainPort, Look } from './ports/chain.js';

/** Answers by what was asked for; those that fail, and those that may yet come, are not kept. */
const createKept = <T>() => {
  const kept = new Map<string, Promise<T>>();
  return {
    forget: (): void => {
      kept.clear();
    },
    ask: (key: string, ask: () => Promise<T>): Promise<T> => {
      const known = kept.get(key);
      if (known !== undefined) return known;
      const asked = ask();
      const drop = (): void => {
        if (kept.get(key) === asked) kept.delete(key);
      };
      kept.set(key, asked);
      asked.then((answer) => {
        if (answer === null) drop();
      }, drop);
      return asked;
    },
  };
};

type Kept<Name extends 'tip' | 'coins' | 'transaction'> = ReturnType<
  typeof createKept<Awaited<ReturnType<ChainPort[Name]>>>
>;

/** Answers of one look, until they are forgotten; then another begins. */
const createAnswers = () => {
  const tips: Kept<'tip'> = createKept();
  const coins: Kept<'coins'> = createKept();
  const transactions: Kept<'transaction'> = createKept();
  let look: Look = {};
  return {
    tips,
    coins,
    transactions,
    look: () => look,
    forget: (): void => {
      look = {};
      for (const kept of [tips, coins, transactions]) kept.forget();
    },
  };
};
type Answers = ReturnType<typeof createAnswers>;

const lookingAt = (chain: ChainPort, { tips, coins, transactions, look, forget }: Answers): ChainPort => ({
  ...chain,
  tip: () => tips.ask('', () => chain.tip(look())),
  // Copies, since whoever asked may sort them.
  coins: async (lock) => [...(await coins.ask(lock, () => chain.coins(lock, look())))],
  transaction: (txid) => transactions.ask(txid, () => chain.transaction(txid, look())),
  history: (lock) => chain.history(lock, look()),
  block: (height) => chain.block(height, look()),
  broadcast: (raw) => chain.broadcast(raw).finally(forget),
});

const steering = (chain: LocalChainPort, forget: () => void): LocalChainPort => ({
  ...chain,
  faucet: (lock, satoshis) => chain.faucet(lock, satoshis).finally(forget),
  mine: (count) => chain.mine(count).finally(forget),
  advance: (seconds) => chain.advance(seconds).finally(forget),
  reorg: (depth) => chain.reorg(depth).finally(forget),
  reset: () => chain.reset().finally(forget),
});

/** The same context with one look at the chain. */
export const withOneLook = <C extends Pick<Context, 'chain' | 'localChain' | 'store'>>(context: C): C => {
  const { chain, localChain, store } = context;
  const answers = createAnswers();
  return {
    ...context,
    chain: lookingAt(chain, answers),
    localChain: localChain === null ? null : steering(localChain, answers.forget),
    store: {
      ...store,
      transaction: async (change) => {
        // Somebody else was quicker, or it failed: whoever reads once more reads no older coins than they did.
        let isStale = true;
        try {
          const written = await store.transaction(change);
          isStale = written === false;
          return written;
        } finally {
          if (isStale) answers.forget();
        }
      },
    },
  };
};
