/** Methods about the coins and the history of a script, by its hash or by its address. */
import { sumSatoshis, type Coin, type Output, type Token } from '../../bch/coins.js';
import { scriptStatus } from '../../bch/script-status.js';
import type { LocalChain } from '../local-chain/local-chain.js';
import { refusal } from './json-rpc.js';
import {
  readHeight,
  readTarget,
  readTokenFilter,
  answerSubscription,
  type Target,
  type TargetKind,
  type TokenFilter,
  type Method,
  type MethodTable,
  type ScriptSubscription,
  type Site,
} from './session.js';

const isWanted =
  (filter: TokenFilter) =>
  ({ token }: { readonly token?: Token }): boolean =>
    filter === 'include_tokens' || (token !== undefined) === (filter === 'tokens_only');

/** A token as the protocol shows it: its amount is text, since it may not fit a JSON number. */
export const showToken = ({ token }: { readonly token?: Token }): Record<string, unknown> =>
  token === undefined
    ? {}
    : {
        token_data: {
          category: token.category,
          amount: token.amount.toString(),
          ...(token.nft === undefined ? {} : { nft: token.nft }),
        },
      };

type MempoolFacts = {
  readonly fee: bigint;
  /** 0, or -1 when it spends what is in the mempool too. */
  readonly height: 0 | -1;
  /** The confirmed outputs that it spends. */
  readonly confirmedSpent: readonly Output[];
};

const mempoolFacts = async (chain: LocalChain, txid: string): Promise<MempoolFacts> => {
  const known = await chain.transaction(txid);
  if (known === null) return { fee: 0n, height: 0, confirmedSpent: [] };
  const { inputs, outputs } = known.transaction;
  const spent = await Promise.all(
    inputs.map(async (input) => {
      const source = await chain.transaction(input.txid);
      const output = source?.transaction.outputs[input.vout];
      return output === undefined ? [] : [{ output, isConfirmed: source?.height !== null }];
    }),
  );
  const sources = spent.flat();
  return {
    fee: sumSatoshis(sources.map(({ output }) => output)) - sumSatoshis(outputs),
    height: sources.every(({ isConfirmed }) => isConfirmed) ? 0 : -1,
    confirmedSpent: sources.filter(({ isConfirmed }) => isConfirmed).map(({ output }) => output),
  };
};

/** One line of a history as the protocol shows it. */
type HistoryLine = { readonly tx_hash: string; readonly height: number; readonly fee?: number };

const historyLines = async (
  chain: LocalChain,
  { lockingBytecode }: Pick<Target, 'lockingBytecode'>,
): Promise<HistoryLine[]> => {
  const entries = lockingBytecode === null ? [] : await chain.history(lockingBytecode);
  return Promise.all(
    entries.map(async ({ txid, height }) => {
      if (height !== null) return { tx_hash: txid, height };
      const facts = await mempoolFacts(chain, txid);
      return { tx_hash: txid, height: facts.height, fee: Number(facts.fee) };
    }),
  );
};

/** The status of a script, or null when it has none. */
export const statusOf = async (
  chain: LocalChain,
  target: Pick<Target, 'lockingBytecode'>,
): Promise<string | null> => {
  const lines = await historyLines(chain, target);
  return scriptStatus(lines.map(({ tx_hash: txid, height }) => ({ txid, height })));
};

const getBalance = async (
  { lockingBytecode }: Target,
  filter: TokenFilter,
  { chain }: Site,
): Promise<{ confirmed: number; unconfirmed: number }> => {
  if (lockingBytecode === null) return { confirmed: 0, unconfirmed: 0 };
  const coins = (await chain.unspent(lockingBytecode)).filter(isWanted(filter));
  const waiting = (await chain.history(lockingBytecode)).filter(({ height }) => height === null);
  const facts = await Promise.all(waiting.map(({ txid }) => mempoolFacts(chain, txid)));
  // Confirmed is what the last block left; what the mempool has spent since counts against unconfirmed.
  const leaving = sumSatoshis(
    facts
      .flatMap(({ confirmedSpent }) => confirmedSpent)
      .filter((output) => output.lockingBytecode === lockingBytecode && isWanted(filter)(output)),
  );
  const confirmed = sumSatoshis(coins.filter(({ height }) => height !== null)) + leaving;
  return { confirmed: Number(confirmed), unconfirmed: Number(sumSatoshis(coins) - confirmed) };
};

