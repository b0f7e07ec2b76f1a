/** A covenant as the model sees it: a state, the moves that may be tried, and the spends that try them. */
import { binToHex } from '@bitauth/libauth';
import type { ArtifactName } from '../../../src/covenant/artifact.js';
import type { Argument, Bound } from '../harness/bound.js';
import { DUST, fungible, nft, payment, plain, reserveOf, TOKEN, type Asset } from '../harness/coins.js';
import { authority, owner, type Party } from '../harness/parties.js';
import { IN_FORCE, type Input, type Output, type Spend, type Unlock } from '../harness/spend.js';
import { coinsAt, type Chain, type Outpoint } from './chain.js';

/**
 * How much an attempt asks for: all that the rules allow, a part, one unit more, nothing, less than nothing, or what
 * another segment or milestone would allow.
 */
export const ASKED = ['all', 'part', 'one', 'more', 'none', 'negative', 'elsewhere'] as const;
export type Asked = (typeof ASKED)[number];

/** What is to be tried. `share` (0 to 999) picks a part, and whatever else a move leaves open. */
export type Order = { readonly call: string; readonly asked: Asked; readonly share: number };

/** A move that is tried, whether the rules allow it or not. */
export type Attempt<State> = {
  readonly call: string;
  readonly args: readonly Argument[];
  /** The state that it leaves; null ends the thread. */
  readonly after: State | null;
  /** Payouts, in the covenant's asset. */
  readonly pays: readonly { readonly to: Uint8Array; readonly amount: bigint }[];
  /** What is put in, in the covenant's asset. */
  readonly adds: bigint;
  /** Whether the reserve is spent. */
  readonly opens: boolean;
  /** Who pays the fee. */
  readonly by: Party;
  readonly isWitnessed: boolean;
  /** Signed by nobody: its end leaves the satoshis of the thread and its reserve to whom it pays. */
  readonly isPush?: boolean;
  /** What the second implementation says of it. */
  readonly isAllowed: boolean;
};

/** A covenant with its terms bound. Amounts are in the smallest unit, times in unix seconds. */
export type Covenant<State> = {
  readonly name: ArtifactName;
  readonly asset: Asset;
  readonly contract: Bound;
  /** The functions that move it. */
  readonly calls: readonly string[];
  readonly first: State;
  /** From the first to the last second at which something happens by itself, roughly. */
  readonly span: { readonly from: number; readonly to: number };
  readonly encode: (state: State) => string;
  readonly decode: (commitment: string) => State;
  /** What the pool still owes. */
  readonly remaining: (state: State) => bigint;
  /** Seconds at which something changes by itself. */
  readonly boundaries: (state: State) => readonly number[];
  readonly attempt: (state: State, order: Order, now: number) => Attempt<State>;
};

/** A part of something: at least 1, at most all of it, and 0 of nothing. */
export const partOf = (whole: bigint, share: number): bigint =>
  whole <= 0n ? 0n : 1n + ((whole - 1n) * BigInt(share)) / 1_000n;

/** The amount that an order asks for, where `most` is allowed. */
export const askedAmount = ({ asked, share }: Order, most: bigint): bigint => {
  const amounts: Readonly<Record<Asked, bigint>> = {
    all: most,
    part: partOf(most, share),
    one: 1n,
    more: most + 1n,
    none: 0n,
    negative: -partOf(most + 1n, share),
    elsewhere: most,
  };
  return amounts[asked];
};

/** The number of a segment or milestone that an order names, of 0 to `count`, where `right` is the one to name. */
export const askedNumber = ({ asked, share }: Order, right: number, count: number): number =>
  asked === 'elsewhere' ? (right + 1 + share) % (count + 1) : right;

/** Where a covenant stands on a chain. */
export type Position<State> = {
  readonly category: string;
  /** Null: it has ended. */
  readonly thread: Outpoint | null;
  readonly state: State;
};

/** The coin that carries a thread in a state. */
export const threadOf = <State>(
  { asset, contract, encode, remaining }: Covenant<State>,
  state: State,
  category: string,
): Output => {
  const pool = remaining(state);
  const inCoin = asset === 'BCH' && pool > 0n ? pool : 0n;
  return nft(contract.lock, encode(state), DUST + inCoin, category);
};

/** An amount for somebody who does not choose it: raised to dust where it is too small for an output of its own. */
const payout = (asset: Asset, to: Uint8Array, amount: bigint): Output => {
  const least = 546n;
  return asset === 'BCH' ? plain(to, amount < least ? least : amount) : payment(asset, to, amount);
};

const input = ({ txid, vout }: Outpoint, coin: Output, unlock: Unlock): Input => ({
  txid,
  vout,
  coin,
  unlock,
  sequence: IN_FORCE,
});

const COIN = 200_000n;

