/** A small chain: the coins there are, and the median time past. It accepts what nodes accept. */
import { binToHex, encodeTransaction, hash256, hashTransaction, utf8ToBin } from '@bitauth/libauth';
import { buildTransaction, FINAL, type Built, type Output, type Spend } from '../harness/spend.js';
import { MACHINES } from '../harness/verdict.js';

export type Outpoint = { readonly txid: string; readonly vout: number };
export type Coin = Outpoint & { readonly coin: Output };

export type Chain = {
  /** Unspent outputs by `txid:vout`. Coins of people are not among them: whoever needs one has one. */
  readonly coins: ReadonlyMap<string, Output>;
  /** Outpoints that were spent, `txid:vout`. */
  readonly spent: ReadonlySet<string>;
  /** Unix seconds. A locktime below it has passed. */
  readonly medianTime: number;
  /** An outpoint that nothing else has: its name and how many transactions there were give it. */
  readonly newOutpoint: (name: string) => Outpoint;
  readonly transactions: readonly Accepted[];
};

/** A transaction in the chain, and the median time at which it came. */
export type Accepted = {
  readonly txid: string;
  readonly spend: Spend;
  readonly built: Built;
  readonly medianTime: number;
};

const nameOutpoint =
  (count: number) =>
  (name: string): Outpoint => ({ txid: binToHex(hash256(utf8ToBin(`${name} ${count}`))), vout: 0 });

/** A chain without coins. */
export const emptyChain = (medianTime: number): Chain => ({
  coins: new Map(),
  spent: new Set(),
  medianTime,
  newOutpoint: nameOutpoint(0),
  transactions: [],
});

/** The chain later. Its time never falls. */
export const waitUntil = (chain: Chain, medianTime: number): Chain => ({
  ...chain,
  medianTime: Math.max(chain.medianTime, medianTime),
});

/** The unspent outputs under a lock, in the order in which they came. */
export const coinsAt = ({ coins }: Chain, lock: Uint8Array): Coin[] =>
  [...coins].flatMap(([outpoint, coin]) => {
    const [txid = '', vout] = outpoint.split(':');
    return Buffer.compare(coin.lockingBytecode, lock) === 0 ? [{ txid, vout: Number(vout), coin }] : [];
  });

const idsOf = ({ inputs }: Spend): string[] => inputs.map(({ txid, vout }) => `${txid}:${vout}`);

const FIRST_TIME = 500_000_000;
const CHAIN_HEIGHT = 950_000;

/** True when the locktime of a transaction has passed, or does not count. Source: BIP113. */
export const isFinal = ({ inputs, locktime }: Spend, medianTime: number): boolean =>
  locktime === 0 ||
  inputs.every(({ sequence }) => sequence === FINAL) ||
  locktime < (locktime < FIRST_TIME ? CHAIN_HEIGHT : medianTime);

/** What the rules of a year say of a built transaction: `accepted`, or why not. */
export const verify = (built: Built, rules: keyof typeof MACHINES): string => {
  const verified = MACHINES[rules].verify(built);
  return verified === true ? 'accepted' : verified;
};

export type Submission = {
  readonly chain: Chain;
  readonly accepted: Accepted | null;
  /** `accepted`, or what refused it. */
  readonly verdict: string;
};

const refuse = (chain: Chain, verdict: string): Submission => ({ chain, accepted: null, verdict });

/**
 * Hands a transaction to the chain. The rules of 2025 and of 2026 must agree on it.
 *
 * @param isOurs which outputs the chain remembers as coins
 */
export const submit = (chain: Chain, spend: Spend, isOurs: (output: Output) => boolean): Submission => {
  const built = buildTransaction(spend);
  const [earlier, verdict] = [verify(built, '2025'), verify(built, '2026')];
  if ((earlier === 'accepted') !== (verdict === 'accepted')) {
    throw new Error(`the rules disagree: ${earlier} in 2025, ${verdict} in 2026`);
  }
  if (verdict !== 'accepted') return refuse(chain, verdict);
  if (!isFinal(spend, chain.medianTime)) return refuse(chain, 'the locktime has not passed');
  if (idsOf(spend).some((id) => chain.spent.has(id))) return refuse(chain, 'a coin was spent before');

  const txid = hashTransaction(encodeTransaction(built.transaction));
  const coins = new Map(chain.coins);
  for (const id of idsOf(spend)) coins.delete(id);
  spend.outputs.forEach((output, vout) => {
    if (isOurs(output)) coins.set(`${txid}:${vout}`, output);
  });
  const accepted = { txid, spend, built, medianTime: chain.medianTime };
  const transactions = [...chain.transactions, accepted];
  return {
    chain: {
      ...chain,
      coins,
      spent: new Set([...chain.spent, ...idsOf(spend)]),
      newOutpoint: nameOutpoint(transactions.length),
      transactions,
    },
    accepted,
    verdict,
  };
};