const inChainOrder = (a: Coin, b: Coin): number => {
  if (a.height !== b.height) return (a.height ?? Infinity) - (b.height ?? Infinity);
  return a.txid === b.txid ? a.vout - b.vout : a.txid < b.txid ? -1 : 1;
};

const listUnspent = async ({ lockingBytecode }: Target, filter: TokenFilter, { chain }: Site) => {
  const coins = lockingBytecode === null ? [] : await chain.unspent(lockingBytecode);
  return coins
    .filter(isWanted(filter))
    .sort(inChainOrder)
    .map((coin) => ({
      tx_hash: coin.txid,
      tx_pos: coin.vout,
      height: coin.height ?? 0,
      value: Number(coin.satoshis),
      ...showToken(coin),
    }));
};

/** The lines from one height up to another (not included); with -1, the mempool's too. Source: protocol 1.5.1. */
const getHistory = async (target: Target, from: unknown, to: unknown, { chain }: Site) => {
  const lines = await historyLines(chain, target);
  const least = readHeight(from, 'Invalid from_height argument', 0);
  if (to === undefined || to === null || to === -1) {
    return lines.filter(({ height }) => height <= 0 || height >= least);
  }
  const below = readHeight(to, 'Invalid to_height argument');
  return lines.filter(({ height }) => height > 0 && height >= least && height < below);
};

const subscribe = (method: string, target: Target, { chain, session, maxSubscriptions }: Site) => {
  const { scriptHash, alias } = target;
  if (session.scripts.size >= maxSubscriptions && !session.scripts.has(scriptHash))
    throw refusal('Subscription limit reached');
  const subscription: ScriptSubscription = { method, alias, told: null };
  session.scripts.set(scriptHash, subscription);
  return answerSubscription(subscription, () => statusOf(chain, target));
};

/** The methods of one family. Source: Electrum Cash protocol, `blockchain.scripthash.*` and `blockchain.address.*`. */
const family = (kind: TargetKind): MethodTable => {
  const name = (verb: string): string => `blockchain.${kind}.${verb}`;
  const about = (
    parameters: Method['parameters'],
    run: (target: Target, params: readonly unknown[], site: Site) => unknown,
  ): Method => ({
    parameters,
    run: async (params, site) => run(await readTarget(kind, params[0], site), params, site),
  });
  return {
    [name('get_balance')]: about([1, 2], (target, [, filter], site) =>
      getBalance(target, readTokenFilter(filter, site.session), site),
    ),
    [name('listunspent')]: about([1, 2], (target, [, filter], site) =>
      listUnspent(target, readTokenFilter(filter, site.session), site),
    ),
    [name('get_history')]: about([1, 3], (target, [, from, to], site) => getHistory(target, from, to, site)),
    [name('get_mempool')]: about([1, 1], async (target, _params, { chain }) =>
      (await historyLines(chain, target)).filter(({ height }) => height <= 0),
    ),
    [name('subscribe')]: about([1, 1], (target, _params, site) => subscribe(name('subscribe'), target, site)),
    [name('unsubscribe')]: about([1, 1], ({ scriptHash }, _params, { session }) =>
      session.scripts.delete(scriptHash),
    ),
  };
};

export const scriptMethods: MethodTable = {
  ...family('scripthash'),
  ...family('address'),
  'blockchain.address.get_scripthash': {
    parameters: [1, 1],
    run: async ([address], site) => (await readTarget('address', address, site)).scriptHash,
  },
};