/** The outputs of an attempt, the thread and its reserve first. */
const outputsOf = <State>(
  covenant: Covenant<State>,
  { after, pays, opens }: Attempt<State>,
  { category }: Position<State>,
): Output[] => {
  const { asset, contract } = covenant;
  const left = after === null ? 0n : covenant.remaining(after);
  const hasReserve = asset === 'tokens' && after !== null && opens && left > 0n;
  return [
    ...(after === null ? [] : [threadOf(covenant, after, category)]),
    ...(hasReserve ? [fungible(reserveOf(contract, category).lock, left)] : []),
    ...pays.filter(({ amount }) => amount > 0n).map(({ to, amount }) => payout(asset, to, amount)),
  ];
};

/** The inputs of an attempt: the thread, its reserve, what is put in, a fee coin, a ticket. */
const inputsOf = <State>(
  chain: Chain,
  { asset, contract }: Covenant<State>,
  attempt: Attempt<State>,
  { thread, category }: Position<State>,
): Input[] => {
  if (thread === null) throw new Error('the thread has ended');
  const { call, args, adds, opens, by, isWitnessed } = attempt;
  const coin = chain.coins.get(`${thread.txid}:${thread.vout}`);
  if (coin === undefined) throw new Error('the thread is no coin');
  const reserve = reserveOf(contract, category);
  const reserves = opens && asset === 'tokens' ? coinsAt(chain, reserve.lock) : [];
  const coinOf = (name: string, satoshis: bigint, party = by): Input =>
    input(chain.newOutpoint(name), plain(party.lock, satoshis), { key: party });
  const funds = fungible(by.lock, adds);
  return [
    input(thread, coin, { contract, call, args }),
    ...reserves.map((found) => input(found, found.coin, { contract: reserve, call: 'spend', args: [] })),
    ...(adds > 0n && asset === 'tokens' ? [input(chain.newOutpoint('funds'), funds, { key: by })] : []),
    coinOf('fee', COIN + (asset === 'BCH' ? adds : 0n)),
    ...(isWitnessed ? [coinOf('ticket', DUST, authority)] : []),
  ];
};

const sumSatoshis = (outputs: readonly Output[]): bigint =>
  outputs.reduce((sum, { valueSatoshis }) => sum + valueSatoshis, 0n);

const FEE = 3_000n;

/** The outputs of a push that ends the thread: the satoshis of all that the covenant opens are in its payout. */
const withWhole = <State>(
  outputs: readonly Output[],
  { isPush = false, after }: Attempt<State>,
  inputs: readonly Input[],
): Output[] => {
  const [first, ...rest] = outputs;
  if (!isPush || after !== null || first === undefined) return [...outputs];
  const opened = inputs.filter(({ unlock }) => !('key' in unlock)).map(({ coin }) => coin);
  return [{ ...first, valueSatoshis: sumSatoshis(opened) }, ...rest];
};

/** The spend that tries an attempt, with change for whoever pays the fee. `at` is its locktime. */
export const spendOf = <State>(
  chain: Chain,
  covenant: Covenant<State>,
  position: Position<State>,
  attempt: Attempt<State>,
  at: number,
): Spend => {
  const inputs = inputsOf(chain, covenant, attempt, position);
  const promised = [
    ...withWhole(outputsOf(covenant, attempt, position), attempt, inputs),
    ...(attempt.isWitnessed ? [plain(authority.lock, DUST)] : []),
  ];
  const change = sumSatoshis(inputs.map(({ coin }) => coin)) - sumSatoshis(promised) - FEE;
  const outputs = change >= 546n ? [...promised, plain(attempt.by.lock, change)] : promised;
  return { inputs, outputs, locktime: at, chainTime: chain.medianTime };
};

/** The transaction that funds covenants in one category, which its first coin gives. */
export const fundingOf = (
  chain: Chain,
  covenants: readonly Covenant<never>[],
): { readonly spend: Spend; readonly category: string } => {
  const genesis = chain.newOutpoint('genesis');
  const category = genesis.txid;
  const pools = covenants.map((covenant) => covenant.remaining(covenant.first));
  const threads = covenants.map((covenant) => threadOf(covenant, covenant.first, category));
  const reserves = covenants.flatMap(({ asset, contract }, index) =>
    asset === 'BCH' ? [] : [fungible(reserveOf(contract, category).lock, pools[index] ?? 0n)],
  );
  const satoshis = sumSatoshis([...threads, ...reserves]) + COIN;
  const tokens = reserves.map(({ token }, index) =>
    input(chain.newOutpoint(`tokens ${index}`), fungible(owner.lock, token?.amount ?? 0n), { key: owner }),
  );
  const spend: Spend = {
    inputs: [input(genesis, plain(owner.lock, satoshis), { key: owner }), ...tokens],
    outputs: [...threads, ...reserves],
    locktime: 0,
    chainTime: chain.medianTime,
  };
  return { spend, category };
};

/** Tokens of the product's category in some coins. */
export const tokensIn = (coins: readonly { readonly coin: Output }[]): bigint =>
  coins.reduce(
    (sum, { coin: { token } }) =>
      token !== undefined && binToHex(token.category) === TOKEN ? sum + token.amount : sum,
    0n,
  );
